"""What a stack may choose about the model registry, and its release."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from platform_def.config.model import Model, Name
from platform_def.constructs import (
    APACHE,
    CONTROLLER_RUNTIME,
    Access,
    Component,
    ComponentConfig,
    ImageFacts,
    Release,
    SecretSource,
    Support,
    Upkeep,
    releases,
)

HUB = "ghcr.io/kubeflow/hub"
VERSION = "0.3.9"
RELEASES = releases(
    Release(
        VERSION,
        upkeep=Upkeep(Support.CURRENT),  # SECURITY.md: fixes for the two newest minor lines
        image=f"{HUB}/server:v{VERSION}",
        images={
            "ui": f"{HUB}/ui:v{VERSION}",
            # Upstream's manifests name `latest` of these two, which the same workflow tags by release.
            "controller": f"{HUB}/controller:v{VERSION}",
            "storage": f"{HUB}/storage-initializer:v{VERSION}",
        },
        exports=(CONTROLLER_RUNTIME,),
    ),
    license=APACHE,
)
SERVER = ImageFacts(user=65532, read_only=True, source="Dockerfile at v0.3.9: one program and USER 65532")
UI = ImageFacts(
    user=65532, read_only=True, source="clients/ui/Dockerfile at v0.3.9: one program, its pages, USER 65532"
)
CONTROLLER = ImageFacts(runs_as=65532, read_only=True, source="upstream's manager: runAsNonRoot, one program")


class Registry(Model):
    """One registry."""

    title: Annotated[str, Field(max_length=100)] = ""
    """What the pages call it; by default its name."""
    description: Annotated[str, Field(max_length=500)] = ""
    """What the pages say of it."""
    clients: list[Name] | None = None
    """Namespaces whose pods may connect, where the stack asks for network policies; by default that of the team of its
    name, or those of all teams."""


class CatalogSource(Model):
    """Where the catalogue takes models from."""

    name: Annotated[str, Field(min_length=1, max_length=100)]
    """What the pages call it."""
    id: Name
    """Its name in requests."""
    type: Annotated[str, Field(pattern=r"^[a-z]+$", max_length=40)] = "yaml"
    """Kind of source: `yaml` for a file of the catalogue, `hf` for Hugging Face."""
    properties: dict[str, Any] = Field(default_factory=dict)
    """What that kind asks for: `{yamlCatalogPath: models.yaml}`."""
    included: list[str] = Field(default_factory=list)
    """Models to take, with `*` for any text; by default all."""


class Catalog(Model):
    """The catalogue: third-party models that people may take over, one for the whole cluster."""

    enabled: bool | None = None
    """Whether there is one; by default where the stack's SQL server is a PostgreSQL, which it needs."""
    sources: list[CatalogSource] = Field(default_factory=list)
    """Where its models come from."""
    files: dict[str, str] = Field(default_factory=dict)
    """Files that sources of type `yaml` name, by name."""
    hugging_face: SecretSource | None = None
    """Secret with the key `HF_API_KEY`, for sources of type `hf`."""


class ModelRegistryConfig(ComponentConfig):
    """What a stack may choose about the model registry."""

    releases = RELEASES

    namespace: Name = "kubeflow"
    """Namespace of its programs, upstream's."""
    registries: dict[Name, Registry] | None = None
    """The registries by name, each with a database and a path of its own; by default one for each team, called after
    it, or `model-registry` in a stack without teams."""
    access: Access = "people"
    """Who reaches pages and registries at the gateway: `people` who are known there; `everyone` who reaches it;
    `administrators` by port-forward."""
    catalog: Catalog = Catalog.of_defaults()
    """The catalogue."""
    ui: bool = True
    """Whether there are pages."""
    controller: bool | None = None
    """Write down in a registry which InferenceServices serve its models, and let these name models as
    `model-registry://…`; by default where the stack has KServe."""


AnyModelRegistry = Component[ModelRegistryConfig]
"""The component, as its parts see it."""
