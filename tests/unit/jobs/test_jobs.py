"""Training jobs: placement from the pool, names from the content, and what keeps them sane under GitOps."""

from __future__ import annotations

from typing import Any

from platform_def.config.platform import Platform
from platform_def.config.pools import Gpu, NodePool, Sharing, Taint
from platform_def.config.rdma import Rdma
from platform_def.config.storage import CephFs, SecretRef
from platform_def.config.teams import Team
from platform_def.constructs.render import render
from platform_def.jobs.insightface import Compression, Dataset, InsightFace, InsightFaceConfig
from platform_def.jobs.pytorch_ddp import PyTorchDdp, PyTorchDdpConfig

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


def ddp(**changes: Any) -> dict[str, Any]:
    values: dict[str, Any] = {
        "template": "pytorch-ddp",
        "name": "resnet",
        "image": "quay.io/x/y:1",
        "command": ["train.py"],
    }
    config = PyTorchDdpConfig(**(values | changes))
    return render(lambda scope: PyTorchDdp(scope, config=config, platform=PLATFORM)).objects[0].manifest


def faces(**changes: Any) -> list[dict[str, Any]]:
    values: dict[str, Any] = {
        "template": "insightface",
        "name": "faces",
        "team": "vision",
        "pool": "train",
        "image": "quay.io/x/y:1",
    }
    config = InsightFaceConfig(**(values | changes))
    return [
        item.manifest for item in render(lambda scope: InsightFace(scope, config=config, platform=PLATFORM)).objects
    ]


def worker(job: dict[str, Any]) -> dict[str, Any]:
    replicas = job["spec"].get("pytorchReplicaSpecs") or job["spec"]["mxReplicaSpecs"]
    pod: dict[str, Any] = replicas["Worker"]["template"]["spec"]
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
    assert container["securityContext"] == {"capabilities": {"add": ["IPC_LOCK"]}}
    assert {"name": "NCCL_IB_GID_INDEX", "value": "3"} in container["env"]


def test_a_change_is_a_new_job() -> None:
    names = {ddp()["metadata"]["name"], ddp(command=["other.py"])["metadata"]["name"], ddp()["metadata"]["name"]}

    assert len(names) == 2
    assert all(name.startswith("resnet-") for name in names)


def test_jobs_have_a_deadline_and_never_remove_themselves() -> None:
    policy = ddp(deadline_hours=2)["spec"]["runPolicy"]

    assert policy["activeDeadlineSeconds"] == 7200
    assert "ttlSecondsAfterFinished" not in policy


def test_images_come_through_the_mirror() -> None:
    assert worker(ddp(workers=2))["containers"][0]["image"] == "registry.example.com/mirror/quay.io/x/y:1"


def test_insightface_has_scheduler_servers_and_workers_on_one_shared_volume() -> None:
    claim, job = faces(workers=4, gpus_per_worker=8)

    assert claim["spec"]["accessModes"] == ["ReadWriteMany"]
    assert claim["spec"]["storageClassName"] == "shared"
    assert {role: spec["replicas"] for role, spec in job["spec"]["mxReplicaSpecs"].items()} == {
        "Scheduler": 1,
        "Server": 4,
        "Worker": 4,
    }
    assert claim["metadata"]["name"] in str(worker(job)["volumes"])


def test_only_workers_take_gpus() -> None:
    job = faces(gpus_per_worker=8)[1]
    server = job["spec"]["mxReplicaSpecs"]["Server"]["template"]["spec"]

    assert "nvidia.com/gpu" not in str(server)
    assert worker(job)["containers"][0]["resources"]["limits"]["nvidia.com/gpu"] == "8"


def test_compression_and_rdma_are_options_of_every_role_that_needs_them() -> None:
    job = faces(compression=Compression(threshold=0.5), rdma=True)[1]

    assert worker(job)["containers"][0]["command"][-4:] == ["--gc-type", "2bit", "--gc-threshold", "0.5"]
    for role in job["spec"]["mxReplicaSpecs"].values():
        container = role["template"]["spec"]["containers"][0]
        assert {"name": "DMLC_ENABLE_RDMA", "value": "1"} in container["env"]
        assert container["resources"]["limits"]["rdma/hca_shared"] == "1"


def test_an_existing_claim_is_used_and_none_is_made() -> None:
    objects = faces(dataset={"claim": "celebrities"})

    assert [each["kind"] for each in objects] == ["MXJob"]
    assert "celebrities" in str(objects[0])


def test_a_slow_network_without_compression_is_a_problem() -> None:
    config = InsightFaceConfig(template="insightface", name="f", pool="slow", image="quay.io/x/y:1", workers=2)

    problems = list(config.problems(PLATFORM))

    assert "1 Gbit/s" in problems[0].text
    assert "compression" in problems[0].hint


def test_storage_that_the_stack_lacks_is_refused() -> None:
    config = InsightFaceConfig(
        template="insightface", name="f", pool="train", image="quay.io/x/y:1", dataset=Dataset(storage="none")
    )

    assert "storage 'none' is not in the stack" in next(iter(config.problems(PLATFORM))).text
