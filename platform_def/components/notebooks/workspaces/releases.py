"""Releases of workspaces, and what is known of their images."""

from __future__ import annotations

from dataclasses import dataclass

from platform_def.constructs import APACHE, CONTROLLER_RUNTIME, ImageFacts, Release, releases


@dataclass(frozen=True, kw_only=True)
class WorkspacesRelease(Release):
    """The controller's image is `image`."""

    backend: str
    frontend: str


_IMAGES = "ghcr.io/kubeflow/notebooks"
RELEASES = releases(
    WorkspacesRelease(
        "2.0.0-beta.0",
        image=f"{_IMAGES}/workspaces-controller:v2.0.0-beta.0",
        backend=f"{_IMAGES}/workspaces-backend:v2.0.0-beta.0",
        frontend=f"{_IMAGES}/workspaces-frontend:v2.0.0-beta.0",
        kubernetes="1.31-1.37",
        exports=(CONTROLLER_RUNTIME,),
    ),
    license=APACHE,
)
CONTROLLER = ImageFacts(user=65532, read_only=True, source="workspaces/controller/Dockerfile at v2.0.0-beta.0")
BACKEND = ImageFacts(user=65532, read_only=True, source="workspaces/backend/Dockerfile at v2.0.0-beta.0: distroless")
