"""Services, what stands behind them, routes to them, and who may reach whom."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.names import GRAMMARS
from platform_def.manifests.schemas.server.words import (
    FILLED,
    LABELS,
    NAMED_PORT,
    PORT,
    PROTOCOL,
    SOME,
    Limits,
    Rules,
    Value,
    Wrong,
    choice,
    each,
    given,
    maybe,
    needed,
    number,
)
from platform_def.manifests.schemas.server.words import text as filled

_ADDRESS = {"format": "server:address"}
_NETWORK = {"format": "server:network"}

LIMITS: Limits = {
    "core.v1.Service": {"spec": needed()},
    "core.v1.ServiceSpec": {
        "type": choice("ClusterIP", "NodePort", "LoadBalancer", "ExternalName", empty=True),
        "selector": LABELS,
        "sessionAffinity": choice("ClientIP", "None", empty=True),
        "internalTrafficPolicy": choice("Cluster", "Local"),
        "externalTrafficPolicy": choice("Cluster", "Local", empty=True),
        "ipFamilyPolicy": choice("SingleStack", "PreferDualStack", "RequireDualStack"),
        "ipFamilies": each(choice("IPv4", "IPv6"), most=2),
        "externalIPs": each(_ADDRESS),
        "loadBalancerClass": filled("label-key"),
        "healthCheckNodePort": number(0, 65535),
        "trafficDistribution": choice("PreferClose", "PreferSameZone", "PreferSameNode"),
    },
    "core.v1.ServicePort": {
        "name": maybe("label"),
        "port": PORT,
        "nodePort": number(0, 65535),
        "protocol": PROTOCOL,
        "appProtocol": filled("label-key"),
    },
    "core.v1.ClientIPConfig": {"timeoutSeconds": number(1, 86400)},
    "networking.v1.Ingress": {"spec": needed()},
    "networking.v1.IngressSpec": {"ingressClassName": filled("subdomain")},
    "networking.v1.HTTPIngressRuleValue": {"paths": SOME},
    "networking.v1.HTTPIngressPath": {"pathType": needed(choice("Exact", "Prefix", "ImplementationSpecific"))},
    "networking.v1.IngressServiceBackend": {"name": filled("service"), "port": needed()},
    "networking.v1.ServiceBackendPort": {"name": maybe("port-name"), "number": number(0, 65535)},
    "networking.v1.IngressTLS": {"hosts": each({"format": "server:wildcard"}), "secretName": maybe("subdomain")},
    "networking.v1.IngressClassSpec": {"controller": needed({**filled("domain-name"), "maxLength": 250})},
    "networking.v1.IngressClass": {"spec": needed()},
    "networking.v1.IngressClassParametersReference": {
        "apiGroup": filled("subdomain"),
        "kind": filled("segment"),
        "name": filled("segment"),
        "scope": choice("Cluster", "Namespace"),
    },
    "networking.v1.NetworkPolicySpec": {"policyTypes": each(choice("Ingress", "Egress"), most=2)},
    "networking.v1.NetworkPolicyPort": {
        "protocol": choice("TCP", "UDP", "SCTP"),
        "port": NAMED_PORT,
        "endPort": number(1, 65535),
    },
    "networking.v1.IPBlock": {"cidr": {**FILLED, **_NETWORK}, "except": each(_NETWORK)},
    "discovery.v1.EndpointSlice": {
        "addressType": choice("IPv4", "IPv6", "FQDN"),
        "endpoints": {"maxItems": 1000},
        "ports": {"maxItems": 100},
    },
    "discovery.v1.Endpoint": {
        "addresses": {"minItems": 1, "maxItems": 100},
        "hostname": filled("label"),
        "nodeName": filled("subdomain"),
    },
    "discovery.v1.EndpointPort": {
        "name": maybe("label"),
        "protocol": choice("TCP", "UDP", "SCTP"),
        "appProtocol": filled("label-key"),
    },
    "core.v1.EndpointAddress": {"ip": _ADDRESS, "hostname": maybe("label"), "nodeName": filled("subdomain")},
    "core.v1.EndpointPort": {
        "name": maybe("label"),
        "port": PORT,
        "protocol": PROTOCOL,
        "appProtocol": filled("label-key"),
    },
}


def _service(spec: Value) -> Iterator[Wrong]:
    kind = text(spec.get("type")) or "ClusterIP"
    headless = spec.get("clusterIP") == "None" or items(spec.get("clusterIPs"))[:1] == ["None"]
    ports = [mapping(port) for port in items(spec.get("ports"))]
    if not ports and not headless and kind != "ExternalName":
        yield Wrong(("ports",), "is missing", "name the ports, or write clusterIP: None")
    if headless and kind in ("LoadBalancer", "NodePort"):
        yield Wrong(("clusterIP",), f"None goes with no {kind}", "leave it out")
    if kind == "ExternalName":
        yield from _external(spec)
    yield from _ports(ports, kind)
    yield from _only_for(spec, kind)
    yield from _addresses(spec)


def _external(spec: Value) -> Iterator[Wrong]:
    name = text(spec.get("externalName")).removesuffix(".")
    if not name:
        yield Wrong(("externalName",), "is missing, and type ExternalName needs it")
    elif problem := GRAMMARS["subdomain"](name):
        yield Wrong(("externalName",), problem)
    for field in given(spec, "clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"):
        if spec[field]:
            yield Wrong((field,), "goes with no ExternalName", "leave it out")


def _ports(ports: list[Value], kind: str) -> Iterator[Wrong]:
    seen: dict[object, int] = {}
    for index, port in enumerate(ports):
        protocol, name = text(port.get("protocol")) or "TCP", text(port.get("name"))
        if len(ports) > 1 and not name:
            yield Wrong(
                ("ports", index, "name"), "is missing: of several ports each has a name", "write name: http or the like"
            )
        target = port.get("targetPort")
        if isinstance(target, str) and target and (problem := GRAMMARS["port-name"](target)):
            yield Wrong(("ports", index, "targetPort"), problem)
        if isinstance(target, int) and not 0 <= target <= 65535:
            yield Wrong(("ports", index, "targetPort"), f"{target} is not 1 to 65535")
        node = port.get("nodePort")
        if isinstance(node, int) and node:
            if kind == "ClusterIP":
                yield Wrong(
                    ("ports", index, "nodePort"), "goes with no ClusterIP", "write type: NodePort, or leave it out"
                )
            if seen.setdefault(("node", protocol, node), index) != index:
                yield Wrong(("ports", index, "nodePort"), f"{node} is listed twice")
        if name and seen.setdefault(("name", name), index) != index:
            yield Wrong(("ports", index, "name"), f"two ports are named {name}")


def _only_for(spec: Value, kind: str) -> Iterator[Wrong]:
    outside = kind in ("NodePort", "LoadBalancer") or bool(items(spec.get("externalIPs")) and kind == "ClusterIP")
    if text(spec.get("externalTrafficPolicy")) and not outside:
        yield Wrong(
            ("externalTrafficPolicy",), f"goes with what is reached from outside, not with {kind}", "leave it out"
        )
    checked = kind == "LoadBalancer" and spec.get("externalTrafficPolicy") == "Local"
    if spec.get("healthCheckNodePort") and not checked:
        yield Wrong(
            ("healthCheckNodePort",), "goes with LoadBalancer and externalTrafficPolicy Local alone", "leave it out"
        )
    for field in ("allocateLoadBalancerNodePorts", "loadBalancerClass", "loadBalancerSourceRanges"):
        if spec.get(field) not in (None, []) and kind != "LoadBalancer":
            yield Wrong((field,), "goes with type LoadBalancer alone", "leave it out")
    for index, network in enumerate(items(spec.get("loadBalancerSourceRanges"))):
        if isinstance(network, str) and (problem := GRAMMARS["network"](network.strip())):
            yield Wrong(("loadBalancerSourceRanges", index), problem)


def _addresses(spec: Value) -> Iterator[Wrong]:
    own = spec.get("clusterIP")
    if isinstance(own, str) and own not in ("", "None") and (problem := GRAMMARS["address"](own)):
        yield Wrong(("clusterIP",), problem)
    several = items(spec.get("clusterIPs"))
    if several and own is not None and several[0] != own:
        yield Wrong(("clusterIPs", 0), "is not clusterIP, which says the same")
    families = items(spec.get("ipFamilies"))
    if len(families) != len({*map(str, families)}):
        yield Wrong(("ipFamilies",), "holds a family twice")
    if len(families) > 1 and spec.get("ipFamilyPolicy") == "SingleStack":
        yield Wrong(("ipFamilies",), "are two, and ipFamilyPolicy is SingleStack")
    for index, address in enumerate(items(spec.get("externalIPs"))):
        yield from reachable(address, ("externalIPs", index))


def reachable(address: object, path: tuple[str | int, ...]) -> Iterator[Wrong]:
    """An address that others can reach."""
    try:
        parsed = ipaddress.ip_address(str(address))
    except ValueError:
        return
    if parsed.is_unspecified or parsed.is_loopback or parsed.is_link_local:
        yield Wrong(path, f"{address} is reachable only from the node itself")


def _slice(value: Value) -> Iterator[Wrong]:
    kind = value.get("addressType")
    for index, endpoint in enumerate(items(value.get("endpoints"))):
        for place, address in enumerate(items(at(endpoint, "addresses"))):
            path = ("endpoints", index, "addresses", place)
            if not isinstance(address, str):
                continue
            problem = GRAMMARS["subdomain" if kind == "FQDN" else "address"](address)
            if not problem and kind in ("IPv4", "IPv6") and (":" in address) != (kind == "IPv6"):
                problem = f"{address} is no {kind}"
            if problem:
                yield Wrong(path, problem)
            else:
                yield from reachable(address, path)
    names = [text(at(port, "name")) for port in items(value.get("ports"))]
    for index, name in enumerate(names):
        if name in names[:index]:
            yield Wrong(("ports", index, "name"), f"'{name}' is listed twice")


def _subset(value: Value) -> Iterator[Wrong]:
    if not items(value.get("addresses")) and not items(value.get("notReadyAddresses")):
        yield Wrong(("addresses",), "is missing")
    ports = items(value.get("ports"))
    for index, port in enumerate(ports):
        if len(ports) > 1 and not text(at(port, "name")):
            yield Wrong(("ports", index, "name"), "is missing: of several ports each has a name")
    for field in ("addresses", "notReadyAddresses"):
        for index, address in enumerate(items(value.get(field))):
            yield from reachable(at(address, "ip"), (field, index, "ip"))


def _ingress(spec: Value) -> Iterator[Wrong]:
    if not items(spec.get("rules")) and spec.get("defaultBackend") is None:
        yield Wrong((), "needs rules or a defaultBackend")


def _rule(value: Value) -> Iterator[Wrong]:
    host = text(value.get("host"))
    if not host:
        return
    if host.replace(".", "").isdecimal() and not GRAMMARS["address"](host):
        yield Wrong(("host",), f"'{host}' is an address, where a name belongs")
    elif problem := GRAMMARS["wildcard"](host):
        yield Wrong(("host",), problem)


def _path(value: Value) -> Iterator[Wrong]:
    path, kind = text(value.get("path")), value.get("pathType")
    if kind in ("Exact", "Prefix"):
        if not path.startswith("/"):
            yield Wrong(("path",), f"'{path[:60]}' must begin with /")
        for odd in ("//", "/./", "/../", "%2f", "%2F"):
            if odd in path:
                yield Wrong(("path",), f"'{path[:60]}' may not contain {odd}")
        if path.endswith(("/..", "/.")):
            yield Wrong(("path",), f"'{path[:60]}' may not end in dots")
    elif path and not path.startswith("/"):
        yield Wrong(("path",), f"'{path[:60]}' must begin with /")


def _backend(value: Value) -> Iterator[Wrong]:
    found = given(value, "service", "resource")
    if not found:
        yield Wrong((), "names no service", "write service: {name: …, port: {number: …}}")
    if len(found) > 1:
        yield Wrong(("resource",), "is set together with service: set only one")
    if value.get("resource") is not None:
        for field in ("name", "kind"):
            if not text(at(value, f"resource.{field}")):
                yield Wrong(("resource", field), "is missing")
        group = at(value, "resource.apiGroup")
        if isinstance(group, str) and (problem := GRAMMARS["subdomain"](group)):
            yield Wrong(("resource", "apiGroup"), problem)


def _backend_port(value: Value) -> Iterator[Wrong]:
    name, number_ = text(value.get("name")), value.get("number")
    if not name and not number_:
        yield Wrong((), "needs a name or a number")
    if name and number_:
        yield Wrong(("name",), "is set together with number: set only one")


def _parameters(value: Value) -> Iterator[Wrong]:
    namespace = text(value.get("namespace"))
    scope = value.get("scope") or "Cluster"
    if scope == "Namespace" and not namespace:
        yield Wrong(("namespace",), "is missing, and scope Namespace needs it")
    elif scope == "Cluster" and value.get("namespace") is not None:
        yield Wrong(("namespace",), "goes with scope Namespace alone", "leave it out")
    elif namespace and (problem := GRAMMARS["label"](namespace)):
        yield Wrong(("namespace",), problem)


def _peer(value: Value) -> Iterator[Wrong]:
    found = given(value, "podSelector", "namespaceSelector", "ipBlock")
    if not found:
        yield Wrong((), "names no peer", "write podSelector:, namespaceSelector: or ipBlock:")
    if "ipBlock" in found and len(found) > 1:
        yield Wrong(("ipBlock",), f"is set together with {found[0]}: ipBlock excludes selectors")


def _open_port(value: Value) -> Iterator[Wrong]:
    last, first = value.get("endPort"), value.get("port")
    if last is None:
        return
    if first is None:
        yield Wrong(("port",), "is missing, and endPort needs it")
    elif isinstance(first, str):
        yield Wrong(("endPort",), "goes with a port's number, not with its name")
    elif isinstance(first, int) and isinstance(last, int) and last < first:
        yield Wrong(("endPort",), f"{last} is less than port, {first}")


def _block(value: Value) -> Iterator[Wrong]:
    try:
        whole = ipaddress.ip_network(text(value.get("cidr")), strict=False)
    except ValueError:
        return
    for index, part in enumerate(items(value.get("except"))):
        try:
            inner = ipaddress.ip_network(text(part), strict=False)
        except ValueError:
            continue
        inside = inner.version == whole.version and whole.prefixlen < inner.prefixlen and inner.subnet_of(whole)  # type: ignore[arg-type]
        if not inside:
            yield Wrong(("except", index), f"{part} is no part of {whole}")


RULES: Rules = {
    "core.v1.ServiceSpec": _service,
    "core.v1.EndpointSubset": _subset,
    "discovery.v1.EndpointSlice": _slice,
    "networking.v1.IngressSpec": _ingress,
    "networking.v1.IngressRule": _rule,
    "networking.v1.HTTPIngressPath": _path,
    "networking.v1.IngressBackend": _backend,
    "networking.v1.ServiceBackendPort": _backend_port,
    "networking.v1.IngressClassParametersReference": _parameters,
    "networking.v1.NetworkPolicyPeer": _peer,
    "networking.v1.NetworkPolicyPort": _open_port,
    "networking.v1.IPBlock": _block,
}
