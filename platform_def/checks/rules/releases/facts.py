"""The components that a stack renders or that its cluster has, each with its facts and where findings are reported."""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.checks.context import Context
from platform_def.config.kubernetes import KubernetesRange
from platform_def.config.platform import ComponentFact
from platform_def.manifests.rendered import RenderedComponent, RenderedObject

_PROGRAMS = frozenset({"Deployment", "StatefulSet", "DaemonSet", "Job"})


def released(context: Context) -> Iterator[tuple[RenderedObject, ComponentFact]]:
    """An object that stands for the component, and the facts, of each whose release is known.

    Of what the cluster has, nothing is rendered: the last object of the delivery, which leads back to the stack, stands
    for it.
    """
    stack = context.stack
    for name, fact in stack.facts.items():
        component = stack.components.get(name)
        if fact.release and component is not None and component.objects:
            yield shown(component), fact
        elif fact.release and fact.provided and stack.delivery:
            yield stack.delivery[-1], fact


def to_take(context: Context, fact: ComponentFact) -> str | None:
    """The sound releases of a component that work with the stack's Kubernetes, else each with what it asks for."""
    ranges = {version: KubernetesRange.parse(known) for version, known in fact.sound}
    fitting = [version for version, known in ranges.items() if context.stack.platform.kubernetes in known]
    beyond = [f"{version}, which is for Kubernetes {known}" for version, known in ranges.items()]
    return f"take release {' or '.join(fitting or beyond)}" if ranges else None


def shown(component: RenderedComponent) -> RenderedObject:
    """The first program, which waivers can name for as long as the component has it; else the first object.

    The name of a Job changes with its content, so that a waiver would not hold for long: it comes last.
    """
    programs = [item for item in component.objects if item.kind in _PROGRAMS]
    return min(programs, key=lambda item: item.kind == "Job", default=component.objects[0])
