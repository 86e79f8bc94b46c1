"""A stack with queues, as a repository, and the machines of its pools."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tests.cluster.client import Manifest

STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.36"}
nodePools:
  - {name: train, nodes: 4, selector: {pool: train}, taints: ["gpu=train:NoSchedule"], gpu: {model: a100-80gb, perNode: 4}, topology: [example.com/rack, kubernetes.io/hostname]}
  - {name: spare, nodes: 2, selector: {pool: spare}, gpu: {model: a100-80gb, perNode: 4}}
components:
  nvidia-device-plugin: {}
  training-operator: {}
  kueue:
    priorities: [{name: high, value: 100}]
teams:
  - {name: vision, queue: vision, quota: {gpus: {train: 8}}, borrow: {gpus: {train: 4}}}
  - {name: speech, queue: speech, quota: {gpus: {train: 8, spare: 4}}}
  - {name: free, queue: free}
jobs:
  - {template: pytorch-ddp, name: train, team: vision, pool: train, image: "registry.example.com/train:1", command: [train.py], cpu: "1", memory: 1Gi, workers: WORKERS, gpusPerWorker: 4}
"""
NODES = {"train": 4, "spare": 2}
GPUS = 4
RACK = "example.com/rack"


def write_stack(root: Path, *, workers: int = 2) -> Path:
    """The repository; the job of team vision has so many pods with four GPUs each."""
    folder = root / "stacks"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "queues.yaml").write_text(STACK.replace("WORKERS", str(workers)))
    return root


def machines(many: Mapping[str, int] = NODES) -> list[Manifest]:
    """Nodes of pools as kubelet and device plugin make them; two of pool train stand in each rack."""
    return [_node(pool, number) for pool, count in many.items() for number in range(count)]


def small_pod(name: str, scheduler: str, *, home: str = "team-free") -> Manifest:
    """A pod with one GPU of pool spare."""
    container = {
        "name": "main",
        "image": "registry.example.com/train:1",
        "resources": {"limits": {"nvidia.com/gpu": "1"}, "requests": {"cpu": "20"}},
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": home},
        "spec": {"schedulerName": scheduler, "nodeSelector": {"pool": "spare"}, "containers": [container]},
    }


def _node(pool: str, number: int) -> Manifest:
    name = f"{pool}-{number}"
    amounts = {"cpu": "96", "memory": "512Gi", "pods": "110", "nvidia.com/gpu": str(GPUS)}
    taints = [{"key": "gpu", "value": pool, "effect": "NoSchedule"}] if pool == "train" else []
    labels = {"pool": pool, "kubernetes.io/hostname": name, RACK: f"rack-{number // 2}"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "spec": {"taints": taints},
        "status": {"capacity": amounts, "allocatable": amounts},
    }
