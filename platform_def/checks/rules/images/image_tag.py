"""Every image is pinned: a digest, or a tag that is not `latest`; those that only running components name as well."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import IN_PODS, ObjectRule, reads_nothing
from platform_def.manifests.index import CRD
from platform_def.manifests.paths import containers, dotted, strings
from platform_def.manifests.rendered import Manifest, RenderedObject


def floats(image: str) -> str:
    """What makes an image one that can change; empty where it cannot."""
    if not image or "@" in image:
        return ""
    colon, tag = image.rpartition("/")[2].partition(":")[1:]
    return "" if colon and tag != "latest" else "the tag latest" if colon else "no tag"


def _check(manifest: Manifest, _: None) -> Iterator[Fault]:
    for path, container in containers(manifest):
        image = container.get("image")
        if isinstance(image, str) and (what := floats(image)):
            yield Fault(dotted((*path, "image")), f"image {image} has {what}")


def _at_run_time(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    """One for each image of a component, at the object that names it to the component, where there is one."""
    for name, images in context.stack.runtime_images.items():
        component = context.stack.components.get(name)
        objects = [item for item in component.objects if item.kind != CRD] if component else []
        for image in filter(floats, images if objects else ()):
            item, path = next(_naming(image, objects), (objects[0], ""))
            text = f"image {image}, which {name} has pods use, has {floats(image)}"
            yield item, Fault(path, text, f"name one with a version or a digest, if {name} has a setting for it")


def _naming(image: str, objects: list[RenderedObject]) -> Iterator[tuple[RenderedObject, str]]:
    for item in objects:
        for path, text in strings(item.manifest):
            if text == image or text.endswith((f"={image}", f" {image}")):
                yield item, dotted(path)


@dataclass(frozen=True, kw_only=True)
class ImageRule(ObjectRule[None]):
    """The images of all objects, and beside them those of a stack's running components."""

    def found(self, context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
        """The faults in a stack."""
        yield from _at_run_time(context)


IMAGE_TAG = ImageRule(
    id="image-tag",
    severity="warning",
    title="Every image has a tag other than `latest`, or a digest",
    why="What runs then changes without a commit, and differs between nodes.",
    fix="write the version as tag, or pin the digest (image@sha256:…)",
    reads=reads_nothing,
    sign=IN_PODS,
    check=_check,
)
