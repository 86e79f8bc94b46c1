"""The InsightFace job: what MXNet, ps-lite and the script itself read, at the releases that the module names."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from platform_def.config.pools import Gpu, NodePool, Sharing
from platform_def.config.rdma import Rdma
from platform_def.jobs.kubeflow.insightface import COMPRESSED, LAUNCHER
from tests.unit.jobs.platforms import PLATFORM, TRAIN, container, job, objects, pod, problems, variables

ROLES = ("Scheduler", "Server", "Worker")


def faces(**values: Any) -> dict[str, Any]:
    return job("insightface", **{"team": "vision", "pool": "train", **values})


def wrong(**values: Any) -> list[tuple[str, str]]:
    return problems("insightface", **{"team": "vision", "pool": "train", **values})


def test_scheduler_servers_and_workers_share_one_volume() -> None:
    claim, made = objects("insightface", pool="train", team="vision", workers=4, gpusPerWorker=8)

    assert claim["spec"]["accessModes"] == ["ReadWriteMany"]
    assert {role: spec["replicas"] for role, spec in made["spec"]["mxReplicaSpecs"].items()} == {
        "Scheduler": 1,
        "Server": 4,
        "Worker": 4,
    }
    assert claim["metadata"]["name"] in str(pod(made, "Worker")["volumes"])


@pytest.mark.parametrize("role", ["Scheduler", "Server"])
def test_roles_without_gpus_have_the_drivers_libraries_and_no_card(role: str) -> None:
    made = faces(gpusPerWorker=8)

    assert "nvidia.com/gpu" not in str(pod(made, role))
    assert pod(made, role)["runtimeClassName"] == "nvidia"
    assert variables(container(made, role))["NVIDIA_VISIBLE_DEVICES"] == "none"
    assert "compute" in variables(container(made, role))["NVIDIA_DRIVER_CAPABILITIES"]


def test_where_the_nvidia_runtime_is_the_nodes_default_no_role_without_gpus_sees_a_card() -> None:
    made = job("insightface", PLATFORM.with_facts(nvidia_runtime="default"), pool="train", serverImage="x/cpu:1")

    assert variables(container(made, "Server"))["NVIDIA_VISIBLE_DEVICES"] == "void"
    assert "NVIDIA_VISIBLE_DEVICES" not in variables(container(made, "Worker"))
    assert "runtimeClassName" not in pod(made, "Server")


def test_a_cpu_image_for_servers_needs_no_driver() -> None:
    made = faces(serverImage="registry.example.com/mxnet-cpu:1")

    assert container(made, "Server")["image"] == "registry.example.com/mxnet-cpu:1"
    assert "runtimeClassName" not in pod(made, "Server")
    assert pod(made, "Worker")["runtimeClassName"] == "nvidia"


def test_servers_cannot_have_a_driver_where_gpu_manager_hands_out_cards() -> None:
    gpu = Gpu(model="t4", per_node=4, sharing=Sharing(mode="vgpu", replicas=2))
    shared = NodePool(name="virtual", gpu=gpu)
    platform = PLATFORM.with_facts(node_pools=(shared,), resources=frozenset({"tencent.com/vcuda-*"}))

    found = problems("insightface", platform, pool="virtual", workers=1)

    assert [field for field, _ in found] == ["serverImage"]


@pytest.mark.parametrize(("gpus", "devices"), [(0, ""), (1, "0"), (4, "0,1,2,3")])
def test_the_script_learns_the_number_of_its_gpus(gpus: int, devices: str) -> None:
    assert variables(container(faces(gpusPerWorker=gpus), "Worker"))["CUDA_VISIBLE_DEVICES"] == devices


# `parser.add_argument` of train.py, in the repository's state of July 2026.
KNOWN = [
    "--dataset",
    "--network",
    "--loss",
    "--models-root",
    "--pretrained",
    "--pretrained-epoch",
    "--ckpt",
    "--verbose",
    "--lr",
    "--lr-steps",
    "--wd",
    "--mom",
    "--frequent",
    "--per-batch-size",
    "--kvstore",
]


@pytest.mark.parametrize("compression", [None, {}])
def test_the_script_gets_arguments_that_it_knows(compression: dict[str, Any] | None) -> None:
    command = container(faces(compression=compression), "Worker")["command"]
    flags = [word for word in command if word.startswith("--")]

    assert set(flags) <= set(KNOWN)
    assert command[command.index("--kvstore") + 1] == "dist_device_sync"


def test_compression_is_turned_on_in_the_module_that_the_script_makes(tmp_path: Path) -> None:
    (tmp_path / "mxnet.py").write_text(
        "class Module:\n"
        "    def __init__(self, symbol, context=None, compression_params=None):\n"
        "        print(symbol, context, compression_params)\n"
        "class mod:\n"
        "    Module = Module\n"
        "class kv:\n"
        "    class KVStore:\n"
        "        def push(self, *words): print('push', *words)\n"
        "        def pull(self, *words): print('pull', *words)\n"
    )
    (tmp_path / COMPRESSED).write_text(LAUNCHER)
    script = tmp_path / "script"
    script.mkdir()
    (script / "config.py").write_text("SYMBOL = 'net'\n")
    (script / "train.py").write_text(
        "import sys, mxnet as mx\nfrom config import SYMBOL\nmx.mod.Module(context=1, symbol=SYMBOL)\n"
        "mx.kv.KVStore().pushpull('key', 'slope', out='weight')\nprint(sys.argv[1:])"
    )
    command = container(faces(compression={"threshold": 0.25}), "Worker")["command"]
    place = command.index(f"/etc/insightface/{COMPRESSED}")
    arguments = [str(tmp_path / COMPRESSED), *command[place + 1 : place + 3], str(script / "train.py"), "--lr", "1"]

    ran = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=True, env={"PYTHONPATH": str(tmp_path)}
    )

    assert ran.stdout.splitlines() == [
        "net 1 {'type': '2bit', 'threshold': 0.25}",
        "push key slope 0",
        "pull key weight 0",
        "['--lr', '1']",
    ]
    assert command[place + 3 : place + 4] == ["/insightface/recognition/arcface_mxnet/train.py"]


def test_a_script_of_ones_own_is_told_of_compression_in_its_own_words() -> None:
    words = ["--gc-type", "{type}", "--gc-threshold={threshold}"]
    made = objects("insightface", pool="train", compression={"arguments": words})

    assert container(made[-1], "Worker")["command"][-3:] == ["--gc-type", "2bit", "--gc-threshold=0.5"]
    assert "ConfigMap" not in {each["kind"] for each in made}


def test_ps_lite_takes_rdma_and_its_interface_by_its_own_variables_in_every_role() -> None:
    made = faces(rdma=True, interface="ens1f0", workers=1)

    for role in ROLES:
        found = variables(container(made, role))
        assert (found["DMLC_PS_VAN_TYPE"], found["DMLC_INTERFACE"]) == ("ibverbs", "ens1f0")
        assert "DMLC_ENABLE_RDMA" not in found
        assert container(made, role)["resources"]["limits"]["rdma/hca_shared"] == "1"


def test_rdma_without_an_interface_is_refused() -> None:
    unsaid = TRAIN.model_copy(update={"rdma": Rdma(kind="roce")})
    found = problems("insightface", PLATFORM.with_facts(node_pools=(unsaid,)), pool="train", rdma=True, workers=1)

    assert [field for field, _ in found] == ["interface"]
    assert wrong(rdma=True, workers=1) == []


def test_data_and_models_lie_on_the_volume_and_outlive_the_job() -> None:
    claim, made = objects("insightface", pool="train")
    worker = container(made, "Worker")

    assert worker["workingDir"] == "/data/work"
    assert worker["command"][worker["command"].index("--models-root") + 1] == "/data/models"
    assert {"name": "data", "mountPath": "/data"} in worker["volumeMounts"]
    assert made["spec"]["runPolicy"]["cleanPodPolicy"] == "Running"
    assert claim["metadata"]["name"] == "one-data"


def test_models_beside_the_volume_are_refused() -> None:
    ((field, text),) = wrong(models="/models")

    assert field == "models"
    assert "/models lies on no volume" in text


def test_the_users_config_is_put_beside_the_script() -> None:
    _, files, made = objects("insightface", pool="train", config="max_steps = 10\n")

    assert files["data"] == {"config.py": "max_steps = 10\n"}
    mount = {
        "name": "files",
        "mountPath": "/insightface/recognition/arcface_mxnet/config.py",
        "subPath": "config.py",
    }
    assert mount in container(made, "Worker")["volumeMounts"]


@pytest.mark.parametrize("kvstore", ["local", "device"])
def test_one_pod_is_a_job_without_an_operator(kvstore: str) -> None:
    made = faces(kvstore=kvstore, workers=1, gpusPerWorker=8)

    assert (made["apiVersion"], made["kind"]) == ("batch/v1", "Job")
    assert pod(made)["restartPolicy"] == "Never"
    assert "DMLC_PS_VAN_TYPE" not in variables(container(made))


def test_several_workers_need_a_distributed_kvstore() -> None:
    ((field, text),) = wrong(kvstore="device", workers=2)

    assert field == "kvstore"
    assert "there are 2 workers" in text


def test_mxnet_compresses_nothing_in_a_local_kvstore() -> None:
    assert [field for field, _ in wrong(kvstore="local", workers=1, compression={})] == ["compression"]


def test_an_existing_claim_is_used_and_none_is_made() -> None:
    (made,) = objects("insightface", pool="train", dataset={"claim": "celebrities"})

    assert "celebrities" in str(made)


def test_a_slow_network_without_compression_is_a_problem() -> None:
    ((field, text),) = problems("insightface", pool="slow")

    assert field == "workers"
    assert "1 Gbit/s" in text
    assert "compression" in text


@pytest.mark.parametrize(
    ("storage", "said"), [("none", "is not in the stack"), ("local", "cannot be mounted by several pods")]
)
def test_storage_that_cannot_be_shared_is_refused(storage: str, said: str) -> None:
    ((field, text),) = wrong(dataset={"storage": storage})

    assert field == "dataset"
    assert said in text
