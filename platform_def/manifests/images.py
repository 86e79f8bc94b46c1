"""Images in manifests: where pods name them, and how they are rewritten to a mirror."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from platform_def.apis.argo_workflows.contents import images_of, mirrored
from platform_def.config.objects import CRD
from platform_def.manifests.paths import Path, strings
from platform_def.manifests.rendered import Manifest, RenderedObject

REFERENCE = re.compile(r"[\w.-]+(?::\d+(?=/))?(?:/[\w.-]+)*(?::[\w.-]+)?(?:@sha256:[0-9a-f]+)?")
_HOSTED = (
    r"[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::\d+)?(?:/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)+(?::\w[\w.-]*)?(?:@sha256:[0-9a-f]{64})?"
)
_WITH_HOST = re.compile(_HOSTED)
_IN_TEXT = re.compile(rf"image[\w-]*[\"']?\s*[:=]\s*[\"']?({_HOSTED})", re.IGNORECASE)
"""In a file of a ConfigMap, as YAML, JSON or settings write it."""
_CALLED = re.compile(r"image", re.IGNORECASE)
_FLAG = re.compile(r"--[\w-]*image[\w-]*=(\S+)", re.IGNORECASE)

_OF_STEPS = frozenset({"ClusterWorkflowTemplate", "CronWorkflow", "Workflow", "WorkflowTemplate"})
"""Kinds of argoproj.io whose steps are containers by themselves, in no pod's specification."""
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


def images_in(item: RenderedObject) -> tuple[str, ...]:
    """The images that an object's pods name; a CRD has none."""
    return item.once(_images_in)


def _images_in(item: RenderedObject) -> tuple[str, ...]:
    return () if item.kind == CRD else tuple(images(item.manifest))


def images(manifest: Manifest) -> Iterator[str]:
    """The images that an object's pods name."""
    for spec in pod_specs(manifest):
        for container in _with_image(spec):
            yield container["image"]
    if _has_steps(manifest):
        yield from images_of(manifest.get("spec"))


def _has_steps(manifest: Manifest) -> bool:
    return manifest.get("kind") in _OF_STEPS and str(manifest.get("apiVersion")).startswith("argoproj.io/")


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
    copied: Manifest = mirrored(manifest, rewrite) if _has_steps(manifest) else _rewritten(manifest, rewrite)
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


def repository(image: str) -> str:
    """The reference without tag and digest."""
    head, slash, last = image.partition("@")[0].rpartition("/")
    return head + slash + last.partition(":")[0]


def named_images(manifest: Manifest) -> Iterator[tuple[Path, str]]:
    """Images that something else than a container names: a field, a variable or a flag that is called after one.

    Only references with a registry's host and a tag or digest are taken for images.
    """
    variables = {
        (*path[:-1], "value") for path, text in strings(manifest) if path[-1:] == ("name",) and _image_word(text)
    }
    for path, text in strings(manifest):
        field = next((step for step in reversed(path) if isinstance(step, str)), "")
        flag = _FLAG.fullmatch(text)
        if flag:
            found = [flag[1]]
        elif _CALLED.search(field) or path in variables:
            found = [text]
        else:
            found = _IN_TEXT.findall(text)
        for image in found:
            if _WITH_HOST.fullmatch(image) and repository(image) != image:
                yield path, image


def _image_word(text: str) -> bool:
    return bool(_CALLED.search(text)) and not any(letter in text for letter in "/ .")
