"""Releases of Istio: images, and what the control plane may do that differs between them.

Facts are those of upstream's charts and sources at the tags; ranges of Kubernetes are its own documentation's.
"""

from __future__ import annotations

from dataclasses import dataclass

from platform_def.constructs import APACHE, Release, releases

HUB = "gcr.io/istio-release"


@dataclass(frozen=True, kw_only=True)
class IstioRelease(Release):
    """What differs between releases."""

    proxy: str
    """Image of the proxies."""
    listener_sets: bool = False
    """It serves ListenerSets of Gateway API, and no longer those of the experiment."""


def _release(version: str, kubernetes: str, *, listener_sets: bool = False) -> IstioRelease:
    proxy = f"{HUB}/proxyv2:{version}"
    return IstioRelease(
        version,
        kubernetes=kubernetes,
        kubernetes_by="upstream",
        image=f"{HUB}/pilot:{version}",
        images={"proxy": proxy},
        # istiod names it in the pods that it puts proxies into.
        runtime_images=(proxy,),
        proxy=proxy,
        listener_sets=listener_sets,
    )


RELEASES = releases(_release("1.29.1", "1.31-1.35"), license=APACHE)
