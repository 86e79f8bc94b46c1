"""Whether policies of the API server go along with the engine's objects."""

from __future__ import annotations

from platform_def.config.cluster import Delivery
from platform_def.config.platform import Platform
from platform_def.delivery.gates import possible


def guarded(platform: Platform, delivery: Delivery) -> bool:
    """The cluster knows such policies, and its owners allow them."""
    return delivery.policies and possible(platform)
