"""With a registry mirror no image comes from elsewhere: neither in pods nor where an operator is told what to pull."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import ObjectRule
from platform_def.config.platform import mirrored, qualified, reachable
from platform_def.manifests.index import CRD
from platform_def.manifests.paths import Path, containers, dotted, strings
from platform_def.manifests.rendered import Manifest, RenderedObject

_REFERENCE = re.compile(r"[\w.-]+(?::\d+(?=/))?(?:/[\w.-]+)*(?::[\w.-]+)?(?:@sha256:[0-9a-f]+)?")
_DOCKER_HUB = ("docker.io/library/", "docker.io/")


class _Mirror(NamedTuple):
    registry: str
    images: frozenset[str]
    """References that the stack uses, as they are without the mirror, host written out."""
    repositories: frozenset[str]
    """The same without tag and digest."""


def _mirror(context: Context) -> _Mirror | None:
    registry = context.stack.platform.registry
    if registry is None:
        return None
    named = {image for item in context.index.objects for image in context.memo.images(item) if image}
    images = frozenset(qualified(image.removeprefix(f"{registry}/")) for image in named | set(context.stack.images))
    return _Mirror(registry, images, frozenset(map(_repository, images)))


def _repository(image: str) -> str:
    head, slash, last = image.partition("@")[0].rpartition("/")
    return head + slash + last.partition(":")[0]


def _reads(context: Context, item: RenderedObject) -> _Mirror | None:
    return None if item.kind == CRD else context.once(_mirror)


def _check(manifest: Manifest, mirror: _Mirror | None) -> Iterator[Fault]:
    if mirror is None:
        return
    in_pods = {(*path, "image"): container.get("image") for path, container in containers(manifest)}
    for path, image in in_pods.items():
        if isinstance(image, str) and image and not reachable(image, mirror.registry):
            yield _escape(path, image, mirror)
    body = {key: value for key, value in manifest.items() if key != "metadata"}
    for path, text in strings(body):
        if path not in in_pods:
            for image in _escaping(text, mirror):
                yield _escape(path, image, mirror)


def _escaping(text: str, mirror: _Mirror) -> Iterator[str]:
    """References in a text to images of the stack that do not go through the mirror."""
    if ":" not in text and "@" not in text:
        return
    for found in _REFERENCE.findall(text):
        repository = _repository(found)
        if repository == found or reachable(found, mirror.registry):
            continue
        known = "/" in repository and qualified(repository) in mirror.repositories
        if known or qualified(found) in mirror.images:
            yield found


def _escape(path: Path, image: str, mirror: _Mirror) -> Fault:
    text = f"image {image} does not come from {mirror.registry}"
    return Fault(dotted(path), text, f"write {mirrored(image, mirror.registry)}")


IMAGE_MIRROR = ObjectRule(
    id="image-mirror",
    severity="error",
    title="With `cluster.registry` set, every image comes from it",
    why="A cluster behind a mirror cannot pull it, often only later, when an operator makes the pod.",
    fix="write it with the mirror in front",
    reads=_reads,
    check=_check,
    alone="not at all",
)
