"""VirtualServices and Gateways that istiod's webhook refuses.

Facts: Istio 1.31 (pkg/config/validation/validation.go and virtualservice.go; what the CRDs say themselves is left out).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from platform_def.checks.fault import Fault
from platform_def.manifests.loose import items, mapping, text
from platform_def.manifests.rendered import Manifest

GROUP = "networking.istio.io"
_REFUSED = "istiod's webhook refuses it"
_ANSWERS = ("route", "redirect", "directResponse")
_TLS = ("HTTPS", "TLS")
_PLAIN = ("HTTP", "HTTP2", "GRPC", "GRPC-WEB")
_UNTOUCHED = ("", "PASSTHROUGH", "AUTO_PASSTHROUGH")
_CERTIFIED = ("SIMPLE", "MUTUAL", "OPTIONAL_MUTUAL")
_REWRITES = ("uri", "uriRegexRewrite", "authority")
_FILES = ("serverCertificate", "privateKey", "caCertificates")
_SOURCES = ("credentialName", "credentialNames", "tlsCertificates")


def of_virtual_service(manifest: Manifest) -> Iterator[Fault]:
    """A VirtualService."""
    spec = mapping(manifest.get("spec"))
    hosts, gateways = items(spec.get("hosts")), items(spec.get("gateways"))
    if "*" in hosts and (not gateways or "mesh" in gateways):
        said = f"'*' is no host of pods in the mesh: {_REFUSED}"
        yield Fault("spec.hosts", said, "name the Services, or the gateways that it is for")
    if not any(spec.get(each) for each in ("http", "tcp", "tls")):
        yield Fault("spec", f"has no http, tcp or tls: {_REFUSED}", "write where requests go")
    for name in ("http", "tcp", "tls"):
        for index, each in enumerate(items(spec.get(name))):
            path, rule = f"spec.{name}[{index}]", mapping(each)
            yield from _weights(f"{path}.route", items(rule.get("route")))
            if name == "http" and hosts:
                yield from _http(path, rule)


def _http(path: str, rule: Mapping[str, Any]) -> Iterator[Fault]:
    given = [name for name in _ANSWERS if rule.get(name)]
    if rule.get("delegate"):
        for name in ("route", "redirect"):
            if rule.get(name):
                said = f"does not go with delegate: {_REFUSED}"
                yield Fault(f"{path}.{name}", said, "leave one of them out")
        return
    if not given:
        yield Fault(path, f"has no route, redirect or directResponse: {_REFUSED}", "write one of them")
    for name in given[1:]:
        yield Fault(f"{path}.{name}", f"does not go with {given[0]}: {_REFUSED}", "leave one of them out")
    if given and given[0] != "route":
        for name in ("fault", "rewrite"):
            if rule.get(name):
                yield Fault(f"{path}.{name}", f"does not go with {given[0]}: {_REFUSED}", f"leave {name} out")
    yield from _details(path, rule)


def _details(path: str, rule: Mapping[str, Any]) -> Iterator[Fault]:
    retries = mapping(rule.get("retries"))
    if retries and not retries.get("attempts") and (retries.get("perTryTimeout") or retries.get("retryOn")):
        said = f"is missing, so that nothing is tried again: {_REFUSED}"
        yield Fault(f"{path}.retries.attempts", said, "write how often")
    if "rewrite" in rule and not any(mapping(rule["rewrite"]).get(each) for each in _REWRITES):
        yield Fault(f"{path}.rewrite", f"says nothing: {_REFUSED}", f"write one of {', '.join(_REWRITES)}")
    if rule.get("mirror") and rule.get("mirrors"):
        yield Fault(f"{path}.mirrors", f"does not go with mirror: {_REFUSED}", "leave one of them out")


def _weights(path: str, targets: Sequence[Any]) -> Iterator[Fault]:
    if len(targets) > 1 and not any(mapping(each).get("weight") for each in targets):
        said = f"has several destinations and no weight: {_REFUSED}"
        yield Fault(path, said, "give each the share of requests that it gets")


def of_gateway(manifest: Manifest) -> Iterator[Fault]:
    """A Gateway of Istio's own API."""
    seen: set[str] = set()
    for index, each in enumerate(items(mapping(manifest.get("spec")).get("servers"))):
        path, server = f"spec.servers[{index}]", mapping(each)
        name = text(mapping(server.get("port")).get("name"))
        if name in seen:
            yield Fault(f"{path}.port.name", f"'{name}' is the name of two ports: {_REFUSED}", "give each its own")
        seen.add(name)
        yield from _server(path, server)


def _server(path: str, server: Mapping[str, Any]) -> Iterator[Fault]:
    protocol, tls = text(mapping(server.get("port")).get("protocol")).upper(), server.get("tls")
    if protocol in _TLS and tls is None:
        yield Fault(path, f"speaks {protocol} and has no tls: {_REFUSED}", "write tls with mode and credentialName")
    elif protocol in _PLAIN and _encrypts(mapping(tls)):
        said = f"does not go with the protocol {protocol}: {_REFUSED}"
        yield Fault(f"{path}.tls", said, "write HTTPS, or httpsRedirect alone")
    else:
        yield from _certificates(f"{path}.tls", mapping(tls))


def _encrypts(tls: Mapping[str, Any]) -> bool:
    """Whether a server would do more than send clients to HTTPS."""
    return bool(tls) and (text(tls.get("mode")) not in _UNTOUCHED or any(map(tls.get, _FILES)))


def _certificates(path: str, tls: Mapping[str, Any]) -> Iterator[Fault]:
    mode, sources = text(tls.get("mode")), [name for name in _SOURCES if tls.get(name)]
    if tls.get("serverCertificate") and tls.get("privateKey"):
        sources.append("serverCertificate")
    if mode == "ISTIO_MUTUAL":
        for name in (*sources, *(name for name in _FILES if tls.get(name) and name not in sources)):
            said = f"does not go with ISTIO_MUTUAL, which has the mesh's certificates: {_REFUSED}"
            yield Fault(f"{path}.{name}", said, f"leave {name} out")
    elif len(sources) > 1:
        said = f"names certificates in two ways, {' and '.join(sources)}: {_REFUSED}"
        yield Fault(path, said, "leave one of them out")
    elif mode in _CERTIFIED and not sources:
        yield Fault(path, f"has mode {mode} and no certificate: {_REFUSED}", "write credentialName")
