"""No image comes from a place that is gone, frozen, or about to go.

Facts, as their owners announced them: registry.k8s.io took over from k8s.gcr.io, frozen in April 2023; Google's
Container Registry closed in March 2025, so that gcr.io serves projects that moved to Artifact Registry alone; Bitnami
moved its versioned images to docker.io/bitnamilegacy in September 2025, where nothing is mended any more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from platform_def.checks.fault import Fault
from platform_def.checks.rule import ObjectRule, SignWords, reads_nothing
from platform_def.config.mirror import qualified
from platform_def.manifests.index import CRD
from platform_def.manifests.paths import containers, dotted, strings
from platform_def.manifests.rendered import Manifest


class _Gone(NamedTuple):
    """Images by how their names begin."""

    begins: str
    what: str
    instead: str


_GONE = (
    _Gone("k8s.gcr.io/", "k8s.gcr.io has been frozen since April 2023", "write registry.k8s.io/…"),
    _Gone("gcr.io/google_containers/", "the project is gone", "write registry.k8s.io/…"),
    _Gone("gcr.io/google-containers/", "the project is gone", "write registry.k8s.io/…"),
    _Gone(
        "gcr.io/kubebuilder/kube-rbac-proxy",
        "the images went with Container Registry in March 2025",
        "write quay.io/brancz/kube-rbac-proxy, or let the manager guard its metrics itself",
    ),
    _Gone("gcr.io/kubeflow-images-public/", "the project is gone", "write the image of ghcr.io/kubeflow, or build it"),
    _Gone("gcr.io/kubernetes-helm/tiller", "the image is gone, and so is Tiller", "use Helm 3 or newer"),
    _Gone(
        "docker.io/bitnami/",
        "its versions moved to docker.io/bitnamilegacy in September 2025 and are no longer patched",
        "take the project's own image, or name docker.io/bitnamilegacy and plan to leave it",
    ),
    _Gone("docker.io/bitnamilegacy/", "these images are no longer patched", "take the project's own image"),
    _Gone(
        "quay.io/kubernetes-ingress-controller/", "the project moved in 2020", "write registry.k8s.io/ingress-nginx/…"
    ),
    _Gone("docker.io/everpeace/chainer-operator", "a personal image of an unmaintained operator", "leave it out"),
)
_KEPT = "docker.io/bitnami/minideb"
"""The one image that Bitnami left where it was."""
_QUICK = ("gcr.io/", "bitnami", "quay.io/", "chainer")
"""One of these is in every name of such an image, as it is written."""
_WORD = re.compile(r"[\w.:@/-]+")


def _check(manifest: Manifest, _: None) -> Iterator[Fault]:
    if manifest.get("kind") == CRD:
        return
    in_pods = {(*path, "image"): container.get("image") for path, container in containers(manifest)}
    for path, image in in_pods.items():
        if isinstance(image, str) and (gone := _gone(image)):
            yield Fault(dotted(path), f"image {image}: {gone.what}", gone.instead)
    for path, text in strings({key: value for key, value in manifest.items() if key != "metadata"}):
        if path not in in_pods and len(text) < 4096 and any(map(text.__contains__, _QUICK)):
            for word in _WORD.findall(text):
                if "/" in word and (":" in word or "@" in word) and (gone := _gone(word)):
                    yield Fault(dotted(path), f"image {word[:120]}: {gone.what}", gone.instead)


def _gone(image: str) -> _Gone | None:
    name = qualified(image)
    if name.startswith(_KEPT):
        return None
    return next((each for each in _GONE if name.startswith(each.begins)), None)


IMAGE_GONE = ObjectRule(
    id="image-gone",
    severity="warning",
    title="Images come from registries that exist and are maintained",
    why="Nodes that have it run it on; the next node gets ImagePullBackOff, or a vulnerability that is never patched.",
    fix="name the image's new place",
    reads=reads_nothing,
    sign=SignWords(_QUICK),
    check=_check,
)
