"""The ports of Services that objects ask for: routes of every gateway, webhooks, aggregated APIs.

Facts: Gateway API 1.4 (backendRefs), Istio 1.31 (Destination: a port may be left out where the Service has one),
Emissary 4 (Mapping: 80, or 443 with TLS, unless the address has a port), Kubernetes (443 of webhooks and APIServices).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from platform_def.manifests.admission import GROUP as ADMISSION
from platform_def.manifests.links import service_address
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.paths import Path
from platform_def.manifests.rendered import RenderedObject

_GATEWAY_API = "gateway.networking.k8s.io"
_ROUTES = ("HTTPRoute", "GRPCRoute", "TLSRoute", "TCPRoute", "UDPRoute")
_PORT = re.compile(r":(\d{1,5})(?:/|$)")


class WantedPort(NamedTuple):
    """One port of a Service that an object asks for."""

    path: Path
    """Of the field that says the port, or the address that holds it."""
    namespace: str
    name: str
    port: int | str
    """By number or by name."""


def backends(item: RenderedObject) -> Iterator[WantedPort]:
    """What an object asks of Services; ports that it leaves to a default of the Service are left out."""
    reader = _READERS.get((item.group, item.kind))
    if reader:
        yield from (each for each in reader(item.manifest, item.namespace or "") if each.name)


def _ingress(manifest: Mapping[str, Any], own: str) -> Iterator[WantedPort]:
    found: list[tuple[Path, object]] = [(("spec", "defaultBackend", "service"), at(manifest, "spec.defaultBackend"))]
    for index, rule in enumerate(items(at(manifest, "spec.rules"))):
        for place, each in enumerate(items(at(rule, "http.paths"))):
            path: Path = ("spec", "rules", index, "http", "paths", place, "backend", "service")
            found.append((path, mapping(each).get("backend")))
    for path, backend in found:
        service = mapping(at(backend, "service"))
        port = mapping(service.get("port"))
        field = "name" if port.get("name") else "number"
        if isinstance(port.get(field), int | str):
            yield WantedPort((*path, "port", field), own, text(service.get("name")), port[field])


def _route(manifest: Mapping[str, Any], own: str) -> Iterator[WantedPort]:
    for path, reference in references(manifest):
        port = reference.get("port")
        if reference.get("group") in (None, "") and reference.get("kind", "Service") == "Service":
            name, home = text(reference.get("name")), text(reference.get("namespace")) or own
            if isinstance(port, int):
                yield WantedPort((*path, "port"), home, name, port)


def references(route: Mapping[str, Any]) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """What a route of Gateway API sends requests to, mirrors included."""
    for index, rule in enumerate(items(at(route, "spec.rules"))):
        path: Path = ("spec", "rules", index)
        for place, backend in enumerate(items(at(rule, "backendRefs"))):
            yield (*path, "backendRefs", place), mapping(backend)
        for place, chosen in enumerate(items(at(rule, "filters"))):
            mirror = at(chosen, "requestMirror.backendRef")
            if isinstance(mirror, dict):
                yield (*path, "filters", place, "requestMirror", "backendRef"), mirror


def destinations(service: Mapping[str, Any]) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """The destinations of a VirtualService."""
    for protocol in ("http", "tcp", "tls"):
        for index, rule in enumerate(items(at(service, f"spec.{protocol}"))):
            path: Path = ("spec", protocol, index)
            for list_name in ("route", "mirrors"):
                for place, each in enumerate(items(at(rule, list_name))):
                    yield (*path, list_name, place, "destination"), mapping(at(each, "destination"))
            if mapping(at(rule, "mirror")):
                yield (*path, "mirror"), mapping(at(rule, "mirror"))


def _virtual_service(manifest: Mapping[str, Any], own: str) -> Iterator[WantedPort]:
    for path, destination in destinations(manifest):
        name, home = service_address(text(destination.get("host")))
        port = at(destination, "port.number")
        if isinstance(port, int):
            yield WantedPort((*path, "port", "number"), home or own, name, port)


def _mapping(manifest: Mapping[str, Any], own: str) -> Iterator[WantedPort]:
    address = text(at(manifest, "spec.service"))
    if not address or at(manifest, "spec.resolver") is not None:
        return
    name, home = service_address(address)
    said = _PORT.search(address.partition("://")[2] or address)
    encrypted = address.startswith("https://") or at(manifest, "spec.tls") is not None
    yield WantedPort(("spec", "service"), home or own, name, int(said[1]) if said else 443 if encrypted else 80)


def _hooks(manifest: Mapping[str, Any], _: str) -> Iterator[WantedPort]:
    for index, hook in enumerate(items(manifest.get("webhooks"))):
        yield from _called(("webhooks", index, "clientConfig", "service"), at(hook, "clientConfig.service"))


def _conversion(manifest: Mapping[str, Any], _: str) -> Iterator[WantedPort]:
    path: Path = ("spec", "conversion", "webhook", "clientConfig", "service")
    yield from _called(path, at(manifest, "spec.conversion.webhook.clientConfig.service"))


def _aggregated(manifest: Mapping[str, Any], _: str) -> Iterator[WantedPort]:
    yield from _called(("spec", "service"), at(manifest, "spec.service"))


def _called(path: Path, service: object) -> Iterator[WantedPort]:
    port = mapping(service).get("port", 443)
    if mapping(service) and isinstance(port, int):
        name, home = text(at(service, "name")), text(at(service, "namespace"))
        yield WantedPort((*path, "port"), home, name, port)


_READERS: Mapping[tuple[str, str], Callable[[Mapping[str, Any], str], Iterator[WantedPort]]] = {
    ("networking.k8s.io", "Ingress"): _ingress,
    **{(_GATEWAY_API, kind): _route for kind in _ROUTES},
    ("networking.istio.io", "VirtualService"): _virtual_service,
    ("getambassador.io", "Mapping"): _mapping,
    ("getambassador.io", "TCPMapping"): _mapping,
    (ADMISSION, "MutatingWebhookConfiguration"): _hooks,
    (ADMISSION, "ValidatingWebhookConfiguration"): _hooks,
    ("apiextensions.k8s.io", "CustomResourceDefinition"): _conversion,
    ("apiregistration.k8s.io", "APIService"): _aggregated,
}
