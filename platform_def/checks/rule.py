"""What a rule is, and what it finds.

A rule over single objects says what else it reads (`reads`), so that its results are kept under the object's text and
that, and hold in every stack of a run. A rule over the whole stack is asked anew for each stack.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, Literal, Protocol, TypeVar

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault, Severity
from platform_def.manifests.rendered import Manifest, RenderedObject

F = TypeVar("F", bound=Hashable)

Alone = Literal["as in a stack", "as a warning", "not at all"]
"""`as a warning`: a cluster would take the object; `not at all`: the rule asks for what only a stack file says."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault with the rule that found it and the object that has it."""

    rule: str
    severity: Severity
    object: str
    """`Deployment kubeflow/training-operator`."""
    key: tuple[str, str, str, str]
    """Group, kind, namespace, name."""
    path: str
    text: str
    hint: str
    component: str
    origin: str
    """The construct that made the object, or the user's file."""
    file: str | None = None
    """Its file, where the caller knows it."""

    @property
    def place(self) -> str:
        """Where a reader looks: the file, or component and object."""
        return self.file or f"{self.component}: {self.object}"

    @property
    def order(self) -> tuple[str, tuple[str, str, str, str], str, str, str]:
        """Sort key: place, object, path, rule, text."""
        return (self.file or self.component, self.key, self.path, self.rule, self.text)


class Rule(Protocol):
    """One thing that is checked."""

    @property
    def id(self) -> str: ...  # noqa: D102
    @property
    def severity(self) -> Severity: ...  # noqa: D102
    @property
    def title(self) -> str: ...  # noqa: D102
    @property
    def why(self) -> str: ...  # noqa: D102
    @property
    def fix(self) -> str: ...  # noqa: D102
    @property
    def alone(self) -> Alone: ...  # noqa: D102

    def found(self, context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
        """The faults in a stack, in the order of its objects."""
        ...


def reads_nothing(context: Context, item: RenderedObject) -> None:
    """For rules that look at the object alone."""


@dataclass(frozen=True, kw_only=True)
class ObjectRule(Generic[F]):
    """A rule over one object at a time."""

    id: str
    severity: Severity
    title: str
    """The rule as a fact that holds."""
    why: str
    """What happens in a cluster otherwise."""
    fix: str
    """What a user does about it."""
    check: Callable[[Manifest, F], Iterable[Fault]]
    """Faults of an object; sees nothing but the object and what `reads` gave."""
    reads: Callable[[Context, RenderedObject], F]
    """What the result depends on beside the object; equal values have equal results."""
    kinds: frozenset[str] | None = None
    """Kinds that it looks at; None: all."""
    alone: Alone = "as in a stack"
    """How manifests without a stack file are held to it."""

    def found(self, context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
        """The faults in a stack; an object seen before in this run is not looked at again."""
        kept = context.memo.faults
        for item in context.index.objects:
            if self.kinds is not None and item.kind not in self.kinds:
                continue
            given = self.reads(context, item)
            key = (self.id, item.text, given)
            faults = kept.get(key)
            if faults is None:
                faults = kept[key] = tuple(self.check(item.manifest, given))
            for fault in faults:
                yield item, fault


@dataclass(frozen=True, kw_only=True)
class StackRule:
    """A rule over the stack as a whole."""

    id: str
    severity: Severity
    title: str
    why: str
    fix: str
    check: Callable[[Context], Iterable[tuple[RenderedObject, Fault]]]
    alone: Alone = "as in a stack"

    def found(self, context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
        """The faults in a stack."""
        yield from self.check(context)
