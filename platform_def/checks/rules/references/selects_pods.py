"""Policies and monitors that choose pods by labels choose some: budgets, network policies, monitors, mesh policies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import StackRule
from platform_def.checks.selection import MADE, NOBODY, may_come_to_match, operated_namespaces, pods_by_namespace
from platform_def.manifests.loose import at, items, mapping
from platform_def.manifests.rendered import RenderedObject

_ISTIO_SECURITY, _ISTIO_NETWORKING = "security.istio.io", "networking.istio.io"


class _Place(NamedTuple):
    """Where a kind has its selector."""

    path: str
    plain: bool = False
    """A map of labels, without `matchLabels` around it."""


_SELECTORS: Mapping[tuple[str, str], _Place] = {
    ("policy", "PodDisruptionBudget"): _Place("spec.selector"),
    ("networking.k8s.io", "NetworkPolicy"): _Place("spec.podSelector"),
    ("monitoring.coreos.com", "PodMonitor"): _Place("spec.selector"),
    (_ISTIO_SECURITY, "AuthorizationPolicy"): _Place("spec.selector"),
    (_ISTIO_SECURITY, "PeerAuthentication"): _Place("spec.selector"),
    (_ISTIO_SECURITY, "RequestAuthentication"): _Place("spec.selector"),
    (_ISTIO_NETWORKING, "Gateway"): _Place("spec.selector", plain=True),
    (_ISTIO_NETWORKING, "EnvoyFilter"): _Place("spec.workloadSelector.labels", plain=True),
    (_ISTIO_NETWORKING, "Sidecar"): _Place("spec.workloadSelector.labels", plain=True),
}


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    for kind, place in _SELECTORS.items():
        for item in context.index.by_kind.get(kind, ()):
            selector = at(item.manifest, place.path)
            selector = {"matchLabels": selector} if place.plain else selector
            if _wanted(selector) and not _chosen(context, item, mapping(selector)):
                labels = ", ".join(_wanted(selector))
                yield item, Fault(place.path, f"no pod here has the labels {labels[:120]}", MADE)


def _wanted(selector: object) -> list[str]:
    """What the selector asks for; empty where it takes every pod."""
    labels = [f"{key}={value}" for key, value in mapping(at(selector, "matchLabels")).items()]
    return labels + [_said(mapping(each)) for each in items(at(selector, "matchExpressions"))]


def _said(expression: Mapping[str, Any]) -> str:
    values = " or ".join(map(str, items(expression.get("values"))))
    return " ".join(filter(None, (str(expression.get("key")), str(expression.get("operator")), values)))


def _chosen(context: Context, item: RenderedObject, selector: Mapping[str, Any]) -> bool:
    """Whether it selects pods, or may: where no pods are rendered they come from people, or from operators."""
    wanted = mapping(at(selector, "matchLabels"))
    proxies = item.kind == "Gateway"
    known = False
    for namespace in _namespaces(context, item):
        pods = context.once(pods_by_namespace).get(namespace, NOBODY)
        if not pods or namespace in context.once(operated_namespaces):
            return True
        if pods.selected(selector) or may_come_to_match(wanted, pods):
            return True
        known = known or not proxies or any(wanted.keys() <= each.labels.keys() for each in pods)
    # The proxies of a Gateway are elsewhere where no pod here is marked as one.
    return not known


def _namespaces(context: Context, item: RenderedObject) -> list[str]:
    """Where it chooses: a monitor as it says, an Istio Gateway anywhere, a policy of Istio's root namespace too."""
    pods = context.once(pods_by_namespace)
    if item.group in (_ISTIO_SECURITY, _ISTIO_NETWORKING) and (
        item.kind == "Gateway" or item.namespace == "istio-system"
    ):
        return list(pods) or [""]
    chosen = mapping(at(item.manifest, "spec.namespaceSelector")) if item.kind == "PodMonitor" else {}
    if chosen.get("any") is True:
        return [*pods, *context.index.namespaces] or [""]
    named = [each for each in items(chosen.get("matchNames")) if isinstance(each, str)]
    return named or [item.namespace or ""]


SELECTS_PODS = StackRule(
    id="selects-pods",
    severity="warning",
    title="Every label selector for pods matches some",
    why="A budget, a network policy or a monitor that selects no pods has no effect, and nothing reports it.",
    fix="write the labels as the pod template has them",
    check=_check,
)
