"""A kube-scheduler that fills one node's devices before it takes the next, for jobs.

Kubernetes' own profile spreads pods over nodes: eight pods with a GPU each take one GPU of eight nodes, and a job that
needs whole nodes finds none. GitOps cannot reach the control plane's scheduler, so this is one beside it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import Field

from platform_def.apis.core.core_v1 import PodSpec
from platform_def.capabilities import BinPacker, GangScheduler
from platform_def.components.queues.bin_packing_scheduler.words import SCHEDULER
from platform_def.components.queues.packing import SPREADING, fit
from platform_def.config.model import Image, Name
from platform_def.constructs import (
    RESTRICTED_LEVEL,
    Component,
    ComponentConfig,
    Deployment,
    Offers,
    Problem,
    SecondScheduler,
    Setting,
)

NAME = SCHEDULER.word


class BinPackingSchedulerConfig(ComponentConfig):
    """What a stack may choose about the scheduler."""

    namespace: Name = NAME
    """Namespace of the scheduler."""
    weight: Annotated[int, Field(ge=1, le=100)] = 10
    """How much a full set of devices counts beside full processors and full memory, which count one each."""
    image: Image | None = None
    """Image of kube-scheduler; by default Kubernetes' own, first patch of the cluster's minor version."""


class BinPackingScheduler(Component[BinPackingSchedulerConfig]):
    """A second kube-scheduler whose profile prefers nodes that are in use already."""

    pod_security = RESTRICTED_LEVEL
    gives = (BinPacker,)

    @classmethod
    def offers(cls, at: Setting[BinPackingSchedulerConfig]) -> Offers:  # noqa: ARG003 - it is the same in every stack
        """The scheduler that jobs with GPUs ask for."""
        return Offers(capabilities=(BinPacker(scheduler=NAME),))

    @classmethod
    def problems(cls, at: Setting[BinPackingSchedulerConfig]) -> Iterator[Problem]:
        """Another scheduler that jobs ask for: a pod has one."""
        for given in at.platform.all(GangScheduler):
            if not given.value.of_all_pools:
                continue
            text = f"components.{at.name}: jobs are scheduled by {given.by}, and a pod has one scheduler"
            yield Problem(text, hint=f"keep one of the two; {given.by} fills nodes by a setting of its own")

    def build(self) -> None:
        """The scheduler."""
        scheduler = SecondScheduler(self, NAME, profile=self.profile(), image=self.config.image or "")
        pod: PodSpec = {
            "serviceAccountName": NAME,
            "priorityClassName": "system-cluster-critical",
            "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
            "containers": [scheduler.container()],
            "volumes": [scheduler.volume()],
        }
        Deployment(self, NAME, pod=pod, ha_replicas=2, pod_annotations=scheduler.pod_annotations)

    def profile(self) -> dict[str, Any]:
        """Nodes with most of their devices in use score best; what prefers even use is off."""
        return {
            "plugins": {"score": {"disabled": [*SPREADING]}},
            "pluginConfig": [fit(self.platform.node_pools, self.config.weight)],
        }
