"""Istio 1.30: the kinds of 1.31 without what that added."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import chain

from platform_def.apis.istio import extensions_v1alpha1, networking_rest_v1, networking_v1, security_v1, telemetry_v1
from platform_def.crds.model import Definition

PINGS = "http.http2KeepAlive"
TRAFFIC = ("spec.trafficPolicy", "spec.subsets[].trafficPolicy")
PORTS = tuple(f"{each}.portLevelSettings[]" for each in TRAFFIC)

LACKS: Mapping[str, tuple[str, ...]] = {
    "DestinationRule": (
        *(f"{each}.retryBudget.budgetInterval" for each in TRAFFIC),
        *(
            f"{each}.{field}"
            for each in (*TRAFFIC, *PORTS)
            for field in (
                f"connectionPool.{PINGS}",
                "loadBalancer.zoneAwareLbSetting",
                "outlierDetection.outlierDetectionHttpErrorCodes",
            )
        ),
    ),
    "EnvoyFilter": ("spec.configPatches[].patch.operation=MERGE_AND_REPLACE_LIST",),
    "Gateway": ("spec.servers[].tls.insecureSkipVerify",),
    "Sidecar": (
        "spec.ingress[].tls.insecureSkipVerify",
        f"spec.ingress[].connectionPool.{PINGS}",
        f"spec.inboundConnectionPool.{PINGS}",
    ),
    "VirtualService": ("spec.http[].redirect.prefixRewrite",),
}


def _older(newer: Definition) -> Definition:
    lacks = LACKS.get(newer.api.kind)
    if lacks is None:
        return newer
    return replace(newer, versions=tuple(replace(each, lacks=(*each.lacks, *lacks)) for each in newer.versions))


CRDS = tuple(
    map(
        _older,
        chain(
            networking_v1.CRDS,
            networking_rest_v1.CRDS,
            security_v1.CRDS,
            telemetry_v1.CRDS,
            extensions_v1alpha1.CRDS,
        ),
    )
)
