"""What every component may be told: release, namespace, placement, resources, labels, proxy, availability."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal, Protocol, Self

from pydantic import Field, model_validator

from platform_def.config.model import Labels, Model, Name, Quantity, Subdomain, Url
from platform_def.config.pools import Taint

Availability = Literal["standard", "ha"]


class Versioned(Protocol):
    """Anything with a version: what a component offers as its releases."""

    @property
    def version(self) -> str: ...  # noqa: D102


class Toleration(Taint):
    """A taint that the component's pods bear."""


class Placement(Model):
    """Where the component's pods run."""

    node_selector: Labels = Field(default_factory=dict)
    """Labels that a node must carry."""
    tolerations: list[Toleration] = Field(default_factory=list)
    """Taints that do not keep the pods away, as `key=value:NoSchedule`."""


class ResourceAmounts(Model):
    """Amounts of one container."""

    cpu: Quantity | None = None
    memory: Quantity | None = None
    ephemeral_storage: Quantity | None = None

    def plain(self) -> dict[str, str]:
        """As a container's `requests` or `limits`."""
        amounts = {"cpu": self.cpu, "memory": self.memory, "ephemeral-storage": self.ephemeral_storage}
        return {name: amount for name, amount in amounts.items() if amount is not None}


class ContainerResources(Model):
    """Requests and limits of one container; what is left out keeps the component's default."""

    requests: ResourceAmounts = ResourceAmounts()
    limits: ResourceAmounts = ResourceAmounts()


class Proxy(Model):
    """The way out for components that call the internet."""

    http: Url | None = None
    """Proxy for plain HTTP, without user and password."""
    https: Url | None = None
    """Proxy for HTTPS, without user and password."""
    no_proxy: list[str] = Field(default_factory=list)
    """Hosts and networks reached directly, beside the cluster's own."""


class ComponentConfig(Model):
    """The knobs that every component has."""

    releases: ClassVar[Sequence[Versioned]] = ()
    """What `release` may name, newest first; the first is the default."""

    release: str = ""
    """Upstream version to install; by default the newest that this tool knows."""
    namespace: Name = "platform-system"
    """Namespace of the component's objects."""
    placement: Placement = Placement()
    """Where its controllers run."""
    resources: dict[str, ContainerResources] = Field(default_factory=dict)
    """Requests and limits by container name."""
    labels: Labels = Field(default_factory=dict)
    """Labels added to every object of the component, never to selectors."""
    annotations: dict[str, str] = Field(default_factory=dict)
    """Annotations added to every object of the component."""
    proxy: Proxy | None = None
    """Proxy variables for its containers."""
    ca_bundle: Subdomain | None = None
    """ConfigMap (key `ca.crt`) in its namespace with private authorities, mounted where the component calls out."""
    availability: Availability | None = None
    """`ha`: replicas, disruption budgets and spread; by default the stack's."""

    @model_validator(mode="after")
    def _known_release(self) -> Self:
        versions = [release.version for release in self.releases]
        if self.release and self.release not in versions:
            known = f"; known: {', '.join(versions)}" if versions else ": the component has no releases"
            raise ValueError(f"release '{self.release[:40]}' is not known{known}")
        return self

    @property
    def version(self) -> str:
        """The chosen release, or the default one; empty for a component without releases."""
        return self.release or next((release.version for release in self.releases), "")


class Provided(Model):
    """A component that the cluster has already: nothing is rendered, its APIs and facts still count."""

    provided: Annotated[str, Field(pattern=r"^v?\d+(\.\d+){0,2}.*$")] | Literal[True]
    """Its version in the cluster, or `true` where that is not known."""
    namespace: Name | None = None
    """The namespace it runs in, where that differs from this tool's default."""


class Application(Model):
    """A component of the user's own: a folder of plain YAML, or a kustomization, in their repository."""

    path: Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*$")]
    """The folder, relative to the repository's root (`apps/my-app`)."""
    namespace: Name | None = None
    """Namespace of objects that name none."""
    requires: list[Name] = Field(default_factory=list)
    """Components that must be ready before it."""
    pod_security: Literal["privileged", "baseline", "restricted"] = "baseline"
    """Pod Security level of that namespace."""
