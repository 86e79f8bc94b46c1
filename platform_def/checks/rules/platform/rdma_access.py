"""Pods that use RDMA can: they ask for the adapters, may register memory, and NCCL is told what is there.

Facts: NCCL 2.27 (NCCL_IB_DISABLE, NCCL_IB_HCA, NCCL_SOCKET_IFNAME: exact with `=`, excluded with `^`), Linux (memory is
registered up to memlock, without bound with CAP_IPC_LOCK), Multus (`net1`, `net2` … beside `eth0`).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import Any

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import ObjectRule
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.paths import Path, dotted
from platform_def.manifests.rendered import Manifest, RenderedObject
from platform_def.manifests.workloads import Pods, devices_asked, pods_of

_NETWORKS = ("k8s.v1.cni.cncf.io/networks", "networking.gke.io/interfaces", "v1.multus-cni.io/default-network")
_RDMA = ("rdma/", "openshift.io/mlnx", "nvidia.com/mlnxnics", "nvidia.com/hostdev", "vpc.amazonaws.com/efa")
_EFA = "vpc.amazonaws.com/efa"
_OF_A_POD = ("eth", "lo", "net")


def _reads(context: Context, _: RenderedObject) -> Hashable:
    """Whether some pool's nodes let everybody register memory."""
    return any(pool.memlock_unlimited for pool in context.stack.platform.node_pools)


def _check(manifest: Manifest, unlimited: Hashable) -> Iterator[Fault]:
    item = RenderedObject(manifest, "", "main", "")
    for pods in pods_of(item):
        for path, container in pods.containers(("containers",)):
            env = {
                text(mapping(each).get("name")): (index, text(mapping(each).get("value")))
                for index, each in enumerate(items(container.get("env")))
            }
            asked = [name for name in devices_asked(container) if name.startswith(_RDMA)]
            yield from _variables(path, env, bool(asked), pods)
            if asked and asked[0] != _EFA and not unlimited and not _may_lock(container):
                said = f"asks for {asked[0]} without the capability IPC_LOCK: registering memory fails beyond a few KiB"
                hint = "add IPC_LOCK under securityContext.capabilities, or say `memlockUnlimited: true` of the pool"
                yield Fault(dotted((*path, "securityContext")), said, hint)


def _may_lock(container: Mapping[str, Any]) -> bool:
    security = mapping(container.get("securityContext"))
    return security.get("privileged") is True or bool(
        {"IPC_LOCK", "CAP_IPC_LOCK", "ALL", "SYS_RESOURCE"} & {*map(str, items(at(security, "capabilities.add")))}
    )


def _variables(path: Path, env: Mapping[str, tuple[int, str]], asks: bool, pods: Pods) -> Iterator[Fault]:
    def place(name: str) -> str:
        return dotted((*path, "env", env[name][0]))

    host = pods.spec.get("hostNetwork") is True
    off = env.get("NCCL_IB_DISABLE", (0, ""))[1]
    if asks and off == "1":
        said = "NCCL is told to leave RDMA alone, and the container asks for it: gradients go over TCP"
        yield Fault(place("NCCL_IB_DISABLE"), said, "leave the variable out")
    for name in ("NCCL_IB_HCA", "NCCL_IB_GID_INDEX"):
        if name in env and not (asks or off == "1" or host or _attached(pods) or _privileged(path, pods)):
            said = f"{name} is set, and the container asks for no adapter: it sees none, and NCCL uses TCP"
            yield Fault(place(name), said, "ask for the pool's `rdma/…` resource, or leave the variable out")
    chosen = env.get("NCCL_SOCKET_IFNAME", (0, ""))[1]
    names = chosen.removeprefix("=").split(",")
    others = chosen and not chosen.startswith("^") and not any(name.startswith(_OF_A_POD) for name in names)
    if others and not host and not _attached(pods):
        said = f"a pod of the cluster's network has no interface {chosen[:40]}: NCCL finds nothing to connect by"
        yield Fault(place("NCCL_SOCKET_IFNAME"), said, "write eth0, or leave the variable out")


def _attached(pods: Pods) -> bool:
    """Whether the pod has interfaces beside that of the cluster's network."""
    return any(pods.annotations.get(name) for name in _NETWORKS)


def _privileged(path: Path, pods: Pods) -> bool:
    container = mapping(items(pods.spec.get(str(path[-2])))[int(path[-1])])
    return at(container, "securityContext.privileged") is True


RDMA_ACCESS = ObjectRule(
    id="rdma-access",
    severity="warning",
    title="A pod that uses RDMA asks for the adapters and may register memory; NCCL's variables fit what it has",
    why="NCCL falls back to TCP without a word and trains at a fraction of the speed, or stops when it starts.",
    fix="see what a job with `rdma: true` gets: `platformctl explain STACK`",
    reads=_reads,
    check=_check,
)
