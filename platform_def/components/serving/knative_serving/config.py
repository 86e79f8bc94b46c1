"""What a stack says of knative-serving."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from platform_def.components.serving.entry import (
    EntryConfig,
)
from platform_def.components.serving.knative_serving.releases import RELEASES, KnativeRelease
from platform_def.config.model import Name, Subdomain
from platform_def.constructs import (
    Component,
)

Switch = Literal["enabled", "disabled", "allowed"]


Seconds = Annotated[int, Field(ge=1, le=86400)]
Host = Annotated[str, Field(pattern=r"^[a-z0-9.-]+(:[0-9]+)?$", max_length=253)]


class KnativeServingConfig(EntryConfig):
    """What a stack may choose about Knative Serving."""

    releases = RELEASES

    namespace: Name = "knative-serving"
    """Namespace of its programs, upstream's."""
    scale_to_zero: bool = True
    """Services without requests have no pods, unless they say otherwise."""
    timeout_seconds: Seconds = 300
    """How long a request may take where the service does not say."""
    most_timeout_seconds: Seconds = 3600
    """The most that a service may say; long answers of language models need more than Knative's own 600."""
    progress_seconds: Seconds = 1800
    """How long a revision may take to become ready: large images and models need more than Knative's own 600."""
    features: dict[Annotated[str, Field(pattern=r"^[a-z0-9.-]+$")], Switch] = Field(default_factory=dict)
    """Knative's feature flags, `{kubernetes.podspec-hostnetwork: enabled}`; what GPUs and claims need is on."""
    skip_tag_resolving: list[Host] = Field(default_factory=list)
    """Registries that it does not ask for digests of tags, besides the stack's mirror: `registry.example.com:5000`."""
    mapped_hosts: list[Subdomain] = Field(default_factory=list)
    """Further hosts that the gateway takes requests for, which DomainMappings lead to services."""


AnyKnativeServing = Component[KnativeServingConfig, KnativeRelease]
"""The component, as its parts see it."""
