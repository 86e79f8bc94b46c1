"""Core types of api.policy.v1, written by `generate.py`."""

# ruff: noqa: D101

from __future__ import annotations

from platform_def.apis.core import meta_v1
from platform_def.crds.model import Api
from platform_def.crds.schema import IntOrString
from platform_def.crds.typed_dict import TypedDict


class PodDisruptionBudgetSpec(TypedDict, total=False):
    maxUnavailable: IntOrString
    minAvailable: IntOrString
    selector: meta_v1.LabelSelector
    unhealthyPodEvictionPolicy: str


POD_DISRUPTION_BUDGET = Api(
    group="policy",
    version="v1",
    kind="PodDisruptionBudget",
    plural="poddisruptionbudgets",
    spec=PodDisruptionBudgetSpec,
    builtin=True,
)
