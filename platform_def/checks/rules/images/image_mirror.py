"""With a registry mirror no image comes from elsewhere, neither in pods nor in the configuration of operators."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import ObjectRule, OfKind
from platform_def.config.mirror import Mirror, qualified
from platform_def.manifests.images import REFERENCE, images_in, named_images, repository
from platform_def.manifests.index import CRD
from platform_def.manifests.paths import Path, containers, dotted, strings
from platform_def.manifests.rendered import Kind, Manifest

_DOCKER_HUB = ("docker.io/library/", "docker.io/")


class _Mirror(NamedTuple):
    mirror: Mirror
    images: frozenset[str]
    """References that the stack uses, as they are without the mirror, host written out."""
    repositories: frozenset[str]
    """The same without tag and digest."""


def _mirror(context: Context) -> _Mirror | None:
    mirror = context.stack.platform.mirror
    if not mirror.any:
        return None
    named = {image for item in context.own for image in images_in(item) if image}
    images = frozenset(mirror.source(image) for image in named | set(context.stack.images))
    return _Mirror(mirror, images, frozenset(map(repository, images)))


def _reads(context: Context, kind: Kind) -> _Mirror | None:
    return None if kind.kind == CRD else context.once(_mirror)


def _check(manifest: Manifest, known: _Mirror | None) -> Iterator[Fault]:
    if known is None:
        return
    in_pods = {(*path, "image"): container.get("image") for path, container in containers(manifest)}
    for path, image in in_pods.items():
        if isinstance(image, str) and image and known.mirror.target(image) != image:
            yield _escape(path, image, known.mirror)
    body = {key: value for key, value in manifest.items() if key != "metadata"}
    told: dict[Path, list[str]] = {}
    for path, image in sorted({*named_images(body)}):
        if known.mirror.target(image) != image:
            told.setdefault(path, []).append(image)
    for path, text in strings(body):
        if path not in in_pods and (path in told or ":" in text or "@" in text):
            for image in dict.fromkeys([*_escaping(text, known), *told.get(path, ())]):
                yield _escape(path, image, known.mirror)


def _escaping(text: str, known: _Mirror) -> Iterator[str]:
    """References in a text to images of the stack that do not go through the mirror."""
    for found in REFERENCE.findall(text):
        of = repository(found)
        if of == found or known.mirror.target(found) == found:
            continue
        if ("/" in of and qualified(of) in known.repositories) or qualified(found) in known.images:
            yield found


def _escape(path: Path, image: str, mirror: Mirror) -> Fault:
    target = mirror.target(image)
    where = mirror.registry if mirror.registry and target.startswith(mirror.registry) else repository(target)
    return Fault(dotted(path), f"image {image} does not come from {where}", f"write {target}")


IMAGE_MIRROR = ObjectRule(
    id="image-mirror",
    severity="error",
    title="With `cluster.registry` set, every image comes from it",
    why="A cluster behind a mirror cannot pull it, often only later, when an operator makes the pod.",
    fix="write it with the mirror in front",
    reads=OfKind(_reads),
    check=_check,
    without_stack="not at all",
)
