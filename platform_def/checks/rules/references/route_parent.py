"""Routes are attached to listeners that take them: by section, kind, namespace and host.

Facts: Gateway API 1.4 (allowedRoutes: routes of the Gateway's own namespace unless it says more, kinds by the
listener's protocol), Istio 1.31 (a host of a Gateway may have a namespace before it, and `*` for its first label).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import StackRule
from platform_def.errors import nearest
from platform_def.manifests.admission import selects
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.rendered import RenderedObject

_GROUP, _ISTIO = "gateway.networking.k8s.io", "networking.istio.io"
_PROTOCOLS: Mapping[str, tuple[str, ...]] = {
    "HTTPRoute": ("HTTP", "HTTPS"),
    "GRPCRoute": ("HTTP", "HTTPS"),
    "TLSRoute": ("TLS",),
    "TCPRoute": ("TCP", "TLS"),
    "UDPRoute": ("UDP",),
}
_OURS = frozenset({"HTTP", "HTTPS", "TLS", "TCP", "UDP"})
"""Protocols that Gateway API itself defines; what implementation-specific ones accept is unknown."""


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    for kind in _PROTOCOLS:
        for item in context.index.by_kind.get((_GROUP, kind), ()):
            for index, parent in enumerate(items(at(item.manifest, "spec.parentRefs"))):
                if fault := _parent(item, mapping(parent), f"spec.parentRefs[{index}]", context):
                    yield item, fault
    for item in context.index.by_kind.get((_ISTIO, "VirtualService"), ()):
        yield from ((item, fault) for fault in _virtual_service(item, context))


def _parent(route: RenderedObject, parent: Mapping[str, Any], path: str, context: Context) -> Fault | None:
    """Why no listener of the Gateway takes the route; a missing Gateway is another rule's."""
    if parent.get("kind", "Gateway") != "Gateway" or parent.get("group", _GROUP) != _GROUP:
        return None
    key = (_GROUP, "Gateway", text(parent.get("namespace")) or route.namespace or "", text(parent.get("name")))
    found = context.index.by_key.get(key)
    listeners = [mapping(each) for each in items(at(found[0].manifest, "spec.listeners"))] if found else []
    if not found or not listeners:
        return None
    section, port = text(parent.get("sectionName")), parent.get("port")
    if section:
        names = [text(each.get("name")) for each in listeners]
        listeners = [each for each in listeners if each.get("name") == section]
        if not listeners:
            return Fault(f"{path}.sectionName", f"{found[0]} has no listener '{section}'", nearest(section, names))
    if isinstance(port, int):
        listeners = [each for each in listeners if each.get("port") == port]
        if not listeners:
            return Fault(f"{path}.port", f"{found[0]} has no listener on port {port}")
    takes: Sequence[tuple[str, Callable[[Mapping[str, Any]], bool]]] = (
        (f"takes a {route.kind}", lambda each: _takes_kind(each, route)),
        (f"takes routes of namespace {route.namespace}", lambda each: _takes_namespace(each, route, found[0], context)),
        ("is for a host of the route", lambda each: _takes_host(each, route)),
    )
    for why, fits in takes:
        listeners = list(filter(fits, listeners))
        if not listeners:
            return Fault(path, f"no listener of {found[0]} that it could be attached to {why}")
    return None


def _takes_kind(listener: Mapping[str, Any], route: RenderedObject) -> bool:
    kinds = items(at(listener, "allowedRoutes.kinds"))
    if kinds:
        return any(at(each, "kind") == route.kind for each in kinds)
    protocol = text(listener.get("protocol"))
    return protocol not in _OURS or protocol in _PROTOCOLS[route.kind]


def _takes_namespace(
    listener: Mapping[str, Any], route: RenderedObject, gateway: RenderedObject, context: Context
) -> bool:
    chosen = at(listener, "allowedRoutes.namespaces.from") or "Same"
    if chosen == "Same":
        return route.namespace == gateway.namespace
    if chosen != "Selector":
        return chosen == "All"
    home = context.index.by_key.get(("", "Namespace", "", route.namespace or ""))
    if not home:
        return True
    labels = {**mapping(at(home[0].manifest, "metadata.labels")), "kubernetes.io/metadata.name": route.namespace}
    return selects(at(listener, "allowedRoutes.namespaces.selector"), labels)


def _takes_host(listener: Mapping[str, Any], route: RenderedObject) -> bool:
    own, wanted = text(listener.get("hostname")), items(at(route.manifest, "spec.hostnames"))
    return not own or not wanted or any(_meet(own, host) for host in wanted if isinstance(host, str))


def _meet(one: str, other: str) -> bool:
    """Whether two hosts, each perhaps with `*` for what stands before, have a host in common."""
    if one.startswith("*") and other.startswith("*"):
        return one[1:].endswith(other[1:]) or other[1:].endswith(one[1:])
    if one.startswith("*"):
        return other.endswith(one[1:]) and len(other) > len(one) - 1
    return _meet(other, one) if other.startswith("*") else one == other


def _virtual_service(item: RenderedObject, context: Context) -> Iterator[Fault]:
    hosts = [each for each in items(at(item.manifest, "spec.hosts")) if isinstance(each, str)]
    for index, named in enumerate(items(at(item.manifest, "spec.gateways"))):
        namespace, slash, name = text(named).rpartition("/")
        home = namespace if slash else item.namespace or ""
        found = context.index.by_key.get((_ISTIO, "Gateway", home, name))
        offered = list(_offered(found[0], item.namespace or "")) if found else []
        if hosts and found and not any(_meet(own, host) for own in offered for host in hosts):
            shown = ", ".join(dict.fromkeys(offered)) or "no host of this namespace"
            yield Fault(f"spec.gateways[{index}]", f"{found[0]} serves none of its hosts", f"it serves {shown[:120]}")


def _offered(gateway: RenderedObject, namespace: str) -> Iterator[str]:
    """The hosts that a Gateway of Istio serves for VirtualServices of a namespace."""
    for server in items(at(gateway.manifest, "spec.servers")):
        for host in items(mapping(server).get("hosts")):
            home, slash, name = text(host).rpartition("/")
            if not slash or home == "*" or home == namespace or (home == "." and namespace == gateway.namespace):
                yield name


ROUTE_PARENT = StackRule(
    id="route-parent",
    severity="error",
    title="Every route attaches to a listener that accepts it",
    why="The Gateway leaves the route out: requests get 404, and only the route's status says so.",
    fix="name a listener of that protocol, or let it take the route by `allowedRoutes` and its hostname",
    kinds=frozenset({*_PROTOCOLS, "VirtualService"}),
    check=_check,
    without_stack="as a warning",
)
