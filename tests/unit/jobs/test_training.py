"""What every training job says in the same words, and what it gets where it says nothing."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.config.pools import NodePool
from tests.unit.jobs.platforms import PLATFORM, TRAIN, container, job, objects, pod, problems, variables

COMMAND: dict[str, Any] = {"command": ["train.py"]}


def ddp(**values: Any) -> dict[str, Any]:
    return job("pytorch-ddp", **{**COMMAND, **values})


def wrong(**values: Any) -> list[tuple[str, str]]:
    return problems("pytorch-ddp", **{**COMMAND, **values})


@pytest.mark.parametrize(
    ("gpus", "cpu", "memory", "shared"), [(8, "115", "921Gi", "460Gi"), (1, "14", "115Gi", "57Gi")]
)
def test_a_pod_gets_the_share_of_the_node_that_its_gpus_are(gpus: int, cpu: str, memory: str, shared: str) -> None:
    made = ddp(pool="train", gpusPerWorker=gpus)
    resources = container(made)["resources"]

    assert (resources["requests"]["cpu"], resources["limits"]["memory"]) == (cpu, memory)
    assert pod(made)["volumes"][0]["emptyDir"]["sizeLimit"] == shared


def test_eight_gpus_of_an_unknown_node_are_not_starved() -> None:
    requests = container(ddp(gpusPerWorker=8))["resources"]["requests"]

    assert (requests["cpu"], requests["memory"]) == ("32", "128Gi")


def test_what_is_written_wins() -> None:
    made = ddp(pool="train", cpu="2", memory="10Gi")

    assert container(made)["resources"]["requests"] == {"cpu": "2", "memory": "10Gi", "nvidia.com/gpu": "1"}
    assert pod(made)["volumes"][0]["emptyDir"]["sizeLimit"] == "5Gi"


@pytest.mark.parametrize(("field", "value"), [("cpu", "200"), ("memory", "2Ti")])
def test_more_than_a_node_has_is_refused(field: str, value: str) -> None:
    ((found, text),) = wrong(pool="train", **{field: value})

    assert found == field
    assert "a node of pool train has" in text


def test_variables_come_from_text_secrets_and_fields() -> None:
    env = {
        "EPOCHS": "90",
        "TOKEN": {"secret": "hub", "key": "token"},
        "NODE": {"field": "spec.nodeName"},
        "MEMORY": {"resource": "limits.memory"},
    }
    found = variables(container(ddp(env=env)))

    assert found["EPOCHS"] == "90"
    assert found["TOKEN"] == {"secretKeyRef": {"name": "hub", "key": "token"}}
    assert found["NODE"] == {"fieldRef": {"fieldPath": "spec.nodeName"}}
    assert found["MEMORY"] == {"resourceFieldRef": {"resource": "limits.memory"}}


def test_the_volume_of_an_mps_daemon_is_not_hidden() -> None:
    made = ddp(pool="mps")

    assert "/dev/shm" not in str(container(made).get("volumeMounts"))
    assert "emptyDir" not in str(pod(made).get("volumes"))


def test_nccl_chooses_its_gid_unless_it_is_told_one() -> None:
    free, told = (variables(container(ddp(pool="train", rdma=True, **more))) for more in ({}, {"gidIndex": 3}))

    assert "NCCL_IB_GID_INDEX" not in free
    assert told["NCCL_IB_GID_INDEX"] == "3"


def test_adapters_and_interface_are_named_to_those_who_use_them() -> None:
    found = variables(container(ddp(pool="train", rdma=True, interface="ens1", hca=["mlx5_0", "mlx5_1"])))

    assert found["NCCL_IB_HCA"] == "=mlx5_0,mlx5_1"
    assert found["UCX_NET_DEVICES"] == "mlx5_0:1,mlx5_1:1"
    assert found["NCCL_SOCKET_IFNAME"] == "ens1"


def test_adapters_without_rdma_are_refused() -> None:
    assert [field for field, _ in wrong(hca=["mlx5_0"])] == ["hca"]


def test_a_model_chooses_its_pool() -> None:
    assert pod(ddp(gpuModel="a100-80gb"))["nodeSelector"] == {"pool": "train"}


def test_a_way_of_sharing_chooses_its_pool() -> None:
    assert wrong(sharing="mps") == []
    assert "pools train, slow" in wrong(sharing="none")[0][1]


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ({"gpuModel": "h100-80gb"}, "no pool has GPUs of model h100-80gb"),
        ({"gpuModel": "t4", "pool": "train"}, "pool train has no GPUs of model t4"),
    ],
)
def test_a_model_that_is_not_there_is_refused(said: dict[str, Any], text: str) -> None:
    ((field, found),) = wrong(**said)

    assert field == "gpuModel"
    assert found.startswith(text)


def test_volumes_are_mounted_by_name_and_made_where_the_job_says_storage() -> None:
    volumes = {"scratch": {"storage": "local", "size": "1Ti"}, "shared": {"claim": "all", "mount": "/mnt/all"}}
    claim, made = objects("pytorch-ddp", **COMMAND, volumes=volumes, output={"claim": "models", "path": "vision"})

    assert claim["metadata"]["name"] == "one-scratch"
    assert claim["spec"]["accessModes"] == ["ReadWriteOnce"]
    mounts = {each["mountPath"]: each for each in container(made)["volumeMounts"]}
    assert mounts.keys() >= {"/scratch", "/mnt/all", "/output"}
    assert mounts["/output"]["subPath"] == "vision"
    assert variables(container(made))["OUTPUT_DIR"] == "/output"


def test_two_volumes_at_one_place_are_refused() -> None:
    ((field, text),) = wrong(volumes={"a": {"claim": "a", "mount": "/x"}, "b": {"claim": "b", "mount": "/x"}})

    assert field == "volumes"
    assert "/x is the place of volume a" in text


def test_checkpoints_lie_on_a_volume() -> None:
    data = {"claim": "data"}
    found = variables(container(ddp(dataset=data, checkpoints="/data/checkpoints")))

    assert found["CHECKPOINT_DIR"] == "/data/checkpoints"
    assert [field for field, _ in wrong(checkpoints="/data/checkpoints")] == ["checkpoints"]
    assert wrong(dataset=data, checkpoints="/data/checkpoints") == []


def test_code_comes_from_git_with_its_credentials_in_no_command_line() -> None:
    code = {"git": "https://git.example.com/a.git", "revision": "8f1c2d3", "secret": "git"}
    made = ddp(code=code)
    (clone,) = pod(made)["initContainers"]

    assert variables(clone)["REPOSITORY"] == code["git"]
    assert variables(clone)["GIT_PASSWORD"] == {"secretKeyRef": {"name": "git", "key": "password"}}
    assert code["git"] not in str(clone["command"])
    assert container(made)["workingDir"] == "/code"


def test_code_comes_from_git_for_a_user_that_does_not_own_the_folder() -> None:
    (clone,) = pod(ddp(code={"git": "https://git.example.com/a.git", "revision": "8f1c2d3"}, user=1000))[
        "initContainers"
    ]

    *_, script = clone["command"]
    read = [each for each in script.split(" && ") if each.startswith("git ") and "init" not in each]
    assert [each.split()[:3] for each in read] == [["git", "-c", "safe.directory=/code"]] * 2


def test_code_comes_from_an_image() -> None:
    (copy,) = pod(ddp(code={"image": "registry.example.com/code:1", "path": "/src"}))["initContainers"]

    assert copy["image"] == "registry.example.com/code:1"
    assert variables(copy) == {"SOURCE": "/src"}


def test_identity_priority_and_time_for_a_checkpoint() -> None:
    said = pod(ddp(serviceAccount="trainer", pullSecrets=["registry"], priorityClass="high", gracePeriodSeconds=600))

    assert said["serviceAccountName"] == "trainer"
    assert said["imagePullSecrets"] == [{"name": "registry"}]
    assert said["priorityClassName"] == "high"
    assert said["terminationGracePeriodSeconds"] == 600
    assert pod(ddp())["automountServiceAccountToken"] is False


def test_nodes_with_faulty_cards_are_avoided() -> None:
    faulty: NodePool = TRAIN.model_copy(update={"avoid": {"gpu-health": "faulty"}})
    made = job("pytorch-ddp", PLATFORM.with_facts(node_pools=(faulty,)), **COMMAND, pool="train", avoid={"rack": "r7"})
    required = pod(made)["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]

    assert required["nodeSelectorTerms"] == [
        {
            "matchExpressions": [
                {"key": "gpu-health", "operator": "NotIn", "values": ["faulty"]},
                {"key": "rack", "operator": "NotIn", "values": ["r7"]},
            ]
        }
    ]


@pytest.mark.parametrize(("arrangement", "kind"), [("pack", "podAffinity"), ("spread", "podAntiAffinity")])
def test_pods_of_one_run_lie_together_or_apart(arrangement: str, kind: str) -> None:
    made = ddp(workers=2, arrangement=arrangement)
    (wish,) = pod(made)["affinity"][kind]["preferredDuringSchedulingIgnoredDuringExecution"]

    labels = wish["podAffinityTerm"]["labelSelector"]["matchLabels"]
    assert labels == {"training.kubeflow.org/job-name": made["metadata"]["name"]}


def test_istio_stays_out_of_the_pods() -> None:
    metadata = ddp()["spec"]["pytorchReplicaSpecs"]["Master"]["template"]["metadata"]

    assert metadata["annotations"]["sidecar.istio.io/inject"] == "false"
    assert metadata["labels"]["sidecar.istio.io/inject"] == "false"


def test_further_labels_and_annotations() -> None:
    made = ddp(labels={"cost-centre": "a1"}, annotations={"example.com/note": "x"})

    assert made["metadata"]["labels"]["cost-centre"] == "a1"
    template = made["spec"]["pytorchReplicaSpecs"]["Master"]["template"]
    assert template["metadata"]["annotations"]["example.com/note"] == "x"


def test_an_elastic_job_has_workers_that_meet_by_c10d() -> None:
    elastic = {"least": 1, "most": 4}
    made = ddp(workers=2, elastic=elastic, dataset={"claim": "d"}, checkpoints="/data/c")

    assert list(made["spec"]["pytorchReplicaSpecs"]) == ["Worker"]
    assert made["spec"]["elasticPolicy"]["rdzvBackend"] == "c10d"
    assert [field for field, _ in wrong(workers=8, elastic=elastic)] == ["elastic", "elastic"]


def test_tensorboard_needs_somebody_who_serves_it() -> None:
    said = {"dataset": {"claim": "d", "path": "faces"}, "tensorboard": "/data/logs"}
    served = PLATFORM.with_facts(apis=frozenset({"Tensorboard.tensorboard.kubeflow.org"}))
    board = objects("pytorch-ddp", served, **COMMAND, **said)[-1]

    assert board["spec"] == {"logspath": "pvc://d/faces/logs"}
    assert [field for field, _ in wrong(**said)] == ["tensorboard"]
