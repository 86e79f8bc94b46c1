"""What a cluster must have before an engine begins: objects that a stack names and that nothing in it makes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from platform_def.manifests.existing import exists_unasked
from platform_def.manifests.graph import Graph
from platform_def.manifests.links import Name
from platform_def.manifests.rendered import DELIVERY, RenderedStack


@dataclass
class Prerequisite:
    """An object that must be made by hand, and for which component."""

    kind: str
    namespace: str
    """Empty for an object of the cluster."""
    name: str
    keys: set[str] = field(default_factory=set)
    """Keys of its data that are asked for by name."""
    users: list[str] = field(default_factory=list)
    """Objects that name it, in the order of the stack."""

    def __str__(self) -> str:
        place = f"{self.namespace}/{self.name}" if self.namespace else self.name
        keys = f" with {', '.join(sorted(self.keys))}" if self.keys else ""
        more = f" and {len(self.users) - 1} more" if len(self.users) > 1 else ""
        return f"{self.kind} {place}{keys}, for {self.users[0]}{more}"


def prerequisites(stack: RenderedStack) -> list[Prerequisite]:
    """By kind, namespace and name; without what every cluster has, what an object does without, and what the engine's
    own objects name."""
    graph = Graph.of(stack)
    found: dict[tuple[str, str, str], Prerequisite] = {}
    for item in stack.objects():
        for name in graph.missing(item):
            if item.component != DELIVERY and not name.optional and not exists_unasked(name, stack.platform):
                namespace = name.namespace if graph.is_namespaced(name.group, name.kind) else ""
                key = (name.kind, namespace, name.name)
                wanted = found.setdefault(key, Prerequisite(*key))
                wanted.keys.update(_keys(name, graph.names(item)))
                if str(item) not in wanted.users:
                    wanted.users.append(str(item))
    return [found[key] for key in sorted(found)]


def _keys(wanted: Name, names: Iterable[Name]) -> Iterator[str]:
    """All keys that an object asks the other one for."""
    for name in names:
        if name.key and (name.group, name.kind, name.namespace, name.name) == (
            wanted.group,
            wanted.kind,
            wanted.namespace,
            wanted.name,
        ):
            yield name.key
