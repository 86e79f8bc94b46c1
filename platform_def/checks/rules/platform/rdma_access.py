"""Pods that use RDMA can: they ask for the adapters, may register memory, and NCCL is configured for what is there.

Facts: Linux (memory is registered up to memlock, without bound with CAP_IPC_LOCK); variables of an MPI launcher are
passed on to the workers (`mpirun -x`); Trainer 2.3 gives a TrainJob's variables and resources to each of its nodes.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import Any

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import ObjectRule, OfKind, SignWords
from platform_def.checks.rules.platform.programs.nccl import Reach, faults, interfaces_of
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.paths import dotted
from platform_def.manifests.rendered import Kind, Manifest, RenderedObject
from platform_def.manifests.workloads import devices_asked, pods_of

_RDMA = ("rdma/", "openshift.io/mlnx", "nvidia.com/mlnxnics", "nvidia.com/hostdev", "vpc.amazonaws.com/efa")
_EFA = "vpc.amazonaws.com/efa"


def _reads(context: Context, _: Kind) -> Hashable:
    """Whether some pool's nodes let everybody register memory."""
    return any(pool.memlock_unlimited for pool in context.stack.platform.node_pools)


def _check(manifest: Manifest, unlimited: Hashable) -> Iterator[Fault]:
    every = pods_of(RenderedObject(manifest, "", "main", ""))
    launched = manifest.get("kind") == "MPIJob" and any(
        _adapters(container) for pods in every for _, container in pods.containers(("containers",))
    )
    for pods in every:
        interfaces = interfaces_of(pods)
        for path, container in pods.containers(("containers",)):
            asked = _adapters(container)
            unknown = interfaces != () or at(container, "securityContext.privileged") is True
            reach = Reach(asks=bool(asked) or launched, unknown=unknown, interfaces=interfaces)
            yield from faults(container.get("env"), (*path, "env"), text(container.get("image")), reach)
            if asked and asked[0] != _EFA and not unlimited and not _may_lock(container):
                said = f"asks for {asked[0]} without the capability IPC_LOCK: registering memory fails beyond a few KiB"
                hint = "add IPC_LOCK under securityContext.capabilities, or say `memlockUnlimited: true` of the pool"
                yield Fault(dotted((*path, "securityContext")), said, hint)
    trainer = mapping(at(manifest, "spec.trainer"))
    if manifest.get("kind") == "TrainJob" and trainer:
        asked = _adapters({"resources": trainer.get("resourcesPerNode")})
        reach = Reach(asks=bool(asked), unknown=True, interfaces=None)
        yield from faults(trainer.get("env"), ("spec", "trainer", "env"), text(trainer.get("image")), reach)


def _adapters(container: Mapping[str, Any]) -> list[str]:
    return [name for name in devices_asked(container) if name.startswith(_RDMA)]


def _may_lock(container: Mapping[str, Any]) -> bool:
    security = mapping(container.get("securityContext"))
    return security.get("privileged") is True or bool(
        {"IPC_LOCK", "CAP_IPC_LOCK", "ALL", "SYS_RESOURCE"} & {*map(str, items(at(security, "capabilities.add")))}
    )


RDMA_ACCESS = ObjectRule(
    id="rdma-access",
    severity="warning",
    title="A pod that uses RDMA asks for the adapters and may register memory; NCCL's variables fit what it has",
    why="NCCL silently falls back to TCP and trains at a fraction of the speed, or stops when it starts.",
    fix="see what a job with `rdma: true` gets: `platformctl explain STACK`",
    reads=OfKind(_reads),
    sign=SignWords((*_RDMA, "NCCL")),
    check=_check,
)
