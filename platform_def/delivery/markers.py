"""Markers: the ConfigMap that each sync of a part begins with under Argo CD, so that updates come in order too.

Argo CD syncs an Application as soon as it sees a commit, whatever that one needs. So each part has a ConfigMap in a
wave before all else, whose number says what the part holds, and whose labels which contents of other parts it needs.
The API server refuses it until they are there (`gates`); the sync, which has changed nothing yet, is tried again with
the newest commit.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache

from platform_def.apis.core import CONFIG_MAP
from platform_def.components.catalogue import ALWAYS
from platform_def.config.words.registered import engines
from platform_def.delivery.gates import AFTER, CONTENT, MARKER, waiting
from platform_def.delivery.target import Target, part_labels, part_names
from platform_def.manifests.author import manifest
from platform_def.manifests.rendered import Manifest, RenderedComponent, RenderedObject, RenderedStack

_WAVE = "argocd.argoproj.io/sync-wave"
_DIGITS, _DIGITS_OF_WAVE = 16, 12
"""Of hashes; a wave is a number that JSON can hold."""


def with_markers(stack: RenderedStack, target: Target) -> RenderedStack:
    """The stack with a marker in each part that waits for others, or that others wait for.

    The engine's own parts wait for nothing, so that it can always be repaired; and nothing waits for what is new in the
    part that makes all namespaces.
    """
    needs = {part: [need for need in found if _awaited(need)] for part, found in stack.needs.items()}
    needs |= {part: [] for part in needs if _component(part) == engines()["argocd"].component}
    marked = {part for part, found in needs.items() if found} | {need for found in needs.values() for need in found}
    contents = {part: _content(stack, part) for part in marked}
    names = part_names(stack)

    def markers(component: RenderedComponent) -> Iterator[RenderedObject]:
        for part in component.parts:
            key = f"{component.name}/{part}"
            if key in marked:
                held = {names[need]: contents[need] for need in needs[key]}
                made = manifest(
                    CONFIG_MAP,
                    names[key],
                    namespace=target.namespace,
                    labels=part_labels(component.name, part) | MARKER | waiting(held),
                    annotations={_WAVE: f"-{contents[key]}"},
                    fields={"data": {CONTENT: contents[key]}},
                )
                yield RenderedObject(made, component.name, part, f"{component.name}/delivery")

    components = {
        name: replace(component, objects=(*component.objects, *markers(component)))
        for name, component in stack.components.items()
    }
    return replace(stack, components=components)


def contents_needed(component: RenderedComponent, part: str) -> dict[str, str]:
    """Labels of a part's marker: the contents that it needs, by Application; none where it has no marker."""
    marker = next((item for item in component.objects if item.part == part and is_marker(item.manifest)), None)
    labels = marker.manifest["metadata"]["labels"] if marker else {}
    return {label: content for label, content in labels.items() if label.startswith(AFTER)}


def is_marker(manifest: Manifest) -> bool:
    """Whether an object only tells the engine in which order to go on."""
    labels = manifest["metadata"].get("labels")
    return isinstance(labels, dict) and labels.items() >= MARKER.items()


def digest(texts: Iterable[str]) -> str:
    """What tells these texts from others."""
    found = hashlib.sha256()
    for text in texts:
        found.update(f"{text}\0".encode())
    return found.hexdigest()[:_DIGITS]


def _content(stack: RenderedStack, part: str) -> str:
    component, _, kind = part.partition("/")
    return _digest(tuple(sorted(item.text for item in stack.components[component].objects if item.part == kind)))


@lru_cache(maxsize=64)
def _digest(texts: tuple[str, ...]) -> str:
    """A number above 0; kept, for the same part is in many stacks of a run."""
    return str(1 + int(digest(texts)[:_DIGITS_OF_WAVE], 16))


def _awaited(part: str) -> bool:
    return _component(part) not in ALWAYS


def _component(part: str) -> str:
    return part.partition("/")[0]
