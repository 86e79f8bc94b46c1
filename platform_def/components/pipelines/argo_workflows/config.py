"""What a stack may choose about Argo Workflows."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from platform_def.components.pipelines.argo_workflows.releases import RELEASES, ArgoRelease
from platform_def.config.model import Model, Name, Subdomain
from platform_def.config.secrets import SecretSource
from platform_def.constructs import Access, Component, ComponentConfig

Days = Annotated[int, Field(ge=1, le=3650)]


class Retention(Model):
    """How many ended workflows stay in the cluster; older ones are deleted, and stay in the archive if there is one."""

    completed: Annotated[int, Field(ge=0)] | None = None
    """Those that succeeded; by default all."""
    failed: Annotated[int, Field(ge=0)] | None = None
    """Those that failed; by default all."""
    errored: Annotated[int, Field(ge=0)] | None = None
    """Those that could not run; by default all."""
    after_hours: Annotated[int, Field(ge=1)] | None = None
    """Hours after its end at which any workflow is deleted that says nothing itself; by default never."""


class Archive(Model):
    """Ended workflows in the stack's SQL database."""

    keep_days: Days | None = None
    """Days for which they are kept; by default for good."""


class WorkflowsUiConfig(Model):
    """The server: interface and API."""

    enabled: bool = True
    """Whether there is one."""
    access: Access | None = None
    """Who reaches it: by default `everyone` at the gateway, where the stack has one, else `administrators` by
    port-forward. The server asks each of them for a token of theirs, or to log in."""
    sso: SecretSource | None = None
    """Secret with the keys `clientId` and `clientSecret`, by which people log in at the stack's identity provider;
    without it they paste a token of Kubernetes."""


class ArgoWorkflowsConfig(ComponentConfig):
    """What a stack may choose about Argo Workflows."""

    releases = RELEASES

    namespace: Name = "argo"
    """Namespace of its programs, upstream's."""
    instance: Name | None = None
    """Serve only workflows with this instance id, which a second controller in one cluster needs."""
    parallelism: Annotated[int, Field(ge=1)] | None = None
    """Workflows that run at once; by default without a limit."""
    team_parallelism: Annotated[int, Field(ge=1)] | None = None
    """Workflows of one namespace that run at once; by default without a limit."""
    account: Name = "workflow"
    """Account in each team's namespace under which workflows run that name none: it may report results, and no more."""
    executors: list[Subdomain] = Field(default_factory=list)
    """Further accounts in teams' namespaces under which workflows may run: they get the same rights, and must
    exist already."""
    claims: bool = False
    """Whether these accounts may also make and delete volume claims in their namespace, as a `VolumeOp` of the v1 SDK
    of Kubeflow Pipelines does. `volumeClaimTemplates` of a workflow need no such right."""
    artifacts: bool | None = None
    """Keep artifacts in the stack's object store; by default where it has one."""
    retention: Retention = Retention.of_defaults()
    """Which ended workflows stay."""
    archive: Archive | None = None
    """Keep ended workflows in the stack's SQL database; by default they are gone when they are deleted."""
    ui: WorkflowsUiConfig = WorkflowsUiConfig.of_defaults()
    """The server."""


AnyArgoWorkflows = Component[ArgoWorkflowsConfig, ArgoRelease]
"""The component, as its parts see it."""
