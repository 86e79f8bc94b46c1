"""Claims that nothing beside them needs go behind the rest of their component, the teams' claims too.

A claim may stay pending for any length of time, and others wait for the part `main` of a component: for the namespace,
the driver or the definitions in it. Overlays and the user's own folders bring claims without saying a part.
"""

from __future__ import annotations

from dataclasses import replace

from platform_def.manifests.rendered import RenderedComponent, RenderedObject
from platform_def.manifests.scope import namespaced_kind

_CLAIM = ("", "PersistentVolumeClaim")


def with_claims_behind(component: RenderedComponent) -> RenderedComponent:
    """The component with each claim of `main` that nothing else in `main` names in `after`."""
    main = [item for item in component.objects if item.part == "main"]
    behind = {item for item in main if _is_claim(item) and not any(_names(other, item) for other in main)}
    if not behind:
        return component
    objects = tuple(replace(item, part="after") if item in behind else item for item in component.objects)
    return replace(component, objects=objects)


def _is_claim(item: RenderedObject) -> bool:
    return (item.group, item.kind) == _CLAIM


def _names(item: RenderedObject, claim: RenderedObject) -> bool:
    """Whether an object names a claim; of a custom kind, whose fields may name one unknown to us, its text decides."""
    if any((name.group, name.kind, name.namespace, name.name) == claim.key for name in item.links.names):
        return True
    return namespaced_kind(item.group, item.kind) is None and claim.name in item.text
