"""Which admission webhooks of a stack are asked about an object, by their rules and selectors.

An object that a webhook must admit can't come before the webhook's server. For a workload the pods count too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from platform_def.crds.core.kinds import CORE_KINDS
from platform_def.manifests.index import ObjectIndex
from platform_def.manifests.loose import at, items, mapping
from platform_def.manifests.rendered import Manifest, RenderedObject

GROUP = "admissionregistration.k8s.io"
KINDS = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")


class Asked(NamedTuple):
    """Something that the API server asks webhooks about."""

    group: str
    plural: str
    namespace: str
    labels: Mapping[str, str]


@dataclass(frozen=True, eq=False)
class Gate:
    """One webhook of a configuration."""

    configuration: RenderedObject
    name: str
    body: Manifest

    @property
    def refuses(self) -> bool:
        """Whether objects are refused while the webhook does not answer."""
        return bool(self.body.get("failurePolicy", "Fail") == "Fail")


class StackWebhooks:
    """The webhooks of a stack."""

    def __init__(self, index: ObjectIndex):
        self._index = index
        self._hooks = tuple(_hooks(index))
        self._asking: dict[tuple[str, str, bool], tuple[Gate, ...]] = {}

    def hooks(self, item: RenderedObject) -> Iterator[Gate]:
        """The webhooks that are asked when the object, or a pod of it, is made."""
        yield from dict.fromkeys((*self.of_object(item), *self.of_pods(item)))

    def of_object(self, item: RenderedObject) -> Iterator[Gate]:
        """Those that are asked about the object itself."""
        core = CORE_KINDS.get((item.api_version, item.kind))
        custom = self._index.custom.get((item.group, item.kind))
        plural = core.plural if core else custom.plural if custom else ""
        yield from self._hooks_about(item, item.group, plural, at(item.manifest, "metadata.labels"))

    def of_pods(self, item: RenderedObject) -> Iterator[Gate]:
        """Those that are asked about the pods of a workload."""
        template = mapping(at(item.manifest, "spec.template"))
        if template and (item.api_version, item.kind) in CORE_KINDS:
            yield from self._hooks_about(item, "", "pods", at(template, "metadata.labels"))

    def of_pods_in(self, namespace: RenderedObject) -> Iterator[Gate]:
        """Those that are asked about a pod without labels in a namespace, as operators make there."""
        asked = Asked("", "pods", namespace.name, {})
        yield from (hook for hook in self._about(asked) if self._chosen(hook, asked))

    def _hooks_about(self, item: RenderedObject, group: str, plural: str, labels: object) -> Iterator[Gate]:
        if self._hooks and item.group != GROUP:
            asked = Asked(group, plural, item.namespace or "", mapping(labels))
            yield from (hook for hook in self._about(asked) if self._chosen(hook, asked))

    def _about(self, asked: Asked) -> tuple[Gate, ...]:
        """The webhooks whose rules cover a kind."""
        key = (asked.group, asked.plural, bool(asked.namespace))
        if key not in self._asking:
            rules = ((hook, mapping(rule)) for hook in self._hooks for rule in items(hook.body.get("rules")))
            self._asking[key] = tuple(dict.fromkeys(hook for hook, rule in rules if _covers(rule, asked)))
        return self._asking[key]

    def _chosen(self, hook: Gate, asked: Asked) -> bool:
        """Whether the webhook's selectors choose the object."""
        by_namespace = hook.body.get("namespaceSelector")
        return selects(hook.body.get("objectSelector"), asked.labels) and (
            not asked.namespace or selects(by_namespace, self._labels(asked.namespace))
        )

    def _labels(self, namespace: str) -> Mapping[str, str]:
        found = self._index.by_key.get(("", "Namespace", "", namespace), ())
        own = mapping(at(found[0].manifest, "metadata.labels")) if found else {}
        return {**own, "kubernetes.io/metadata.name": namespace}


def _hooks(index: ObjectIndex) -> Iterator[Gate]:
    for kind in KINDS:
        for item in index.by_kind.get((GROUP, kind), ()):
            for body in items(item.manifest.get("webhooks")):
                if isinstance(body, dict):
                    yield Gate(item, str(body.get("name", "")), body)


def _covers(rule: Mapping[str, Any], asked: Asked) -> bool:
    def has(key: str, value: str) -> bool:
        return any(each in ("*", value, "*/*") for each in items(rule.get(key)))

    return (
        has("operations", "CREATE")
        and has("apiGroups", asked.group)
        and has("resources", asked.plural)
        and rule.get("scope", "*") in ("*", "Namespaced" if asked.namespace else "Cluster")
    )


def selects(selector: object, labels: Mapping[str, str]) -> bool:
    """Whether a label selector chooses what has these labels; an empty one chooses everything."""
    wanted = mapping(at(selector, "matchLabels")).items()
    expressions = items(at(selector, "matchExpressions"))
    return all(labels.get(key) == value for key, value in wanted) and all(
        _holds(mapping(each), labels) for each in expressions
    )


def _holds(expression: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    value, values = labels.get(str(expression.get("key"))), items(expression.get("values"))
    match expression.get("operator"):
        case "In":
            return value in values
        case "NotIn":
            return value not in values
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case _:
            return False
