"""What holds for every template: the same words do the same, whatever operator runs the job."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.jobs.templates import BUILT_IN
from platform_def.jobs.training import PodConfig, TrainingConfig
from tests.unit.jobs.platforms import (
    MINIMAL,
    PLATFORM,
    WITH_PODS,
    configured,
    job,
    objects,
    problems,
    templates_of,
    variables,
)

WITH_GPUS = sorted(set(WITH_PODS) - {"dataset-load"})
every_template = pytest.mark.parametrize("name", WITH_PODS)
with_gpus = pytest.mark.parametrize("name", WITH_GPUS)


def made(name: str, platform: Any = PLATFORM, **values: Any) -> dict[str, Any]:
    return job(name, platform, **{**MINIMAL[name], **values})


def policy(spec: dict[str, Any]) -> dict[str, Any]:
    """Where a job's specification says when it ends."""
    found: dict[str, Any] = spec.get("runPolicy", spec.get("master", spec))
    return found


def containers(manifest: dict[str, Any]) -> list[dict[str, Any]]:
    return [template["spec"]["containers"][0] for _, template in templates_of(manifest)]


def test_the_least_of_every_template_is_known() -> None:
    assert set(MINIMAL) == set(BUILT_IN)


@every_template
def test_its_least_is_right_and_has_all_common_words(name: str) -> None:
    assert isinstance(configured(name, **MINIMAL[name]), PodConfig)
    assert problems(name, **MINIMAL[name]) == []


@every_template
def test_it_ends_in_time_and_never_removes_itself(name: str) -> None:
    spec = made(name, deadlineHours=2)["spec"]

    # A Job of Volcano has no deadline but that of its pods, and neither has a program of Spark.
    assert name in ("spark", "volcano-job") or policy(spec)["activeDeadlineSeconds"] == 7200
    assert "ttlSecondsAfterFinished" not in str(spec)


@every_template
def test_variables_volumes_and_identity_reach_every_pod(name: str) -> None:
    said = {
        "env": {"TOKEN": {"secret": "hub", "key": "token"}},
        "volumes": {"more": {"claim": "more"}},
        "priorityClass": "high",
        "pullSecrets": ["registry"],
        "annotations": {"example.com/note": "x"},
        "labels": {"cost-centre": "a1"},
    }
    for _, template in templates_of(made(name, **said)):
        (container,) = template["spec"]["containers"]
        assert variables(container)["TOKEN"]["secretKeyRef"]["name"] == "hub"
        assert {"name": "more", "mountPath": "/more"} in container["volumeMounts"]
        assert template["spec"]["priorityClassName"] == "high"
        assert template["spec"]["imagePullSecrets"] == [{"name": "registry"}]
        assert template["metadata"]["annotations"]["example.com/note"] == "x"
        assert template["metadata"]["labels"]["cost-centre"] == "a1"


@every_template
def test_istio_and_tokens_stay_out_and_there_is_time_for_a_checkpoint(name: str) -> None:
    for role, template in templates_of(made(name)):
        assert template["metadata"]["labels"]["sidecar.istio.io/inject"] == "false"
        assert template["spec"]["terminationGracePeriodSeconds"] == 120
        assert (template["spec"].get("automountServiceAccountToken") is False) == (role not in ("Driver", "Launcher"))


@every_template
def test_no_pod_sees_cards_that_it_did_not_ask_for(name: str) -> None:
    for container in containers(made(name, PLATFORM.with_facts(nvidia_runtime="default"), pool="train")):
        has_gpus = "nvidia.com/gpu" in container["resources"]["limits"]
        assert (variables(container).get("NVIDIA_VISIBLE_DEVICES") in ("none", "void")) == (not has_gpus)


@with_gpus
def test_the_demand_is_what_the_pods_ask_for(name: str) -> None:
    config = configured(name, **{**MINIMAL[name], "pool": "train", "gpusPerWorker": 2})
    demand = config.demand(PLATFORM)
    manifest = made(name, pool="train", gpusPerWorker=2)
    roles: dict[str, Any] = next((value for key, value in manifest["spec"].items() if key.endswith("ReplicaSpecs")), {})
    roles = roles or {task["name"]: task for task in manifest["spec"].get("tasks", ())}
    asked = 0
    for role, template in templates_of(manifest):
        limits = template["spec"]["containers"][0]["resources"]["limits"]
        pods = roles[role]["replicas"] if roles else manifest["spec"].get("parallelism", 1)
        asked += int(limits.get("nvidia.com/gpu", 0)) * pods

    assert demand is not None
    assert asked == demand.pods * demand.gpus > 0


@with_gpus
def test_more_gpus_than_the_pool_or_the_quota_has_are_refused(name: str) -> None:
    found = problems(name, **{**MINIMAL[name], "pool": "train", "gpusPerWorker": 16})

    assert ("gpusPerWorker", "a node of pool train offers 8, not 16; ") in found


@every_template
def test_code_and_checkpoints_reach_those_who_train(name: str) -> None:
    code = {"git": "https://git.example.com/a.git", "revision": "8f1c2d3"}
    said = {"code": code, "dataset": {"claim": "data"}, "checkpoints": "/data/c", "workingDir": "/code"}
    for _, template in templates_of(made(name, **said)):
        assert template["spec"]["initContainers"][0]["name"] == "code"
        assert variables(template["spec"]["containers"][0])["CHECKPOINT_DIR"] == "/data/c"


@every_template
def test_its_name_follows_what_is_written_alone(name: str) -> None:
    first, second = (made(name, PLATFORM.with_facts(registry=host)) for host in ("a.example.com", "b.example.com"))

    assert first["metadata"]["name"] == second["metadata"]["name"]
    assert made(name, rerun=1)["metadata"]["name"] != first["metadata"]["name"]


@pytest.mark.parametrize(
    "name", [name for name in WITH_PODS if issubclass(type(configured(name, **MINIMAL[name])), TrainingConfig)]
)
def test_tries_are_bounded_as_said(name: str) -> None:
    spec = made(name, retries=7)["spec"]
    said = configured(name, **MINIMAL[name])
    # Operators add up the restarts of all pods, and give up when there are as many as the limit.
    expected = 7 * said.pods + 1 if "runPolicy" in spec and isinstance(said, PodConfig) else 7

    if name == "spark":
        assert spec["restartPolicy"]["onFailureRetries"] == 7
        return
    limit = policy(spec).get("backoffLimit", policy(spec).get("backoffLimitPerIndex", spec.get("maxRetry", 0) - 1))
    assert spec.get("failurePolicy", {}).get("maxRestarts", limit) == expected


@every_template
def test_pods_have_the_deadline_too_which_the_kubelet_keeps(name: str) -> None:
    for _, template in templates_of(made(name, deadlineHours=2)):
        assert template["spec"]["activeDeadlineSeconds"] == 7200


def test_tensorflow_with_parameter_servers_has_a_chief_servers_and_workers() -> None:
    replicas = made("tensorflow", strategy="parameter-server", workers=4, dataset={"claim": "d"})["spec"]

    counts = {role: spec["replicas"] for role, spec in replicas["tfReplicaSpecs"].items()}
    assert counts == {"Chief": 1, "PS": 2, "Worker": 4}


def test_an_evaluator_needs_checkpoints_and_gpus() -> None:
    said = {**MINIMAL["tensorflow"], "evaluator": True, "workers": 2}

    assert [field for field, _ in problems("tensorflow", **said)] == ["evaluator"]
    demand = configured("tensorflow", **said).demand(PLATFORM)
    assert demand is not None
    assert demand.pods == 3


def test_mpirun_starts_a_process_for_each_gpu_and_its_launcher_has_none() -> None:
    replicas = made("mpi", workers=2, gpusPerWorker=4)["spec"]["mpiReplicaSpecs"]
    launcher = replicas["Launcher"]["template"]["spec"]["containers"][0]

    assert launcher["args"][:2] == ["-np", "8"]
    assert "nvidia.com/gpu" not in launcher["resources"]["limits"]
    assert variables(launcher)["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] == "1"


def test_paddle_servers_are_masters_of_the_job() -> None:
    replicas = made("paddle", strategy="parameter-server", servers=2)["spec"]["paddleReplicaSpecs"]

    assert {role: spec["replicas"] for role, spec in replicas.items()} == {"Master": 2, "Worker": 1}
    assert [field for field, _ in problems("paddle", **MINIMAL["paddle"], servers=2)] == ["servers"]


def test_parts_of_a_data_set_are_numbered_and_tried_one_by_one() -> None:
    spec = made("dataset-prepare", parts=100, workers=10)["spec"]

    assert (spec["completionMode"], spec["completions"], spec["parallelism"]) == ("Indexed", 100, 10)
    assert spec["backoffLimitPerIndex"] == 3
    assert variables(spec["template"]["spec"]["containers"][0])["PARTS"] == "100"


def test_a_claim_that_several_pods_mount_is_shared() -> None:
    claims = {
        name: objects(name, **{**MINIMAL[name], "dataset": {"storage": "shared"}})[0] for name in ("jax", "development")
    }

    assert all(claim["spec"]["accessModes"] == ["ReadWriteMany"] for claim in claims.values())
