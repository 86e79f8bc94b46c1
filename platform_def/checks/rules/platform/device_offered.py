"""Devices that pods ask for are offered on nodes that they may run on: by a plugin of the stack, in that number."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import StackRule
from platform_def.checks.selection import every_pods
from platform_def.config.pools import NodePool, Taint, offered
from platform_def.errors import nearest
from platform_def.manifests.loose import items, mapping
from platform_def.manifests.paths import dotted
from platform_def.manifests.rendered import RenderedObject
from platform_def.manifests.workloads import Pods, devices_asked

_BRINGS_TAINT = ("NoSchedule", "NoExecute")
_UNITS = re.compile(r"\d{1,12}")


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    platform = context.stack.platform
    offers = {pool.name: _offered(pool) for pool in platform.node_pools}
    for pods in context.once(every_pods):
        for path, container in pods.containers():
            for name, amount in devices_asked(container).items():
                where = dotted((*path, "resources", "limits", name))
                of_nodes = any(pool.accelerator and name in offers[pool.name] for pool in platform.node_pools)
                of_pools = bool(platform.node_pools) and bool(_BY_POOL.fullmatch(name))
                if not (of_nodes or platform.offers_resource(name)):
                    yield pods.item, _unknown(where, name, "nothing in the stack offers", context)
                elif of_pools and not any(name in each for each in offers.values()):
                    yield pods.item, _unknown(where, name, "no pool of the stack has", context)
                elif fault := _placed(where, name, amount, pods, platform.node_pools):
                    yield pods.item, fault


def _unknown(where: str, name: str, said: str, context: Context) -> Fault:
    pools = context.stack.platform.node_pools
    known = sorted({each for pool in pools for each in _offered(pool)})
    return Fault(where, f"{said} {name}", nearest(name, known) if known else None)


def _offered(pool: NodePool) -> Mapping[str, int]:
    """What one node has: accelerators, and access to its fabric."""
    each = pool.rdma.devices if pool.rdma.elsewhere else pool.rdma.functions or _SHARED
    return {**offered(pool), **dict.fromkeys(pool.rdma.resources(), each)}


def _placed(where: str, name: str, amount: object, pods: Pods, pools: Sequence[NodePool]) -> Fault | None:
    """Why no node of the stack's pools can take the pod; None where no pool is known to offer the resource."""
    offering = [pool for pool in pools if name in _offered(pool)]
    if not offering or not _UNITS.fullmatch(str(amount)) or str(amount) == "0":
        return None
    chosen = [pool for pool in offering if _selects(pods, pool)]
    if not chosen:
        said = f"{name} is on pool {_names(offering)}, which this does not choose"
        return Fault(f"{dotted(pods.path)}.nodeSelector", said, _CHOOSE)
    enough = [pool for pool in chosen if _offered(pool)[name] >= int(str(amount))]
    if not enough:
        most = max(_offered(pool)[name] for pool in chosen)
        return Fault(where, f"asks for {amount}, and a node of pool {_names(chosen)} has {most}")
    if all(_repelled(pods, pool, name) for pool in enough):
        taint = next(taint for taint in enough[0].taints if not _tolerated(taint, pods, name))
        said = f"the nodes of pool {_names(enough)} have the taint {taint.key}={taint.value}:{taint.effect}"
        return Fault(f"{dotted(pods.path)}.tolerations", f"{said}, which the pod does not tolerate", _TOLERATE)
    return None


_BY_POOL = re.compile(r"nvidia\.com/(gpu|gpu\.shared|mig-.+)")
"""Resources of which the table of pools says all."""
_SHARED = 1000
"""Pods that may share a node's adapters: more than a node runs."""
_CHOOSE = "write the labels of the pool's `selector:`, or leave them out"
_TOLERATE = "add a toleration of that key"


def _names(pools: Sequence[NodePool]) -> str:
    return " and ".join(pool.name for pool in pools)


def _selects(pods: Pods, pool: NodePool) -> bool:
    """Whether the pod may be on the pool's nodes; labels that the pool does not speak of are not judged."""
    wanted = mapping(pods.spec.get("nodeSelector"))
    return all(wanted[key] == value for key, value in pool.selector.items() if key in wanted)


def _repelled(pods: Pods, pool: NodePool, resource: str) -> bool:
    return not all(_tolerated(taint, pods, resource) for taint in pool.taints)


def _tolerated(taint: Taint, pods: Pods, resource: str) -> bool:
    """Whether the taint does not keep the pod away; one named after the resource is tolerated by admission."""
    if taint.effect not in _BRINGS_TAINT or taint.key == resource:
        return True
    return any(_tolerates(mapping(each), taint) for each in items(pods.spec.get("tolerations")))


def _tolerates(toleration: Mapping[str, object], taint: Taint) -> bool:
    if toleration.get("effect") not in (None, "", taint.effect):
        return False
    if toleration.get("operator") == "Exists":
        return toleration.get("key") in (None, "", taint.key)
    return toleration.get("key") == taint.key and (toleration.get("value") or "") == taint.value


DEVICE_OFFERED = StackRule(
    id="device-offered",
    severity="error",
    title="A node that may run the pod offers every device that it asks for, in that number",
    why="The pod is accepted and stays Pending.",
    fix="add the component that offers it, or ask for what a pool has",
    check=_check,
    without_stack="not at all",
)
