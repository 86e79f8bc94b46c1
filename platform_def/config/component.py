"""Settings of every component: release, namespace, placement, workloads, labels, proxy, availability."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal, Protocol

from pydantic import BeforeValidator, Field, JsonValue, field_validator

from platform_def.config.model import Labels, Model, Name, Subdomain, Url, conflict
from platform_def.config.releases.withdrawn import Withdrawn
from platform_def.config.routing import RouteConfig
from platform_def.config.workloads import PodPlacement as PodPlacement
from platform_def.config.workloads import WorkloadConfig

Availability = Literal["standard", "ha"]
CapabilityName = Annotated[str, Field(pattern=r"^[a-z][A-Za-z0-9]*$", max_length=40)]
"""A capability as stack files write it: `sqlDatabase`."""
ApiName = Annotated[str, Field(pattern=r"^[A-Z][A-Za-z0-9]*\.[a-z0-9]([-a-z0-9.]*[a-z0-9])?$", max_length=253)]
"""A custom resource as `Kind.group`: `ServiceMonitor.monitoring.coreos.com`."""


def slug_of(module: str) -> str:
    """Name of the component that a module holds: the module's own, or its folder's where it is called `component`."""
    folder, _, name = module.rpartition(".")
    return (folder.rpartition(".")[2] if name == "component" else name).replace("_", "-")


class Versioned(Protocol):
    """Anything with a version: what a component offers as its releases."""

    @property
    def version(self) -> str: ...  # noqa: D102


class Proxy(Model):
    """The way out for components that call the internet."""

    http: Url | None = None
    """Proxy for plain HTTP, without user and password."""
    https: Url | None = None
    """Proxy for HTTPS, without user and password."""
    no_proxy: list[str] = Field(default_factory=list)
    """Hosts and networks reached directly, next to Services' names and the API server, which always are."""


class ComponentConfig(Model):
    """The knobs that every component has."""

    releases: ClassVar[Sequence[Versioned]] = ()
    """What `release` may name: the default, then the others, newest first."""
    withdrawn: ClassVar[Sequence[Withdrawn]] = ()
    """Releases that `release` could name once, and what to take instead."""
    elsewhere: ClassVar[Mapping[str, str]] = {
        "replicas": "write `workloads: {<workload>: {replicas: …}}`",
        "resources": "write `workloads: {<workload>: {containers: {<container>: {resources: …}}}}`",
        "nodeSelector": "write `placement: {nodeSelector: …}`",
        "tolerations": "write `placement: {tolerations: …}`",
        "env": "write `workloads: {<workload>: {containers: {<container>: {env: …}}}}`",
        "version": "write `release: …`",
    }
    """What people look for here, and what to write instead."""

    component: Name | None = None
    """Component of the catalogue, where this entry has a name of its own: a second one of its kind in the cluster."""
    release: str = ""
    """Upstream version to install; by default the newest that is proven and works with the releases of its partners."""
    namespace: Name = "platform-system"
    """Namespace of the component's objects."""
    placement: PodPlacement = PodPlacement.of_defaults()
    """Where its controllers run; pods that belong to nodes (DaemonSets) stay where the component has them."""
    workloads: dict[Name, WorkloadConfig] = Field(default_factory=dict)
    """What its programs get, by workload and container: replicas, placement, resources, flags, variables, volumes."""
    routing: dict[Name, RouteConfig] = Field(default_factory=dict)
    """What its routes at the gateway get, by route: time limit, CORS, retries, headers, length of bodies."""
    uses: dict[CapabilityName, Name] = Field(default_factory=dict)
    """Who gives it a capability, where the stack has several: `{sqlDatabase: mysql}`; `external` is outside."""
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

    @classmethod
    def model_rebuild(cls, *, _parent_namespace_depth: int = 2, **options: Any) -> bool | None:
        """Pydantic's own, after what all components have: each takes that over and need not make it again."""
        for shared in (PodPlacement, WorkloadConfig, RouteConfig, Proxy):
            shared.model_rebuild()
        return super().model_rebuild(_parent_namespace_depth=_parent_namespace_depth + 1, **options)

    @conflict
    def _known_release(self) -> Iterator[ValueError]:
        for each in self.withdrawn:
            if each.version == self.release:
                raise ValueError(each.refusal())
        versions = [release.version for release in self.releases]
        if self.release and self.release not in versions:
            known = f"; known: {', '.join(versions)}" if versions else ": the component has no releases"
            yield ValueError(f"release '{self.release[:40]}' is not known{known}")

    @property
    def version(self) -> str:
        """The chosen release, or the default one; empty for a component without releases."""
        return self.release or next((release.version for release in self.releases), "")


def _version_or_true(value: object) -> object:
    if value is True or (isinstance(value, str) and re.match(r"v?\d+(\.\d+){0,2}", value)):
        return value
    raise ValueError('write true, or the version that the cluster has, in quotes: "1.19"')


class Provided(Model):
    """A component that the cluster has already: nothing is rendered, its APIs and facts still count."""

    provided: Annotated[str | Literal[True], BeforeValidator(_version_or_true)]
    """Its version in the cluster, or `true` where that is not known."""
    component: Name | None = None
    """Component of the catalogue, where this entry has a name of its own."""
    namespace: Name | None = None
    """The namespace it runs in, where that differs from this tool's default."""
    provides: dict[CapabilityName, dict[str, JsonValue]] = Field(default_factory=dict)
    """What it gives to others, where that differs from what this tool would set up: `{sqlDatabase: {host: …}}`."""


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
    serves: list[ApiName] = Field(default_factory=list)
    """Custom resources that it serves, as `Kind.group`: components use them as if the catalogue had brought them."""
    provides: dict[CapabilityName, dict[str, JsonValue]] = Field(default_factory=dict)
    """What it gives to others: `{objectStore: {endpoint: …}}`."""

    @field_validator("path")
    @classmethod
    def _own_folder(cls, path: str) -> str:
        if path.partition("/")[0] in ("stacks", "overlays", "dist"):
            raise ValueError(f"{path[:80]} is this tool's own: take a folder for your manifests, such as apps/my-app")
        return path
