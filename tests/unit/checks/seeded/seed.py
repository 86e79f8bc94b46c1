"""What a seeded defect is: one change to one object of a stack that has no findings, and the rule that must tell of it."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

from platform_def.manifests.paths import steps
from platform_def.manifests.rendered import Manifest, RenderedComponent, RenderedObject, RenderedStack

Change = Callable[[Manifest], list[Manifest]]
"""What stands in the place of an object: itself changed, nothing, or several."""


@dataclass(frozen=True)
class Seed:
    """One defect."""

    stack: str
    object: str
    """`Deployment kubeflow/training-operator`, as findings name it; a job's hash is written `*`."""
    change: Change
    rule: str
    kind: str
    """In short what is wrong: seeds of one rule and one object are of different kinds."""
    text: str = ""
    """Part of what is told."""
    at: str = ""
    """The object that the finding is about, where it is another one."""
    warns: bool = False
    """The finding is a warning."""

    @property
    def id(self) -> str:
        """Its name in the test's report."""
        return f"{self.rule}: {self.object}: {self.kind} {self.text}".rstrip()


def wrong(
    stack: str, item: str, path: str, value: Any, rule: str, text: str = "", at: str = "", warns: bool = False
) -> Seed:
    """A value that is wrong, or should not be there."""
    return Seed(stack, item, put(path, value), rule, f"{path} {str(value)[-60:]}", text, at, warns)


def lacking(stack: str, item: str, path: str, rule: str, text: str = "", at: str = "", warns: bool = False) -> Seed:
    """A value that is left out."""
    return Seed(stack, item, drop(path), rule, f"no {path}", text, at, warns)


def missing(stack: str, item: str, rule: str, text: str = "", at: str = "", warns: bool = False) -> Seed:
    """An object that is left out."""
    return Seed(stack, item, gone, rule, f"left out of {stack}", text, at, warns)


def put(path: str, value: Any) -> Change:
    """Another value at a path; the last step may be new, and a list's length is one past its end."""

    def change(manifest: Manifest) -> list[Manifest]:
        inner: Any = manifest
        *above, last = steps(path)
        for step in above:
            inner = inner.setdefault(step, {}) if isinstance(inner, dict) else inner[step]
        if isinstance(inner, list) and last == len(inner):
            inner.append(value)
        else:
            inner[last] = value
        return [manifest]

    return change


def drop(path: str) -> Change:
    """Without what stands at a path, which must be there."""

    def change(manifest: Manifest) -> list[Manifest]:
        inner: Any = manifest
        *above, last = steps(path)
        for step in above:
            inner = inner[step]
        del inner[last]
        return [manifest]

    return change


def gone(manifest: Manifest) -> list[Manifest]:
    """The object is left out."""
    return []


def beside(path: str, value: Any, **names: str) -> Change:
    """A second object like it, with another name and another value at a path."""

    def change(manifest: Manifest) -> list[Manifest]:
        other = copy.deepcopy(manifest)
        other["metadata"] |= names
        return [manifest, *put(path, value)(other)]

    return change


def along(*others: Manifest) -> Change:
    """The object as it is, and others that come with it."""
    return lambda manifest: [manifest, *others]


def seeded(stack: RenderedStack, seed: Seed) -> RenderedStack:
    """The stack with the defect in it; everything else is shared with the sound one."""
    hits = 0

    def objects(items: tuple[RenderedObject, ...]) -> tuple[RenderedObject, ...]:
        nonlocal hits
        found: list[RenderedObject] = []
        for item in items:
            if fnmatchcase(str(item), seed.object):
                hits += 1
                changed = seed.change(copy.deepcopy(item.manifest))
                found += [replace(item, manifest=each, file_text=None, known_links=None) for each in changed]
            else:
                found.append(item)
        return tuple(found)

    components = {name: _with(component, objects(component.objects)) for name, component in stack.components.items()}
    jobs = {name: objects(items) for name, items in stack.jobs.items()}
    broken = replace(stack, components=components, jobs=jobs)
    assert hits == 1, f"{seed.object} is there {hits} times"
    return broken


def _with(component: RenderedComponent, objects: tuple[RenderedObject, ...]) -> RenderedComponent:
    return component if objects == component.objects else replace(component, objects=objects)
