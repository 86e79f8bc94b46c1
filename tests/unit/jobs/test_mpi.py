"""MPI jobs: one template for the operator of either version, and what Horovod adds."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from platform_def.capabilities import JobQueue
from platform_def.config.capability import Provision
from platform_def.config.platform import ComponentFact, Platform
from platform_def.config.teams import Team
from platform_def.jobs.kubeflow.mpirun import HOSTS, SERVE, started
from tests.unit.jobs.platforms import PLATFORM, configured, container, job, pod, problems, variables

FACT = ComponentFact("0.8.2", "mpi-operator", component="mpi-operator")
SSH = PLATFORM.with_facts(components={"mpi-operator": FACT})
COMMAND = ["python", "train.py"]
MOUNTED: dict[str, Any] = {"ssh": {"user": 1000, "home": "/home/mpiuser"}}
templates = pytest.mark.parametrize("name", ["horovod", "mpi"])


def made(name: str = "mpi", platform: Platform = SSH, **values: Any) -> dict[str, Any]:
    return job(name, platform, **{"command": COMMAND, **values})


def mpirun(manifest: dict[str, Any]) -> list[str]:
    args: list[str] = container(manifest, "Launcher")["args"]
    return args


def handed(manifest: dict[str, Any]) -> list[str]:
    args = mpirun(manifest)
    return [args[index + 1] for index, word in enumerate(args) if word == "-x"]


def server(manifest: dict[str, Any]) -> list[str]:
    """What a worker runs, without what stands around it."""
    command: list[str] = container(manifest, "Worker")["command"]
    assert command[:5] == ["sh", "-c", SERVE, "serve", "143"]
    return command[5:]


@templates
@pytest.mark.parametrize(("platform", "version"), [(PLATFORM, "kubeflow.org/v1"), (SSH, "kubeflow.org/v2beta1")])
def test_a_job_is_of_the_version_that_the_stacks_operator_serves(name: str, platform: Platform, version: str) -> None:
    manifest = made(name, platform)

    assert manifest["apiVersion"] == version
    assert set(manifest["spec"]["mpiReplicaSpecs"]) == {"Launcher", "Worker"}


def test_an_operator_under_another_name_or_of_the_cluster_counts() -> None:
    named = PLATFORM.with_facts(components={"runner": FACT})
    cluster = PLATFORM.with_facts(components={"mpi-operator": replace(FACT, provided=True)})

    assert {made(platform=each)["apiVersion"] for each in (named, cluster)} == {"kubeflow.org/v2beta1"}


def test_both_operators_start_the_same_program_with_the_same_processes() -> None:
    manifest = made(workers=2, gpusPerWorker=4, args=["--epochs", "9"])

    args = mpirun(manifest)
    assert args[:3] == ["mpirun", "-np", "8"]
    assert args[-4:] == [*COMMAND, "--epochs", "9"]
    assert manifest["spec"]["slotsPerWorker"] == 4
    assert "nvidia.com/gpu" not in container(manifest, "Launcher")["resources"]["limits"]
    by_exec = container(made(platform=PLATFORM, workers=2, gpusPerWorker=4), "Launcher")
    assert by_exec["args"][:3] == args[:3]


def test_mpirun_is_told_hosts_and_the_way_to_them_which_open_mpi_5_reads_from_no_variable_of_the_operators() -> None:
    over_ssh, by_exec = mpirun(made()), mpirun(made(platform=PLATFORM))

    assert [args[args.index("--hostfile") + 1] for args in (over_ssh, by_exec)] == ["/etc/mpi/hostfile"] * 2
    assert by_exec[by_exec.index("plm_rsh_agent") + 1] == "/etc/mpi/kubexec.sh"
    assert "plm_rsh_agent" not in over_ssh


def test_both_ends_of_ssh_agree_on_port_and_keys_whatever_the_image_says() -> None:
    manifest = made(ssh={"port": 2022})

    sshd = server(manifest)
    assert sshd[:2] == ["/usr/sbin/sshd", "-De"]
    assert sshd[sshd.index("-p") + 1] == "2022"
    assert "HostKey=/root/.ssh/id_rsa" in sshd
    assert "-p 2022 " in mpirun(manifest)[mpirun(manifest).index("plm_rsh_args") + 1]
    assert manifest["spec"]["sshAuthMountPath"] == "/root/.ssh"
    assert container(manifest, "Worker")["ports"] == [{"name": "ssh", "containerPort": 2022}]


def test_a_launcher_starts_when_workers_listen_also_after_it_was_suspended() -> None:
    manifest = made()

    assert manifest["spec"]["launcherCreationPolicy"] == "WaitForWorkersReady"
    assert container(manifest, "Worker")["startupProbe"]["tcpSocket"] == {"port": 2222}
    assert container(manifest, "Launcher")["command"][:2] == ["sh", "-c"]
    assert "until getent hosts" in container(manifest, "Launcher")["command"][2]


def test_processes_get_the_variables_of_a_worker_from_mpirun() -> None:
    manifest = made(pool="train", rdma=True, interface="eth1", env={"SEED": "1", "TOKEN": {"secret": "s", "key": "k"}})

    names = handed(manifest)
    assert names[:2] == ["PATH", "LD_LIBRARY_PATH"]
    assert {"SEED", "TOKEN", "NCCL_SOCKET_IFNAME", "UCX_NET_DEVICES"} <= {*names}
    assert not [name for name in names if name.startswith(("OMPI_", "NVIDIA_"))]
    launcher = variables(container(manifest, "Launcher"))
    assert {*names[2:]} <= launcher.keys()
    assert launcher["NCCL_SOCKET_IFNAME"] == "eth1"


def test_a_variable_of_each_pods_own_is_refused_over_ssh_alone() -> None:
    said = {"command": COMMAND, "env": {"POD": {"field": "metadata.name"}}}

    ((field, text),) = problems("mpi", SSH, **said)
    assert field == "env"
    assert "POD is each pod's own" in text
    assert problems("mpi", PLATFORM, **said) == []


def test_a_user_of_its_own_runs_all_pods_and_brings_no_leave_for_root() -> None:
    manifest = made(**MOUNTED)

    for role in ("Launcher", "Worker"):
        said = {"runAsUser": 1000, "runAsNonRoot": True}
        assert pod(manifest, role)["securityContext"].items() >= said.items()
        assert "OMPI_ALLOW_RUN_AS_ROOT" not in variables(container(manifest, role))
    assert manifest["spec"]["sshAuthMountPath"] == "/home/mpiuser/.ssh"
    assert server(manifest)[2:4] == ["-f", "/dev/null"]
    assert "runAsUser" not in pod(made(), "Worker")["securityContext"]
    assert variables(container(made(), "Worker"))["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] == "1"


@pytest.mark.parametrize(
    ("ssh", "says"),
    [
        ({"user": 1000}, "user 1000 cannot read keys below /root"),
        ({"home": "/home/me"}, "root's keys lie below /root"),
        ({"user": 1000, "home": "/home/me", "port": 22}, "user 1000 cannot listen below 1024"),
    ],
)
def test_users_homes_and_ports_that_do_not_go_together_are_refused(ssh: dict[str, Any], says: str) -> None:
    with pytest.raises(ValidationError, match=says):
        configured("mpi", command=COMMAND, ssh=ssh)


def test_what_one_operator_alone_can_do_is_refused_under_the_other() -> None:
    assert problems("mpi", PLATFORM, command=COMMAND, **MOUNTED)[0][0] == "ssh"
    account = {"command": COMMAND, "serviceAccount": "me"}
    assert [field for field, _ in problems("mpi", PLATFORM, **account)] == ["serviceAccount"]
    assert problems("mpi", SSH, **account) == []
    assert pod(made(serviceAccount="me"), "Launcher")["serviceAccountName"] == "me"
    assert pod(made(), "Launcher")["automountServiceAccountToken"] is False


def test_tries_are_the_launchers_and_keep_their_logs() -> None:
    spec = made(workers=8, retries=2, deadlineHours=1, cleanPods="All")["spec"]

    policy = {name: spec["runPolicy"][name] for name in ("activeDeadlineSeconds", "backoffLimit", "cleanPodPolicy")}
    assert policy == {"activeDeadlineSeconds": 3600, "backoffLimit": 2, "cleanPodPolicy": "All"}
    assert spec["mpiReplicaSpecs"]["Launcher"]["restartPolicy"] == "Never"
    assert spec["mpiReplicaSpecs"]["Worker"]["restartPolicy"] == "OnFailure"


def test_a_gang_is_the_workers_since_the_launcher_comes_when_they_are_ready() -> None:
    assert made(workers=8)["spec"]["runPolicy"]["schedulingPolicy"] == {"minAvailable": 8}


@pytest.mark.parametrize(
    ("kinds", "waits"), [(["MPIJob.kubeflow.org"], True), (["Job.batch"], False)], ids=["queued", "not"]
)
def test_a_job_waits_in_its_teams_queue_where_its_kind_does(kinds: list[str], waits: bool) -> None:
    queue = JobQueue(implementation="kueue", label="kueue.x-k8s.io/queue-name", kinds=kinds)
    team = Team(name="vision", pod_security="privileged", queue="vision")
    platform = SSH.with_facts(teams=(team,), provisions=(Provision.of(queue, "kueue"),))

    labels = made(platform=platform, team="vision")["metadata"]["labels"]
    assert labels.get("kueue.x-k8s.io/queue-name") == ("vision" if waits else None)


def test_kueue_would_not_hold_back_a_job_of_the_training_operator() -> None:
    queue = JobQueue(implementation="kueue", label="kueue.x-k8s.io/queue-name", kinds=["MPIJob.kubeflow.org"])
    team = Team(name="vision", pod_security="privileged", queue="vision")
    queued: dict[str, Any] = {"teams": (team,), "provisions": (Provision.of(queue, "kueue"),)}
    said: dict[str, Any] = {"command": COMMAND, "team": "vision"}

    assert [field for field, _ in problems("mpi", PLATFORM.with_facts(**queued), **said)] == ["team"]
    assert problems("mpi", SSH.with_facts(**queued), **said) == []


@pytest.mark.parametrize("platform", [PLATFORM, SSH], ids=["v1", "v2beta1"])
def test_horovod_is_told_what_was_said_and_nothing_else(platform: Platform) -> None:
    said = {"fusionThresholdMib": 32, "cycleTimeMs": 3.5, "hierarchical": True, "timeline": "/output/t.json"}
    full = variables(container(made("horovod", platform, output={"claim": "o"}, **said), "Worker"))

    assert {name: value for name, value in full.items() if name.startswith("HOROVOD_")} == {
        "HOROVOD_FUSION_THRESHOLD": str(32 * 1024**2),
        "HOROVOD_CYCLE_TIME": "3.5",
        "HOROVOD_HIERARCHICAL_ALLREDUCE": "1",
        "HOROVOD_TIMELINE": "/output/t.json",
    }
    least = variables(container(made("horovod", platform), "Worker"))
    assert not [name for name in least if name.startswith("HOROVOD_")]
    assert variables(container(made("horovod", platform, autotune=True), "Worker"))["HOROVOD_AUTOTUNE"] == "1"


def test_horovods_variables_reach_its_processes() -> None:
    assert "HOROVOD_CYCLE_TIME" in handed(made("horovod", cycleTimeMs=2))
    assert "^openib" in mpirun(made("horovod"))


def test_a_trace_that_goes_with_the_pod_and_values_beside_a_search_are_refused() -> None:
    said = {"command": COMMAND, "timeline": "/tmp/t.json", "autotune": True, "cycleTimeMs": 2}

    assert [field for field, _ in problems("horovod", SSH, **said)] == ["timeline", "cycleTimeMs"]


def launch(folder: Path, *words: str, workers: int = 20) -> subprocess.CompletedProcess[str]:
    """Run words as a launcher runs mpirun; commands in workers run here, each in its worker's folder in the place of /tmp."""
    (folder / "hosts").write_text("".join(f"{number} slots=1\n" for number in range(workers)))
    for number in range(workers):
        (folder / str(number)).mkdir(exist_ok=True)
    agent = folder / "agent"
    agent.write_text('cd "$1" && shift && exec sh -c "$(echo "$*" | sed s,/tmp/,,)"\n')
    command = [each.replace(HOSTS, str(folder / "hosts")) for each in started(f"sh {agent}")]
    return subprocess.run([*command, *words], cwd=folder, check=False, capture_output=True, text=True)


@pytest.mark.parametrize("code", [0, 7])
def test_a_launcher_ends_as_mpirun_does_and_leaves_nothing_in_workers(tmp_path: Path, code: int) -> None:
    found = launch(tmp_path, "sh", "-c", f"echo trained; exit {code}")

    assert (found.returncode, found.stdout, found.stderr) == (code, "trained\n", "")
    marks = [each.name for number in range(20) for each in (tmp_path / str(number)).iterdir()]
    assert len(marks) == (20 if code else 0)


@pytest.mark.parametrize("lost", ["0", "15", "16", "19"])
def test_a_good_end_is_none_where_one_of_many_workers_is_not_the_one_that_it_began_in(
    tmp_path: Path, lost: str
) -> None:
    found = launch(tmp_path, "sh", "-c", f"rm {lost}/.mpirun-*")

    assert found.returncode == 1
    assert "a worker that it began in is gone" in found.stderr


def test_a_program_that_cannot_be_marked_runs_as_it_did(tmp_path: Path) -> None:
    (tmp_path / "hosts").write_text("gone slots=1\n")
    command = [each.replace(HOSTS, str(tmp_path / "hosts")) for each in started("false")]
    found = subprocess.run([*command, "echo", "trained"], check=False, capture_output=True, text=True)

    assert (found.returncode, found.stdout) == (0, "trained\n")
    assert "no mark could be left" in found.stderr
