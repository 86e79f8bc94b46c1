"""Releases of Volcano."""

from __future__ import annotations

from platform_def.constructs import (
    APACHE,
    ImageFacts,
    Release,
    Upkeep,
    releases,
)

IMAGES = "docker.io/volcanosh"
# Kubernetes: the table in upstream's README at the tag.
RELEASES = releases(
    Release(
        "1.15.1",
        kubernetes="1.25-1.35",
        kubernetes_by="upstream",
        upkeep=Upkeep(vulnerabilities=()),  # the last advisory, CVE-2026-44247, is of 1.14.1 and older
        image=f"{IMAGES}/vc-scheduler:v1.15.1",
        images={
            "controllers": f"{IMAGES}/vc-controller-manager:v1.15.1",
            "admission": f"{IMAGES}/vc-webhook-manager:v1.15.1",
        },
    ),
    license=APACHE,
)
FACTS = ImageFacts(
    runs_as=1000,
    read_only=True,
    source="securityContext of upstream's chart and the Dockerfiles at v1.15.1: static programs that write sockets and "
    "dumps to a volume alone; DAC_OVERRIDE, which the chart adds, has no effect for a user other than root",
)
SIGNER_FACTS = ImageFacts(
    runs_as=1000, source="gen-admission-secret.sh at v1.15.1: openssl writes to /tmp, kubectl to the home folder"
)
