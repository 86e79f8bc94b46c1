"""Node feature discovery 0.19 (nfd.k8s-sigs.io): what nodes have, and rules that turn it into labels."""
# ruff: noqa: D101

from __future__ import annotations

from typing import Annotated, Literal, Required, TypedDict

from platform_def.apis.model import Api, Definition
from platform_def.apis.schema import EmptyObject, ListMap, Time


class Attribute(TypedDict, total=False):
    elements: Required[dict[str, str]]


class FeaturesFlag(TypedDict, total=False):
    elements: Required[dict[str, EmptyObject]]


class Element(TypedDict, total=False):
    attributes: Required[dict[str, str]]


class Instance(TypedDict, total=False):
    elements: Required[list[Element]]


class Features(TypedDict, total=False):
    attributes: dict[str, Attribute]
    flags: dict[str, FeaturesFlag]
    instances: dict[str, Instance]


class NodeFeatureSpec(TypedDict, total=False):
    features: Features
    labels: dict[str, str]


class MatchExpression(TypedDict, total=False):
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
    type: str
    value: list[str]


class MatchFeature(TypedDict, total=False):
    feature: Required[str]
    matchExpressions: dict[str, MatchExpression]
    matchName: MatchExpression


class MatchAny(TypedDict, total=False):
    matchFeatures: Required[list[MatchFeature]]


class FeatureGroupRule(TypedDict, total=False):
    matchAny: list[MatchAny]
    matchFeatures: list[MatchFeature]
    name: Required[str]
    vars: dict[str, str]
    varsTemplate: str


class NodeFeatureGroupSpec(TypedDict, total=False):
    featureGroupRules: Required[list[FeatureGroupRule]]


class GroupNode(TypedDict, total=False):
    name: Required[str]


class NodeFeatureGroupStatus(TypedDict, total=False):
    nodes: Annotated[list[GroupNode], ListMap("name")]


class Taint(TypedDict, total=False):
    effect: Required[str]
    key: Required[str]
    timeAdded: Time
    value: str


class Rule(TypedDict, total=False):
    annotations: dict[str, str]
    extendedResources: dict[str, str]
    labels: dict[str, str]
    labelsTemplate: str
    matchAny: list[MatchAny]
    matchFeatures: list[MatchFeature]
    name: Required[str]
    taints: list[Taint]
    vars: dict[str, str]
    varsTemplate: str


class NodeFeatureRuleSpec(TypedDict, total=False):
    rules: Required[list[Rule]]


NODE_FEATURE = Api(
    group="nfd.k8s-sigs.io",
    version="v1alpha1",
    kind="NodeFeature",
    plural="nodefeatures",
    spec=NodeFeatureSpec,
    required=("spec",),
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
)

NODE_FEATURE_RULE = Api(
    group="nfd.k8s-sigs.io",
    version="v1alpha1",
    kind="NodeFeatureRule",
    plural="nodefeaturerules",
    namespaced=False,
    spec=NodeFeatureRuleSpec,
    required=("spec",),
)

CRDS = (
    Definition((NODE_FEATURE,)),
    Definition((NODE_FEATURE_GROUP,), short_names=("nfg",)),
    Definition((NODE_FEATURE_RULE,), short_names=("nfr",)),
)
