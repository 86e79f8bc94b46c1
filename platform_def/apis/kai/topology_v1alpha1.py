"""KAI 0.17 (kai.scheduler): levels of the network between nodes."""

from __future__ import annotations

from typing import Annotated, Required

from platform_def.crds.model import Api, Definition
from platform_def.crds.schema import Cel, ListType, MaxItems, MaxLength, MinItems, MinLength, Pattern
from platform_def.crds.typed_dict import TypedDict

LevelName = Annotated[
    str,
    MaxLength(316),
    MinLength(1),
    Pattern(
        r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
    ),
]


class Level(TypedDict, total=False):
    """A level, such as racks."""

    alias: LevelName
    """Another name of the level, by which workloads may name it; unique in the topology."""
    nodeLabel: Required[LevelName]
    """Label of nodes whose value says where in this level they are."""


class TopologySpec(TypedDict, total=False):
    """Levels of a network; workloads ask by annotation to stay within one of them."""

    levels: Required[
        Annotated[
            list[Level],
            MaxItems(16),
            MinItems(1),
            ListType("atomic"),
            Cel(
                "self.map(l, l.nodeLabel) == oldSelf.map(l, l.nodeLabel)",
                "labels of levels cannot be changed, only their aliases",
            ),
            Cel(
                "size(self.filter(i, size(self.filter(j, j.nodeLabel == i.nodeLabel)) > 1)) == 0",
                "each level has a label of its own",
            ),
            Cel(
                "size(self.filter(i, i.nodeLabel == 'kubernetes.io/hostname')) == 0 || "
                "self[size(self) - 1].nodeLabel == 'kubernetes.io/hostname'",
                "kubernetes.io/hostname is the lowest level or none",
            ),
        ]
    ]
    """The widest first."""


TOPOLOGY = Api(
    group="kai.scheduler",
    version="v1alpha1",
    kind="Topology",
    plural="topologies",
    namespaced=False,
    spec=TopologySpec,
    required=("spec",),
    doc="Levels of the network between nodes, for KAI.",
)

CRDS = (Definition((TOPOLOGY,)),)
