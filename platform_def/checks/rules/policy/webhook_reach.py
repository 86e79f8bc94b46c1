"""Webhooks do not stand in their own way, nor in that of a cluster that starts: who refuses is asked of few, and runs.

Facts: the API server calls webhooks for every namespace, kube-system too; a pod that a webhook of its own must admit
cannot come back once all of them are gone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import StackRule
from platform_def.checks.selection import NOBODY, pods_by_namespace
from platform_def.manifests.admission import GROUP, KINDS, Gate, selects
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.rendered import RenderedObject
from platform_def.manifests.workloads import Pods

_NAME = "kubernetes.io/metadata.name"
_HINT = (
    "exclude its namespace, and kube-system, by `namespaceSelector: {matchExpressions: "
    "[{key: kubernetes.io/metadata.name, operator: NotIn, values: [kube-system, …]}]}`"
)


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    for item in (item for kind in KINDS for item in context.index.by_kind.get((GROUP, kind), ())):
        for index, body in enumerate(items(item.manifest.get("webhooks"))):
            gate = Gate(item, text(mapping(body).get("name")), dict(mapping(body)))
            service = mapping(at(body, "clientConfig.service"))
            if not gate.refuses or not service:
                continue
            answering = _answering(context, text(service.get("namespace")), text(service.get("name")))
            path = f"webhooks[{index}]"
            blocked = [each for each in answering if _is_asked(context, gate.body, each)]
            if blocked:
                said = (
                    f"is asked about the pods of {blocked[0].item}, which answer it: once they are gone none comes back"
                )
                yield item, Fault(f"{path}.namespaceSelector", said, _HINT)
            elif _everywhere(gate.body):
                said = "is asked about every pod, those of kube-system too: while it is down no node can join"
                yield item, Fault(f"{path}.namespaceSelector", said, _HINT)
                yield from ((each.item, fault) for each in answering if (fault := _alone(each, gate)))


def _answering(context: Context, namespace: str, name: str) -> Sequence[Pods]:
    found = context.index.by_key.get(("", "Service", namespace, name))
    selector = at(found[0].manifest, "spec.selector") if found else None
    if not mapping(selector):
        return ()
    pods = context.once(pods_by_namespace).get(namespace, NOBODY)
    return [each for each in pods.selected({"matchLabels": selector}) if each.core]


def _is_asked(context: Context, body: Mapping[str, Any], pods: Pods) -> bool:
    """Whether the webhook must admit these pods; where labels or conditions cannot be known, it counts as not asked."""
    home = context.index.by_key.get(("", "Namespace", "", pods.namespace), ())
    own = mapping(at(home[0].manifest, "metadata.labels")) if home else {}
    selector = body.get("namespaceSelector")
    if not home and not _by_name_alone(selector):
        return False
    labels = {**own, _NAME: pods.namespace}
    return _pods_made(body) and selects(selector, labels) and selects(body.get("objectSelector"), pods.labels)


def _everywhere(body: Mapping[str, Any]) -> bool:
    """Whether pods without labels in kube-system are its business."""
    selector = body.get("namespaceSelector")
    return (
        _pods_made(body)
        and _by_name_alone(selector)
        and selects(selector, {_NAME: "kube-system"})
        and selects(body.get("objectSelector"), {})
    )


def _by_name_alone(selector: object) -> bool:
    """Whether it goes by nothing but the names of namespaces."""
    expressions = [text(mapping(each).get("key")) for each in items(at(selector, "matchExpressions"))]
    return {*mapping(at(selector, "matchLabels")), *expressions} <= {_NAME}


def _pods_made(body: Mapping[str, Any]) -> bool:
    def has(rule: object, field: str, *any_of: str) -> bool:
        return any(each in any_of for each in items(at(rule, field)))

    return not items(body.get("matchConditions")) and any(
        has(rule, "apiGroups", "", "*")
        and has(rule, "resources", "pods", "*", "*/*")
        and has(rule, "operations", "CREATE", "*")
        for rule in items(body.get("rules"))
    )


def _alone(pods: Pods, gate: Gate) -> Fault | None:
    if pods.item.kind not in ("Deployment", "StatefulSet") or pods.count != 1:
        return None
    said = f"one pod alone answers {gate.name}, without which no pod of the cluster starts"
    return Fault("spec.replicas", said, "run two, with a PodDisruptionBudget")


WEBHOOK_REACH = StackRule(
    id="webhook-reach",
    severity="warning",
    title="A webhook that fails closed does not cover its own pods, nor every pod of the cluster",
    why="After a restart of the cluster nothing starts: the pods that would answer wait for an answer.",
    fix=_HINT,
    kinds=frozenset(KINDS),
    check=_check,
)
