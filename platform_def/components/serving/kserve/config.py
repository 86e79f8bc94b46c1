"""What a stack says of kserve."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from platform_def.capabilities import Serverless
from platform_def.components.serving.entry import EntryConfig
from platform_def.components.serving.kserve.releases import RELEASES, KserveRelease
from platform_def.config.model import Image, Model, Name, Quantity, Url
from platform_def.config.storage.entries import HostFolder
from platform_def.constructs import (
    Component,
    Setting,
)


class CachesConfig(Model):
    """Models that nodes keep on their disks."""

    pools: Annotated[list[Name], Field(min_length=1)]
    """Node pools whose nodes keep models; each is a node group of its name, which caches name."""
    size: Quantity = "100Gi"
    """Room for models on each node."""
    folder: HostFolder = "/models"
    """Folder on the nodes."""
    job_namespace: Name = "kserve-localmodel-jobs"
    """Namespace of the jobs that download models of caches for the whole cluster."""


class LlmServicesConfig(Model):
    """Language models as LLMInferenceServices."""

    images: dict[str, Image] = Field(default_factory=dict)
    """Other images by role: `server` (vLLM), `picker`, `tokenizer`, `disaggregation`."""
    traces: Annotated[str, Field(pattern=r"^https?://[^\s]+$")] | None = None
    """Collector of OpenTelemetry that gets traces of requests; without one there is no preset for them."""
    traced_percent: Annotated[int, Field(ge=0, le=100)] = 5
    """How many requests in a hundred are traced."""


class ServerChoice(Model):
    """One of KServe's servers."""

    enabled: bool = True
    """Whether InferenceServices may use it."""
    image: Image | None = None
    """Its image; by default the release's."""


class KserveConfig(EntryConfig):
    """What a stack may choose about KServe."""

    releases = RELEASES

    namespace: Name = "kserve"
    """Namespace of its programs, upstream's."""
    mode: Literal["standard", "knative"] | None = None
    """How InferenceServices that say nothing are run: `standard`, as Deployments; `knative`, as services of Knative
    that scale to zero without requests. By default Knative's where the stack has it."""
    servers: dict[Name, ServerChoice] = Field(default_factory=dict)
    """Changes to its servers (ClusterServingRuntimes) by name: another image, or none at all."""
    caches: CachesConfig | None = None
    """Models that nodes keep on their disks; by default every pod fetches its model."""
    llm: LlmServicesConfig | None = None
    """Serve language models as LLMInferenceServices: `{}` turns it on."""
    log_receiver: Url | None = None
    """Where InferenceServices that log post requests to, as CloudEvents; without one each must name its own."""
    service_account_tokens: bool = True
    """Mount the account's token into pods of models, as upstream does; KServe's own servers do not need it."""


AnyKserve = Component[KserveConfig, KserveRelease]
"""The component, as its parts see it."""


def mode_of(at: Setting[KserveConfig]) -> Literal["standard", "knative"]:
    """How InferenceServices that say nothing are run."""
    return at.config.mode or ("knative" if at.maybe(Serverless) else "standard")
