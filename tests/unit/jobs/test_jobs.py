"""Training jobs: placement from the pool, names from the content, and what keeps them sane under GitOps."""

from __future__ import annotations

from typing import Any, Literal

import pytest

from platform_def.config.platform import Platform
from platform_def.config.pools import Gpu, NodePool, Sharing, Taint
from platform_def.config.rdma import Rdma
from platform_def.config.storage import CephFs, SecretRef
from platform_def.config.teams import Team
from platform_def.constructs.render import render
from platform_def.jobs.kubeflow.pytorch_ddp import PyTorchDdp, PyTorchDdpConfig

POOL = NodePool(
    name="train",
    nodes=4,
    selector={"pool": "train"},
    taints=[Taint(key="gpu", value="train", effect="NoSchedule")],
    gpu=Gpu(model="a100-80gb", per_node=8),
    rdma=Rdma(kind="roce"),
    gbps=200,
)
SLOW = NodePool(name="slow", nodes=4, gpu=Gpu(model="k80", per_node=2), gbps=1)
SHARED = NodePool(
    name="shared",
    nodes=1,
    gpu=Gpu(model="t4", per_node=4, sharing=Sharing(mode="time-slicing", replicas=4, rename=True)),
)
CEPH = CephFs(
    driver="cephfs",
    cluster_id="c",
    monitors=["10.0.0.1:6789"],
    filesystem="ml",
    secret=SecretRef(existing="ceph/secret"),
)
PLATFORM = Platform(
    node_pools=(POOL, SLOW, SHARED),
    teams=(Team(name="vision", pod_security="privileged"),),
    storage={"shared": CEPH},
    registry="registry.example.com/mirror",
    resources=frozenset({"nvidia.com/gpu", "nvidia.com/gpu.shared", "rdma/hca_shared"}),
)


def _rendered(config: PyTorchDdpConfig, platform: Platform = PLATFORM) -> dict[str, Any]:
    return render(lambda scope: PyTorchDdp(scope, config=config, platform=platform)).objects[0].manifest


def ddp(platform: Platform = PLATFORM, **changes: Any) -> dict[str, Any]:
    values: dict[str, Any] = {
        "template": "pytorch-ddp",
        "name": "resnet",
        "image": "quay.io/x/y:1",
        "command": ["train.py"],
    }
    return _rendered(PyTorchDdpConfig(**(values | changes)), platform)


def worker(job: dict[str, Any]) -> dict[str, Any]:
    pod: dict[str, Any] = job["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["spec"]
    return pod


def test_the_pool_decides_selector_tolerations_and_resource_name() -> None:
    pod = worker(ddp(pool="train", workers=2, gpus_per_worker=8))

    assert pod["nodeSelector"] == {"pool": "train"}
    assert pod["tolerations"] == [{"key": "gpu", "operator": "Equal", "value": "train", "effect": "NoSchedule"}]
    assert pod["containers"][0]["resources"]["limits"]["nvidia.com/gpu"] == "8"
    assert pod["runtimeClassName"] == "nvidia"


def test_a_renamed_share_is_asked_for_by_its_own_name() -> None:
    limits = worker(ddp(pool="shared", workers=2))["containers"][0]["resources"]["limits"]

    assert limits["nvidia.com/gpu.shared"] == "1"
    assert "nvidia.com/gpu" not in limits


def test_rdma_brings_resource_capability_and_environment() -> None:
    container = worker(ddp(pool="train", workers=2, rdma=True))["containers"][0]

    assert container["resources"]["limits"]["rdma/hca_shared"] == "1"
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "capabilities": {"add": ["IPC_LOCK"]},
    }
    assert {"NCCL_IB_DISABLE", "NCCL_NET_GDR_LEVEL"}.isdisjoint(each["name"] for each in container["env"])


def test_a_change_is_a_new_job() -> None:
    names = {ddp()["metadata"]["name"], ddp(command=["other.py"])["metadata"]["name"], ddp()["metadata"]["name"]}

    assert len(names) == 2
    assert all(name.startswith("resnet-") for name in names)


def test_a_number_runs_the_same_job_again() -> None:
    once, again, third = ddp(), ddp(rerun=1), ddp(rerun=2)

    assert len({job["metadata"]["name"] for job in (once, again, third)}) == 3
    assert once["spec"] == again["spec"]


OTHER_LABEL = POOL.model_copy(update={"selector": {"pool": "renamed"}})


@pytest.mark.parametrize(
    "changes",
    [
        {"registry": "other.example.com/mirror"},
        {"package_indexes": {"pip": "https://pypi.example.com/simple"}},
        {"node_pools": (OTHER_LABEL, SLOW, SHARED)},
    ],
    ids=["registry", "package index", "pool label"],
)
def test_what_the_platform_says_otherwise_changes_a_job_and_not_its_name(changes: dict[str, Any]) -> None:
    now = ddp(pool="train")
    then = ddp(PLATFORM.with_facts(**changes), pool="train")

    assert then["spec"] != now["spec"]
    assert then["metadata"]["name"] == now["metadata"]["name"]


def test_another_default_of_the_tool_keeps_the_name_of_a_job() -> None:
    class Newer(PyTorchDdpConfig):
        memory: str | None = "64Gi"

    said: dict[str, Any] = {
        "template": "pytorch-ddp",
        "name": "resnet",
        "image": "quay.io/x/y:1",
        "command": ["train.py"],
    }
    now, then = (_rendered(model(**said)) for model in (PyTorchDdpConfig, Newer))

    assert then["spec"] != now["spec"]
    assert then["metadata"]["name"] == now["metadata"]["name"]


@pytest.mark.parametrize(
    ("engine", "sync", "annotations"),
    [
        ("flux", True, {"kustomize.toolkit.fluxcd.io/ssa": "IfNotPresent"}),
        ("flux", False, {}),
        ("argocd", True, {}),
    ],
)
def test_flux_makes_a_job_that_it_starts_and_never_changes_it(
    engine: Literal["flux", "argocd"], sync: bool, annotations: dict[str, str]
) -> None:
    job = ddp(PLATFORM.with_facts(delivery=engine), sync=sync)

    assert job["metadata"].get("annotations", {}) == annotations
    assert job["metadata"]["name"] == ddp()["metadata"]["name"]


def test_jobs_have_a_deadline_and_never_remove_themselves() -> None:
    policy = ddp(deadline_hours=2)["spec"]["runPolicy"]

    assert policy["activeDeadlineSeconds"] == 7200
    assert "ttlSecondsAfterFinished" not in policy


def test_images_come_through_the_mirror() -> None:
    assert worker(ddp(workers=2))["containers"][0]["image"] == "registry.example.com/mirror/quay.io/x/y:1"
