"""Releases of Istio: their images.

Facts are those of upstream's charts and sources at the tags; ranges of Kubernetes are its own documentation's.
"""

from __future__ import annotations

from dataclasses import dataclass

from platform_def.components.gateways.istio.observation import METRICS
from platform_def.components.gateways.istio.traffic import PROXIES
from platform_def.components.gateways.istio_proxies.releases import KUBERNETES, UPKEEP, image, withdrawn
from platform_def.constructs import APACHE, Release, releases


@dataclass(frozen=True, kw_only=True)
class IstioRelease(Release):
    """A control plane with the proxies that it hands out."""

    proxy: str
    """Image of the proxies."""


def _release(version: str) -> IstioRelease:
    proxy = image("proxyv2", version)
    return IstioRelease(
        version,
        kubernetes=KUBERNETES,
        kubernetes_by="upstream",
        upkeep=UPKEEP[version],
        image=image("pilot", version),
        images={"proxy": proxy},
        # istiod names it in the pods that it puts proxies into.
        runtime_images=(proxy,),
        proxy=proxy,
        exports=(METRICS, PROXIES),
    )


RELEASES = releases(*map(_release, UPKEEP), license=APACHE)
WITHDRAWN = withdrawn("XListenerSets of Gateway API are no longer read, ListenerSets are; upgrade by revisions")
