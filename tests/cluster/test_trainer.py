"""A TrainJob that is rendered becomes a JobSet, Jobs and pods, by the real Trainer 2.3.0 and JobSet 0.12.0.

Real: the API server with its admission, scheduler, job controller, and the trainer, JobSet and Kueue, each with the
account, rights, file, certificate and webhooks that its component renders. Played: kubelets (kwok), nodes, and the way
from Services to programs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from platform_def.manifests.rendered import RenderedStack
from tests.cluster.client import Manifest
from tests.cluster.conftest import show_logs
from tests.cluster.control_plane import ControlPlane
from tests.cluster.operated import operated
from tests.cluster.queueing import front_proxy
from tests.cluster.stacks import rendered_stack
from tests.cluster.trainers import COMPONENTS, SET, STACK, TrainerCluster, machines, start_trainer

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

GROUP = "jobset.sigs.k8s.io/replicatedjob-name"
"""Label by which pods say which group of Jobs they are of."""


@pytest.fixture(scope="module")
def trainer_stack(tmp_path_factory: pytest.TempPathFactory) -> RenderedStack:
    """The stack."""
    return rendered_stack(tmp_path_factory.mktemp("trainer"), STACK, name="trainer")


@pytest.fixture(scope="module")
def running(
    trainer_stack: RenderedStack, programs: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[TrainerCluster]:
    """The cluster with all controllers."""
    objects = [item.manifest for name in COMPONENTS for item in trainer_stack.components[name].objects]
    flags = front_proxy(tmp_path_factory.mktemp("pki") / "front-proxy")
    with operated(programs, objects, machines(), _started, flags=flags) as cluster:
        yield cluster


def _started(control_plane: ControlPlane, programs: Mapping[str, Path], objects: Sequence[Manifest]) -> TrainerCluster:
    cluster = start_trainer(control_plane, programs, objects)
    account = {"name": "trainer", "namespace": "team-lab"}
    assert not control_plane.api.apply({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": account}).refusal
    return cluster


@pytest.fixture
def trainers(running: TrainerCluster, request: pytest.FixtureRequest) -> Iterator[TrainerCluster]:
    """The shared cluster without jobs; its logs are shown when the test fails."""
    show_logs(request, running.control_plane)
    with running.clean():
        yield running


def job(stack: RenderedStack, name: str) -> list[Manifest]:
    """The objects of a job as rendered."""
    return [item.manifest for item in stack.jobs[name]]


def variables(pod: Manifest) -> dict[str, Any]:
    """What the container that trains is told."""
    (container,) = pod["spec"]["containers"]
    return {each["name"]: each.get("value") for each in container["env"]}


def test_a_job_on_a_runtime_of_its_own_trains_to_its_end(
    trainers: TrainerCluster, trainer_stack: RenderedStack
) -> None:
    made = trainers.submit(job(trainer_stack, "own"), "own")
    first, second = trainers.wait_for_pods(made, 2)
    trainers.queues.finish(made)
    trainers.wait_for(made, "Complete")

    assert {pod["metadata"]["labels"][SET] for pod in (first, second)} == {"own"}
    told = variables(first)
    assert (told["PET_NNODES"], told["PET_NPROC_PER_NODE"]) == ("2", "4")
    assert told["PET_MASTER_ADDR"] == "own-node-0-0.own"
    spec = first["spec"]
    assert first["spec"]["nodeName"] != second["spec"]["nodeName"]
    assert (spec["hostname"], spec["subdomain"]) == ("own-node-0-0", "own")
    assert spec["terminationGracePeriodSeconds"] == 600
    assert spec["runtimeClassName"] == "nvidia"
    assert spec["containers"][0]["resources"]["limits"]["nvidia.com/gpu"] == "4"


def test_a_job_on_a_runtime_of_the_cluster_changes_what_it_says(
    trainers: TrainerCluster, trainer_stack: RenderedStack
) -> None:
    made = trainers.submit(job(trainer_stack, "shared"), "shared")
    pods = trainers.wait_for_pods(made, 2)
    spec = pods[0]["spec"]

    assert spec["nodeSelector"]["pool"] == "train"
    assert spec["serviceAccountName"] == "trainer"
    assert spec["terminationGracePeriodSeconds"] == 90
    assert spec["containers"][0]["command"] == ["torchrun", "train.py"]
    assert spec["containers"][0]["resources"]["limits"]["nvidia.com/gpu"] == "4"
    assert {each["mountPath"] for each in spec["containers"][0]["volumeMounts"]} >= {"/dev/shm"}
    told = variables(pods[0])
    assert (told["SEED"], told["PET_NNODES"], told["PET_NPROC_PER_NODE"]) == ("1", "2", "4")
    assert pods[0]["metadata"]["labels"]["sidecar.istio.io/inject"] == "false"


def test_a_job_without_gpus_trains_on_a_runtime_whose_pods_ask_for_no_class(
    trainers: TrainerCluster, trainer_stack: RenderedStack
) -> None:
    made = trainers.submit(job(trainer_stack, "processors"), "processors")
    (pod,) = trainers.wait_for_pods(made, 1)
    trainers.queues.finish(made)
    trainers.wait_for(made, "Complete")

    assert "runtimeClassName" not in pod["spec"]
    assert pod["spec"]["containers"][0]["resources"]["limits"].keys() == {"memory"}
    assert variables(pod)["PET_NPROC_PER_NODE"] == "1"


def test_a_launcher_starts_when_its_nodes_are_ready_and_finds_them_by_name(
    trainers: TrainerCluster, trainer_stack: RenderedStack
) -> None:
    made = trainers.submit(job(trainer_stack, "launched"), "launched")
    pods = {pod["metadata"]["labels"][GROUP]: pod for pod in trainers.wait_for_pods(made, 2)}
    node, launcher = pods["node"], pods["launcher"]
    (ready,) = (each for each in node["status"]["conditions"] if each["type"] == "Ready")
    place = f"/api/v1/namespaces/{made['metadata']['namespace']}/configmaps/launched"
    hosts = trainers.control_plane.api.get(f"{place}-mpi-hostfile").body["data"]["hostfile"].splitlines()
    trainers.queues.finish(made)
    trainers.wait_for(made, "Complete")

    assert ready["status"] == "True"
    assert launcher["metadata"]["creationTimestamp"] >= ready["lastTransitionTime"]
    assert hosts == [f"launched-{name}-0-0.launched slots=4" for name in ("node", "launcher")]
    for pod in (node, launcher):
        assert pod["spec"]["terminationGracePeriodSeconds"] == 45
        assert pod["spec"]["securityContext"]["fsGroup"] == 1000
        assert pod["spec"]["containers"][0]["resources"]["limits"]["nvidia.com/gpu"] == "4"


def test_a_job_keeps_the_runtime_that_it_began_with(trainers: TrainerCluster, trainer_stack: RenderedStack) -> None:
    made = trainers.submit(job(trainer_stack, "own"), "own")
    trainers.wait_for_pods(made, 2)
    runtime = f"/apis/trainer.kubeflow.org/v1alpha1/namespaces/{made['metadata']['namespace']}/trainingruntimes/own"
    assert trainers.control_plane.api.request("DELETE", runtime).status == 200
    trainers.wait(lambda: trainers.control_plane.api.get(runtime).status == 404, "the runtime is gone", made)
    trainers.queues.finish(made)

    trainers.wait_for(made, "Complete")


def test_where_a_pod_fails_all_start_anew_and_what_the_cluster_ends_is_no_try(
    trainers: TrainerCluster, trainer_stack: RenderedStack
) -> None:
    made = trainers.submit(job(trainer_stack, "own"), "failing")
    before = trainers.wait_for_pods(made, 2)
    trainers.end(before[1])
    trainers.wait(lambda: trainers.set_of(made)["status"].get("restartsCountTowardsMax") == 1, "a failure counts", made)
    names = {pod["metadata"]["uid"] for pod in before}
    trainers.wait(lambda: _new(trainers, made, names) == 2, "two other pods run", made)

    anew = trainers.pods(made)
    trainers.end(anew[0], reason="PreemptionByScheduler")
    trainers.wait(lambda: trainers.set_of(made)["status"].get("restarts") == 2, "all start anew again", made)
    assert trainers.set_of(made)["status"]["restartsCountTowardsMax"] == 1


def _new(trainers: TrainerCluster, made: Manifest, former: set[str]) -> int:
    return sum(pod["metadata"]["uid"] not in former for pod in trainers.queues.pods(made))


def test_a_job_without_its_runtime_is_refused_by_the_webhook(
    trainers: TrainerCluster, trainer_stack: RenderedStack
) -> None:
    (train_job,) = (each for each in job(trainer_stack, "shared") if each["kind"] == "TrainJob")
    lost = {**train_job, "spec": {**train_job["spec"], "runtimeRef": {"name": "nobody-s"}}}

    assert "must be created before the TrainJob" in trainers.control_plane.api.apply(lost, dry_run=True).refusal


def test_a_jobset_that_no_pod_could_be_named_by_is_refused_by_the_webhook(
    trainers: TrainerCluster, trainer_stack: RenderedStack
) -> None:
    (runtime,) = (each for each in job(trainer_stack, "own") if each["kind"] == "TrainingRuntime")
    metadata = {"name": "a" * 60, "namespace": "team-lab"}
    spec = runtime["spec"]["template"]["spec"]
    made = {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": metadata, "spec": spec}

    assert "will exceed 63 characters" in trainers.control_plane.api.apply(made, dry_run=True).refusal


def test_a_job_of_a_team_with_a_queue_waits_until_there_is_room(
    trainers: TrainerCluster, trainer_stack: RenderedStack
) -> None:
    objects = job(trainer_stack, "queued")
    first, second = (trainers.submit(objects, name) for name in ("first", "second"))
    trainers.wait(lambda: any(map(trainers.pods, (first, second))), "one of them runs")
    runs, waits = (first, second) if trainers.pods(first) else (second, first)
    trainers.wait_for_pods(runs, 2)
    trainers.wait_for(waits, "Suspended")

    assert trainers.queues.flavors(runs) == {"node": "train"}
    assert trainers.pods(waits) == []
    trainers.queues.finish(runs)
    trainers.wait_for(runs, "Complete")
    trainers.wait_for_pods(waits, 2)


@pytest.mark.parametrize(
    ("role", "resource", "verbs", "controller"),
    [
        ("kubeflow-trainer-controller-manager", "jobsets", {"create", "patch"}, "trainer"),
        ("jobset-manager-role", "jobs", {"create"}, "jobset"),
    ],
)
def test_without_a_right_of_its_role_no_pod_starts(
    running: TrainerCluster, trainer_stack: RenderedStack, role: str, resource: str, verbs: set[str], controller: str
) -> None:
    program = getattr(running, controller)
    with running.without(role, resource, verbs):
        made = running.submit(job(trainer_stack, "own"), f"no-{resource}")
        running.wait(lambda: any(resource in line for line in program.forbidden()), "it is refused", made)

        assert running.pods(made) == []
