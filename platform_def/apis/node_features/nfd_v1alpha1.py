"""Node feature discovery 0.19 (nfd.k8s-sigs.io): what nodes have, and rules that turn it into labels."""

from __future__ import annotations

from typing import Annotated, Literal, Required

from platform_def.crds.model import Api, Definition
from platform_def.crds.schema import EmptyObject, ListMap, Time
from platform_def.crds.typed_dict import TypedDict


class Attribute(TypedDict, total=False):
    """Features with values."""

    elements: Required[dict[str, str]]
    """Value by name."""


class FeaturesFlag(TypedDict, total=False):
    """Features that are there or not."""

    elements: Required[dict[str, EmptyObject]]
    """Those that are there."""


class Element(TypedDict, total=False):
    """One of several alike, such as a PCI device."""

    attributes: Required[dict[str, str]]
    """Value by name."""


class Instance(TypedDict, total=False):
    """Features that there may be several of."""

    elements: Required[list[Element]]
    """Each of them."""


class Features(TypedDict, total=False):
    """What a node has, by domain and name of the feature (kernel.version, pci.device)."""

    attributes: dict[str, Attribute]
    """Features with values."""
    flags: dict[str, FeaturesFlag]
    """Features that are there or not."""
    instances: dict[str, Instance]
    """Features that there may be several of."""


class NodeFeatureSpec(TypedDict, total=False):
    """What a node has; workers of NFD write it, and others may."""

    features: Features
    """What the node has."""
    labels: dict[str, str]
    """Labels for the node."""


class MatchExpression(TypedDict, total=False):
    """A condition on a value."""

    op: Required[
        Literal[
            "In",
            "NotIn",
            "InRegexp",
            "Exists",
            "DoesNotExist",
            "Gt",
            "Ge",
            "Lt",
            "Le",
            "GtLt",
            "GeLe",
            "IsTrue",
            "IsFalse",
        ]
    ]
    """In, NotIn, Exists, Gt, IsTrue …: how the value is compared."""
    type: str
    """How values are compared for order, such as version; as numbers if left out."""
    value: list[str]
    """What it is compared with."""


class MatchFeature(TypedDict, total=False):
    """Conditions on one feature."""

    feature: Required[str]
    """The feature, by domain and name: kernel.version, pci.device, cpu.cpuid …."""
    matchExpressions: dict[str, MatchExpression]
    """Conditions by name of the value; all hold of one and the same device."""
    matchName: MatchExpression
    """Condition on the names themselves."""


class MatchAny(TypedDict, total=False):
    """One way to match."""

    matchFeatures: Required[list[MatchFeature]]
    """Conditions that all hold."""


class FeatureGroupRule(TypedDict, total=False):
    """Which nodes are of a group."""

    matchAny: list[MatchAny]
    """Ways to match, one of which is enough."""
    matchFeatures: list[MatchFeature]
    """Conditions that all hold, beside matchAny."""
    name: Required[str]
    """Name of the rule."""
    vars: dict[str, str]
    """Values that later rules may ask for, as features of rule.matched."""
    varsTemplate: str
    """The same from a Go template on what matched."""


class NodeFeatureGroupSpec(TypedDict, total=False):
    """Nodes that have something in common; they are listed in its status."""

    featureGroupRules: Required[list[FeatureGroupRule]]
    """Which nodes: those that one of the rules matches."""


class GroupNode(TypedDict, total=False):
    """A node of the group."""

    name: Required[str]


class NodeFeatureGroupStatus(TypedDict, total=False):
    """What NFD reports."""

    nodes: Annotated[list[GroupNode], ListMap("name")]


class Taint(TypedDict, total=False):
    """A taint for nodes."""

    effect: Required[str]
    """NoSchedule, PreferNoSchedule or NoExecute."""
    key: Required[str]
    """Key of the taint; of a domain that NFD may use."""
    timeAdded: Time
    """Not used."""
    value: str
    """Value of the taint."""


class Rule(TypedDict, total=False):
    """What nodes get that have something."""

    annotations: dict[str, str]
    """Annotations that they get."""
    extendedResources: dict[str, str]
    """Resources that they offer, by name."""
    labels: dict[str, str]
    """Labels that they get; without a domain, in feature.node.kubernetes.io."""
    labelsTemplate: str
    """Labels from a Go template on what matched, one a line."""
    matchAny: list[MatchAny]
    """Ways to match, one of which is enough."""
    matchFeatures: list[MatchFeature]
    """Conditions that all hold, beside matchAny."""
    name: Required[str]
    """Name of the rule."""
    taints: list[Taint]
    """Taints that they get, where NFD's master allows it."""
    vars: dict[str, str]
    """Values that later rules may ask for, as features of rule.matched."""
    varsTemplate: str
    """The same from a Go template on what matched."""


class NodeFeatureRuleSpec(TypedDict, total=False):
    """Rules that turn what nodes have into labels, taints and resources."""

    rules: Required[list[Rule]]
    """The rules, in their order."""


NODE_FEATURE = Api(
    group="nfd.k8s-sigs.io",
    version="v1alpha1",
    kind="NodeFeature",
    plural="nodefeatures",
    spec=NodeFeatureSpec,
    required=("spec",),
    doc="What a node has; workers of NFD write it, and others may.",
)

NODE_FEATURE_GROUP = Api(
    group="nfd.k8s-sigs.io",
    version="v1alpha1",
    kind="NodeFeatureGroup",
    plural="nodefeaturegroups",
    spec=NodeFeatureGroupSpec,
    status=NodeFeatureGroupStatus,
    required=("spec",),
    status_subresource=True,
    doc="Nodes that have something in common; they are listed in its status.",
)

NODE_FEATURE_RULE = Api(
    group="nfd.k8s-sigs.io",
    version="v1alpha1",
    kind="NodeFeatureRule",
    plural="nodefeaturerules",
    namespaced=False,
    spec=NodeFeatureRuleSpec,
    required=("spec",),
    doc="Rules that turn what nodes have into labels, taints and resources.",
)

CRDS = (
    Definition((NODE_FEATURE,)),
    Definition((NODE_FEATURE_GROUP,), short_names=("nfg",)),
    Definition((NODE_FEATURE_RULE,), short_names=("nfr",)),
)
