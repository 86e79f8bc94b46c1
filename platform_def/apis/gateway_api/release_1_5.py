"""Gateway API 1.5, standard channel: the kinds of 1.6 without what that added."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from platform_def.apis.gateway_api import release_1_6
from platform_def.crds.model import Definition

ADDED = ("TCPRoute", "UDPRoute")
LACKS: Mapping[str, tuple[str, ...]] = {
    "Gateway": (
        "spec.infrastructure.annotations<8",
        "spec.tls.frontend.default.validation.caCertificateRefs<8",
        "spec.tls.frontend.perPort[].tls.validation.caCertificateRefs<8",
    ),
    "TLSRoute": ("spec.hostnames<16",),
}


def _older(newer: Definition) -> Definition:
    made = release_1_6.older(newer, LACKS, "v1.5.1")
    if made.api.kind != "ReferenceGrant":
        return made
    return replace(made, versions=tuple(replace(each, required=()) for each in made.versions))  # not yet its spec


CRDS = tuple(_older(newer) for newer in release_1_6.CRDS if newer.api.kind not in ADDED)
