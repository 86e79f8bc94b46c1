"""Bounds and kinds of autoscalers that their operators refuse.

Facts: KServe 0.20 (pkg/apis/serving/v1beta1/component.go: validateReplicas, where a maximum of 0 is none;
inference_service_validation.go: validateInferenceServiceAutoscaler), KEDA 2.20
(apis/keda/v1alpha1/scaledobject_types.go: CheckReplicaCountBoundsAreValid; of the maximum a rule of the CRD says it).
"""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.checks.fault import Fault
from platform_def.errors import nearest
from platform_def.manifests.loose import at, mapping
from platform_def.manifests.rendered import Manifest

_CLASS = "serving.kserve.io/autoscalerClass"
_CLASSES = ("hpa", "keda", "external", "none")
_COMPONENTS = ("predictor", "transformer", "explainer")


def of_inference_service(manifest: Manifest) -> Iterator[Fault]:
    """An InferenceService of KServe."""
    chosen = mapping(at(manifest, "metadata.annotations")).get(_CLASS)
    if isinstance(chosen, str) and chosen not in _CLASSES:
        said = f"'{chosen[:40]}' is no autoscaler that KServe knows: its webhook refuses the object"
        yield Fault(f'metadata.annotations["{_CLASS}"]', said, nearest(chosen, _CLASSES))
    for name in _COMPONENTS:
        part = mapping(at(manifest, f"spec.{name}"))
        least, most = part.get("minReplicas"), part.get("maxReplicas")
        if isinstance(least, int) and isinstance(most, int) and most and least > most:
            said = f"{least} is more than maxReplicas, {most}: KServe's webhook refuses it"
            yield Fault(f"spec.{name}.minReplicas", said, f"write at most {most}, or raise maxReplicas")


def of_scaled_object(manifest: Manifest) -> Iterator[Fault]:
    """A ScaledObject of KEDA."""
    spec = mapping(manifest.get("spec"))
    least, idle = spec.get("minReplicaCount"), spec.get("idleReplicaCount")
    # KEDA reads a minimum of 0 as 1 here, and none as 0.
    least = max(least, 1) if isinstance(least, int) else 0
    if isinstance(idle, int) and idle >= least:
        said = f"{idle} is not less than minReplicaCount, {least}: KEDA's webhook refuses it"
        yield Fault("spec.idleReplicaCount", said, "write 0, and minReplicaCount 1 or more")
