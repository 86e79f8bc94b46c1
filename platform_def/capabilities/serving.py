"""How models are served, and what runs services that scale to zero without requests."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from platform_def.capabilities.stores import BucketName
from platform_def.config.capability import Capability
from platform_def.config.model import Host, Name, Subdomain

UrlScheme = Literal["http", "https"]


class Serverless(Capability):
    """Knative Serving: services that scale with their requests, to nothing while there are none."""

    title: ClassVar[str] = "Knative Serving"

    domain: Subdomain
    """Domain of its services' hosts."""
    scheme: UrlScheme = "http"
    """How they are reached from outside."""
    ingress_gateway: str
    """Istio Gateway for requests from outside, as `namespace/name`."""
    local_gateway: str
    """Istio Gateway for requests of pods, as `namespace/name`."""
    local_service: Host
    """Host name of the Service in front of that one."""


class RegisteredModels(Capability):
    """MLflow's registry: models whose files lie in a bucket of the stack's object store, and who may serve them."""

    title: ClassVar[str] = "a registry of models with its files in the object store"

    bucket: BucketName
    """Bucket with their files: `mlflow-artifacts:/` is its top."""
    account: Name
    """ServiceAccount in the teams' namespaces that reads it."""
    teams: list[Name] = Field(default_factory=list)
    """Teams that may serve them."""


class ModelServing(Capability):
    """KServe: InferenceServices, and what they need in a team's namespace."""

    title: ClassVar[str] = "model serving by KServe"

    mode: Literal["standard", "knative"]
    """How services that say nothing are run."""
    domain: Subdomain
    """Domain of their hosts, which are `<name>-<namespace>.<domain>`."""
    scheme: UrlScheme = "http"
    """How they are reached from outside."""
    public: bool = True
    """They have hosts at the stack's gateway; otherwise pods of the cluster alone reach them."""
    routes: Annotated[str, Field(pattern=r"^$|^[^/]+/[^/]+$")] = ""
    """Gateway of Gateway API at which HTTPRoutes open them, as `namespace/name`; empty where others do."""
    account: Name | None = None
    """ServiceAccount in each team's namespace that opens the stack's object store."""
    bucket: str = ""
    """Bucket of models in that store."""
    servers: dict[Name, list[str]] = Field(default_factory=dict)
    """Formats of models that each of its servers takes; empty where that is not known."""
    protocols: dict[Name, list[str]] = Field(default_factory=dict)
    """Protocols that each of its servers speaks, its usual one first."""
    as_root: tuple[Name, ...] = ()
    """Those of its servers whose images run as root."""
    llm: bool = False
    """It serves LLMInferenceServices."""
    caches: tuple[Name, ...] = ()
    """Node groups that keep models on their disks."""
