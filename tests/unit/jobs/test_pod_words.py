"""What a pod of a job can say, whatever template makes it: volumes, companions, variables, users, nodes."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from platform_def.config.platform import ComponentFact, Platform
from platform_def.config.teams import Team
from platform_def.jobs.limits import TENSORBOARD
from platform_def.jobs.templates import template
from tests.unit.jobs.platforms import MINIMAL, PLATFORM, WITH_PODS, configured, job, objects, templates_of, variables

every_template = pytest.mark.parametrize("name", WITH_PODS)
RESTRICTED = PLATFORM.with_facts(teams=(Team(name="vision", pod_security="restricted"),))
SSH = {"mpi-operator": ComponentFact("0.8.2", "mpi-operator", component="mpi-operator")}
RESTRICTED_SSH = RESTRICTED.with_facts(components=SSH)
BASELINE = PLATFORM.with_facts(teams=(Team(name="vision"),))


def pods(name: str, platform: Platform = PLATFORM, **values: Any) -> list[dict[str, Any]]:
    return [each["spec"] for _, each in templates_of(job(name, platform, **{**MINIMAL[name], **values}))]


def texts(name: str, platform: Platform = PLATFORM, **values: Any) -> str:
    return " ".join(problem.text for problem in configured(name, **{**MINIMAL[name], **values}).problems(platform))


def containers(pod: dict[str, Any]) -> list[dict[str, Any]]:
    return [*pod["containers"], *pod.get("initContainers", [])]


FROM_FILES = ("cron-workflow", "workflow")
"""Their steps are what the user's file says."""
WITH_CODE = {"code": {"git": "https://git.example.com/a.git", "revision": "8f1c2d3"}}


def pods_within(value: Any) -> Iterator[dict[str, Any]]:
    """Every pod that an object holds, wherever its kind has it."""
    if isinstance(value, dict) and isinstance(value.get("containers"), list):
        yield value
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for each in inner:
        yield from pods_within(each)


@pytest.mark.parametrize("name", sorted({*MINIMAL} - {*FROM_FILES}))
def test_the_last_lines_of_a_failed_program_stay_in_the_pods_status(name: str) -> None:
    code = WITH_CODE if name in WITH_PODS and "code" in template(name).config_model().model_fields else {}
    made = [pod for each in objects(name, **{**MINIMAL[name], **code}) for pod in pods_within(each)]

    assert made
    for pod in made:
        assert {each["terminationMessagePolicy"] for each in containers(pod)} == {"FallbackToLogsOnError"}


@every_template
def test_a_variable_of_the_job_wins_over_what_follows_from_its_pool(name: str) -> None:
    own = {"NCCL_SOCKET_IFNAME": "mine", "UCX_NET_DEVICES": "mlx5_9:1", "NVIDIA_VISIBLE_DEVICES": "all"}
    rdma: dict[str, Any] = {"rdma": True, "interface": "ens1"} if name not in ("dataset-load", "tensorflow-ps") else {}
    for pod in pods(name, team="vision", pool="train", env=own, **rdma):
        said = [each for each in pod["containers"][0]["env"] if each["name"] in own]
        assert {each["name"]: each["value"] for each in said} == own
        assert len(said) == len(own)


@every_template
def test_all_pods_take_volumes_of_all_sorts(name: str) -> None:
    volumes = {
        "config": {"configMap": "deepspeed", "mount": "/etc/deepspeed"},
        "token": {"secret": "hub", "mount": "/etc/hub"},
        "fast": {"hostPath": "/mnt/nvme"},
        "bucket": {"csi": {"driver": "gcsfuse.csi.storage.gke.io", "attributes": {"bucketName": "faces"}}},
        "room": {"scratch": "200Gi"},
        "own": {"storage": "shared", "size": "1Ti", "ephemeral": True},
    }
    for pod in pods(name, team="vision", volumes=volumes):
        made = {each["name"]: each for each in pod["volumes"]}
        assert made["config"]["configMap"] == {"name": "deepspeed"}
        assert made["token"]["secret"] == {"secretName": "hub"}
        assert made["fast"]["hostPath"] == {"path": "/mnt/nvme", "type": "Directory"}
        assert made["bucket"]["csi"]["volumeAttributes"] == {"bucketName": "faces"}
        assert made["room"]["emptyDir"] == {"sizeLimit": "200Gi"}
        assert made["own"]["ephemeral"]["volumeClaimTemplate"]["spec"]["resources"]["requests"] == {"storage": "1Ti"}
        mounts = {each["name"]: each for each in pod["containers"][0]["volumeMounts"]}
        assert mounts["token"] == {"name": "token", "mountPath": "/etc/hub", "readOnly": True}


def test_a_volume_has_one_source() -> None:
    with pytest.raises(ValidationError, match="name either `claim:`"):
        configured("gpu-job", volumes={"two": {"claim": "a", "scratch": "1Gi"}})
    with pytest.raises(ValidationError, match="`ephemeral` goes with"):
        configured("gpu-job", volumes={"two": {"claim": "a", "ephemeral": True}})


def test_folders_of_nodes_are_for_privileged_teams() -> None:
    volumes = {"fast": {"hostPath": "/mnt/nvme"}}

    assert "folders of nodes are mounted" in texts("gpu-job", BASELINE, team="vision", volumes=volumes)
    assert texts("gpu-job", team="vision", volumes=volumes) == ""


def test_checkpoints_do_not_go_to_a_volume_that_goes_with_the_pod() -> None:
    room = {"room": {"scratch": "10Gi"}}

    assert "goes with the pod" in texts("gpu-job", volumes=room, checkpoints="/room/model")
    assert texts("gpu-job", volumes={"room": {"claim": "shared"}}, checkpoints="/room/model") == ""


@every_template
def test_companions_share_volumes_variables_and_pull_policy(name: str) -> None:
    if name in ("chainer", "insightface", "mxnet"):
        pytest.skip("their operators do not know sidecars")
    said: dict[str, Any] = {
        "env": {"RUN": "7"},
        "volumes": {"share": {"claim": "share"}},
        "initContainers": [{"name": "wait", "command": ["sh", "-c", "until [ -e /share/ready ]; do sleep 5; done"]}],
        "sidecars": [{"name": "upload", "image": "docker.io/rclone/rclone:1.71", "env": {"TO": "s3:models"}}],
        "pullPolicy": "Always",
        "envFrom": [{"secret": "keys", "prefix": "S3_"}],
    }
    for pod in pods(name, team="vision", **said):
        before = {each["name"]: each for each in pod["initContainers"]}
        assert before["upload"]["restartPolicy"] == "Always"
        assert "restartPolicy" not in before["wait"]
        assert {each["name"]: each["value"] for each in before["upload"]["env"]} == {"RUN": "7", "TO": "s3:models"}
        assert {"name": "share", "mountPath": "/share"} in before["wait"]["volumeMounts"]
        assert {each["imagePullPolicy"] for each in containers(pod)} == {"Always"}
        assert pod["containers"][0]["envFrom"] == [{"secretRef": {"name": "keys"}, "prefix": "S3_"}]


@pytest.mark.parametrize("name", ["chainer", "insightface", "mxnet"])
def test_operators_that_know_no_sidecars_would_wait_for_them(name: str) -> None:
    assert "would wait for its end" in texts(name, sidecars=[{"name": "upload"}])


def test_a_trainer_gets_further_resources_and_other_nodes() -> None:
    (pod,) = pods(
        "gpu-job",
        pool="train",
        resources={"vpc.amazonaws.com/efa": "32", "hugepages-2Mi": "5Gi"},
        selector={"zone": "b"},
        tolerations=["spot=yes:NoSchedule"],
    )

    resources = pod["containers"][0]["resources"]
    assert resources["limits"]["vpc.amazonaws.com/efa"] == resources["requests"]["vpc.amazonaws.com/efa"] == "32"
    assert pod["nodeSelector"] == {"pool": "train", "zone": "b"}
    assert {each["key"] for each in pod["tolerations"]} == {"gpu", "spot"}
    assert "a word of its own" in texts("gpu-job", resources={"cpu": "4"})


@every_template
def test_a_pod_gains_no_rights_below_privileged(name: str) -> None:
    for pod in pods(name, BASELINE, team="vision"):
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert not any(each["securityContext"]["allowPrivilegeEscalation"] for each in containers(pod))
    for pod in pods(name, team="vision"):
        assert "seccompProfile" not in pod.get("securityContext", {})


@every_template
def test_a_restricted_team_runs_what_is_not_root(name: str) -> None:
    ssh = {"ssh": {"user": 1000, "home": "/home/mpi"}} if name in ("mpi", "horovod") else {}
    mpi = RESTRICTED_SSH if ssh else RESTRICTED
    for pod in pods(name, mpi, team="vision", user=1000, fsGroup=1000, **ssh):
        assert pod["securityContext"].items() >= {"runAsUser": 1000, "runAsNonRoot": True, "fsGroup": 1000}.items()
        assert all(each["securityContext"]["capabilities"] == {"drop": ["ALL"]} for each in containers(pod))


def test_images_that_run_as_root_are_refused_in_a_restricted_team() -> None:
    said = {"team": "vision", "image": "pytorch/pytorch:2.9.1-cuda12.8-cudnn9-runtime"}

    assert "runs as root" in texts("pytorch-ddp", RESTRICTED, **said)
    assert "runs as root" not in texts("pytorch-ddp", RESTRICTED, **said, user=1000)
    assert "root is refused" in texts("pytorch-ddp", RESTRICTED, **said, user=0)
    assert "sshd runs as root" in texts("mpi", RESTRICTED_SSH, team="vision")


def test_code_of_a_restricted_team_is_fetched_by_a_user_that_is_not_root() -> None:
    code = {"git": "https://git.example.com/train.git", "revision": "main"}
    (pod,) = pods("gpu-job", RESTRICTED, team="vision", code=code)

    assert pod["initContainers"][0]["securityContext"]["runAsUser"] == 65534


@pytest.mark.parametrize("name", ["xgboost", "mxnet", "insightface"])
def test_tries_are_refused_where_lost_pods_cannot_join_again(name: str) -> None:
    assert "the job is not tried again" in texts(name, retries=2)
    assert "the job is not tried again" not in texts(name, retries=0)


def test_xgboost_has_no_tensorboard() -> None:
    said = {"volumes": {"logs": {"claim": "logs"}}, "tensorboard": "/logs"}

    assert "no logs for TensorBoard" in texts("xgboost", PLATFORM.with_facts(apis=frozenset({TENSORBOARD})), **said)


@pytest.mark.parametrize("name", ["jax", "paddle", "pytorch-ddp", "tensorflow"])
def test_a_job_without_tries_runs_its_program_once(name: str) -> None:
    def restarts(retries: int) -> set[str]:
        spec = job(name, **{**MINIMAL[name], "retries": retries})["spec"]
        roles = next(value for key, value in spec.items() if key.endswith("ReplicaSpecs"))
        return {role["restartPolicy"] for role in roles.values()}

    assert restarts(0) == {"Never"}
    assert restarts(2) == {"OnFailure"}


@pytest.mark.parametrize("name", sorted(MINIMAL))
def test_a_job_that_no_engine_starts_removes_itself_after_its_end_where_its_operator_has_a_word_for_it(
    name: str,
) -> None:
    said = {**MINIMAL[name], "keepHours": 2}
    words = ("'ttlSecondsAfterFinished': 7200", "'timeToLiveSeconds': 7200", "'secondsAfterCompletion': 7200")
    found = any(word in str(objects(name, **said)) for word in words)

    assert found == (not configured(name, **said).stays)


def test_an_engine_would_run_a_job_again_that_removed_itself() -> None:
    with pytest.raises(ValidationError, match="the engine would run the job again once it is gone"):
        configured("gpu-job", keepHours=2, sync=True)


WAY_OUT = PLATFORM.with_facts(
    teams=(
        Team.from_file(
            {
                "name": "vision",
                "podSecurity": "privileged",
                "proxy": {"https": "http://proxy.example.com:3128"},
                "caBundle": "authorities",
            }
        ),
    )
)
CODE: dict[str, Any] = {"code": {"git": "https://git.example.com/a.git", "revision": "8f1c2d3"}}


@every_template
def test_code_comes_by_the_teams_proxy_and_its_authorities(name: str) -> None:
    for pod in pods(name, WAY_OUT, team="vision", **CODE):
        clone = pod["initContainers"][0]
        said = variables(clone)
        assert said["HTTPS_PROXY"] == said["https_proxy"] == "http://proxy.example.com:3128"
        assert ".svc" in said["NO_PROXY"]
        assert {"name": "private-ca", "mountPath": "/etc/platform-def/ca", "readOnly": True} in clone["volumeMounts"]
        assert {"name": "private-ca", "configMap": {"name": "authorities"}} in pod["volumes"]


def test_git_trusts_the_images_authorities_and_the_private_ones(tmp_path: Path) -> None:
    (pod,) = pods("gpu-job", WAY_OUT, team="vision", **CODE)
    script = pod["initContainers"][0]["command"][2]
    places = {"/etc/platform-def/ca": "$IN", "/tmp/ca.crt": "$OUT"}
    trust = script.partition("git init")[0]
    for place, variable in places.items():
        trust = trust.replace(place, variable)
    (tmp_path / "ca.crt").write_text("PRIVATE\n")
    env = {**os.environ, "IN": str(tmp_path), "OUT": str(tmp_path / "all.crt")}
    command = ["sh", "-ec", f'{trust} cat "$GIT_SSL_CAINFO"']
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)

    assert done.stdout.endswith("PRIVATE\n")


def test_data_is_loaded_by_the_teams_proxy() -> None:
    (pod,) = pods("dataset-load", WAY_OUT, team="vision")

    assert variables(pod["containers"][0])["https_proxy"] == "http://proxy.example.com:3128"


def test_without_a_proxy_or_outside_the_teams_namespace_code_comes_directly() -> None:
    (plain,) = pods("gpu-job", team="vision", **CODE)
    (elsewhere,) = pods("gpu-job", WAY_OUT, team="vision", namespace="other", **CODE)

    assert "HTTPS_PROXY" not in variables(plain["initContainers"][0])
    for pod in (plain, elsewhere):
        assert [each["name"] for each in pod["volumes"] if each["name"] == "private-ca"] == []
        assert "GIT_SSL_CAINFO" not in pod["initContainers"][0]["command"][2]
