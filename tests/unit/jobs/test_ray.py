"""Ray jobs: what the head, the workers and the submitter are, and what a queue cannot hold back."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.capabilities import GangScheduler, JobQueue, RayOperator
from platform_def.config.capability import Provision
from platform_def.config.platform import Platform
from platform_def.config.teams import Team
from platform_def.jobs.ray.ray_job import RayConfig
from tests.unit.jobs.platforms import PLATFORM, container, job, pod, problems

COMMAND: dict[str, Any] = {"command": ["python", "train.py"], "pool": "train"}
QUEUED = PLATFORM.with_facts(
    teams=(Team(name="vision", pod_security="privileged", queue="vision"),),
    provisions=(Provision.of(JobQueue(implementation="kueue", label="kueue.x-k8s.io/queue-name"), "kueue"),),
)


def spec(**values: Any) -> dict[str, Any]:
    found: dict[str, Any] = job("ray", **{**COMMAND, **values})["spec"]
    return found


def test_the_program_is_one_line_as_a_shell_reads_it() -> None:
    assert spec(args=["--label", "two words"])["entrypoint"] == "python train.py --label 'two words'"


def test_the_head_takes_no_tasks_and_workers_offer_their_share() -> None:
    cluster = spec(gpusPerWorker=4)["rayClusterSpec"]

    assert cluster["headGroupSpec"]["rayStartParams"] == {"dashboard-host": "0.0.0.0", "num-cpus": "0"}
    (workers,) = cluster["workerGroupSpecs"]
    assert workers["rayStartParams"] == {"num-cpus": "57", "num-gpus": "4"}
    assert spec(gpusPerWorker=0)["rayClusterSpec"]["workerGroupSpecs"][0]["rayStartParams"].keys() == {"num-cpus"}


def test_workers_stay_as_many_unless_the_autoscaler_may_change_them() -> None:
    (fixed,) = spec(workers=3)["rayClusterSpec"]["workerGroupSpecs"]
    scaled = spec(workers=3, elastic={"least": 1, "most": 8})["rayClusterSpec"]

    assert (fixed["minReplicas"], fixed["replicas"], fixed["maxReplicas"]) == (3, 3, 3)
    assert "enableInTreeAutoscaling" not in spec(workers=3)["rayClusterSpec"]
    (group,) = scaled["workerGroupSpecs"]
    assert (group["minReplicas"], group["replicas"], group["maxReplicas"]) == (1, 3, 8)
    assert scaled["enableInTreeAutoscaling"] is True


def test_the_autoscaler_alone_has_a_token() -> None:
    bounds = {"least": 1, "most": 2}

    assert "automountServiceAccountToken" not in pod(job("ray", **COMMAND, elastic=bounds), "Head")
    assert pod(job("ray", **COMMAND, elastic=bounds), "Worker")["automountServiceAccountToken"] is False
    assert pod(job("ray", **COMMAND), "Head")["automountServiceAccountToken"] is False


def test_the_operator_names_the_pods_applications_itself() -> None:
    for template in (spec()["rayClusterSpec"]["headGroupSpec"]["template"], spec()["submitterPodTemplate"]):
        labels = template["metadata"]["labels"]
        assert "app.kubernetes.io/name" not in labels
        assert labels["app.kubernetes.io/part-of"] == job("ray", **COMMAND)["metadata"]["name"]


def test_the_fabric_is_the_workers() -> None:
    made = job("ray", **COMMAND, rdma=True, team="vision")

    assert "rdma/hca_shared" in container(made, "Worker")["resources"]["limits"]
    assert "rdma/hca_shared" not in container(made, "Head")["resources"]["limits"]


def test_the_cluster_goes_with_the_job_unless_it_is_kept_for_a_look() -> None:
    assert spec()["shutdownAfterJobFinishes"] is True
    assert spec(cleanPods="None")["shutdownAfterJobFinishes"] is False


def test_bounds_hold_the_number_of_workers() -> None:
    found = problems("ray", **COMMAND, workers=1, elastic={"least": 2, "most": 4})

    assert [at for at, _ in found] == ["elastic"]


@pytest.mark.parametrize(
    ("said", "field"), [({"elastic": {"least": 1, "most": 4}}, "elastic"), ({"cleanPods": "None"}, "cleanPods")]
)
def test_a_queue_refuses_what_it_could_not_count(said: dict[str, Any], field: str) -> None:
    found = problems("ray", QUEUED, **COMMAND, team="vision", **said)

    assert field in [at for at, _ in found]
    assert field not in [at for at, _ in problems("ray", **COMMAND, **said)]


@pytest.mark.parametrize(("name", "told"), [("a" * 38, []), ("a" * 39, ["name"]), ("3d-unet", ["name"])])
def test_a_name_that_the_operator_would_leave_alone_for_ever_is_told(name: str, told: list[str]) -> None:
    said = {"template": "ray", "name": name, "image": "registry.example.com/one:1", **COMMAND}

    assert [each.field for each in RayConfig.from_file(said).problems(PLATFORM)] == told


def by_operator(gang: str, *more: Provision) -> Platform:
    """The platform with KubeRay that is told a gang scheduler."""
    return QUEUED.with_facts(provisions=(*more, Provision.of(RayOperator(gang=gang), "kuberay-operator")))


@pytest.mark.parametrize("gang", ["scheduler-plugins", "kai-scheduler"])
def test_what_the_operator_would_refuse_for_ever_is_told(gang: str) -> None:
    ((_, text),) = problems("ray", by_operator(gang), **COMMAND)

    assert "refuses to run RayJobs" in text
    assert "components.kuberay-operator" in text
    assert problems("ray", by_operator("volcano"), **COMMAND) == []


def test_with_volcano_the_job_names_queue_and_priority_of_its_gang() -> None:
    queue = JobQueue(implementation="volcano", annotation="volcano.sh/queue-name", scheduler="volcano")
    gangs = GangScheduler(implementation="volcano", scheduler="volcano")
    given = Provision.of(queue, "volcano"), Provision.of(gangs, "volcano")
    said: dict[str, Any] = {**COMMAND, "team": "vision", "priorityClass": "urgent"}
    labels = job("ray", by_operator("volcano", *given), **said)["metadata"]["labels"]

    assert labels["volcano.sh/queue-name"] == "vision"
    assert labels["ray.io/priority-class-name"] == "urgent"
    assert "ray.io/priority-class-name" not in job("ray", by_operator("", *given), **said)["metadata"]["labels"]
