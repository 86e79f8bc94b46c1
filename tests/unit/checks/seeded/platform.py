"""Defects in what a GPU platform needs to hold."""

from __future__ import annotations

from platform_def.manifests.rendered import Manifest
from tests.unit.checks.seeded.seed import Seed, along, beside, wrong
from tests.unit.checks.seeded.stacks import CLOUD, GUESTS, MESH, ONPREM, QUICK, STARTED, TENANTS

_RENDER, _TUNE = "Job guests/render", "PyTorchJob guests/tune"
_RESNET, _FACES = "PyTorchJob team-vision/resnet-*", "MXJob team-vision/faces-*"
_PRETRAIN, _HELLO = "PyTorchJob team-language/pretrain-*", "PyTorchJob default/hello-*"
_C = "spec.template.spec.containers[0]"
_WORKER = "spec.pytorchReplicaSpecs.Worker"
_WC = f"{_WORKER}.template.spec.containers[0]"
_GPU = '["nvidia.com/gpu"]'


def _ray(name: str = "search", **said: object) -> Manifest:
    """A Ray job that its operator runs, but for what is said."""
    head = {"name": "ray-head", "image": "registry.example.com/mirror/docker.io/library/busybox:1.37"}
    groups = {"headGroupSpec": {"rayStartParams": {}, "template": {"spec": {"containers": [head]}}}}
    spec = {"entrypoint": "python search.py", "rayClusterSpec": groups, **said}
    return {
        "apiVersion": "ray.io/v1",
        "kind": "RayJob",
        "metadata": {"name": name, "namespace": "guests"},
        "spec": {key: value for key, value in spec.items() if value is not None},
    }


def _nodes(name: str) -> Manifest:
    """A TrainJob that takes more than half of the pools."""
    trainer = {"numNodes": 3, "resourcesPerNode": {"limits": {"nvidia.com/gpu": 8}}}
    spec = {"runtimeRef": {"name": "torch-distributed"}, "trainer": trainer}
    metadata = {"name": name, "namespace": "tenants"}
    return {"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob", "metadata": metadata, "spec": spec}


def _env(name: str, value: str) -> dict[str, str]:
    return {"name": name, "value": value}


DEVICES = (
    wrong(ONPREM, _RESNET, f"{_WC}.resources.limits{_GPU}", "500m", "device-request"),
    wrong(ONPREM, _RESNET, f"{_WC}.resources.requests{_GPU}", "4", "device-request", "limited to 8"),
    wrong(ONPREM, _RESNET, f"{_WC}.resources.limits", {"memory": "16Gi"}, "device-request", "has a limit"),
    wrong(
        GUESTS,
        _RENDER,
        "spec.template.spec.containers[1].resources",
        {"limits": {"nvidia.com/gpu": 1}},
        "device-request",
        "each ask",
        warns=True,
    ),
    wrong(
        ONPREM,
        _RESNET,
        f"{_WORKER}.template.spec.containers[1]",
        {"name": "sync", "image": "registry.example.com/sync:1", "resources": {"limits": {"nvidia.com/gpu": 8}}},
        "device-request",
        "each ask",
        warns=True,
    ),
    wrong(
        ONPREM, _RESNET, f'{_WC}.resources.limits["nvidia.com/gpu.shared"]', 2, "device-request", "shares", warns=True
    ),
    wrong(GUESTS, _RENDER, f'{_C}.resources.limits["tencent.com/vcuda-core"]', 150, "device-request"),
    wrong(GUESTS, _RENDER, f"{_C}.resources.limits{_GPU}", 16, "device-offered", "has 8"),
    wrong(GUESTS, _RENDER, f'{_C}.resources.limits["amd.com/gpu"]', 1, "device-offered", "nothing in the stack"),
    wrong(GUESTS, _RENDER, f'{_C}.resources.limits["nvidia.com/mig-2g.20gb"]', 1, "device-offered", "no pool"),
    wrong(GUESTS, _RENDER, f'{_C}.resources.limits["rdma/sriov_rail0"]', 1, "device-offered", "rdma/sriov_rail0"),
    wrong(GUESTS, _RENDER, f'{_C}.resources.limits["tencent.com/vcuda-core"]', 50, "device-offered", "tencent"),
    wrong(GUESTS, _RENDER, "spec.template.spec.nodeSelector.pool", "share", "device-offered", "pool train"),
    wrong(GUESTS, _RENDER, "spec.template.spec.tolerations", [], "device-offered", "taint"),
    wrong(GUESTS, _RENDER, "spec.template.spec.tolerations[0].value", "share", "device-offered", "taint"),
    wrong(ONPREM, _RESNET, f"{_WC}.resources", {"limits": {"nvidia.com/gpu": "9"}}, "device-offered", "has 8"),
    wrong(CLOUD, _PRETRAIN, f'{_WC}.resources.limits["nvidia.com/gpus"]', "8", "device-offered", "nvidia.com/gpus"),
    wrong(GUESTS, "Deployment guests/shop", f"{_C}.env[1]", _env("NVIDIA_VISIBLE_DEVICES", "all"), "visible-gpus"),
    wrong(QUICK, _HELLO, f"{_WC}.env", [_env("NVIDIA_VISIBLE_DEVICES", "0")], "visible-gpus"),
)

JOBS = (
    wrong(ONPREM, _RESNET, f"{_WC}.name", "trainer", "training-job", "'pytorch'"),
    wrong(ONPREM, _RESNET, "spec.pytorchReplicaSpecs.Master.replicas", 2, "training-job", "one Master"),
    wrong(ONPREM, _RESNET, "spec.nprocPerNode", "16", "training-job", "16 processes"),
    wrong(
        ONPREM,
        _FACES,
        "spec.mxReplicaSpecs.Server.template.spec.containers[0].name",
        "server",
        "training-job",
        "'mxnet'",
    ),
    wrong(
        ONPREM,
        _RESNET,
        "metadata.name",
        "2nd-resnet",
        "training-job",
        "a letter first",
        at="PyTorchJob team-vision/2nd-resnet",
    ),
    wrong(
        ONPREM,
        _RESNET,
        "metadata.name",
        "resnet" * 10,
        "training-job",
        "69 characters",
        at=f"PyTorchJob team-vision/{'resnet' * 10}",
    ),
    Seed(GUESTS, _TUNE, along(_ray(name="s" * 48)), "training-job", "a name", "at most 47", at="RayJob guests/sss*"),
    Seed(GUESTS, _TUNE, along(_ray(suspend=True)), "training-job", "its end", "suspended", at="RayJob guests/search"),
    Seed(
        GUESTS,
        _TUNE,
        along(_ray(rayClusterSpec=None)),
        "training-job",
        "nowhere to run",
        "no cluster",
        at="RayJob guests/search",
    ),
    wrong(QUICK, _HELLO, "spec.runPolicy.schedulingPolicy", {"minAvailable": 9}, "training-job", "9 pods"),
    wrong(GUESTS, _TUNE, f"{_WORKER}.replicas", 5, "training-job", "torchrun takes 4"),
    wrong(GUESTS, _TUNE, "spec.elasticPolicy.minReplicas", 3, "training-job", "waits for 3"),
    wrong(GUESTS, _TUNE, "spec.elasticPolicy.maxReplicas", 0, "training-job", "more than maxReplicas"),
    wrong(GUESTS, _TUNE, "spec.elasticPolicy.nProcPerNode", 4, "training-job", "twice"),
    wrong(GUESTS, _TUNE, f"{_WORKER}.template.metadata.labels", {}, "sidecar-injection", warns=True),
    wrong(GUESTS, _RENDER, "spec.template.metadata.labels", {}, "sidecar-injection", warns=True),
    wrong(
        GUESTS,
        "CronJob guests/tidy",
        "spec.jobTemplate.spec.template.metadata.labels",
        {},
        "sidecar-injection",
        warns=True,
    ),
    wrong(GUESTS, _RENDER, "spec.ttlSecondsAfterFinished", 60, "job-lifetime", "Argo CD", warns=True),
    wrong(GUESTS, _TUNE, "spec.runPolicy.ttlSecondsAfterFinished", 60, "job-lifetime", "Argo CD", warns=True),
    wrong(STARTED, _PRETRAIN, "spec.runPolicy.ttlSecondsAfterFinished", 60, "job-lifetime", "Flux", warns=True),
    wrong(GUESTS, _RENDER, f"{_C}.args", ["--checkpoint-dir", "/tmp/run"], "checkpoint-volume", "/tmp/run", warns=True),
    wrong(
        GUESTS,
        _TUNE,
        f"{_WC}.args",
        ["--save-dir=/checkpoints/run"],
        "checkpoint-volume",
        "/checkpoints/run",
        warns=True,
    ),
    wrong(
        GUESTS,
        _TUNE,
        f"{_WC}.env",
        [_env("CHECKPOINT_PATH", "/dev/shm/run")],
        "checkpoint-volume",
        "/dev/shm/run",
        warns=True,
    ),
)

FABRIC = (
    wrong(ONPREM, _RESNET, f"{_WC}.securityContext", {}, "rdma-access", "IPC_LOCK", warns=True),
    wrong(ONPREM, _RESNET, f"{_WC}.env", [_env("NCCL_IB_DISABLE", "1")], "rdma-access", "over TCP", warns=True),
    wrong(ONPREM, _RESNET, f"{_WC}.env", [_env("NCCL_NET", "Socket")], "rdma-access", "over TCP", warns=True),
    wrong(GUESTS, _RENDER, f"{_C}.env", [_env("NCCL_IB_DISABLE", "true")], "rdma-access", "'true' as 0", warns=True),
    wrong(GUESTS, _RENDER, f"{_C}.env", [_env("NCCL_SOCKET_IFNAME", "net1")], "rdma-access", "net1", warns=True),
    wrong(GUESTS, _TUNE, f"{_WC}.env", [_env("NCCL_IB_HCA", "mlx5")], "rdma-access", "no adapter", warns=True),
    wrong(GUESTS, _TUNE, f"{_WC}.env", [_env("NCCL_IB_GID_INDEX", "3")], "rdma-access", "no adapter", warns=True),
    wrong(
        GUESTS, _TUNE, f"{_WC}.env", [_env("NCCL_SOCKET_IFNAME", "ens1f0")], "rdma-access", "no interface", warns=True
    ),
    wrong(
        CLOUD, _PRETRAIN, f"{_WC}.env", [_env("NCCL_SOCKET_IFNAME", "ib0")], "rdma-access", "no interface", warns=True
    ),
)

VOLUMES = (
    wrong(
        GUESTS,
        "PersistentVolumeClaim guests/data",
        "spec.accessModes",
        ["ReadWriteOnce"],
        "volume-sharing",
        "one node",
        at="StatefulSet guests/store",
        warns=True,
    ),
    wrong(
        GUESTS,
        "PersistentVolumeClaim guests/data",
        "spec.accessModes[0]",
        "ReadWriteOnce",
        "volume-sharing",
        "2 pods",
        at=_TUNE,
        warns=True,
    ),
    wrong(
        GUESTS,
        "PersistentVolumeClaim guests/data",
        "spec.accessModes",
        ["ReadWriteOncePod"],
        "volume-sharing",
        "one pod",
        at="StatefulSet guests/store",
    ),
    wrong(
        ONPREM,
        "PersistentVolumeClaim team-vision/faces-data",
        "spec.accessModes",
        ["ReadWriteOnce"],
        "volume-sharing",
        "one node",
        at=_FACES,
        warns=True,
    ),
    wrong(
        GUESTS,
        "PersistentVolumeClaim guests/data",
        "spec.accessModes",
        ["ReadWriteOnce"],
        "volume-sharing",
        "as well",
        at=_RENDER,
        warns=True,
    ),
)

TOGETHER = (
    wrong(GUESTS, "StorageClass archive", "provisioner", "nas.example.org", "storage-driver", warns=True),
    wrong(MESH, "PersistentVolumeClaim shop/data", "spec.accessModes", ["ReadWriteMany"], "volume-modes", warns=True),
    Seed(
        TENANTS,
        "PyTorchJob tenants/translate",
        beside(f"{_WORKER}.replicas", 9, name="other"),
        "gang-start",
        "a second job",
        "44 of nvidia.com/gpu",
        at="PyTorchJob tenants/other",
        warns=True,
    ),
    Seed(
        TENANTS,
        "PyTorchJob tenants/translate",
        along(_nodes("one"), _nodes("two")),
        "gang-start",
        "two TrainJobs",
        "of nvidia.com/gpu",
        at="TrainJob tenants/two",
        warns=True,
    ),
)

QUOTAS = (
    wrong(GUESTS, "ResourceQuota guests/guests", f"spec.hard{_GPU}", 8, "quota-counts", "requests only"),
    wrong(GUESTS, "ResourceQuota guests/guests", 'spec.hard["limits.nvidia.com/gpu"]', 8, "quota-counts"),
    wrong(
        GUESTS,
        "ResourceQuota guests/guests",
        'spec.hard["limits.cpu"]',
        64,
        "quota-counts",
        "refuses the pod",
        at="Deployment guests/shop",
    ),
    wrong(
        GUESTS,
        "ResourceQuota guests/guests",
        'spec.hard["requests.memory"]',
        "64Gi",
        "quota-counts",
        "refuses the pod",
        at=_RENDER,
    ),
    wrong(ONPREM, "ResourceQuota team-labelling/gpus", f"spec.hard{_GPU}", 8, "quota-counts", "requests only"),
    wrong(
        MESH,
        "Job shop/train",
        "spec.template.spec.containers[0].resources.limits.memory",
        "1Gi",
        "queue-admits",
        "does not cover",
        warns=True,
    ),
    wrong(MESH, "Job shop/train", "spec.parallelism", 3, "queue-admits", "never has more", warns=True),
    wrong(
        MESH,
        "ClusterQueue research",
        "spec.resourceGroups[0].flavors[0].resources[1].nominalQuota",
        8,
        "queue-admits",
        "never has more than 8",
        at="Job shop/train",
        warns=True,
    ),
    wrong(
        MESH,
        "ClusterQueue research",
        "spec.namespaceSelector",
        {"matchLabels": {"team": "a"}},
        "queue-admits",
        "does not take",
        at="LocalQueue shop/research",
        warns=True,
    ),
    wrong(
        MESH,
        "ClusterQueue research",
        "spec.namespaceSelector",
        None,
        "queue-admits",
        "no namespace",
        at="LocalQueue shop/research",
        warns=True,
    ),
)

GATES = (
    wrong(
        GUESTS,
        "StatefulSet guests/store",
        "spec.updateStrategy",
        {"rollingUpdate": {"maxUnavailable": 2}},
        "feature-gate",
        "MaxUnavailableStatefulSet",
    ),
    wrong(
        GUESTS,
        "PersistentVolumeClaim guests/data",
        "spec.dataSourceRef",
        {"kind": "PersistentVolumeClaim", "name": "data", "namespace": "other"},
        "feature-gate",
        "CrossNamespace",
    ),
    wrong(
        GUESTS,
        "Deployment guests/shop",
        f"{_C}.lifecycle",
        {"stopSignal": "SIGUSR1"},
        "feature-gate",
        "ContainerStopSignals",
    ),
    wrong(ONPREM, _RESNET, f"{_WC}.lifecycle", {"stopSignal": "SIGUSR1"}, "feature-gate", "ContainerStopSignals"),
)

SEEDS = DEVICES + JOBS + FABRIC + VOLUMES + TOGETHER + QUOTAS + GATES
