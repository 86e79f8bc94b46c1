"""Whom the API server and Prometheus call: pods and ports behind webhooks, aggregated APIs and monitors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from platform_def.checks.context import Context
from platform_def.checks.monitors import chosen_namespaces, chosen_services
from platform_def.checks.selection import NOBODY, pods_by_namespace
from platform_def.manifests.admission import GROUP, KINDS
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.rendered import RenderedObject
from platform_def.manifests.workloads import Pods


class Call(NamedTuple):
    """Something outside the cluster's pods, or outside the mesh, calls these."""

    who: str
    why: str
    pods: Pods
    port: int
    """Of the pods; 0: not known."""


def calls(context: Context) -> tuple[Call, ...]:
    """All of them."""
    return (*_of_api_server(context), *_of_prometheus(context))


def _of_api_server(context: Context) -> Iterator[Call]:
    found = context.index.by_kind
    for item in (item for kind in KINDS for item in found.get((GROUP, kind), ())):
        for hook in items(item.manifest.get("webhooks")):
            yield from _called(context, item, at(hook, "clientConfig.service"))
    for item in found.get(("apiextensions.k8s.io", "CustomResourceDefinition"), ()):
        yield from _called(context, item, at(item.manifest, "spec.conversion.webhook.clientConfig.service"))
    for item in found.get(("apiregistration.k8s.io", "APIService"), ()):
        yield from _called(context, item, at(item.manifest, "spec.service"))


def _called(context: Context, item: RenderedObject, service: object) -> Iterator[Call]:
    name, namespace = text(at(service, "name")), text(at(service, "namespace"))
    for found in context.index.by_key.get(("", "Service", namespace, name), ()):
        for pods, port in _behind(context, found, at(service, "port") or 443):
            yield Call("the API server", str(item), pods, port)


def _of_prometheus(context: Context) -> Iterator[Call]:
    """Endpoints without certificates of their own, which a pod in the mesh might have."""
    found = context.index.by_kind
    for item in found.get(("monitoring.coreos.com", "ServiceMonitor"), ()):
        for service in chosen_services(context, item):
            for endpoint in _plain(item, "endpoints"):
                for pods, port in _behind(context, service, endpoint.get("port")):
                    yield Call("Prometheus", str(item), pods, port)
    pods_of = context.once(pods_by_namespace)
    for item in found.get(("monitoring.coreos.com", "PodMonitor"), ()):
        for home in chosen_namespaces(item, pods_of):
            for pods in pods_of.get(home, NOBODY).selected(mapping(at(item.manifest, "spec.selector"))):
                for endpoint in _plain(item, "podMetricsEndpoints"):
                    yield Call("Prometheus", str(item), pods, _number(pods, endpoint.get("port")))


def _plain(item: RenderedObject, field: str) -> Sequence[Mapping[str, Any]]:
    every = [mapping(each) for each in items(at(item.manifest, f"spec.{field}"))]
    return [each for each in every if not each.get("tlsConfig")]


def _behind(context: Context, service: RenderedObject, port: object) -> Iterator[tuple[Pods, int]]:
    """The pods behind a port of a Service, by its number or its name, with the port that they have for it."""
    selector = mapping(at(service.manifest, "spec.selector"))
    ports = [mapping(each) for each in items(at(service.manifest, "spec.ports"))]
    wanted = next((each for each in ports if port in (each.get("port"), each.get("name"))), {})
    target = wanted.get("targetPort", wanted.get("port"))
    near = context.once(pods_by_namespace).get(service.namespace or "", NOBODY)
    for pods in near.selected({"matchLabels": selector}) if selector and target else ():
        yield pods, _number(pods, target)


def _number(pods: Pods, port: object) -> int:
    if isinstance(port, int):
        return port
    opened = (mapping(each) for _, container in pods.containers() for each in items(container.get("ports")))
    numbers = (each.get("containerPort") for each in opened if each.get("name") == port)
    return next((each for each in numbers if isinstance(each, int)), 0)
