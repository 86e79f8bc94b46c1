"""What of a stack is in doubt because something else in it is wrong: nothing that was concluded from it is reported.

A question that read none of it is answered as in a stack without errors: one run reports all that can be judged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from platform_def.capabilities import Devices
from platform_def.components import catalogue
from platform_def.config.capability import Capability
from platform_def.config.cluster import HOSTS, Cluster, ClusterFacts, Ingress
from platform_def.config.platform import DOOR, Platform
from platform_def.config.reads import judged
from platform_def.config.stack import Stack, StackFacts
from platform_def.config.written.explain import dotted
from platform_def.config.written.salvage import M, in_python, python_name
from platform_def.config.written.watch import watched
from platform_def.crds.catalogue import kinds_of
from platform_def.errors import PlatformError, Problem

Path = tuple[str | int, ...]
Place = tuple[str, str | int]
"""A list or a map of the stack file, and what is meant in it: `("components", "katib")`, `("jobs", 0)`."""
_ANY = frozenset({"given:*", "serves:*", "resource:*"})
_WHOLE = frozenset({"provisions", "apis", "resources", "existing", "namespaces"})
"""Facts that hold what all components give."""


@dataclass
class Doubts:
    """Facts and questions of `Platform`, and fields of configurations, that cannot be relied on."""

    reads: set[str] = field(default_factory=set)
    """As `observed()` records them; `given:*` stands for every question of the kind, and `components.katib` for the
    objects of a component that cannot run on this cluster, or beside another.
    """
    wrong: set[Place] = field(default_factory=set)
    """Entries of the stack file that cannot work: building them would say it again in other words."""
    parts: dict[Path, str] = field(default_factory=dict)
    """Parts of facts, by path, that cannot be relied on while the rest of the fact can; each with its name among
    `reads`.
    """

    def of_stack(self, paths: Iterable[Path]) -> None:
        """Doubt what the stack says at these paths."""
        for path in paths:
            head = python_name(Stack, str(path[0]))
            if len(path) > 1 and head in StackFacts.model_fields:
                self.parts[in_python(Stack, path)] = dotted(path)
                self.reads.add(dotted(path))
            else:
                self.reads.add(head)
            self.reads |= _concluded(head, path[1:])

    def over(self, platform: Platform) -> Platform:
        """The same facts, which note what is read of them that is in doubt."""
        return watched(platform, self.parts)

    def cover(self, reads: Iterable[str]) -> bool:
        """Whether one of these facts is in doubt in part: the name of a fact does not say what of it was read."""
        return not {path[0] for path in self.parts}.isdisjoint(reads)

    def lost(self, component: str) -> None:
        """Doubt what a component of the catalogue may give, since it cannot be asked."""
        try:
            gives = catalogue.component(component).gives
        except PlatformError:  # reported where it is chosen
            self.reads |= _ANY | _WHOLE
            return
        self.reads |= {f"given:{each.kind()}" for each in gives}
        self.reads |= {f"serves:{each}" for each in kinds_of(component)}
        self.reads |= {"resource:*"} if Devices in gives else set()
        self.reads |= {"serves:*"} if any(each.brings is not Capability.brings for each in gives) else set()
        self.reads |= _WHOLE

    def watched(self, value: M, paths: Iterable[tuple[str | int, ...]], label: str) -> M:
        """The same configuration with the fields at these paths in doubt: no question that reads one is answered."""
        fields = {python_name(type(value), str(path[0])) for path in paths}
        self.reads |= {f"{label}.{name}" for name in fields}
        return watched(value, {(field,): name for field, name in self.fields(label).items()})

    def fields(self, label: str) -> Mapping[str, str]:
        """The fields of a configuration that are in doubt, each with its name among `reads`."""
        below = f"{label}."
        return {each.removeprefix(below): each for each in sorted(self.reads) if each.startswith(below)}

    def touched(self, reads: Iterable[str]) -> bool:
        """Whether any of these is in doubt."""
        return any(each in self.reads or f"{each.partition(':')[0]}:*" in self.reads for each in reads)

    def sure(self, problems: Iterable[Problem]) -> list[Problem]:
        """The problems, as far as nothing in doubt was read to find them."""
        found: list[Problem] = []
        with judged() as reads:
            try:
                found += (each for each in problems if not self.touched(reads))
            except PlatformError:
                raise
            except Exception:
                if not self.touched(reads):
                    raise
        return found


def _concluded(head: str, rest: Path) -> frozenset[str] | set[str]:
    """Facts and questions that follow from what a stack says under a name, at the path `rest` below it."""
    if head == "cluster":
        return {python_name(Cluster, str(rest[0]))} if rest else {*ClusterFacts.model_fields}
    if head in ("components", "external"):
        return _ANY | _WHOLE
    if head == "ingress" and (not rest or python_name(Ingress, str(rest[0])) in Ingress.model_fields.keys() - HOSTS):
        return {DOOR}
    if head == "teams":
        return {"namespaces"}
    return {"resource:*"} if head == "node_pools" and rest[1:] in ((), ("rdma",)) else set()
