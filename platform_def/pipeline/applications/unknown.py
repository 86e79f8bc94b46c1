"""The facts of a cluster of which no stack says anything: its Kubernetes version is all that is known.

`Platform` and the sixty models of its fields take longer to import than a small file takes to check. What rules ask for
most is answered here as it answers, and the first other question makes one.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from platform_def.config.kubernetes import SUPPORTED_KUBERNETES, Kubernetes

if TYPE_CHECKING:
    from platform_def.config.platform import Platform

PLAIN: Mapping[str, Any] = {
    "apis": frozenset(),
    "components": {},
    "delivery": "none",
    "distribution": "kubeadm",
    "existing": (),
    "feature_gates": {},
    "node_pools": (),
    "storage": {},
}
"""Facts as `Platform` has them where nothing is said."""
DEFAULT_KUBERNETES = SUPPORTED_KUBERNETES[-2]


def unknown_platform(name: str, kubernetes: str) -> Platform:
    """A platform of defaults; without a version that of `Platform`."""
    return cast("Platform", _Unknown(name, Kubernetes(kubernetes or DEFAULT_KUBERNETES)))


class _Unknown:
    """Answers as the platform that it would make."""

    def __init__(self, stack: str, kubernetes: Kubernetes) -> None:
        self.stack, self.kubernetes = stack, kubernetes
        self.__dict__.update(PLAIN)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._whole, name)

    def gives(self, _kind: str) -> bool:
        """Nothing gives anything."""
        return False

    @cached_property
    def _whole(self) -> Platform:
        from platform_def.config.platform import Platform

        # Not validated: to build a validator of all facts takes longer than a small file.
        return Platform.of_defaults().model_copy(update={"stack": self.stack, "kubernetes": self.kubernetes})
