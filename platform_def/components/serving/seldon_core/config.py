"""What a stack says of seldon-core."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from platform_def.components.serving.seldon_core.models import Protocol, SeldonModel, Server
from platform_def.components.serving.seldon_core.releases import (
    RELEASES,
    SeldonRelease,
)
from platform_def.config.model import Image, Name, Subdomain
from platform_def.constructs import (
    Component,
    ComponentConfig,
)


class SeldonCoreConfig(ComponentConfig):
    """What a stack may choose about Seldon Core."""

    releases = RELEASES

    namespace: Name = "seldon-system"
    """Namespace of the controller, upstream's."""
    routes: bool = True
    """Whether the controller writes routes for the stack's gateway; without them models answer inside the cluster."""
    short_paths: bool | None = None
    """Serve models at `/seldon/<name>/` too, not only at `/seldon/<namespace>/<name>/`. Models of two namespaces with
    one name then share requests, so by default only where the stack has at most one team; on Emissary alone."""
    watch_namespace: Name | None = None
    """Serve the SeldonDeployments of this namespace only; by default those of all."""
    default_user: Annotated[int, Field(ge=1, le=2**31 - 1)] = 8888
    """User that containers of models run as where a SeldonDeployment names none."""
    model_secret: Subdomain | None = None
    """Secret, in each namespace with models, whose variables tell rclone how to fetch them; a graph's
    `envSecretRefName` names another."""
    request_log_endpoint: Annotated[str, Field(pattern=r"^https?://\S+$")] = "http://default-broker"
    """Where executors send requests and answers of predictors that ask for a log of them."""
    name_as_prefix: bool = False
    """Name what is made for a SeldonDeployment with its own name in front."""
    servers: dict[Server, dict[Protocol, Image]] = Field(default_factory=dict)
    """Other images of ready-made servers, by implementation and protocol; tag or digest included."""
    models: dict[Annotated[Name, Field(max_length=40)], SeldonModel] = Field(default_factory=dict)
    """Models that the stack serves, by name; others may make SeldonDeployments of their own."""


AnySeldonCore = Component[SeldonCoreConfig, SeldonRelease]
"""The component, as its parts see it."""


def servers_of(release: SeldonRelease, config: SeldonCoreConfig, server: str) -> dict[str, str]:
    """Images of a ready-made server by protocol: the release's, and the stack's own."""
    own = next((images for name, images in config.servers.items() if name == server), {})
    return {**release.servers[server], **{str(protocol): str(image) for protocol, image in own.items()}}
