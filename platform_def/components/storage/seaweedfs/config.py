"""What a stack may choose about SeaweedFS, and its releases."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from platform_def.components.storage.seaweedfs.observation import METRICS
from platform_def.config.model import Model, Name
from platform_def.config.secrets import GENERATED, SecretSource
from platform_def.constructs import APACHE, ComponentConfig, Release, Support, Upkeep, Vulnerability, releases

# Its SECURITY.md: fixes land in the newest release. Advisories: those of the repository on GitHub.
_LINE_4 = Upkeep(
    Support.ENDED,
    (
        Vulnerability("CVE-2026-54917", "keys with .. reach other buckets", "4.30"),
        Vulnerability("CVE-2026-58372", "deletions with .. reach other buckets", "4.34"),
        Vulnerability("CVE-2026-72920", "who reaches the filer becomes administrator of S3 without a login", "4.24"),
        Vulnerability("CVE-2026-73080", "who reaches a volume server has it fetch any address", "4.24"),
    ),
)
RELEASES = releases(
    Release(
        "4.34",
        image="ghcr.io/chrislusf/seaweedfs:4.34",
        upkeep=_LINE_4,
        kept="upstream mends its newest release alone, and this one has no known vulnerability",
        exports=(METRICS,),
    ),
    license=APACHE,
)


class Spread(Model):
    """Data on several nodes: three masters, volume servers with a claim each, and a server of names that serves S3."""

    volume_servers: Annotated[int, Field(ge=2, le=100)] = 3
    """Volume servers."""
    copies: Annotated[int, Field(ge=1, le=3)] = 2
    """Copies of each object, on as many volume servers; fixed for objects that exist."""


class SeaweedfsConfig(ComponentConfig):
    """What a stack may choose about SeaweedFS."""

    releases = RELEASES

    namespace: Name = "seaweedfs"
    """Namespace of the store."""
    administrator: SecretSource = GENERATED
    """Where the Secret with the administrator's `accessKey` and `secretKey` comes from; the program reads it at each
    start."""
    spread: Spread | None = None
    """Keep data on several nodes; by default one pod with one claim does everything. Changing it moves no data."""
    minio_service: list[Name] = Field(default_factory=list)
    """Namespaces that get a Service `minio-service` on port 9000, which old pipelines name: `[kubeflow]`."""
