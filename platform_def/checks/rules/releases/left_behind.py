"""What an earlier release left in the cluster is not in the way of the one in the stack; asked with `--existing`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import StackRule
from platform_def.manifests.rendered import RenderedObject

SELECTING = frozenset({("apps", "Deployment"), ("apps", "StatefulSet"), ("apps", "DaemonSet")})
"""Kinds whose selector stays as it was made."""


@dataclass(frozen=True)
class Leftover:
    """An object that bore another name in an earlier release, and does harm beside its successor."""

    group: str
    kind: str
    now: str
    before: str
    harm: str
    plural: str


LEFTOVERS = (
    Leftover(
        "admissionregistration.k8s.io",
        "MutatingWebhookConfiguration",
        "poddefaults-webhook-mutating-webhook-configuration",
        "admission-webhook-mutating-webhook-configuration",
        "of Kubeflow 1.10: where nothing answers it, every new pod in namespaces of Profiles is refused",
        "mutatingwebhookconfigurations",
    ),
    Leftover(
        "networking.istio.io",
        "VirtualService",
        "dashboard",
        "centraldashboard",
        "of Kubeflow 1.10, which takes the same path `/`: either may answer",
        "virtualservices.networking.istio.io",
    ),
)


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    if not context.stack.existing:
        return
    named = {(each.group, each.kind, each.name): each for each in context.stack.existing}
    same = {each.key: each for each in context.stack.existing}
    for item in context.own:
        for each in LEFTOVERS:
            found = named.get((each.group, each.kind, each.before))
            if found and (item.group, item.kind, item.name) == (each.group, each.kind, each.now):
                yield item, _renamed(each, found)
        other = same.get(item.key)
        if other and (item.group, item.kind) in SELECTING and _selector(other) != _selector(item):
            text = f"the {item.kind} of that name in the cluster selects its pods otherwise, which cannot change"
            hint = f"delete it first: `kubectl -n {item.namespace} delete {item.kind.lower()} {item.name}`"
            yield item, Fault("spec.selector", text, hint)


def _renamed(each: Leftover, found: RenderedObject) -> Fault:
    where = f" -n {found.namespace}" if found.namespace else ""
    text = f"the cluster still has the {each.kind} {each.before} {each.harm}"
    return Fault("metadata.name", text, f"delete it: `kubectl{where} delete {each.plural} {each.before}`")


def _selector(item: RenderedObject) -> object:
    return (item.manifest.get("spec") or {}).get("selector")


LEFT_BEHIND = StackRule(
    id="left-behind",
    severity="error",
    title="No leftover of an earlier release conflicts with the stack",
    why="An engine removes only what it made. A webhook without a server refuses every pod that it is "
    "asked about, a second route takes requests, and an object whose selector cannot change is never updated.",
    fix="delete what the finding names; asked with `--existing`, which tells what the cluster has",
    check=_check,
)
