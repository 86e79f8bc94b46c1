"""FlyteWorkflow (flyte.lyft.com): compiled workflows under way, which Flyte's admin writes and its propeller runs.

Upstream's CRD has no schema: unknown fields are kept.
"""

from __future__ import annotations

from platform_def.crds.model import Api, Definition
from platform_def.crds.schema import Shape

FLYTE_WORKFLOW = Api(
    group="flyte.lyft.com",
    version="v1alpha1",
    kind="FlyteWorkflow",
    plural="flyteworkflows",
    spec=dict[str, object],
    rules=(Shape({"type": "object", "x-kubernetes-preserve-unknown-fields": True}),),
    doc="A compiled workflow under way; Flyte's admin writes it.",
)

CRDS = (Definition((FLYTE_WORKFLOW,), short_names=("fly",)),)
