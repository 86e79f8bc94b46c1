"""Pools of addresses that Services and announcements name are there, where there are pools.

Facts: MetalLB 0.15 (controller/service.go: the annotation, and its earlier name; an announcement of a pool that is not
there announces nothing of it).
"""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rules.operators.refusals.metallb import GROUP
from platform_def.errors import nearest
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.paths import dotted
from platform_def.manifests.rendered import RenderedObject

_ANNOTATIONS = (f"{GROUP}/address-pool", "metallb.universe.tf/address-pool")


def chosen(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    """Names of pools that none here has."""
    pools = {item.name for item in context.index.by_kind.get((GROUP, "IPAddressPool"), ())}
    if not pools:
        return
    for item in context.index.by_kind.get(("", "Service"), ()):
        for name in _ANNOTATIONS:
            pool = text(mapping(at(item.manifest, "metadata.annotations")).get(name))
            if pool and pool not in pools:
                said = f"there is no IPAddressPool '{pool[:60]}': the Service gets no address"
                yield item, Fault(dotted(("metadata", "annotations", name)), said, nearest(pool, pools))
    for kind in ("L2Advertisement", "BGPAdvertisement"):
        for item in context.index.by_kind.get((GROUP, kind), ()):
            for index, pool in enumerate(map(text, items(at(item.manifest, "spec.ipAddressPools")))):
                if pool and pool not in pools:
                    said = f"there is no IPAddressPool '{pool[:60]}': nothing of it is announced"
                    yield item, Fault(f"spec.ipAddressPools[{index}]", said, nearest(pool, pools), "warning")
