"""The components that a stack renders, each with its facts and the object at which findings about it are reported."""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.checks.context import Context
from platform_def.config.platform import ComponentFact
from platform_def.manifests.rendered import RenderedComponent, RenderedObject

_PROGRAMS = frozenset({"Deployment", "StatefulSet", "DaemonSet", "Job"})


def rendered_facts(context: Context) -> Iterator[tuple[RenderedObject, ComponentFact]]:
    """An object that stands for the component, and the facts, of each that has a release."""
    for name, component in context.stack.components.items():
        fact = context.stack.facts.get(name)
        if fact is not None and fact.release and component.objects:
            yield _shown(component), fact


def _shown(component: RenderedComponent) -> RenderedObject:
    """The first program, which waivers can name for as long as the component has it; else the first object."""
    programs = (item for item in component.objects if item.kind in _PROGRAMS)
    return next(programs, component.objects[0])
