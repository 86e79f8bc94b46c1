"""One small stack for each way in which a pool gives out its GPUs, and nodes as its plugins would make them.

The figures of `offers` are written out, not computed: what the pool table computes is held against them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from platform_def.config.devices import devices
from platform_def.config.pools import NodePool
from platform_def.yaml import load
from tests.cluster.client import Manifest

DRIVER = "gpu.nvidia.com"
PLUGIN, FULL = ("nvidia-device-plugin",), "pool {pool} has"


@dataclass(frozen=True)
class Mode:
    """A pool, a job that fills it, and why one pod more does not fit."""

    name: str
    """Of the stack, the pool and the team."""
    pool: str
    """The pool's further fields, as a stack file has them."""
    offers: Mapping[str, int]
    """Extended resources of one node, as the plugins advertise them."""
    workers: int
    """Pods of the job that fills the pool."""
    gpus: int = 1
    """GPUs of each pod."""
    nodes: int = 2
    job: str = ""
    """The job's further fields."""
    components: tuple[str, ...] = PLUGIN
    asks: tuple[str, ...] = ()
    """Resources that pods ask for and no node shows."""
    short: str = ""
    """What the scheduler says of a pod too many; by default that the first resource is insufficient."""
    refusal: str = FULL
    """What synth says of a job with a pod too many."""
    scheduler: str = ""
    """The scheduler that pods name."""
    cluster: str = 'kubernetes: "1.36"'
    """The cluster's fields."""
    published: int = 0
    """GPUs of each node that a DRA driver publishes."""

    @property
    def home(self) -> str:
        """The namespace of the job."""
        return f"team-{self.name}"

    @property
    def shortage(self) -> str:
        """What the event of a pod too many holds."""
        return self.short or f"Insufficient {next(iter(self.offers))}"

    @property
    def quota(self) -> str:
        """More than any test asks for, of each kind of device that the pool has, as JSON."""
        pool = cast("dict[str, Any]", load(f"{{{self.pool}}}".encode(), file=self.name))
        found: dict[str, Any] = {}
        for device in devices(NodePool.from_file({"name": self.name, "nodes": self.nodes, **pool})):
            if device.key:
                found.setdefault(device.kind, {})[device.key] = 999
            else:
                found[device.kind] = 999
        return json.dumps(found)

    def stack(self, *, more: int = 0) -> str:
        """The stack file, with so many workers more than fit."""
        fields = ", ".join(filter(None, (f"workers: {self.workers + more}", f"gpusPerWorker: {self.gpus}", self.job)))
        components = "".join(f"  {line if ':' in line else line + ': {}'}\n" for line in self.components)
        return (
            "apiVersion: platform-def/v1\n"
            f"cluster: {{{self.cluster}}}\n"
            f"nodePools:\n  - {{name: {self.name}, nodes: {self.nodes}, selector: {{pool: {self.name}}}, "
            f'taints: ["gpu={self.name}:NoSchedule"], {self.pool}}}\n'
            f"components:\n  training-operator: {{workloads: {{training-operator: {{replicas: 2}}}}}}\n{components}"
            f"teams:\n  - {{name: {self.name}, podSecurity: privileged, quota: {self.quota}}}\n"
            f"jobs:\n  - {{template: pytorch-ddp, name: full, team: {self.name}, pool: {self.name}, "
            f'image: "registry.example.com/train:1", command: [train.py], cpu: "1", memory: 1Gi, {fields}}}\n'
        )


MODES = (
    Mode("whole", "gpu: {model: a100-80gb, perNode: 8}", {"nvidia.com/gpu": 8}, workers=4, gpus=4),
    Mode(
        "sliced",
        "gpu: {model: t4, perNode: 2, sharing: {mode: time-slicing, replicas: 2}}",
        {"nvidia.com/gpu": 4},
        workers=8,
    ),
    Mode(
        "sliced-renamed",
        "gpu: {model: t4, perNode: 2, sharing: {mode: time-slicing, replicas: 2, rename: true}}",
        {"nvidia.com/gpu.shared": 4},
        workers=8,
    ),
    Mode("mps", "gpu: {model: l4, perNode: 1, sharing: {mode: mps, replicas: 3}}", {"nvidia.com/gpu": 3}, workers=6),
    Mode(
        "mig-single",
        "gpu: {model: h100-80gb, perNode: 2, mig: {layout: {3g.40gb: 2}}}",
        {"nvidia.com/gpu": 4},
        workers=8,
    ),
    Mode(
        "mig-mixed",
        "gpu: {model: h100-80gb, perNode: 2, mig: {strategy: mixed, layout: {1g.10gb: 4, 3g.40gb: 1}}}",
        {"nvidia.com/mig-3g.40gb": 2, "nvidia.com/mig-1g.10gb": 8},
        workers=4,
        job="migProfile: 3g.40gb",
    ),
    Mode(
        "vgpu",
        "gpu: {model: t4, perNode: 1, sharing: {mode: vgpu, replicas: 4}}",
        # 16 GiB less a tenth, in units of 256 MiB.
        {"tencent.com/vcuda-core": 100, "tencent.com/vcuda-memory": 57},
        workers=8,
        cluster='kubernetes: "1.35", cgroup: v1',
        components=("gpu-manager", 'gpu-admission: {image: "registry.example.com/gpu-admission:1"}'),
        scheduler="gpu-admission",
    ),
    Mode(
        "hami",
        "gpu: {model: l4, perNode: 1, sharing: {mode: vgpu, layer: hami, replicas: 4}}",
        {"nvidia.com/vgpu": 4},
        workers=8,
        components=("hami", "cert-manager"),
        asks=("nvidia.com/gpucores", "nvidia.com/gpumem-percentage"),
        scheduler="hami-scheduler",
    ),
    Mode(
        "dra",
        "gpu: {model: h100-80gb, perNode: 4}",
        {},
        workers=4,
        gpus=2,
        components=("nvidia-dra-driver",),
        short="cannot allocate all claims",
        published=4,
    ),
    Mode(
        "roce",
        "gpu: {model: a100-80gb, perNode: 8}, rdma: {kind: roce, interface: ens1f0np0}, gbps: 200",
        {"nvidia.com/gpu": 8, "rdma/hca_shared": 1000},
        workers=2,
        gpus=4,
        job="rdma: true",
        components=(*PLUGIN, "rdma-shared-device-plugin"),
        # In the node's network the job's port is the node's.
        short="didn't have free ports",
        refusal="one a node, and there are 2",
    ),
    Mode(
        "sriov",
        "gpu: {model: a100-80gb, perNode: 8}, "
        "rdma: {kind: infiniband, mode: sriov, functions: 2, networks: [{name: ib0, interface: ibs1}]}",
        {"rdma/sriov_ib0": 2, "nvidia.com/gpu": 8},
        workers=4,
        gpus=1,
        job="rdma: true",
        components=(
            *PLUGIN,
            "multus: {masterConfig: 10-calico.conflist}",
            "sriov-cni",
            "sriov-network-device-plugin",
        ),
        refusal="has functions for 4",
    ),
    Mode(
        "amd", "accelerator: {resource: amd.com/gpu, perNode: 4}", {"amd.com/gpu": 4}, workers=4, gpus=2, components=()
    ),
)


def write_stacks(root: Path) -> None:
    """The stacks of all modes, as a repository."""
    for mode in MODES:
        _write(root, mode.name, mode.stack())


def write_overfull(root: Path, mode: Mode) -> None:
    """The stack of a mode with a job of one pod more than fits."""
    _write(root, mode.name, mode.stack(more=1))


def _write(root: Path, name: str, text: str) -> None:
    folder = root / "stacks"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.yaml").write_text(text)


def machines(mode: Mode) -> list[Manifest]:
    """The nodes of a pool as kubelet and plugins make them, and what a DRA driver publishes of them."""
    names = [f"{mode.name}-{number}" for number in range(mode.nodes)]
    return [*(_node(mode, name) for name in names), *(_slice(mode, name) for name in names if mode.published)]


def _node(mode: Mode, name: str) -> Manifest:
    amounts = {"cpu": "96", "memory": "512Gi", "pods": "110", **{key: str(many) for key, many in mode.offers.items()}}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"pool": mode.name, "kubernetes.io/hostname": name}},
        "spec": {"taints": [{"key": "gpu", "value": mode.name, "effect": "NoSchedule"}]},
        "status": {"capacity": amounts, "allocatable": amounts},
    }


def _slice(mode: Mode, node: str) -> Manifest:
    devices = [
        {
            "name": f"gpu-{number}",
            "attributes": {"type": {"string": "gpu"}, "productName": {"string": "NVIDIA H100 80GB HBM3"}},
            "capacity": {"memory": {"value": "80Gi"}},
        }
        for number in range(mode.published)
    ]
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": f"{node}-{DRIVER}"},
        "spec": {
            "driver": DRIVER,
            "nodeName": node,
            "pool": {"name": node, "generation": 1, "resourceSliceCount": 1},
            "devices": devices,
        },
    }
