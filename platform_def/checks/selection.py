"""Which pods of a stack a selector can mean: what the rules about selectors have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from platform_def.checks.context import Context
from platform_def.crds.core.kinds import CORE_KINDS
from platform_def.manifests.admission import selects
from platform_def.manifests.loose import at, items, mapping
from platform_def.manifests.rendered import RenderedObject
from platform_def.manifests.workloads import Pods, pods_of

MADE = "the pods may be made by an operator: then nothing is wrong; else correct the selector"
_GIVEN = frozenset({"acme.cert-manager.io/http01-solver"})
"""Labels of pods that a controller makes wherever it is asked to: cert-manager's, which answer challenges over HTTP."""
_POD_FIELDS = frozenset({"image", "instances", "podMetadata", "podTemplate", "replicas", "resources"})
"""Fields of custom resources whose controllers make pods."""


def every_pods(context: Context) -> tuple[Pods, ...]:
    """Everything in the stack that makes pods."""
    return tuple(pods for item in context.index.objects for pods in pods_of(item))


class Neighbours(tuple[Pods, ...]):
    """What makes pods in one namespace, looked up by label: a thousand Services do not look at a thousand pods each."""

    def selected(self, selector: Mapping[str, Any]) -> list[Pods]:
        """Those that a label selector chooses, in order."""
        wanted = mapping(selector.get("matchLabels")).items()
        texts = [(key, value) for key, value in wanted if isinstance(value, str)]
        few = min((self._by_label.get(each, []) for each in texts), key=len) if texts else self
        return [each for each in few if selects(selector, each.labels)]

    @cached_property
    def _by_label(self) -> Mapping[tuple[str, str], list[Pods]]:
        found: dict[tuple[str, str], list[Pods]] = {}
        for each in self:
            for key, value in each.labels.items():
                if isinstance(value, str):
                    found.setdefault((key, value), []).append(each)
        return found


NOBODY = Neighbours()


def pods_by_namespace(context: Context) -> Mapping[str, Neighbours]:
    """What makes pods in each namespace."""
    found: dict[str, list[Pods]] = {}
    for pods in context.once(every_pods):
        found.setdefault(pods.namespace, []).append(pods)
    return {namespace: Neighbours(pods) for namespace, pods in found.items()}


def operated_namespaces(context: Context) -> frozenset[str]:
    """Namespaces where pods come with labels that are not known here.

    Controllers make them from custom resources there, or a Role of the namespace lets an account create pods.
    """
    return frozenset(
        item.namespace or "" for item in context.index.objects if _makes_pods(item) or _lets_make_pods(item)
    )


def _lets_make_pods(item: RenderedObject) -> bool:
    if (item.group, item.kind) != ("rbac.authorization.k8s.io", "Role"):
        return False
    return any(
        _names(rule, "apiGroups", "") and _names(rule, "resources", "pods") and _names(rule, "verbs", "create")
        for rule in map(mapping, items(item.manifest.get("rules")))
    )


def _names(rule: Mapping[str, Any], field: str, wanted: str) -> bool:
    return any(each in (wanted, "*") for each in items(rule.get(field)))


def _makes_pods(item: RenderedObject) -> bool:
    if not item.namespace or (item.api_version, item.kind) in CORE_KINDS:
        return False
    if item.group == "kubeflow.org" and item.kind.endswith("Job"):
        # The training operator adds labels of its own prefix alone.
        return False
    return bool(pods_of(item)) or any(
        _POD_FIELDS & set(place) for place in (mapping(item.manifest.get("spec")), *_below(item.manifest.get("spec")))
    )


def _below(spec: object) -> Sequence[Mapping[str, Any]]:
    """Maps one step below the specification, and two steps below through a map of roles or a list of groups."""
    found = [each for each in mapping(spec).values() if isinstance(each, dict)]
    found += [each for place in found[:] for each in place.values() if isinstance(each, dict)]
    lists = (each for each in mapping(spec).values() if isinstance(each, list))
    return found + [each for listed in lists for each in listed if isinstance(each, dict)]


def may_come_to_match(selector: Mapping[str, Any], pods: Neighbours) -> bool:
    """Whether a controller makes pods with such labels, or gives them to pods that are rendered."""
    return bool(_GIVEN & selector.keys()) or any(_may_get(selector, each) for each in pods)


def _may_get(selector: Mapping[str, Any], pods: Pods) -> bool:
    """Whether a pod lacks only labels that a program sets itself: an elected leader marks itself by such a label."""
    labels = pods.labels
    lacking = [key for key in selector if key not in labels]
    return len(lacking) < len(selector) and all(
        labels[key] == value if key in labels else "/" in key and not key.startswith("app.kubernetes.io/")
        for key, value in selector.items()
    )


def labels_of(item: RenderedObject) -> Mapping[str, Any]:
    """The labels of an object."""
    return mapping(at(item.manifest, "metadata.labels"))
