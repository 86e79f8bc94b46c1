"""What a stack says of seldon-core."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from platform_def.components.serving.seldon_core.releases import (
    RELEASES,
    SeldonRelease,
)
from platform_def.config.model import Image, Model, Name, Quantity, Subdomain, conflict
from platform_def.constructs import (
    Component,
    ComponentConfig,
)

Server = Literal[
    "HUGGINGFACE_SERVER",
    "MLFLOW_SERVER",
    "SKLEARN_SERVER",
    "TEMPO_SERVER",
    "TENSORFLOW_SERVER",
    "TRITON_SERVER",
    "XGBOOST_SERVER",
]


Protocol = Literal["seldon", "tensorflow", "v2"]


Uri = Annotated[str, Field(pattern=r"^[a-z0-9]+://\S+$", max_length=1000)]


class Variant(Model):
    """One of the programs that answer for a model."""

    name: Name = "default"
    """Its name."""
    server: Server | None = None
    """Ready-made server, which fetches the model from `uri`."""
    uri: Uri | None = None
    """Where the model is: `s3://models/mnist/1`, `pvc://claim/path`."""
    image: Image | None = None
    """Image with model and server of your own, which speaks Seldon's protocol on the port that it is given."""
    replicas: Annotated[int, Field(ge=0, le=1000)] = 1
    """Its pods."""
    percent: Annotated[int, Field(ge=0, le=100)] | None = None
    """Its share of the requests, where there are several variants; together 100."""
    shadow: bool = False
    """It gets a copy of all requests, and its answers are dropped."""
    pool: Name | None = None
    """Node pool that it runs on."""
    gpus: Annotated[int, Field(ge=0, le=16)] = 0
    """GPUs of each pod."""
    cpu: Quantity = "500m"
    """Cores that each pod's server asks for."""
    memory: Quantity = "1Gi"
    """Memory of each pod's server."""
    env: dict[str, str] = Field(default_factory=dict)
    """Variables of its server."""
    secret: Subdomain | None = None
    """Secret of the namespace whose variables tell how to fetch the model; by default the component's `modelSecret`."""

    @conflict
    def _one_program(self) -> Iterator[ValueError]:
        if (self.server is None) == (self.image is None) or (self.server is None) != (self.uri is None):
            yield ValueError("name a `server` with the `uri` of its model, or an `image`")


class SeldonModel(Model):
    """A model that answers at the gateway."""

    team: Name | None = None
    """Team in whose namespace it runs."""
    namespace: Name | None = None
    """Namespace, where it belongs to no team."""
    protocol: Protocol = "seldon"
    """What is spoken."""
    variants: Annotated[list[Variant], Field(min_length=1, max_length=20)]
    """What answers; several share the requests."""
    timeout_seconds: Annotated[int, Field(ge=1, le=3600)] = 3
    """Longest time of a request; Seldon's default."""

    @conflict
    def _shares(self) -> Iterator[ValueError]:
        if (self.team is None) == (self.namespace is None):
            yield ValueError("name either `team:` or `namespace:`")
        names = [each.name for each in self.variants]
        for twice in dict.fromkeys(name for name in names if names.count(name) > 1):
            yield ValueError(f"variant '{twice}' is listed twice")
        shared = [each for each in self.variants if not each.shadow]
        if not shared:
            yield ValueError("a variant that is no shadow must answer")
        if len(shared) > 1 and sum(each.percent or 0 for each in shared) != 100:
            yield ValueError("the shares of the variants, `percent`, are 100 together")


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
