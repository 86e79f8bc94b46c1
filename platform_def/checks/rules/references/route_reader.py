"""Routes of Gateway API are of kinds that a controller of the stack reads: a controller ignores what it does not know.

Which releases of Istio read what is known from the component that provides the mesh; other controllers are not judged.
"""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.given import meshes
from platform_def.checks.rule import StackRule
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.rendered import RenderedObject

_GROUP = "gateway.networking.k8s.io"
_KINDS = ("ListenerSet", "TCPRoute", "TLSRoute", "UDPRoute")
"""Those that not every controller reads."""
_ISTIO = "istio.io/gateway-controller"
_CLASS = "istio"
"""The class that istiod makes for its own gateways."""


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    read = context.once(_read)
    if read is None:
        return
    for kind in _KINDS:
        for item in context.index.by_kind.get((_GROUP, kind), ()):
            if kind not in read and any(_is_istios(gateway, context) for gateway in _gateways(item, context)):
                shown = ", ".join(sorted(each for each in read if each.endswith(("Route", "ListenerSet"))))
                said = f"Istio, whose Gateway it is for, reads no {kind} here"
                yield item, Fault("kind", said, f"it reads {shown}; others need another release of it or another class")


def _read(context: Context) -> frozenset[str] | None:
    """What control planes of the stack read together; None where it is not known of one, or none is there."""
    served = [given.value for given in meshes(context)]
    if not served or any(mesh.gateway_kinds is None for mesh in served):
        return None
    return frozenset(kind for mesh in served for kind in mesh.gateway_kinds or ())


def _gateways(item: RenderedObject, context: Context) -> Iterator[RenderedObject]:
    """The Gateways that an object is attached to, through a ListenerSet as well."""
    named = [at(item.manifest, "spec.parentRef")] if item.kind == "ListenerSet" else []
    for parent in map(mapping, [*named, *items(at(item.manifest, "spec.parentRefs"))]):
        kind, home = parent.get("kind", "Gateway"), text(parent.get("namespace")) or item.namespace or ""
        found = context.index.by_key.get((_GROUP, text(kind), home, text(parent.get("name"))), ())
        for each in found:
            yield from [each] if each.kind == "Gateway" else _gateways(each, context)


def _is_istios(gateway: RenderedObject, context: Context) -> bool:
    name = text(at(gateway.manifest, "spec.gatewayClassName"))
    classes = context.index.by_key.get((_GROUP, "GatewayClass", "", name), ())
    return any(at(each.manifest, "spec.controllerName") == _ISTIO for each in classes) or name == _CLASS


ROUTE_READER = StackRule(
    id="route-reader",
    severity="error",
    title="The controller of a Gateway supports the kinds of its routes and ListenerSets",
    why="The controller passes over them: connections are refused, and no status says why.",
    fix="write a kind that it reads, or choose releases of Istio and of Gateway API that read it",
    check=_check,
    without_stack="not at all",
)
