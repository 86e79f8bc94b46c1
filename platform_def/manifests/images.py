"""Images in manifests: where pods name them, and how they are rewritten to a mirror."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from platform_def.manifests.rendered import Manifest

_CONTAINERS = ("containers", "initContainers", "ephemeralContainers")


def pod_specs(value: Any) -> Iterator[Manifest]:
    """Every pod specification inside an object, however deep: a map with a list of containers."""
    if isinstance(value, dict):
        if isinstance(value.get("containers"), list):
            yield value
        for item in value.values():
            yield from pod_specs(item)
    elif isinstance(value, list):
        for item in value:
            yield from pod_specs(item)


def images(manifest: Manifest) -> Iterator[str]:
    """The images that an object's pods name."""
    for spec in pod_specs(manifest):
        for container in _with_image(spec):
            yield container["image"]


def _with_image(spec: Manifest) -> Iterator[Manifest]:
    """The containers of a pod that name an image; what is of another type is left to the checks."""
    for group in _CONTAINERS:
        containers = spec.get(group)
        for container in containers if isinstance(containers, list) else ():
            if isinstance(container, dict) and isinstance(container.get("image"), str):
                yield container


def rewrite_images(manifest: Manifest, rewrite: Callable[[str], str]) -> Manifest:
    """A copy of the object in which the containers' images are what `rewrite` makes of them."""
    if not any(rewrite(image) != image for image in images(manifest)):
        return manifest
    copied: Manifest = _rewritten(manifest, rewrite)
    return copied


def _rewritten(value: Any, rewrite: Callable[[str], str]) -> Any:
    if isinstance(value, list):
        return [_rewritten(item, rewrite) for item in value]
    if not isinstance(value, dict):
        return value
    copied = {key: _rewritten(item, rewrite) for key, item in value.items()}
    if isinstance(value.get("containers"), list):
        for container in _with_image(copied):
            container["image"] = rewrite(container["image"])
    return copied
