"""What a stack may choose about Kubeflow Pipelines."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from platform_def.components.pipelines.kfp.releases import RELEASES, KfpRelease
from platform_def.config.model import Model, Name
from platform_def.constructs import Access, Component, ComponentConfig


class PipelinesUiConfig(Model):
    """The interface."""

    access: Access = "people"
    """Who reaches it: `people` whom the identity provider knows; `everyone` who reaches the gateway, only with
    `serves: one`; `administrators` by port-forward, without a route."""


class KfpConfig(ComponentConfig):
    """What a stack may choose about Kubeflow Pipelines."""

    releases = RELEASES

    namespace: Name = "kubeflow"
    """Namespace of its programs, upstream's."""
    serves: Literal["teams", "one"] = "teams"
    """`teams`: runs are in each team's namespace, and people see those of their teams. `one`: all runs are in the
    namespace of its programs, and who reaches it may do everything."""
    account: Name = "pipeline-runner"
    """Account under which pipelines run, in each namespace with runs; `default-editor` where Profiles make that."""
    registered_namespaces: bool = False
    """Give namespaces that people register (`selfRegistration` of profiles) what the stack's teams have for pipelines;
    needs metacontroller, which makes it, and with a store in the cluster a program that holds its administrator's
    key."""
    block_v1_pipelines: bool = True
    """Refuse to run pipelines of the v1 SDK; without them there is no cache server either, whose webhook serves no
    others."""
    v1_namespaces: list[Name] = Field(default_factory=list)
    """Namespaces that may run pipelines of the v1 SDK all the same."""
    pipelines_as_objects: bool = False
    """Keep pipelines and their versions as Kubernetes objects, which Git may hold, instead of in the database."""
    retention_hours: Annotated[int, Field(ge=1, le=87600)] = 24
    """Hours for which an ended workflow stays in the cluster; its run stays in the database, its logs in the store."""
    artifact_prefix: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]*$")] = "private-artifacts"
    """Where artifacts of teams are in the bucket: `<prefix>/<namespace>/…`. A team's key opens its own part alone."""
    ui: PipelinesUiConfig = PipelinesUiConfig.of_defaults()
    """The interface."""


AnyKfp = Component[KfpConfig, KfpRelease]
"""The component, as its parts see it."""
