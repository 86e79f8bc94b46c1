"""The reference graph of a stack: from each object to those that it needs, with the field or the reason.

Order and checks follow the same edges. An edge leads to an object of the stack; a name that leads nowhere is `missing`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from platform_def.config.objects import Made
from platform_def.manifests.admission import StackWebhooks, selects
from platform_def.manifests.index import CRD, CRD_GROUP, Key, ObjectIndex
from platform_def.manifests.links import Name
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.made import NUMBERED
from platform_def.manifests.rendered import RenderedObject, RenderedStack
from platform_def.manifests.scope import namespaced_kind

_NAMESPACE = ("", "Namespace", "")
_PEOPLE = frozenset({"User", "Group"})
"""Subjects that are no objects."""
ASKED, PREPARED = 1, 2


@dataclass(frozen=True, slots=True, eq=False)
class Edge:
    """One object needs another."""

    source: RenderedObject
    target: RenderedObject
    why: str
    """As the end of a sentence about the source: `names it in spec.issuerRef.name`."""
    path: str = ""
    """The field that names the target, where one does."""
    weak: bool = False
    """The source is accepted, and does its work in the end, though the target comes later."""
    gives_way: int = 0
    """Above 0: the source is accepted where the target cannot come before it. `ASKED`: a webhook that is not there yet
    is not called. `PREPARED` gives way to that too: a namespace that a controller takes over is there already."""

    def __str__(self) -> str:
        return f"{self.source} {self.why}"


def _once(names: Iterable[Name]) -> Iterable[Name]:
    """Each field's name once, of however many keys it asks."""
    return {(name.path, name.name, name.namespace): name for name in names}.values()


class Graph:
    """The edges between the objects of one stack, found as they are asked for."""

    def __init__(self, index: ObjectIndex, made: Iterable[tuple[Made, RenderedObject]] = ()):
        """`made`: what components make at run time beside what types say, with the object that stands for the maker."""
        self.index = index
        self._made_by_components = tuple(made)

    @cached_property
    def made(self) -> Mapping[Key, RenderedObject]:
        """What controllers make at run time, with the object that they make it for."""
        found: dict[Key, RenderedObject] = {}
        for item in self.index.objects:
            for each in item.links.makes:
                found.setdefault(self._key(each), item)
        for each, item in self._made_by_components:
            found.setdefault(self._key(each), item)
        return found

    @cached_property
    def _admission(self) -> StackWebhooks:
        return StackWebhooks(self.index)

    @classmethod
    def of(cls, stack: RenderedStack) -> Graph:
        """The graph of everything in a stack."""
        return cls(ObjectIndex(stack.objects()), (made for each in stack.components.values() for made in each.made()))

    def needed_by(self, item: RenderedObject) -> Iterator[Edge]:
        """The edges that lead to an object."""
        for other in self.index.objects:
            yield from (edge for edge in self.edges(other) if edge.target is item)

    def edges(self, item: RenderedObject) -> Iterator[Edge]:
        """What an object needs: its definition, its namespace, what it names, and who must admit it."""
        served = self._definitions.get((item.group, item.kind))
        if served:
            yield Edge(item, served, f"is served by the CRD {served.name}")
            controller = self._controllers.get(served.component) if item.links.judged else None
            if controller and item.component != served.component:
                yield Edge(item, controller, f"is made ready by {controller}")
            if (webhook := self._conversion(served, item)) is not None:
                yield Edge(item, webhook, f"is converted to the stored version by {webhook}")
        if item.namespace and (home := self.index.by_key.get((*_NAMESPACE, item.namespace))):
            yield Edge(item, home[0], f"lives in the namespace {item.namespace}")
        yield from self._prepared(item)
        for name in _once(self.names(item)):
            target = self.target(name)
            if target and target is not item:
                why = f"names the {name.kind} {name.name} in {name.path}"
                yield Edge(item, target, why, name.path, name.weak or name.optional)
        for workload in self._selected(item):
            yield Edge(item, workload, f"selects the pods of {workload}", "spec.selector", weak=True)
        for hook in self._admission.hooks(item):
            why = f"must be admitted by the webhook {hook.name}"
            yield Edge(item, hook.configuration, why, weak=not hook.refuses, gives_way=ASKED)

    def _prepared(self, item: RenderedObject) -> Iterator[Edge]:
        """The object by which a controller makes the item's namespace, or takes over the one that the stack brings."""
        key = (*_NAMESPACE, item.namespace or "")
        owner = self.made.get(key) if item.namespace else None
        if owner is None or owner is item or (item.links.guards and key in self.index.by_key):
            return
        does = "takes over" if key in self.index.by_key else "makes"
        yield Edge(item, owner, f"lives in the namespace {item.namespace}, which {owner} {does}", gives_way=PREPARED)

    def _conversion(self, definition: RenderedObject, item: RenderedObject) -> RenderedObject | None:
        """The Service behind which an object's version becomes the stored one; without it the object is refused."""
        conversion = mapping(at(definition.manifest, "spec.conversion"))
        stored = next((each for each in items(at(definition.manifest, "spec.versions")) if at(each, "storage")), None)
        if conversion.get("strategy") != "Webhook" or at(stored, "name") == item.api_version.rpartition("/")[2]:
            return None
        service = at(conversion, "webhook.clientConfig.service")
        found = self.index.by_key.get(("", "Service", text(at(service, "namespace")), text(at(service, "name"))))
        return found[0] if found else None

    def definition(self, full_name: str) -> RenderedObject | None:
        """The CRD of a custom resource, `Kind.group`; None where the stack does not bring it."""
        kind, _, group = full_name.partition(".")
        return self._definitions.get((group, kind))

    def _selected(self, item: RenderedObject) -> Iterator[RenderedObject]:
        """The workloads whose pods a Service or a disruption budget selects."""
        if item.kind not in ("Service", "PodDisruptionBudget") or item.group not in ("", "policy"):
            return
        selector = at(item.manifest, "spec.selector")
        if item.kind == "Service":
            selector = {"matchLabels": selector}
        if mapping(at(selector, "matchLabels")) or items(at(selector, "matchExpressions")):
            for workload in self._workloads.get(item.namespace or "", ()):
                if selects(selector, mapping(at(workload.manifest, "spec.template.metadata.labels"))):
                    yield workload

    @cached_property
    def _workloads(self) -> Mapping[str, tuple[RenderedObject, ...]]:
        found: defaultdict[str, list[RenderedObject]] = defaultdict(list)
        for item in self.index.objects:
            if item.group == "apps":
                found[item.namespace or ""].append(item)
        return {namespace: tuple(workloads) for namespace, workloads in found.items()}

    def names(self, item: RenderedObject) -> Iterator[Name]:
        """What an object names; an object of the cluster means the namespace of its controller where it says none."""
        served = self._definitions.get((item.group, item.kind)) if item.namespace is None else None
        controller = self._controllers.get(served.component) if served else None
        home = controller.namespace if controller else None
        for name in item.links.names:
            yield name._replace(namespace=home) if home and not name.namespace else name

    def target(self, name: Name) -> RenderedObject | None:
        """The object that is named, or the one for which a controller makes it; None where the stack has neither."""
        key = self._key(name)
        found = self.index.by_key.get(key)
        if found:
            return found[0]
        stem = name.name.rstrip("0123456789")
        return self.made.get(key) or self.made.get((*key[:3], stem + NUMBERED))

    def missing(self, item: RenderedObject) -> Iterator[Name]:
        """The names in an object that lead to nothing in the stack."""
        for name in _once(self.names(item)):
            if name.kind not in _PEOPLE and self.target(name) is None:
                yield name

    def _key(self, name: Name | Made) -> Key:
        return (name.group, name.kind, name.namespace if self.is_namespaced(name.group, name.kind) else "", name.name)

    def is_namespaced(self, group: str, kind: str) -> bool:
        """Whether objects of a kind live in namespaces; a kind that is not known to be served counts as if they did."""
        custom = self.index.custom.get((group, kind))
        if custom:
            return custom.namespaced
        return namespaced_kind(group, kind) is not False

    @cached_property
    def _definitions(self) -> Mapping[tuple[str, str], RenderedObject]:
        found: dict[tuple[str, str], RenderedObject] = {}
        for item in self.index.by_kind.get((CRD_GROUP, CRD), ()):
            group, kind = text(at(item.manifest, "spec.group")), text(at(item.manifest, "spec.names.kind"))
            found.setdefault((group, kind), item)
        return found

    @cached_property
    def _controllers(self) -> Mapping[str, RenderedObject]:
        """Of each component the first workload, which stands for what it runs."""
        found: dict[str, RenderedObject] = {}
        for item in self.index.objects:
            if item.group == "apps" and not item.job:
                found.setdefault(item.component, item)
        return found
