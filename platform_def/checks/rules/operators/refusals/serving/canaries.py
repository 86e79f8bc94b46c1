"""Canaries of KServe's InferenceServices to which no requests come.

Facts: KServe 0.20 reads `canaryTrafficPercent` in Knative mode alone (reconcilers/knative/ksvc_reconciler.go). In
Standard mode it starts what `canary` lists, with a Service each, and its own route leads to the predictor alone.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import NamedTuple

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.given import model_servings
from platform_def.manifests.loose import at, items, mapping
from platform_def.manifests.rendered import Manifest, RenderedObject

_MODE = "serving.kserve.io/deploymentMode"
_STANDARD: Mapping[str, bool] = {"Standard": True, "RawDeployment": True, "Knative": False, "Serverless": False}
_COMPONENTS = ("predictor", "transformer", "explainer")


class _Given(NamedTuple):
    """What is known of the stack."""

    standard: bool = False
    """Whether services that say nothing run without Knative."""
    sure: bool = True
    """Whether all routes are known."""
    routed: frozenset[tuple[str, str]] = frozenset()
    """Services to which another object leads, as namespace and name."""


def reads(context: Context, item: RenderedObject) -> Hashable:
    """How models run, and the Services that objects of other kinds name; little for a service without canaries."""
    if not _is_canary(item.manifest):
        return _Given()
    modes = {each.value.mode for each in model_servings(context)}
    return _Given(modes == {"standard"}, not context.stack.foreign, context.once(_routed))


def _routed(context: Context) -> frozenset[tuple[str, str]]:
    names = (name for item in context.own for name in item.links.names)
    return frozenset((name.namespace, name.name) for name in names if (name.group, name.kind) == ("", "Service"))


def _is_canary(manifest: Manifest) -> bool:
    spec = mapping(manifest.get("spec"))
    return "canary" in spec or any("canaryTrafficPercent" in mapping(spec.get(name)) for name in _COMPONENTS)


def of_inference_service(manifest: Manifest, given: Hashable) -> Iterator[Fault]:
    """An InferenceService that runs without Knative."""
    assert isinstance(given, _Given)
    metadata, spec = mapping(manifest.get("metadata")), mapping(manifest.get("spec"))
    if not _STANDARD.get(str(mapping(metadata.get("annotations")).get(_MODE)), given.standard):
        return
    for name in _COMPONENTS:
        if "canaryTrafficPercent" in mapping(spec.get(name)):
            text = "is read with Knative alone: here all requests go to the changed model"
            hint = "leave it out, and list the other model under `canary`"
            yield Fault(f"spec.{name}.canaryTrafficPercent", text, hint)
    for index, canary in enumerate(map(mapping, items(spec.get("canary")))):
        service = f"{metadata.get('name')}-{at(canary, 'predictor.name')}-predictor"
        if canary.get("trafficPercent") and (metadata.get("namespace", ""), service) not in given.routed:
            text = f"no route leads to Service {service}: KServe's own leads to the predictor alone"
            hint = f"share requests by a route of your own, an HTTPRoute with {service} as a backend"
            yield Fault(f"spec.canary[{index}].trafficPercent", text, hint, None if given.sure else "warning")
