"""What a row of the table sees, what it says, and what it says of itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from platform_def.config.kubernetes import Kubernetes
from platform_def.crds.schema import Manifest
from platform_def.manifests.loose import at, text


@dataclass(frozen=True, eq=False)
class Change:
    """One object before and after a change; both have the same group, kind, namespace and name."""

    old: Manifest
    new: Manifest
    kubernetes: Kubernetes
    classes: Mapping[str, Manifest] = field(default_factory=dict)
    """StorageClasses that are known to be in the cluster, by name."""

    @cached_property
    def name(self) -> str:
        """The object's name."""
        return text(at(self.new, "metadata.name"))

    @cached_property
    def kubectl(self) -> str:
        """`kubectl`, with the object's namespace where it has one."""
        namespace = text(at(self.new, "metadata.namespace"))
        return f"kubectl -n {namespace}" if namespace else "kubectl"

    @staticmethod
    def of(
        old: Manifest, new: Manifest, kubernetes: Kubernetes, classes: Mapping[str, Manifest] | None = None
    ) -> Change:
        """The change; where `old` is what a cluster stores, what `new` leaves out stays: the server may have set it."""
        stored = isinstance(at(old, "metadata.uid"), str)
        return Change(old, applied(old, new) if stored else new, kubernetes, classes or {})

    def both(self, path: str) -> tuple[Any, Any]:
        """The values at a dotted path, before and after; None where there is none."""
        return at(self.old, path), at(self.new, path)


def applied(old: Any, new: Any) -> Any:
    """`new`, with what it leaves out as it is in `old`; items of lists by their order, where the lists are as long."""
    if isinstance(old, dict) and isinstance(new, dict):
        return {**old, **{key: applied(old.get(key), value) for key, value in new.items()}}
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return [applied(before, after) for before, after in zip(old, new, strict=True)]
    return new


@dataclass(frozen=True)
class Refused:
    """A change of a field that the API server refuses, or that depends on the live object, or has no effect."""

    path: str
    """`spec.resources.requests.storage`."""
    text: str
    """What changes, and who says what to it."""
    hint: str = ""
    """The way out; empty: that of the row."""
    severity: Literal["error", "warning"] = "error"
    """`warning` where only the live object decides, or where the change is accepted and has no effect."""


Way = Callable[[Change], str]


@dataclass(frozen=True, kw_only=True)
class Row:
    """One kind of change."""

    id: str
    """Its name in tests."""
    kinds: tuple[str, ...]
    """`Kind.group`; a core kind has no group."""
    find: Callable[[Change], Iterable[Refused]]
    way: str | Way
    """What to do instead, as a person reads it."""
    loses: str | Way
    """What it costs to delete the object and create it again."""
    then: Way = lambda _: ""
    """What is left to do by hand once that has happened."""
    replaceable: bool = True
    """Whether `replace:` may ask for that."""

    def way_out(self, change: Change) -> str:
        """What to do instead of this change."""
        return self.way if isinstance(self.way, str) else self.way(change)

    def lost(self, change: Change) -> str:
        """What deleting and creating this object again costs."""
        return self.loses if isinstance(self.loses, str) else self.loses(change)
