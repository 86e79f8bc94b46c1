"""What starts the processes of a PyTorchJob's pods, and who changes the number of these while it runs."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from platform_def.capabilities import JobQueue
from platform_def.config.capability import Provision
from platform_def.config.platform import Platform
from platform_def.config.teams import Team
from tests.unit.jobs.platforms import MINIMAL, PLATFORM, configured, container, job, problems, variables

QUEUED = PLATFORM.with_facts(
    teams=(Team(name="vision", pod_security="privileged", queue="vision"),),
    provisions=(Provision.of(JobQueue(implementation="kueue", label="kueue.x-k8s.io/queue-name"), "kueue"),),
)
ELASTIC: dict[str, Any] = {"elastic": {"least": 1, "most": 4}, "dataset": {"claim": "d"}, "checkpoints": "/data/c"}
DATA: dict[str, Any] = {"dataset": {"claim": "d"}, "checkpoints": "/data/c"}


def ddp(**said: Any) -> dict[str, Any]:
    return job("pytorch-ddp", **said)


def wrong(platform: Platform = PLATFORM, **said: Any) -> dict[str, str]:
    return dict(problems("pytorch-ddp", platform, **said))


def words(found: dict[str, Any]) -> list[str]:
    return [*found.get("command", []), *found.get("args", [])]


def test_accelerate_is_told_its_world_on_its_command_line() -> None:
    made = ddp(
        launcher="accelerate", command=["--config_file", "/etc/a/c.yaml", "train.py"], workers=2, gpusPerWorker=4
    )

    assert words(container(made)) == [
        *("accelerate", "launch", "--num_machines", "2", "--num_processes", "8", "--machine_rank", "$(RANK)"),
        *("--main_process_ip", "$(MASTER_ADDR)", "--main_process_port", "$(MASTER_PORT)"),
        *("--config_file", "/etc/a/c.yaml", "train.py"),
    ]
    assert variables(container(made))["TORCH_ELASTIC_SHUTDOWN_TIMEOUT"] == "120"


@pytest.mark.parametrize(
    ("command", "gpus", "workers", "told"),
    [("train.py", 4, 1, True), ("train.py", 1, 1, False), ("train.py", 0, 2, False), ("--use_deepspeed", 4, 1, False)],
)
def test_accelerate_is_told_of_several_cards_unless_the_job_says_how(
    command: str, gpus: int, workers: int, told: bool
) -> None:
    made = ddp(launcher="accelerate", command=[command], gpusPerWorker=gpus, workers=workers)

    assert ("--multi_gpu" in words(container(made))) == told


def test_deepspeed_has_a_host_for_each_pod_and_needs_no_ssh(tmp_path: Path) -> None:
    found = container(
        ddp(launcher="deepspeed", command=["train.py"], args=["--stage", "3"], workers=3, gpusPerWorker=2)
    )
    program = tmp_path / "deepspeed"
    program.write_text('#!/bin/sh\ncat "$2"; shift 2; echo "$@"\n')
    program.chmod(0o755)
    env = {
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "RANK": "2",
        "MASTER_ADDR": "one-master-0",
        "MASTER_PORT": "23456",
    }
    done = subprocess.run(words(found), env=env, capture_output=True, text=True, check=True)

    assert done.stdout.splitlines() == [
        "pod-1 slots=2",
        "pod-2 slots=2",
        "pod-3 slots=2",
        "--no_ssh --node_rank 2 --master_addr one-master-0 --master_port 23456 train.py --stage 3",
    ]
    assert "TORCH_ELASTIC_SHUTDOWN_TIMEOUT" not in variables(found)


def test_a_plain_program_is_a_process_a_pod_and_a_script_says_how_many_it_starts() -> None:
    plain = ddp(launcher="none", command=["python3", "train.py"], gpusPerWorker=8)
    script = ddp(launcher="none", command=["bash", "run.sh"], gpusPerWorker=8, processes=8)

    assert words(container(plain)) == ["python3", "train.py"]
    assert (plain["spec"]["nprocPerNode"], script["spec"]["nprocPerNode"]) == ("1", "8")


def test_processes_follow_the_gpus_unless_they_are_said() -> None:
    assert ddp(command=["train.py"], gpusPerWorker=4)["spec"]["nprocPerNode"] == "4"
    assert ddp(command=["train.py"], gpusPerWorker=0)["spec"]["nprocPerNode"] == "1"
    assert ddp(command=["train.py"], processes="auto")["spec"]["nprocPerNode"] == "auto"


def test_the_images_own_entrypoint_gets_the_arguments_alone() -> None:
    said: dict[str, dict[str, Any]] = {"pytorch-ddp": {"launcher": "none"}, "tensorflow": {}, "jax": {}, "xgboost": {}}
    for name, words in said.items():
        found = container(job(name, **words, args=["--epochs", "90"]))

        assert "command" not in found
        assert found["args"] == ["--epochs", "90"]


def test_a_launcher_is_not_given_what_it_does_not_understand() -> None:
    assert wrong()["command"] == (
        "torchrun starts a program, and none is named; name it, or write `launcher: none` for the image's own entrypoint"
    )
    assert wrong(launcher="none") == {}
    assert wrong(launcher="accelerate", command=["train.py"], **ELASTIC)["launcher"] == (
        "accelerate begins with all pods and goes on with no other number; leave it out: torchrun is elastic"
    )
    assert wrong(launcher="deepspeed", command=["train.py"], processes="auto")["processes"] == (
        "deepspeed must be told a number; write one, or leave it out"
    )


def test_an_autoscaler_changes_the_number_of_pods_by_the_cores_or_by_a_metric() -> None:
    measures = []
    for scaling in ({"cpu": 80}, {"metric": "DCGM_FI_DEV_GPU_UTIL", "average": "80"}):
        made = ddp(command=["train.py"], elastic={"least": 1, "most": 4, "scaling": scaling}, **DATA)
        measures += made["spec"]["elasticPolicy"]["metrics"]

    assert measures == [
        {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}}},
        {
            "type": "Pods",
            "pods": {
                "metric": {"name": "DCGM_FI_DEV_GPU_UTIL"},
                "target": {"type": "AverageValue", "averageValue": "80"},
            },
        },
    ]
    assert "metrics" not in ddp(command=["train.py"], **ELASTIC)["spec"]["elasticPolicy"]


def test_a_measure_is_one_of_two() -> None:
    for scaling in ({}, {"cpu": 80, "metric": "m", "average": "1"}, {"metric": "m"}, {"cpu": 80, "average": "1"}):
        with pytest.raises(ValidationError, match="write either `cpu:`, or `metric:` and `average:`"):
            configured("pytorch-ddp", command=["train.py"], elastic={"least": 1, "most": 4, "scaling": scaling})


def test_a_queue_knows_no_workers_that_come_later() -> None:
    elastic = {"least": 1, "most": 4, "scaling": {"cpu": 80}}
    said = {**MINIMAL["pytorch-ddp"], "team": "vision", "pool": "train", "elastic": elastic, **DATA}

    assert wrong(QUEUED, **said)["elastic"] == (
        "a queue knows no quota for workers that come while the job runs; "
        "leave `scaling` out, or run the job in a team without a queue"
    )
    assert wrong(**said) == {}


def test_elastic_pods_may_meet_at_an_etcd() -> None:
    elastic = {"least": 1, "most": 4, "etcd": "etcd.team-vision:2379"}
    made = ddp(command=["train.py"], elastic=elastic, **DATA)
    policy = made["spec"]["elasticPolicy"]

    assert (policy["rdzvBackend"], policy["rdzvHost"], policy["rdzvPort"]) == ("etcd-v2", "etcd.team-vision", 2379)
    assert policy["rdzvId"] == made["metadata"]["name"]
