"""Every image is pinned: a digest, or a tag that is not `latest`."""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.checks.rule import Fault, ObjectRule, reads_nothing
from platform_def.manifests.paths import containers, dotted
from platform_def.manifests.rendered import Manifest


def _check(manifest: Manifest, _: None) -> Iterator[Fault]:
    for path, container in containers(manifest):
        image = container.get("image")
        if isinstance(image, str) and image and "@" not in image:
            colon, tag = image.rpartition("/")[2].partition(":")[1:]
            if not colon or tag == "latest":
                what = "the tag latest" if colon else "no tag"
                yield Fault(dotted((*path, "image")), f"image {image} has {what}")


IMAGE_TAG = ObjectRule(
    id="image-tag",
    severity="warning",
    title="Every image has a tag other than `latest`, or a digest",
    why="What runs then changes without a commit, and differs between nodes.",
    fix="write the version as tag, or pin the digest (image@sha256:…)",
    reads=reads_nothing,
    check=_check,
)
