"""What the order of a stack follows from: of most objects their identity, labels and links.

Stacks of a fleet differ in hosts, data and numbers, of which the order depends on none: it is computed from a stack
without them, and so once for all stacks that are alike in the rest.
"""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256

from platform_def.manifests.admission import GROUP, KINDS
from platform_def.manifests.index import CRD, CRD_GROUP
from platform_def.manifests.loose import at, mapping
from platform_def.manifests.rendered import Manifest, RenderedObject, RenderedStack

_WHOLE = frozenset(
    {(CRD_GROUP, CRD), ("", "Service"), ("policy", "PodDisruptionBudget"), *((GROUP, kind) for kind in KINDS)}
)
"""Kinds by whose bodies objects need each other."""
_IDENTITY = ("name", "namespace", "labels")


def skeleton(stack: RenderedStack) -> RenderedStack:
    """The stack with so much of its objects as its order and its deadlocks depend on."""
    components = {
        name: replace(each, objects=tuple(map(_kept, each.objects))) for name, each in stack.components.items()
    }
    jobs = {name: tuple(map(_kept, objects)) for name, objects in stack.jobs.items()}
    return RenderedStack(stack.name, stack.platform, components, jobs=jobs)


def identity(stack: RenderedStack) -> list[object]:
    """Equal for stacks with equal skeletons, as JSON-like data."""
    components = [
        [name, each.requires, [[*made] for made in each.makes], each.awaits, _digests(each.objects)]
        for name, each in stack.components.items()
    ]
    return [components, {name: _digests(objects) for name, objects in stack.jobs.items()}]


def _digests(objects: tuple[RenderedObject, ...]) -> list[str]:
    return [item.once(_digest) for item in objects]


def _kept(item: RenderedObject) -> RenderedObject:
    return item.once(_bare) or item


def _bare(item: RenderedObject) -> RenderedObject | None:
    """The object without what the order does not look at; None for one that stays whole."""
    if (item.group, item.kind) in _WHOLE:
        return None
    metadata = mapping(item.manifest.get("metadata"))
    kept: Manifest = {key: item.manifest[key] for key in ("apiVersion", "kind") if key in item.manifest}
    kept["metadata"] = {key: metadata[key] for key in _IDENTITY if key in metadata}
    if mapping(at(item.manifest, "spec.template")):
        labels = at(item.manifest, "spec.template.metadata.labels")
        kept["spec"] = {"template": {"metadata": {"labels": labels}}}
    return replace(item, manifest=kept, file_text=None, known_links=item.links.to_json())


def _digest(item: RenderedObject) -> str:
    """A hash of what is left of an object."""
    bare = item.once(_bare)
    held = repr((bare.manifest, bare.known_links)) if bare else item.digest
    return sha256(repr((item.component, item.part, item.job, held)).encode()).hexdigest()
