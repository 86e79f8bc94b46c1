"""What rules may ask about the stack that is being checked, and what is kept between the stacks of one run."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from platform_def.checks.fault import Fault
from platform_def.checks.provided import custom_kind, provided_definitions
from platform_def.checks.recent import Recent
from platform_def.crds.catalogue import definition_of
from platform_def.crds.model import Definition
from platform_def.manifests.custom_kind import CustomKind
from platform_def.manifests.graph import Graph
from platform_def.manifests.index import GroupKind, Key, ObjectIndex
from platform_def.manifests.rendered import EXISTING, Kind, Manifest, RenderedObject, RenderedStack
from platform_def.manifests.schemas import Schemas

if TYPE_CHECKING:
    from platform_def.config.platform import Platform

T = TypeVar("T")
P = TypeVar("P")

_HELD = 200_000
"""As many results of rules are held for the stacks that follow; a stack of 100 objects has 3,000."""


class KeptResults(Protocol):
    """Where results of earlier runs are kept."""

    def key(self, *inputs: object) -> str:
        """A key from JSON-like inputs and the code."""

    def get(self, key: str) -> dict[str, object] | None:
        """The result under a key."""

    def put(self, key: str, result: dict[str, object]) -> None:
        """Keep a result."""


class Memo:
    """Schemas and results that hold for every stack of a run; give one to all of its checks."""

    def __init__(self, kept: KeptResults | None = None, *, one_stack: bool = False) -> None:
        """`one_stack`: no other one follows that would ask for what was found, so that it is not held."""
        self._kept = kept
        self.one_stack = one_stack
        self.schemas = Schemas()
        self.faults: Recent[Hashable, tuple[Fault, ...]] = Recent(_HELD)
        self.found: Recent[tuple[str, int], tuple[tuple[str, Fault], ...]] = Recent(_HELD)
        """By an object's text, and by the number of what was asked."""
        self.of_objects: Recent[Hashable, tuple[tuple[int, Fault], ...]] = Recent(_HELD // 100)
        """By a rule and the objects that it is about: its faults, each with the place of its object among them."""
        self._kinds: dict[Definition, CustomKind] = {}
        self._provided: dict[Hashable, Mapping[GroupKind, Definition]] = {}
        self._numbers: dict[Hashable, int] = {}
        self._held: dict[tuple[object, ...], tuple[object, Sequence[object]]] = {}

    def number(self, value: Hashable) -> int:
        """A number that stands for a value: cheaper to look up by."""
        return self._numbers.setdefault(value, len(self._numbers))

    def held(self, make: Callable[[Sequence[P]], T], parts: Sequence[P]) -> T:
        """What `make` makes of these very objects, made once."""
        key = (make, *map(id, parts))
        if key not in self._held:
            self._held[key] = (make(parts), parts)  # parts are held, so that no other object gets their ids
        return cast(T, self._held[key][0])

    def lasting(self, judge: Callable[[], tuple[Fault, ...]], *inputs: object) -> tuple[Fault, ...]:
        """What `judge` finds, or what an earlier run found with the same inputs."""
        if self._kept is None:
            return judge()
        key = self._kept.key(*inputs)
        known = self._kept.get(key)
        if known is not None:
            return tuple(Fault(*each) for each in cast(list[list[Any]], known["faults"]))
        found = judge()
        self._kept.put(key, {"faults": [list(fault) for fault in found]})
        return found

    def provided(self, platform: Platform, facts: Hashable) -> Mapping[GroupKind, Definition]:
        """What `provided_definitions` finds on a platform, of which it reads these facts."""
        if facts not in self._provided:
            self._provided[facts] = provided_definitions(platform)
        return self._provided[facts]

    def kind(self, definition: Definition) -> CustomKind:
        """What a definition of the catalogue serves."""
        if definition not in self._kinds:
            self._kinds[definition] = custom_kind(definition)
        return self._kinds[definition]


class Context:
    """One stack as rules see it."""

    def __init__(self, stack: RenderedStack, memo: Memo):
        self.stack = stack
        self.memo = memo
        self.own = tuple(stack.objects())
        """The objects that are judged."""
        keys = {item.key for item in self.own} if stack.existing else set()
        beside = (item for item in stack.existing if item.key not in keys)
        self.index = ObjectIndex((*self.own, *beside))
        """What the cluster holds in the end, as far as it is known: they, and what is there already."""
        self._facts: dict[Callable[[Context], object], object] = {}
        self._of_kinds: dict[tuple[Callable[[Context, Kind], object], Kind], object] = {}

    def once(self, compute: Callable[[Context], T]) -> T:
        """What `compute` makes of this stack, computed at the first call."""
        if compute not in self._facts:
            self._facts[compute] = compute(self)
        return cast(T, self._facts[compute])

    def of_kind(self, compute: Callable[[Context, Kind], T], kind: Kind) -> T:
        """What `compute` makes of a kind in this stack, computed at the first call."""
        if (compute, kind) not in self._of_kinds:
            self._of_kinds[compute, kind] = compute(self, kind)
        return cast(T, self._of_kinds[compute, kind])

    def former(self, known: Mapping[Key, Manifest]) -> Iterator[tuple[RenderedObject, Manifest]]:
        """The objects that there were before, each with what it was then."""
        for key, old in known.items():
            yield from ((item, old) for item in self.index.by_key.get(key, ()) if item.component != EXISTING)

    @cached_property
    def graph(self) -> Graph:
        """What the stack's objects need of each other."""
        made = (made for component in self.stack.components.values() for made in component.made())
        return Graph(self.index, made)

    @cached_property
    def existing_kinds(self) -> frozenset[GroupKind]:
        """Kinds for which the cluster's existing objects were listed."""
        return frozenset((item.group, item.kind) for item in self.stack.existing)

    @cached_property
    def existing_namespaces(self) -> frozenset[str]:
        """Namespaces that the cluster has, as far as its existing objects were listed."""
        named = {item.namespace for item in self.stack.existing if item.namespace}
        return frozenset(named | {item.name for item in self.stack.existing if item.kind == "Namespace"})

    @cached_property
    def rendered_namespaces(self) -> frozenset[str]:
        """Names of the namespaces among the objects that are judged."""
        return frozenset(item.name for item in self.own if (item.group, item.kind) == ("", "Namespace"))

    @cached_property
    def provided(self) -> Mapping[GroupKind, Definition]:
        """Custom kinds that the cluster has beside the stack's own; dear to ask for."""
        platform = self.stack.platform
        facts = tuple((name, fact) for name, fact in sorted(platform.components.items()) if fact.provided)
        return self.memo.provided(platform, (tuple(sorted(platform.apis)), platform.delivery, facts))

    def custom_kind(self, group: str, kind: str, version: str = "") -> CustomKind | None:
        """Who serves a kind that is not a core kind: the stack's CRDs first, then what the cluster has.

        `version` chooses between releases of the catalogue, where the cluster may have any.
        """
        own = self.index.custom.get((group, kind))
        if own is None and (definition := self._definition(group, kind, version)):
            return self.memo.kind(definition)
        return own

    def _definition(self, group: str, kind: str, version: str) -> Definition | None:
        if self.stack.foreign:
            return definition_of(group, kind, version) or definition_of(group, kind)
        return self.provided.get((group, kind))

    def knows_by_catalogue(self, kind: Kind) -> bool:
        """Whether the kind is known from the catalogue alone, and the cluster may have another release of it."""
        return self.stack.foreign and (kind.group, kind.kind) not in self.index.custom

    def is_users_own(self, item: RenderedObject) -> bool:
        """Whether the object comes from a folder of the user's, of which the catalogue knows no release."""
        if self.stack.foreign:
            return True
        fact = self.stack.platform.components.get(item.component)
        return fact is not None and not fact.release and not fact.provided
