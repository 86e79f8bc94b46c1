"""Admission webhooks of istiod: who gets a proxy, and which of Istio's objects are refused.

istiod writes the CA of configurations that have its revision in the label `istio.io/rev`, and turns the validating one
from Ignore to Fail once it answers.
"""

from __future__ import annotations

from typing import cast

from platform_def.apis.core.meta_v1 import LabelSelector
from platform_def.constructs import Hook, rule

REVISION = "istio.io/rev"
INJECTION = "istio-injection"
POD = "sidecar.istio.io/inject"
GROUPS = ("extensions.istio.io", "networking.istio.io", "security.istio.io", "telemetry.istio.io")


def _where(**expressions: tuple[str, tuple[str, ...]]) -> LabelSelector:
    keys = {"rev": REVISION, "injection": INJECTION, "pod": POD}
    chosen = [
        {"key": keys[name], "operator": operator, **({"values": [*values]} if values else {})}
        for name, (operator, values) in expressions.items()
    ]
    return cast(LabelSelector, {"matchExpressions": chosen})


_ABSENT: tuple[str, tuple[str, ...]] = ("DoesNotExist", ())
_UNLESS_REFUSED: tuple[str, tuple[str, ...]] = ("NotIn", ("false",))


def _injector(prefix: str, *, namespaces: LabelSelector, pods: LabelSelector) -> Hook:
    return Hook(
        name=f"{prefix}.sidecar-injector.istio.io",
        path="/inject",
        rules=(rule("", "v1", "pods", "CREATE"),),
        namespace_selector=namespaces,
        object_selector=pods,
    )


def injectors(revision: str) -> tuple[Hook, ...]:
    """Pods by the revision that they or their namespace name; of the default revision also by `istio-injection`.

    A pod's own label goes before its namespace's. `Fail` reaches only pods that chose the mesh: no other pod waits.
    """
    mine = ("In", (revision or "default",))
    by_revision = (
        _injector(
            "rev.namespace",
            namespaces=_where(rev=mine, injection=_ABSENT),
            pods=_where(pod=_UNLESS_REFUSED),
        ),
        _injector(
            "rev.object",
            namespaces=_where(rev=_ABSENT, injection=_ABSENT),
            pods=_where(pod=_UNLESS_REFUSED, rev=mine),
        ),
    )
    if revision:
        return by_revision
    return (
        *by_revision,
        _injector(
            "namespace",
            namespaces=_where(injection=("In", ("enabled",))),
            pods=_where(pod=_UNLESS_REFUSED),
        ),
        _injector(
            "object",
            namespaces=_where(injection=_ABSENT, rev=_ABSENT),
            pods=_where(pod=("In", ("true",)), rev=_ABSENT),
        ),
    )


def validators(revision: str, name: str) -> dict[str, Hook]:
    """Who judges Istio's objects, by the name of its configuration; `name` is that of the revision's own.

    Each revision judges objects that name it, and the default one those that name none as well.
    """
    own = {name: _validator("rev.validation", objects=_where(rev=("In", (revision or "default",))))}
    if revision:
        return own
    return {**own, "istiod-default-validator": _validator("validation", objects=_where(rev=_ABSENT))}


def _validator(prefix: str, *, objects: LabelSelector) -> Hook:
    return Hook(
        name=f"{prefix}.istio.io",
        path="/validate",
        rules=tuple(rule(group, "*", "*", "CREATE UPDATE") for group in GROUPS),
        failure_policy="Ignore",
        object_selector=objects,
    )
