"""What a rule is, and what it finds.

Every rule says of itself what people read: `platformctl list checks`, `explain check` and its page come from that, and
from the examples under its id in `examples/`, which a test holds it to. A rule over single objects says what else it
reads (`reads`), so that its results are kept under the object's text and that, and hold in every stack of a run; what
it reads is nothing, something of the object's kind (`OfKind`), or something else. A rule over the whole stack is
evaluated again for each stack.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from platform_def.checks.about import About, WithoutStack
from platform_def.checks.context import Context
from platform_def.checks.fault import Fault, Severity
from platform_def.config.objects import CRD
from platform_def.errors import Source
from platform_def.manifests.rendered import Kind, Manifest, RenderedObject, RenderedStack

F = TypeVar("F", bound=Hashable)


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
    document: int = 0
    """Which object of that file it is, from 1; 0 where the file is the object's own, or was not counted."""
    line: int = 0
    """The line of the file, from 1; 0 where it is not known."""
    waived: str = ""
    """The reason given for waiving it; empty: it counts."""
    uncovered: bool = False
    """Whether the object's fields could not be checked."""

    stack: str = ""
    """The stack that has the object; empty where there is none."""
    asked: Source | None = None
    """The place in the stack's files that asks for the object, where a file of dist/ has it."""
    unwritten: bool = False
    """Whether that file of dist/ is not written, because of an error in this run."""

    @property
    def where(self) -> Source | None:
        """Where a reader looks: in dist/ only at what is there."""
        if self.asked and self.unwritten:
            return self.asked
        return Source(self.file, self.line) if self.file else None

    @property
    def place(self) -> str:
        """The same in words, or the component."""
        return str(self.where or self.component)

    @property
    def order(self) -> tuple[str, int, tuple[str, str, str, str], str, str, str]:
        """Sort key: place, object, path, rule, text."""
        return (self.file or self.component, self.document, self.key, self.path, self.rule, self.text)


def covered(without_stack: WithoutStack, stack: RenderedStack) -> bool:
    """Whether enough is known of a stack to ask a rule."""
    if without_stack == "with --existing":
        return not stack.foreign or any(item.kind == "Namespace" for item in stack.existing)
    return not (stack.foreign and without_stack == "not at all")


@dataclass(frozen=True, kw_only=True)
class Rule(About):
    """A check of a stack's objects."""

    kinds: frozenset[str] | None = None
    """Kinds that it looks at: without an object of one of them it finds nothing, and is not imported; None: all."""

    def found(self, context: Context) -> Iterator[tuple[RenderedObject, Fault]]:  # noqa: ARG002
        """The faults in a stack that no single object shows."""
        yield from ()


def reads_nothing(context: Context, item: RenderedObject) -> None:
    """For rules that look at the object alone."""


@dataclass(frozen=True)
class OfKind(Generic[F]):
    """What a rule reads where it is the same for all objects of a kind; of a kind with None it finds nothing."""

    of: Callable[[Context, Kind], F]

    def __call__(self, context: Context, item: RenderedObject) -> F:
        """The same for an object."""
        return context.of_kind(self.of, item.versioned_kind)


@dataclass(frozen=True)
class SignWords:
    """The sign of a rule that finds something only where one of some words stands, or in every object of some kinds."""

    words: tuple[str, ...]
    """Of letters that YAML and JSON write as they are."""
    kinds: frozenset[tuple[str, str]] = frozenset()
    """By group and name."""
    definitions: bool = False
    """Whether it looks at CRDs, the largest objects there are, which run nothing."""

    def __call__(self, kind: Kind, text: str) -> bool:
        """Whether the object may break the rule."""
        if kind.kind == CRD and not self.definitions:
            return False
        for word in self.words:  # a loop, because a generator costs more than all the words
            if word in text:
                return True
        return (kind.group, kind.kind) in self.kinds


IN_PODS = SignWords(("containers",))
"""The sign of rules about pods."""


@dataclass(frozen=True, kw_only=True)
class ObjectRule(Rule, Generic[F]):
    """A rule over one object at a time."""

    check: Callable[[Manifest, F], Iterable[Fault]]
    """Faults of an object; sees nothing but the object and what `reads` gave."""
    reads: Callable[[Context, RenderedObject], F]
    """What the result depends on beside the object; equal values have equal results."""
    sign: Callable[[Kind, str], bool] | None = None
    """A glance at an object's kind and text: False where it cannot break the rule, which then does not look at it."""
    lasting: bool = False
    """Whether its results are kept between runs, too: for what takes longer than a file. `reads` then gives JSON."""

    def faults(self, context: Context, item: RenderedObject, given: F) -> tuple[Fault, ...]:
        """The faults of an object, of a kind that it looks at."""
        if not self.lasting:
            return tuple(self.check(item.manifest, given))
        key = ("faults", self.id, item.digest, given)
        return context.memo.lasting(lambda: tuple(self.check(item.manifest, given)), *key)


@dataclass(frozen=True, kw_only=True)
class StackRule(Rule):
    """A rule over the stack as a whole."""

    check: Callable[[Context], Iterable[tuple[RenderedObject, Fault]]]
    about: Callable[[Context], Sequence[RenderedObject]] | None = None
    """The objects that decide what it finds, which is in them: it is asked once for all stacks of a run that have the
    same ones, of the same components, as far as these are the user's own. None: anything of a stack may decide."""

    def found(self, context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
        """The faults in a stack."""
        if self.about is None or context.stack.foreign:  # what others made is one stack
            yield from self.check(context)
            return
        objects = self.about(context)
        key = (self.id, *((item.text, item.component, context.is_users_own(item)) for item in objects))
        known = context.memo.of_objects.get(key)
        if known is None:
            places = {id(item): place for place, item in enumerate(objects)}
            known = tuple((places[id(item)], fault) for item, fault in self.check(context))
            context.memo.of_objects.put(key, known)
        for place, fault in known:
            yield objects[place], fault
