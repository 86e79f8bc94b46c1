"""Releases of Kubeflow Pipelines: images of its programs, and of what they start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from platform_def.components.pipelines.kfp.observation import METRICS
from platform_def.constructs import (
    APACHE,
    Release,
    Support,
    Upkeep,
    Vulnerability,
    releases,
)

_KFP = "ghcr.io/kubeflow/kfp-"
ML_METADATA = "gcr.io/tfx-oss-public/ml_metadata_store_server"
WAIT = "docker.io/alpine:3.23"
"""Waits for a server before a program starts."""
CACHED = "ghcr.io/containerd/busybox:1.36"
"""What a step of a v1 pipeline runs whose outputs are taken from the cache."""
TENSORBOARD = "docker.io/tensorflow/tensorflow:2.20.0"
"""What a viewer of an output runs."""


@dataclass(frozen=True, kw_only=True)
class KfpRelease(Release):
    """What differs between releases, as data."""

    tag: str = ""
    metadata: str = ""
    """Version of ML Metadata's store."""
    programs: ClassVar[tuple[str, ...]] = (
        "frontend",
        "persistence-agent",
        "scheduled-workflow-controller",
        "viewer-crd-controller",
        "visualization-server",
        "cache-server",
        "metadata-envoy",
        "metadata-writer",
    )

    def of(self, program: str) -> str:
        """The image of one of its programs: `frontend`."""
        return f"{_KFP}{program}:{self.tag}"

    @property
    def store(self) -> str:
        """The image of ML Metadata's store."""
        return f"{ML_METADATA}:{self.metadata}"


# SECURITY.md: fixes for the two newest minor lines. Advisories: github.com/kubeflow/pipelines/security/advisories, and
# the notes of 2.18.0 and 2.18.1, which name no patch of 2.17 with the fixes.
_LINE_2_17 = Upkeep(
    Support.CURRENT,
    (
        Vulnerability("CVE-2026-54745", "anyone who reaches the interface sends requests in the cluster", "2.17.0"),
        Vulnerability("CVE-2026-77596", "a team adds versions to pipelines that all teams share", "2.18.0"),
        Vulnerability("CVE-2026-88980", "anyone who reaches the interface has it fetch any address", "2.18.0"),
        Vulnerability("CVE-2026-88981", "anyone who reaches the interface has it ask any artifact store", "2.18.0"),
        Vulnerability("CVE-2026-88982", "with v1 pipelines a team gives others false outputs by the cache", "2.18.0"),
        Vulnerability("GHSA-j53r-x5f5-j4hr", "people of one team reach the metadata of all teams", "2.18.1"),
    ),
)
_KEPT = "the rights and settings of 2.18 are not known here; its page says how to keep attackers away"


def _release(version: str, kubernetes: str, *, metadata: str, argo: str) -> KfpRelease:
    of = {each: f"{_KFP}{each}:{version}" for each in KfpRelease.programs}
    return KfpRelease(
        version,
        kubernetes=kubernetes,
        upkeep=_LINE_2_17,
        kept=_KEPT,
        image=f"{_KFP}api-server:{version}",
        tag=version,
        metadata=metadata,
        images={**of, "metadata-store": f"{ML_METADATA}:{metadata}", "wait": WAIT},
        runtime_images=(f"{_KFP}driver:{version}", f"{_KFP}launcher:{version}", CACHED, TENSORBOARD),
        needs={"argo-workflows": argo},
        exports=(METRICS,),
    )


RELEASES = releases(
    _release("2.17.0", "1.29-1.36", metadata="1.14.0", argo=">=3.7,<4.1"),
    license=APACHE,
)
"""Upstream tests it with Argo Workflows 4.0.5, and says that 3.7 and 4.0 serve."""
