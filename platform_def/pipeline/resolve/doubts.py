"""What of a stack is in doubt because something else in it is wrong: nothing that was concluded from it is reported.

A question that read none of it is answered as in a stack without errors: one run reports all that can be judged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from platform_def.capabilities import Devices
from platform_def.components import catalogue
from platform_def.config.capability import Capability
from platform_def.config.cluster import Cluster, ClusterFacts
from platform_def.config.reads import observed
from platform_def.config.stack import Stack
from platform_def.config.written.salvage import M, python_name
from platform_def.config.written.watch import watched
from platform_def.crds.catalogue import kinds_of
from platform_def.errors import PlatformError, Problem

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

    def of_stack(self, paths: Iterable[tuple[str | int, ...]]) -> None:
        """Doubt what the stack says at these paths."""
        for path in paths:
            head = python_name(Stack, str(path[0]))
            self.reads.add(head)
            if head == "cluster":
                self.reads |= {python_name(Cluster, str(path[1]))} if len(path) > 1 else {*ClusterFacts.model_fields}
            elif head in ("components", "external"):
                self.reads |= _ANY | _WHOLE

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
        return watched(value, self.fields(label))

    def fields(self, label: str) -> Mapping[str, str]:
        """The fields of a configuration that are in doubt, each with its name among `reads`."""
        below = f"{label}."
        return {each.removeprefix(below): each for each in sorted(self.reads) if each.startswith(below)}

    def touched(self, reads: Iterable[str]) -> bool:
        """Whether any of these is in doubt."""
        return any(each in self.reads or f"{each.partition(':')[0]}:*" in self.reads for each in reads)

    def sure(self, problems: Iterable[Problem]) -> list[Problem]:
        """The problems, as far as nothing in doubt was read to find them."""
        if not self.reads:
            return list(problems)
        found: list[Problem] = []
        with observed() as reads:
            for each in problems:
                if self.touched(reads):
                    break
                found.append(each)
        return found
