"""cert-manager 1.19: the kinds of 1.21 without what that added."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from platform_def.apis.cert_manager import v1
from platform_def.crds.model import Api, Definition

SOLVER = ("dns01.azureDNS.zoneType", "waitInsteadOfSelfCheck")
ISSUER = (
    *(f"spec.acme.solvers[].{field}" for field in SOLVER),
    "spec.vault.auth.aws",
    "spec.venafi!",
    "spec.venafi.ngts",
)
LACKS = {
    "Challenge": (*(f"spec.solver.{field}" for field in SOLVER), "status.presentedAt"),
    "Order": ("spec.replaces",),
    "Certificate": ("spec.keystores.pkcs12.profile=Modern2026", "spec.renewal", "status.acme"),
    "ClusterIssuer": ISSUER,
    "Issuer": ISSUER,
}


def _older(newer: Definition) -> Definition:
    api: Api[Any] = newer.api
    return replace(newer, versions=(replace(api, selectable=(), lacks=LACKS.get(api.kind, ()), core="1.34"),))


CRDS = tuple(_older(newer) for newer in v1.CRDS)
