"""Jobs of Volcano's own: roles by the names that its plug-ins look for, gangs, restarts."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.capabilities import BinPacker
from platform_def.config.capability import Provision
from tests.unit.jobs.platforms import MINIMAL, PLATFORM, container, job, pod, problems, variables

NAME = "volcano-job"
SAID = MINIMAL[NAME]


def made(platform: Any = PLATFORM, **said: Any) -> dict[str, Any]:
    return job(NAME, platform, **{**SAID, **said})


def counts(manifest: dict[str, Any]) -> dict[str, int]:
    return {task["name"]: task["replicas"] for task in manifest["spec"]["tasks"]}


def test_all_pods_of_any_program_must_have_nodes_at_once() -> None:
    spec = made(workers=4)["spec"]

    assert spec["minAvailable"] == 4
    assert set(spec["plugins"]) == {"env", "svc"}


def test_a_job_that_begins_with_fewer_says_so_of_task_and_gang() -> None:
    spec = made(workers=4, least=2)["spec"]

    assert (spec["minAvailable"], spec["tasks"][0]["minAvailable"]) == (2, 2)


def test_torchrun_takes_its_place_from_what_the_plug_in_says() -> None:
    manifest = made(framework="pytorch", workers=3, gpusPerWorker=8)

    assert counts(manifest) == {"master": 1, "worker": 2}
    assert container(manifest, "worker")["command"][:4] == [
        "torchrun",
        "--nnodes=3",
        "--nproc_per_node=8",
        "--node_rank=$(RANK)",
    ]
    assert set(manifest["spec"]["plugins"]) == {"pytorch", "svc"}


def test_one_pod_of_pytorch_is_the_master() -> None:
    assert counts(made(framework="pytorch")) == {"master": 1}


def test_tensorflow_with_servers_is_complete_when_its_chief_is() -> None:
    manifest = made(framework="tensorflow", workers=4, servers=2)
    chief = next(task for task in manifest["spec"]["tasks"] if task["name"] == "chief")

    assert counts(manifest) == {"worker": 4, "chief": 1, "ps": 2}
    assert manifest["spec"]["minAvailable"] == 7
    assert chief["policies"] == [{"event": "TaskCompleted", "action": "CompleteJob"}]
    assert "nvidia.com/gpu" not in container(manifest, "ps")["resources"]["limits"]


def test_names_lead_to_pods_that_wait_for_each_other() -> None:
    assert made()["spec"]["plugins"]["svc"] == ["--publish-not-ready-addresses=true"]


def test_a_pod_that_fails_or_is_evicted_starts_all_anew_as_often_as_said() -> None:
    spec = made(retries=0)["spec"]

    # 0 would be the default of 3.
    assert spec["maxRetry"] == 1
    assert spec["policies"] == [{"events": ["PodFailed", "PodEvicted"], "action": "RestartJob"}]
    assert pod(made())["restartPolicy"] == "Never"


def test_another_scheduler_that_packs_does_not_get_its_pods() -> None:
    packing = PLATFORM.with_facts(provisions=(Provision.of(BinPacker(scheduler="packer"), "bin-packing"),))

    assert pod(made(packing, pool="train"))["schedulerName"] == "volcano"


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({"servers": 1}, "servers"),
        ({"least": 2}, "least"),
        ({"least": 1, "framework": "pytorch"}, "least"),
    ],
)
def test_words_that_do_not_go_together_are_refused(said: dict[str, Any], field: str) -> None:
    assert [where for where, _ in problems(NAME, **SAID, **said)] == [field]


def test_variables_of_the_user_reach_every_role() -> None:
    manifest = made(framework="tensorflow", servers=1, env={"SEED": "1"})

    assert {variables(container(manifest, role))["SEED"] for role in counts(manifest)} == {"1"}
