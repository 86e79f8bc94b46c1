"""What components give each other: capabilities, which component gives one, and what another one needs of it.

The nouns themselves (`SqlDatabase`, `Gateway` …) are in `platform_def.capabilities`. A capability is small and frozen,
and holds what its user must know: a host, a port, a class, a Secret's name; never a credential.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, Literal, TypeVar

from pydantic import JsonValue
from pydantic.alias_generators import to_camel

from platform_def.config.model import Model


class Capability(Model):
    """The base of all capabilities."""

    title: ClassVar[str]
    """What messages call it, with its article: `a SQL database`."""
    gathered: ClassVar[bool] = False
    """Many may give it and its users take all of them: devices, links. Otherwise a stack has one, or says which.

    Who gives what is gathered is known once everybody was asked: `offers` cannot depend on it."""

    @classmethod
    def called(cls, where: Mapping[str, object]) -> str:  # noqa: ARG003 - for those of several sorts
        """What messages call the one with these fields, with its article."""
        return cls.title

    @classmethod
    def kind(cls) -> str:
        """Its name in stack files: `sqlDatabase` for SqlDatabase."""
        return to_camel(cls.__name__[0].lower() + cls.__name__[1:])

    @property
    def of_all_pools(self) -> bool:
        """Whether it is given for the whole cluster; what is for some node pools alone, only their pods get."""
        return True

    @property
    def brings(self) -> tuple[str, ...]:
        """Custom resources, as `Kind.group`, that are served where it is given."""
        return ()

    def plain(self) -> dict[str, JsonValue]:
        """As JSON-like data, by the names that files use."""
        return self.model_dump(mode="json", by_alias=True)


P = TypeVar("P", bound=Capability)

EXTERNAL = "external"
"""Who gives what the stack names under `external:`."""


@dataclass(frozen=True)
class Provision:
    """A capability as a part of the stack gives it, as data: it travels to other processes and into hashes."""

    kind: str
    by: str
    """The component, or `external`."""
    data: Mapping[str, JsonValue]
    provided: bool = False
    """Given by something that the cluster has already: nothing is rendered for it."""

    @staticmethod
    def of(value: Capability, by: str, *, provided: bool = False) -> Provision:
        """The provision of a value."""
        return Provision(value.kind(), by, value.plain(), provided)


@dataclass(frozen=True)
class Given(Generic[P]):
    """A capability and who gives it."""

    by: str
    value: P
    provided: bool = False


@dataclass(frozen=True)
class Need(Generic[P]):
    """What a component needs of a capability."""

    capability: type[P]
    where: Mapping[str, Any] = field(default_factory=dict)
    """Fields that must have these values: an engine, an exposure; a tuple holds all that would do."""
    order: Literal["before", "any"] = "before"
    """`before`: its provider is ready first, for what cannot wait; `any`: pods try until it is there."""
    optional: bool = False
    """Used where the stack has it; never an error."""

    @property
    def kind(self) -> str:
        """Name of the capability."""
        return self.capability.kind()

    @property
    def title(self) -> str:
        """What messages call it, with its article."""
        return self.capability.called(self.where)

    def misfit(self, value: P) -> str:
        """Why a value does not serve, in words; empty where it does."""
        wrong = [
            f"its {to_camel(name)} is {found}, not {' or '.join(map(str, _several(wanted)))}"
            for name, wanted in self.where.items()
            if (found := getattr(value, name)) not in _several(wanted)
        ]
        return " and ".join(wrong)


def _several(wanted: object) -> tuple[object, ...]:
    return wanted if isinstance(wanted, tuple) else (wanted,)


def need(
    capability: type[P], *, order: Literal["before", "any"] = "before", optional: bool = False, **where: object
) -> Need[P]:
    """A need, written short: `need(SqlDatabase, engine="mysql")`."""
    strange = sorted(set(where) - set(capability.model_fields))
    if strange:
        raise TypeError(f"{capability.__name__} has no field {strange[0]}")
    return Need(capability, where, order, optional)
