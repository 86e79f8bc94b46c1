"""The base of every configuration model, and the small types that many of them use.

Files are written in camelCase, as Kubernetes' own are; Python code uses snake_case. Models are frozen.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from inspect import isfunction
from typing import Annotated, Any, ClassVar, Self, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

from platform_def.config.mirror import IMAGE
from platform_def.config.reads import judged

Check = TypeVar("Check", bound=Callable[[Any], Iterator[ValueError]])


class Model(BaseModel):
    """Frozen, without unknown fields, camelCase in files."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
        serialize_by_alias=True,
        strict=True,
        defer_build=True,  # a run uses a few of a hundred models
    )

    # Names of the methods that `conflict` marks, by class, the most general first.
    _conflicts: ClassVar[tuple[tuple[str, ...], ...]] = ()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        bases = [base for base in reversed(cls.__mro__) if issubclass(base, Model)]
        cls._conflicts = tuple(filter(None, map(_marked, bases)))

    @model_validator(mode="after")
    def _without_conflicts(self) -> Self:
        for names in self._conflicts:  # a class may rely on what those that it is made from refuse
            found = [each for name in names for each in _conflicts_of(getattr(self, name))]
            if found:
                raise ConflictsError(found)
        return self

    @classmethod
    def of_defaults(cls) -> Self:
        """What an empty mapping of a file gives, without the validator, which is dear to build: a field's default."""
        return super().model_construct()

    @classmethod
    def from_file(cls, data: object) -> Self:
        """Validate what a file holds: field names in camelCase alone, types as JSON has them."""
        return cls.model_validate_json(_json(data), by_name=False)


class MisfitError(ValueError):
    """Values of a model do not go together; `at` is the path, as files write it, of the one to change."""

    def __init__(self, text: str, *at: str | int):
        super().__init__(text)
        self.at = at


@dataclass(frozen=True)
class Conflict:
    """One thing in a model that does not go together."""

    error: ValueError
    reads: frozenset[str]
    """What was noted of the model's fields until it was found."""


class ConflictsError(ValueError):
    """Everything in one model that does not go together."""

    def __init__(self, found: Sequence[Conflict]):
        super().__init__("; ".join(str(each.error) for each in found))
        self.found = tuple(found)


_MARK = "__conflict__"


def conflict(check: Check) -> Check:
    """Mark a method of a model that yields an error for each thing in it that does not go together.

    All such methods of a class are asked, so that one run says everything. An error from which others would follow is
    raised.
    """
    setattr(check, _MARK, True)
    return check


def _marked(kind: type) -> tuple[str, ...]:
    return tuple(name for name, each in vars(kind).items() if isfunction(each) and hasattr(each, _MARK))


def _conflicts_of(check: Callable[[], Iterator[ValueError]]) -> list[Conflict]:
    found: list[Conflict] = []
    with judged() as reads:
        try:
            for error in check():
                found.append(Conflict(error, frozenset(reads)))
        except ValueError as error:
            found.append(Conflict(error, frozenset(reads)))
    return found


def _json(data: object) -> bytes:
    import orjson

    return orjson.dumps(data)


_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_LABEL_KEY = re.compile(r"([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
_LABEL_VALUE = re.compile(r"([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?")
_QUANTITY = re.compile(r"\+?(\d+(\.\d*)?|\.\d+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)?")
_OBJECT = re.compile(
    r"[A-Z][A-Za-z0-9]*(\.[a-z0-9]([-a-z0-9.]*[a-z0-9])?)? "
    r"([a-z0-9]([-a-z0-9]*[a-z0-9])?/)?[a-z0-9]([-a-z0-9.:]*[a-z0-9])?"
)
_SLASHED_OBJECT = re.compile(_OBJECT.pattern.replace(" ", "/", 1))


def _matching(pattern: re.Pattern[str], what: str, longest: int) -> AfterValidator:
    def check(value: str) -> str:
        if len(value) > longest or not pattern.fullmatch(value):
            raise ValueError(f"'{value[:80]}' is not {what}")
        return value

    return AfterValidator(check)


Name = Annotated[str, _matching(_LABEL, "a name: lower-case letters, digits and '-', at most 63", 63)]
"""A DNS label (RFC 1123): names of stacks, components, pools, teams, namespaces."""

Subdomain = Annotated[str, _matching(_SUBDOMAIN, "a DNS name: lower-case letters, digits, '-' and '.'", 253)]
"""A DNS subdomain (RFC 1123): names of most objects, host names."""

LabelKey = Annotated[
    str, _matching(_LABEL_KEY, "a label key: an optional prefix with '/', then at most 63 characters", 317)
]
LabelValue = Annotated[str, _matching(_LABEL_VALUE, "a label value: at most 63 letters, digits, '-', '_' and '.'", 63)]
Labels = dict[LabelKey, LabelValue]
ObjectName = Annotated[
    str, _matching(_OBJECT, "an object such as `Secret vision/registry` or `StorageClass fast`", 400)
]
"""`Kind name` or `Kind namespace/name`, with `.group` behind the kind where that alone is ambiguous."""
SlashedName = Annotated[
    str, _matching(_SLASHED_OBJECT, "an object such as `StatefulSet/mysql` or `StatefulSet/data/mysql`", 400)
]
"""`Kind/name`, or `Kind/namespace/name` and `Kind.group/…` where that alone is ambiguous."""
Quantity = Annotated[str, _matching(_QUANTITY, "a quantity such as 500m, 2, 512Mi or 10Gi", 64)]
"""A Kubernetes quantity, written as a string."""


def _without_credentials(value: str) -> str:
    scheme, _, rest = value.partition("://")
    if not rest or not re.fullmatch(r"[a-z][a-z0-9+.-]*", scheme) or re.search(r"[\s\x00-\x1f]", value):
        raise ValueError("is no address: write scheme://host/path")
    if "@" in rest.partition("/")[0]:
        raise ValueError("holds credentials, which dist/ would publish: name a Secret, or use a host without a login")
    return value


Url = Annotated[str, AfterValidator(_without_credentials)]
"""An address without user or password; what is wrong is said without repeating it."""

Image = Annotated[str, _matching(IMAGE, "an image reference such as registry.example.com/team/app:1.2", 512)]
_HOST = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*|\[?[0-9a-f:.]+\]?")
Host = Annotated[str, _matching(_HOST, "a host: a name such as db.example.com, or an address", 253)]
"""A host name or an IP address."""
Port = Annotated[int, Field(ge=1, le=65535)]
