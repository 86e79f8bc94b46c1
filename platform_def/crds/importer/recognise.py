"""Finds the core types that a CRD embeds, and the Kubernetes version that its operator was compiled against."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module

from platform_def.crds.core.definitions import NEWEST, OLDEST, PREFIXES, definitions
from platform_def.crds.core.expand import expanded
from platform_def.crds.importer.normal import Digests
from platform_def.crds.schema import Schema
from platform_def.crds.typed_dict import is_typed_dict

SMALLEST = 6
"""Nodes that tell a type from a chance likeness; smaller types must be atomic or fit the field's name."""


@dataclass(frozen=True, slots=True)
class Core:
    """How a CRD embeds core types."""

    version: str = ""
    """Empty: it embeds none."""
    embedded_metadata: bool = False


@dataclass(frozen=True, slots=True)
class CoreType:
    """A TypedDict of `apis/core`."""

    module: str
    name: str
    nodes: int
    atomic: bool

    def fits(self, field_name: str) -> bool:
        """Whether a schema like this, in a field of that name, is this type."""
        if self.nodes >= SMALLEST or self.atomic:
            return True
        known, asked = self.name.lower(), field_name.lower()
        return len(asked) > 3 and (asked.rstrip("s") in known or known in asked)

    @property
    def full_name(self) -> str:
        """Name of its definition."""
        return f"{PREFIXES[self.module]}.{self.name}"


@dataclass(slots=True)
class Recogniser:
    """Fingerprints of all core types, in all versions."""

    digests: Digests = field(default_factory=Digests)
    known: dict[str, dict[Core, list[CoreType]]] = field(default_factory=lambda: defaultdict(dict))

    def core_of(self, schema: Schema, preferred: Core | None = None) -> Core:
        """The version that explains most of a schema; of equals `preferred`, else the newest; `Core()` if none does."""
        score: Counter[Core] = Counter()
        fields = Counter((self.digests.of(node), name) for name, node in walk(schema, "") if "properties" in node)
        for (digest, name), count in fields.items():
            for core, types in self.known.get(digest, {}).items():
                if any(known.fits(name) for known in types):
                    score[core] += count
        best = max(score.values(), default=0)
        if preferred is not None and score[preferred] == best:
            return preferred
        fitting = [core for core in score if score[core] == best]
        return max(fitting, key=lambda core: (int(core.version[2:]), not core.embedded_metadata), default=Core())

    def type_of(self, schema: Schema, core: Core, field_name: str) -> CoreType | None:
        """The core type that a schema is, the one whose name is most like the field's where several are equal."""
        if not core.version or "properties" not in schema:
            return None
        types = self.known.get(self.digests.of(schema), {}).get(core, ())
        fitting = [known for known in types if known.fits(field_name)]
        return max(
            fitting, key=lambda known: (_likeness(known.name, field_name), known.module == "core_v1"), default=None
        )


@cache
def recogniser() -> Recogniser:
    """The one recogniser: making it costs half a second."""
    made = Recogniser()
    for minor in range(OLDEST, NEWEST + 1):
        version = f"1.{minor}"
        for embedded_metadata in (False, True):
            core = Core(version, embedded_metadata)
            for module, name in embeddable():
                _learn(made, module, name, core)
    made.digests.settle()
    return made


def _learn(made: Recogniser, module: str, name: str, core: Core) -> None:
    full = f"{PREFIXES[module]}.{name}"
    if full not in definitions(core.version):
        return
    try:
        schema = expanded(full, core.version, embedded_metadata=core.embedded_metadata)
    except ValueError:
        return
    if not schema.get("properties"):
        return
    digest = made.digests.of(schema)
    nodes = sum(1 for _ in walk(schema, ""))
    atomic = schema.get("x-kubernetes-map-type") == "atomic"
    made.known[digest].setdefault(core, []).append(CoreType(module, name, nodes, atomic))


def embeddable() -> Iterator[tuple[str, str]]:
    """Module and name of every core TypedDict."""
    for module in PREFIXES:
        for name, value in sorted(vars(import_module(f"platform_def.apis.core.{module}")).items()):
            if is_typed_dict(value) and value.__module__.endswith(f".{module}"):
                yield module, name


def walk(schema: Schema, name: str) -> Iterator[tuple[str, Schema]]:
    """Every node of a schema with the name of the field that it is in."""
    found: list[tuple[str, Schema]] = []
    _gather(schema, name, found)
    return iter(found)


def _gather(schema: Schema, name: str, found: list[tuple[str, Schema]]) -> None:
    """Without generators, which cost a step for each level above a node."""
    found.append((name, schema))
    for field_name, inner in schema.get("properties", {}).items():
        _gather(inner, field_name, found)
    for part in ("items", "additionalProperties"):
        if isinstance(schema.get(part), dict):
            _gather(schema[part], name, found)


def _likeness(name: str, field_name: str) -> float:
    known, asked = name.lower(), field_name.lower()
    common = sum(1 for a, b in zip(known, asked, strict=False) if a == b)
    inside = len(asked) if asked and (asked in known or known in asked) else 0
    return (inside + common) / (len(known) + 1)
