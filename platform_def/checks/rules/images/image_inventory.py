"""Every image that is named anywhere is in the stack's inventory, from which mirrors are filled and scans are run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import ObjectRule, OfKind
from platform_def.config.mirror import qualified
from platform_def.manifests.images import images_in
from platform_def.manifests.index import CRD
from platform_def.manifests.paths import containers, dotted, strings
from platform_def.manifests.rendered import Kind, Manifest

_HOSTS = (
    r"(?:docker\.io|ghcr\.io|quay\.io|nvcr\.io|gcr\.io|registry\.k8s\.io|public\.ecr\.aws|mcr\.microsoft\.com"
    r"|registry\.gitlab\.com|[\w.-]+\.pkg\.dev|[\w-]+\.azurecr\.io|\d+\.dkr\.ecr\.[\w-]+\.amazonaws\.com)"
)
_REST = r"(?:/[\w.-]+)+(?::[\w][\w.-]{0,127}(?![\w/])|@sha256:[0-9a-f]{64})+"
_MAY = re.compile(r"/[\w.-]+(?::\w|@sha256:)")
_LOOKED_THROUGH = 65536
"""Characters of a text that are looked at."""


class _Known(NamedTuple):
    """What the stack knows of images."""

    images: frozenset[str]
    registry: str


@cache
def _reference(registry: str) -> re.Pattern[str]:
    """A reference with its host, and with a tag or a digest: shorter ones are not told from paths and addresses."""
    hosts = f"{_HOSTS}|{re.escape(registry.partition('/')[0])}" if registry else _HOSTS
    return re.compile(rf"(?<![\w./@-])(?:{hosts}){_REST}")


def _reads(context: Context, kind: Kind) -> _Known:
    return _NOTHING if kind.kind == CRD else context.once(_inventory)


def _inventory(context: Context) -> _Known:
    named = {image for item in context.index.objects for image in images_in(item)}
    return _Known(frozenset(map(qualified, named | {*context.stack.images})), context.stack.platform.registry or "")


_NOTHING = _Known(frozenset(), "")


def _check(manifest: Manifest, known: _Known) -> Iterator[Fault]:
    if manifest.get("kind") == CRD:
        return
    in_pods = {(*path, "image") for path, _ in containers(manifest)}
    for path, text in strings({key: value for key, value in manifest.items() if key != "metadata"}):
        if path not in in_pods and "/" in text and (":" in text or "@" in text):
            for found in dict.fromkeys(_reference(known.registry).findall(text[:_LOOKED_THROUGH])):
                if found not in known.images:
                    yield Fault(dotted(path), f"image {found} is not among those that the stack knows to use")


def _may_name_one(kind: Kind, text: str) -> bool:
    """Whether a tag or a digest stands behind a path; letters may be written as their numbers."""
    return kind.kind != CRD and (_MAY.search(text) is not None or "\\u" in text)


IMAGE_INVENTORY = ObjectRule(
    id="image-inventory",
    severity="warning",
    title="Every image that an object names is in the inventory",
    why="An image that only a configuration names is neither mirrored nor scanned: it is pulled later, or cannot be.",
    fix="name it where the component takes it (`images:`), or as a container's image",
    reads=OfKind(_reads),
    sign=_may_name_one,
    check=_check,
    without_stack="not at all",
)
