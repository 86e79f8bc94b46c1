"""TrainJobs: a runtime of their own with all that is asked for, or one of the cluster's with what can be changed."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.capabilities import JobQueue, RuntimeClass, TrainingRuntime, TrainingRuntimes
from platform_def.config.capability import Provision
from platform_def.config.platform import Platform
from platform_def.config.teams import Team
from platform_def.jobs.kubeflow.trainjob import TrainJobConfig
from tests.unit.jobs.platforms import MINIMAL, PLATFORM, objects, problems, variables

NAME = "trainjob"
RUNTIMES = (
    TrainingRuntime(name="torch-distributed"),
    TrainingRuntime(name="deepspeed-distributed", groups=["launcher", "node"]),
    TrainingRuntime(name="torchtune", program=True),
    TrainingRuntime(name="on-processors", gpus=False),
    TrainingRuntime(name="both", on_processors="both-cpu"),
    TrainingRuntime(name="both-cpu", gpus=False),
)


def with_runtimes(*, classes: bool = False, **said: Any) -> Platform:
    given = TrainingRuntimes(runtimes=[*RUNTIMES], **said)
    every = [Provision.of(given, "trainer")]
    if classes:
        every.append(Provision.of(RuntimeClass(name="nvidia", made="rendered"), "nvidia-device-plugin"))
    return PLATFORM.with_facts(provisions=tuple(every), nvidia_runtime="class" if classes else "default")


STACK = with_runtimes()


def made(platform: Platform = STACK, **values: Any) -> dict[str, dict[str, Any]]:
    """Specifications by kind."""
    return {each["kind"]: each["spec"] for each in objects(NAME, platform, **{**MINIMAL[NAME], **values})}


def wrong(platform: Platform = STACK, **values: Any) -> list[tuple[str, str]]:
    return problems(NAME, platform, **{**MINIMAL[NAME], **values})


def own(spec: dict[str, Any]) -> dict[str, Any]:
    """The one group of a runtime of the job's own."""
    (group,) = spec["template"]["spec"]["replicatedJobs"]
    assert isinstance(group, dict)
    return group


def test_a_job_brings_a_runtime_of_its_own_and_names_it() -> None:
    runtime, job = objects(NAME, STACK, **MINIMAL[NAME])

    assert (runtime["kind"], job["kind"]) == ("TrainingRuntime", "TrainJob")
    assert job["spec"]["runtimeRef"]["kind"] == "TrainingRuntime"
    assert job["spec"]["runtimeRef"]["name"] == runtime["metadata"]["name"] == job["metadata"]["name"]
    assert "runtimePatches" not in job["spec"]


def test_the_trainer_finds_the_group_and_the_container_that_train() -> None:
    group = own(made()["TrainingRuntime"])

    assert group["name"] == "node"
    assert group["template"]["metadata"]["labels"] == {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}
    assert [each["name"] for each in group["template"]["spec"]["template"]["spec"]["containers"]] == ["node"]


@pytest.mark.parametrize(("said", "policy"), [("torch", {"torch"}), ("jax", {"jax"}), ("plain", set())])
def test_the_framework_says_how_pods_are_told_of_each_other(said: str, policy: set[str]) -> None:
    assert made(framework=said, workers=3)["TrainingRuntime"]["mlPolicy"].keys() - {"numNodes"} == policy


def test_there_are_as_many_nodes_as_workers_and_a_process_for_each_gpu() -> None:
    assert made(workers=3, gpusPerWorker=4)["TrainJob"]["trainer"] == {"numNodes": 3, "numProcPerNode": 4}
    assert made(gpusPerWorker=0)["TrainJob"]["trainer"]["numProcPerNode"] == 1
    assert made(gpusPerWorker=4, processes=2)["TrainJob"]["trainer"]["numProcPerNode"] == 2


def test_all_pods_start_anew_where_one_fails_and_a_drain_is_no_try() -> None:
    runtime = made(retries=5)["TrainingRuntime"]
    policy, job = runtime["template"]["spec"]["failurePolicy"], own(runtime)["template"]["spec"]

    assert policy["maxRestarts"] == 5
    assert (policy["rules"][0]["action"], policy["rules"][0]["onJobFailureReasons"]) == (
        "RestartJobSetAndIgnoreMaxRestarts",
        ["PodFailurePolicy"],
    )
    assert job["backoffLimit"] == 0
    assert job["podFailurePolicy"]["rules"][0]["onPodConditions"][0]["type"] == "DisruptionTarget"
    assert job["template"]["spec"]["restartPolicy"] == "Never"


def test_a_gang_is_started_by_who_starts_all_others_of_the_trainer() -> None:
    runtime = made(with_runtimes(gang="volcano", scheduler="volcano"))["TrainingRuntime"]

    assert runtime["podGroupPolicy"] == {"volcano": {}}
    assert own(runtime)["template"]["spec"]["template"]["spec"]["schedulerName"] == "volcano"


def test_the_gang_is_in_the_queue_of_its_team() -> None:
    queues = JobQueue(implementation="volcano", annotation="scheduling.volcano.sh/queue-name", scheduler="volcano")
    platform = with_runtimes(gang="volcano", scheduler="volcano")
    queued = platform.with_facts(
        teams=(Team(name="vision", queue="research"),),
        provisions=(*platform.provisions, Provision.of(queues, "volcano")),
    )
    said = {"scheduling.volcano.sh/queue-name": "research"}

    own_one = made(queued, team="vision")["TrainingRuntime"]
    assert own_one["template"]["metadata"]["annotations"] == said
    (patch,) = made(queued, team="vision", runtime="torch-distributed")["TrainJob"]["runtimePatches"]
    assert patch["trainingRuntimeSpec"]["template"]["metadata"]["annotations"] == said
    assert "metadata" not in made(queued)["TrainingRuntime"]["template"]


@pytest.mark.parametrize(("kind", "said"), [("volcano", None), ("scheduler-plugins", {"coscheduling": {}})])
def test_a_job_that_kueue_holds_back_keeps_no_room_in_volcano(kind: Any, said: Any) -> None:
    queues = JobQueue(implementation="kueue", label="kueue.x-k8s.io/queue-name")
    platform = with_runtimes(gang=kind, scheduler="gangs")
    queued = platform.with_facts(
        teams=(Team(name="vision", queue="research"), Team(name="other")),
        provisions=(*platform.provisions, Provision.of(queues, "kueue")),
    )
    runtime = made(queued, team="vision")["TrainingRuntime"]

    assert runtime.get("podGroupPolicy") == said
    assert own(runtime)["template"]["spec"]["template"]["spec"]["schedulerName"] == "gangs"
    assert "podGroupPolicy" in made(queued, team="other")["TrainingRuntime"]


def test_what_kueue_places_nowhere_in_a_topology_is_told() -> None:
    queues = JobQueue(implementation="kueue", label="kueue.x-k8s.io/queue-name")
    queued = STACK.with_facts(
        teams=(Team(name="vision", queue="research"),),
        provisions=(*STACK.provisions, Provision.of(queues, "kueue")),
    )
    racks = queued.with_facts(node_pools=(queued.node_pools[0].model_copy(update={"topology": ["rack"]}),))
    said: dict[str, Any] = {"team": "vision", "runtime": "torchtune"}

    assert [field for field, _ in wrong(racks, **said)] == ["runtime"]
    assert wrong(queued, **said) == []
    assert wrong(racks, **{**said, "runtime": "torch-distributed"}) == []


@pytest.mark.parametrize(("engine", "first"), [("argocd", "-1"), ("flux", None), ("none", None)])
def test_argo_cd_makes_the_runtime_before_the_webhook_looks_for_it(engine: Any, first: str | None) -> None:
    platform = STACK.with_facts(delivery=engine)
    runtime, job = objects(NAME, platform, **MINIMAL[NAME], sync=True)

    assert runtime["metadata"].get("annotations", {}).get("argocd.argoproj.io/sync-wave") == first
    assert "argocd.argoproj.io/sync-wave" not in job["metadata"].get("annotations", {})


def test_on_a_runtime_of_the_cluster_a_job_says_what_differs() -> None:
    spec = made(runtime="torch-distributed", pool="train", gpusPerWorker=8, env={"SEED": "1"}, args=["--fast"])[
        "TrainJob"
    ]

    assert spec["runtimeRef"]["name"] == "torch-distributed"
    assert spec["runtimeRef"]["kind"] == "ClusterTrainingRuntime"
    trainer = spec["trainer"]
    assert (trainer["image"], trainer["command"], trainer["args"]) == (
        "registry.example.com/one:1",
        ["torchrun", "train.py"],
        ["--fast"],
    )
    assert trainer["resourcesPerNode"]["limits"]["nvidia.com/gpu"] == "8"
    assert variables(trainer)["SEED"] == "1"


def test_and_patches_where_its_pods_run_and_what_they_mount() -> None:
    spec = made(
        runtime="torch-distributed",
        pool="train",
        serviceAccount="trainer",
        dataset={"claim": "data"},
        labels={"cost-centre": "a1"},
    )["TrainJob"]
    (patch,) = spec["runtimePatches"]
    (group,) = patch["trainingRuntimeSpec"]["template"]["spec"]["replicatedJobs"]
    template = group["template"]["spec"]["template"]

    assert template["spec"]["nodeSelector"] == {"pool": "train"}
    assert template["spec"]["tolerations"][0]["key"] == "gpu"
    assert template["spec"]["serviceAccountName"] == "trainer"
    (container,) = template["spec"]["containers"]
    assert container.keys() == {"name", "securityContext", "volumeMounts"}
    assert {each["mountPath"] for each in container["volumeMounts"]} == {"/data", "/dev/shm"}
    assert template["metadata"]["labels"]["cost-centre"] == "a1"
    assert template["metadata"]["labels"]["sidecar.istio.io/inject"] == "false"


def test_a_restricted_team_s_job_says_on_a_runtime_of_the_cluster_too_as_whom_it_runs() -> None:
    restricted = STACK.with_facts(teams=(Team(name="vision", pod_security="restricted"),))
    (patch,) = made(restricted, runtime="torch-distributed", team="vision", user=1000, fsGroup=1000)["TrainJob"][
        "runtimePatches"
    ]
    (group,) = patch["trainingRuntimeSpec"]["template"]["spec"]["replicatedJobs"]
    pod = group["template"]["spec"]["template"]["spec"]

    assert pod["securityContext"] == {
        "runAsUser": 1000,
        "fsGroup": 1000,
        "fsGroupChangePolicy": "OnRootMismatch",
        "runAsNonRoot": True,
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    assert pod["containers"][0]["securityContext"]["capabilities"] == {"drop": ["ALL"]}


def test_a_runtime_whose_pods_fetch_first_is_refused_in_a_restricted_team() -> None:
    restricted = STACK.with_facts(teams=(Team(name="vision", pod_security="restricted"),))
    said: dict[str, Any] = {"runtime": "torchtune", "team": "vision", "user": 1000}

    text = (
        "pods that fetch data and model for torchtune say no user, which Pod Security level 'restricted' of team "
        "vision refuses; leave `runtime` out, or give the team `baseline`"
    )
    assert wrong(restricted, **said) == [("runtime", text)]
    assert wrong(STACK, **said) == []


def test_launcher_and_nodes_are_both_changed() -> None:
    spec = made(runtime="deepspeed-distributed", workers=2, image=None)["TrainJob"]
    groups = spec["runtimePatches"][0]["trainingRuntimeSpec"]["template"]["spec"]["replicatedJobs"]

    assert [each["name"] for each in groups] == ["launcher", "node"]


def test_a_launcher_needs_a_pod_beside_it() -> None:
    ((field, text),) = wrong(runtime="deepspeed-distributed", workers=1, image=None)

    assert field == "workers"
    assert "at least one pod more" in text


def test_an_image_that_the_launcher_alone_would_get_is_refused() -> None:
    ((field, text),) = wrong(runtime="deepspeed-distributed", workers=2)

    assert field == "image"
    assert "launcher of runtime deepspeed-distributed alone" in text


def test_a_runtime_that_is_not_there_is_told_with_the_nearest() -> None:
    ((field, text),) = wrong(runtime="torch-distribute")

    assert field == "runtime"
    assert "torch-distributed" in text


def test_a_stack_that_does_not_say_its_runtimes_takes_any() -> None:
    assert wrong(PLATFORM, runtime="mine") == []


def test_image_and_command_may_be_the_runtime_s() -> None:
    job = objects(NAME, STACK, runtime="torchtune", image=None)[-1]

    assert job["spec"]["trainer"].keys() & {"image", "command"} == set()
    assert [field for field, _ in problems(NAME, STACK, image=None, command=["x"])] == ["image"]
    assert [field for field, _ in problems(NAME, STACK, runtime="torch-distributed")] == ["command"]
    assert problems(NAME, STACK, runtime="torchtune", image=None) == []


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("code", {"git": "https://git.example.com/a.git", "revision": "8f1c2d3"}),
        ("workingDir", "/work"),
        ("priorityClass", "high"),
        ("framework", "jax"),
        ("retries", 1),
    ],
)
def test_what_no_trainjob_can_change_is_refused_on_a_runtime_of_the_cluster_alone(field: str, value: Any) -> None:
    assert [each for each, _ in wrong(runtime="torch-distributed", **{field: value})] == [field]
    assert wrong(**{field: value}) == []


@pytest.mark.parametrize("runtime", ["torch-distributed", "deepspeed-distributed"])
def test_a_job_says_how_long_its_pods_have_for_a_checkpoint_or_leaves_it_to_the_runtime(runtime: str) -> None:
    def grace(**values: Any) -> set[int | None]:
        values |= {"image": None} if runtime.startswith("deepspeed") else {}
        (patch,) = made(runtime=runtime, workers=2, **values)["TrainJob"]["runtimePatches"]
        groups = patch["trainingRuntimeSpec"]["template"]["spec"]["replicatedJobs"]
        return {each["template"]["spec"]["template"]["spec"].get("terminationGracePeriodSeconds") for each in groups}

    assert grace(gracePeriodSeconds=600) == {600}
    assert grace() == {None}


def test_pods_without_gpus_cannot_run_where_the_runtime_asks_for_their_class() -> None:
    stack = with_runtimes(classes=True)

    assert [field for field, _ in wrong(stack, runtime="torch-distributed", gpusPerWorker=0)] == ["gpusPerWorker"]
    assert [field for field, _ in wrong(stack, runtime="on-processors", gpusPerWorker=1)] == ["gpusPerWorker"]
    assert wrong(stack, runtime="on-processors", gpusPerWorker=0) == []
    assert wrong(stack, runtime="torch-distributed", gpusPerWorker=1) == []


@pytest.mark.parametrize(("gpus", "runtime"), [(0, "both-cpu"), (1, "both")])
def test_a_job_without_gpus_gets_the_equal_runtime_without_their_class(gpus: int, runtime: str) -> None:
    stack = with_runtimes(classes=True)

    assert wrong(stack, runtime="both", gpusPerWorker=gpus) == []
    assert made(stack, runtime="both", gpusPerWorker=gpus)["TrainJob"]["runtimeRef"]["name"] == runtime


def test_a_fabric_in_the_node_s_network_needs_a_runtime_of_the_job_s_own() -> None:
    assert [field for field, _ in wrong(runtime="torch-distributed", pool="train", rdma=True)] == ["rdma"]
    assert wrong(pool="train", rdma=True) == []


def test_names_leave_room_for_those_of_pods() -> None:
    longest = 63 - len("-12345678") - len("-node-0-0") - len("-abcde")

    said = {"template": NAME, "image": "registry.example.com/one:1", **MINIMAL[NAME]}
    fits, over = (TrainJobConfig.from_file({**said, "name": "a" * (longest + more)}) for more in (0, 1))

    assert list(fits.problems(STACK)) == []
    (told,) = over.problems(STACK)
    assert (told.field, told.hint) == ("name", f"use at most {longest} characters")


def test_a_name_that_jobset_would_refuse_for_ever_is_told() -> None:
    said = {"template": NAME, "image": "registry.example.com/one:1", **MINIMAL[NAME]}
    found = TrainJobConfig.from_file({**said, "name": "3d-unet"}).problems(STACK)

    assert [each.field for each in found] == ["name"]


def test_pods_are_removed_as_jobset_does() -> None:
    assert [field for field, _ in wrong(cleanPods="All")] == ["cleanPods"]


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ({"runtime": "torch-distributed"}, "PET_NODE_RANK"),
        ({"runtime": "torch-distributed"}, "DMLC_TASK_ID"),
        ({"runtime": "torch-distributed"}, "OMPI_MCA_plm_rsh_args"),
        ({}, "PET_NNODES"),
        ({"framework": "xgboost"}, "DMLC_TRACKER_URI"),
        ({"framework": "jax"}, "JAX_PROCESS_ID"),
    ],
)
def test_variables_that_the_trainer_writes_are_refused(said: dict[str, Any], name: str) -> None:
    (found,) = wrong(**said, env={name: "0", "SEED": "1"})

    assert found == ("env", f"{name} is the trainer's own, by which pods find each other; leave it out")


def test_variables_of_another_framework_are_the_users() -> None:
    assert wrong(framework="plain", env={"PET_NNODES": "1"}) == []
