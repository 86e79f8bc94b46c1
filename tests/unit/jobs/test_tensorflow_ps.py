"""TensorFlow's parameter servers beside their workers: what each process is told, and how the job ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from decimal import Decimal
from pathlib import Path
from typing import Any

from platform_def.config.kubernetes import Kubernetes
from platform_def.crds.quantity import amount
from platform_def.jobs.plain.tensorflow_ps import LAUNCH
from tests.unit.jobs.platforms import MINIMAL, PLATFORM, configured, job, objects, pod, problems, variables

NAME = "tensorflow-ps"
SAID = MINIMAL[NAME]


def made(platform: Any = PLATFORM, **said: Any) -> dict[str, Any]:
    return job(NAME, platform, **{**SAID, **said})


def sidecar(manifest: dict[str, Any]) -> dict[str, Any]:
    return dict(pod(manifest)["initContainers"][-1])


def told(container: dict[str, Any], variable: str = "TF_CONFIG") -> dict[str, Any]:
    """A TF_CONFIG in the second pod."""
    found: dict[str, Any] = json.loads(variables(container)[variable].replace("$(TASK_INDEX)", "1"))
    return found


def test_every_process_knows_all_others_and_who_it_is() -> None:
    manifest = made(workers=2)
    (worker,) = pod(manifest)["containers"]
    name = manifest["metadata"]["name"]

    tasks = [told(worker)["task"], told(sidecar(manifest))["task"], told(worker, "COORDINATOR_CONFIG")["task"]]
    assert tasks == [{"type": role, "index": 1} for role in ("worker", "ps", "chief")]
    cluster = told(worker)["cluster"]
    assert cluster == told(sidecar(manifest))["cluster"]
    assert cluster["ps"] == [f"{name}-{number}.{name}.default.svc:2223" for number in (0, 1)]
    assert {role: len(hosts) for role, hosts in cluster.items()} == {"chief": 1, "worker": 2, "ps": 2}


def test_the_number_of_a_pod_is_known_before_the_variables_that_hold_it() -> None:
    manifest = made()

    for container in (*pod(manifest)["containers"], sidecar(manifest)):
        assert container["env"][0]["name"] == "TASK_INDEX"


def test_names_of_pods_lead_to_them_before_they_are_ready() -> None:
    service, found = (each for each in objects(NAME, **SAID) if each["kind"] in ("Service", "Job"))

    assert service["metadata"]["name"] == found["metadata"]["name"] == pod(found)["subdomain"]
    assert service["spec"]["publishNotReadyAddresses"] is True
    assert service["spec"]["selector"] == {"batch.kubernetes.io/job-name": found["metadata"]["name"]}


def test_the_job_ends_with_its_coordinator() -> None:
    spec = made(workers=1)["spec"]

    assert spec["successPolicy"] == {"rules": [{"succeededIndexes": "0"}]}
    assert (spec["completionMode"], spec["completions"], spec["parallelism"]) == ("Indexed", 1, 1)


def test_a_server_has_no_card_and_reads_the_same_volumes() -> None:
    server = sidecar(made(pool="mps", dataset={"claim": "d"}, serverCpu="1", serverMemory="2Gi"))

    assert server["resources"] == {"requests": {"cpu": "1", "memory": "2Gi"}, "limits": {"memory": "2Gi"}}
    assert variables(server)["NVIDIA_VISIBLE_DEVICES"] == "void"
    assert server["volumeMounts"] == [{"name": "data", "mountPath": "/data"}]
    assert server["restartPolicy"] == "Always"


def test_code_is_there_before_the_server_starts() -> None:
    code = {"git": "https://git.example.com/a.git", "revision": "8f1c2d3"}

    assert [each["name"] for each in pod(made(code=code))["initContainers"]] == ["code", "server"]


def test_servers_count_in_what_the_job_asks_for() -> None:
    said = {"cpu": "4", "memory": "16Gi", "serverCpu": "500m", "serverMemory": "8Gi"}
    demand = configured(NAME, **SAID, **said).demand(PLATFORM)

    assert demand is not None
    assert amount(demand.cpu) == Decimal("4.5")
    assert amount(demand.memory) == 24 * 1024**3


def test_worker_and_server_must_fit_on_a_node_together() -> None:
    found = problems(NAME, **SAID, pool="train", cpu="127", memory="1020Gi")

    assert found == [
        ("serverCpu", "2 cores and the worker's 127 are more than the 128 of a node of pool train; lower `cpu:`"),
        (
            "serverMemory",
            "8Gi and the worker's 1020Gi are more than the 1024 GiB of a node of pool train; lower `memory:`",
        ),
    ]


def test_a_cluster_without_success_policies_is_told() -> None:
    older = PLATFORM.with_facts(kubernetes=Kubernetes("1.30"))

    (found,) = problems(NAME, older, **SAID)
    assert found[0] == "template"
    assert "1.31 or newer, not 1.30" in found[1]


def test_rdma_is_refused() -> None:
    assert ("rdma", "TensorFlow's servers exchange over TCP, which knows no RDMA; leave it out") in problems(
        NAME, **SAID, pool="train", team="vision", rdma=True
    )


def launched(folder: Path, program: str, *, index: int = 0) -> subprocess.Popen[bytes]:
    """The launcher with a program for all roles, in a process group of its own as in a container."""
    env = {**os.environ, "TASK_INDEX": str(index), "TF_CONFIG": "worker", "COORDINATOR_CONFIG": "chief"}
    command = ["sh", "-c", LAUNCH, "launch", "sh", "-c", program]
    return subprocess.Popen(command, env=env, cwd=folder, start_new_session=True)


def test_the_first_pod_ends_as_its_coordinator_does(tmp_path: Path) -> None:
    program = '[ "$TF_CONFIG" = chief ] && exit 7; exec sleep 60'

    assert launched(tmp_path, program).wait(10) == 7


def test_the_coordinator_sees_no_card(tmp_path: Path) -> None:
    program = '[ "$TF_CONFIG" = chief ] && { echo "$CUDA_VISIBLE_DEVICES" > cards; exit; }; exec sleep 60'

    assert launched(tmp_path, program).wait(10) == 0
    assert (tmp_path / "cards").read_text() == "-1\n"


def test_a_worker_that_ends_beside_the_coordinator_fails_the_pod(tmp_path: Path) -> None:
    program = '[ "$TF_CONFIG" = chief ] && exec sleep 60; exit 1'

    assert launched(tmp_path, program).wait(10) == 128 + signal.SIGTERM


def test_a_pod_that_must_leave_lets_the_coordinator_save(tmp_path: Path) -> None:
    saving = "trap 'touch saved; exit 3' TERM; touch ready; while :; do sleep 0.1; done"
    process = launched(tmp_path, f'[ "$TF_CONFIG" = chief ] || exec sleep 60; {saving}')
    until = time.monotonic() + 10
    while not (tmp_path / "ready").exists() and time.monotonic() < until:
        os.sched_yield()
    process.terminate()

    assert process.wait(10) == 3
    assert (tmp_path / "saved").exists()


def test_other_pods_run_the_program_alone(tmp_path: Path) -> None:
    assert launched(tmp_path, '[ "$TF_CONFIG" = worker ] && exit 5', index=1).wait(10) == 5
