"""Ports of the nodes are in the API server's range, and each belongs to one Service.

Facts: kube-apiserver at 1.36, `--service-node-port-range` (30000-32767 where nothing is said), and its port allocator,
which knows no protocols between Services and hands out `healthCheckNodePort` from the same range.
"""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import StackRule
from platform_def.manifests.loose import items, mapping
from platform_def.manifests.rendered import EXISTING, Manifest, RenderedObject

_RANGE = range(30000, 32768)


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    holders: dict[int, RenderedObject] = {}
    services = context.index.by_kind.get(("", "Service"), ())
    for item in sorted(services, key=lambda each: each.component != EXISTING):  # what the cluster has holds its ports
        for place, port in _ports(item.manifest):
            holder = holders.setdefault(port, item)
            if holder.key != item.key:
                yield item, Fault(place, f"{port} is a port of {holder} as well: the API server takes one of the two")
            elif port not in _RANGE:
                text = f"{port} is outside {_RANGE.start}-{_RANGE.stop - 1}, the range of API servers that set no other"
                hint = (
                    "write a port of that range; where --service-node-port-range of your API server differs, waive it"
                )
                yield item, Fault(place, text, hint, "warning")


def _ports(manifest: Manifest) -> Iterator[tuple[str, int]]:
    """Each port of the nodes that a Service asks for, and where."""
    spec = mapping(manifest.get("spec"))
    asked = {
        f"spec.ports[{at}].nodePort": mapping(port).get("nodePort") for at, port in enumerate(items(spec.get("ports")))
    }
    asked["spec.healthCheckNodePort"] = spec.get("healthCheckNodePort")
    for place, port in asked.items():
        if isinstance(port, int) and port:
            yield place, port


NODE_PORT = StackRule(
    id="node-port",
    severity="error",
    title="Each port of the nodes is in the API server's range and belongs to one Service",
    why="The API server refuses the second Service that asks for a port, and a port outside its range.",
    fix="give one of the two another nodePort, or leave it out: the API server then chooses one that is free",
    kinds=frozenset({"Service"}),
    check=_check,
)
