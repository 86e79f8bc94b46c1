"""Gateway API 1.6, standard channel: the kinds of 1.7 without what that added."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from platform_def.apis.gateway_api import v1
from platform_def.crds.model import Definition

LACKS: Mapping[str, tuple[str, ...]] = {
    "GRPCRoute": ("spec.rules!1",),
    "HTTPRoute": ("spec.rules[].retry", "spec.rules!0"),
}


def older(newer: Definition, lacks: Mapping[str, Iterable[str]], bundle: str) -> Definition:
    """A definition of an older bundle."""
    missing = tuple(lacks.get(newer.api.kind, ()))
    approved = "https://github.com/kubernetes-sigs/gateway-api/pull/4530"
    said = {"gateway.networking.k8s.io/bundle-version": bundle, "api-approved.kubernetes.io": approved}
    versions = tuple(replace(each, lacks=(*each.lacks, *missing)) for each in newer.versions)
    return replace(newer, versions=versions, annotations={**newer.annotations, **said})


CRDS = tuple(older(newer, LACKS, "v1.6.1") for newer in v1.CRDS)
