"""What nodes have and who hands it out: devices, runtimes, fabrics, and the programs that work on GPU nodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from pydantic import Field

from platform_def.config.capability import Capability
from platform_def.config.model import Labels, Name


class Devices(Capability):
    """Devices that pods ask for by an extended resource."""

    title: ClassVar[str] = "devices"
    gathered: ClassVar[bool] = True

    resources: list[str] = Field(default_factory=list)
    """Resources by name; patterns such as `nvidia.com/mig-*`."""
    layer: str = ""
    """What divides the cards, as pools with `sharing: {mode: vgpu}` name it; empty where it hands out whole cards."""
    scheduler: str = ""
    """Scheduler that knows these devices one by one, where pods must ask for it."""
    by_claim: bool = False
    """A DRA driver: pods get a device by a claim, even where they name a resource."""

    @classmethod
    def called(cls, where: Mapping[str, object]) -> str:  # noqa: D102
        return f"a program that divides cards by {where['layer']}" if where.get("layer") else cls.title


class RuntimeClass(Capability):
    """A RuntimeClass that pods may name."""

    title: ClassVar[str] = "a RuntimeClass"
    gathered: ClassVar[bool] = True

    name: Name
    """Its name, and that of its handler."""
    made: Literal["existing", "runtime", "rendered", "fallback"]
    """`existing`: the cluster has it; `runtime`: a program of the component makes it; `rendered`: the component does,
    unless one of these has it; `fallback`: the component does, where no other one does."""


class NodeWork(Capability):
    """Work on nodes that one component of a stack does, and no second one on the same nodes."""

    title: ClassVar[str] = "work on nodes"
    gathered: ClassVar[bool] = True
    doing: ClassVar[Mapping[str, str]] = {
        "devices": "hand out the same cards, and neither sees the other's pods",
        "labels": "write the labels of the same cards",
        "metrics": "measure the same cards, so that every metric would appear twice",
        "partitions": "cut the same cards by MIG",
        "features": "find the features of nodes, and would own the same CRDs and labels",
    }
    """What two do that do the same work."""
    doer: ClassVar[Mapping[str, str]] = {
        "devices": "a program that hands out NVIDIA's cards",
        "labels": "a program that labels nodes by their cards",
        "metrics": "a program that measures cards",
        "partitions": "a program that cuts cards by MIG",
        "features": "a program that finds the features of nodes",
    }

    work: Literal["devices", "labels", "metrics", "partitions", "features"]
    """Hand out NVIDIA cards; label nodes by them; export their metrics; cut them by MIG; find features of nodes."""
    nodes: str = ""
    """Which nodes it is for, by a word that those who do it share; others keep to other nodes."""
    everywhere: str = ""
    """That it works on all nodes nevertheless: what to write so that it keeps to its own."""
    without: str = ""
    """What to write so that it leaves this work to another, where it can."""

    @classmethod
    def called(cls, where: Mapping[str, object]) -> str:  # noqa: D102
        return cls.doer.get(str(where.get("work")), cls.title)


class NodeLabels(Capability):
    """Labels that a component reads on the nodes of pools: node feature discovery writes them, for GitOps owns no Node.

    Of a component that the cluster has already nothing is written: it does not know what the pools call things.
    """

    title: ClassVar[str] = "labels of nodes"
    gathered: ClassVar[bool] = True

    pools: dict[Name, Labels]
    """Labels by pool."""


class GpuClient(Capability):
    """Pods that hold GPUs permanently and must leave while MIG repartitions the cards."""

    title: ClassVar[str] = "GPU clients"
    gathered: ClassVar[bool] = True

    labels: Labels
    """Labels of the pods."""
    namespace: Name
    """Their namespace."""
    by_node_label: bool = False
    """Their DaemonSet chooses nodes by the label `nvidia.com/gpu.deploy.client`: they are found in any namespace."""


class Fabric(Capability):
    """A part of what pods need to be attached to further networks."""

    title: ClassVar[str] = "a part of the pods' fabric"
    gathered: ClassVar[bool] = True
    doer: ClassVar[Mapping[str, str]] = {
        "attach": "a program that attaches pods to networks",
        "functions": "a program that offers virtual functions",
        "networks": "definitions of the pools' networks",
        "addresses": "a program that gives out addresses",
    }

    part: Literal["attach", "functions", "networks", "addresses"]
    """Attaching networks to pods, offering virtual functions, the networks and what moves a function into a pod, and
    giving out addresses."""
    namespace: Name
    """Where it runs; of `networks` also where their definitions are."""

    @classmethod
    def called(cls, where: Mapping[str, object]) -> str:  # noqa: D102
        return cls.doer.get(str(where.get("part")), cls.title)
