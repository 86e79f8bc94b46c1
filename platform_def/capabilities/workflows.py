"""What runs workflows, and what namespaces have for them."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from platform_def.config.capability import Capability
from platform_def.config.model import Host, Name, Port, Subdomain


class WorkflowEngine(Capability):
    """The controller of Argo Workflows, as far as a workflow must know it."""

    title: ClassVar[str] = "an engine of workflows"

    release: str = ""
    """Its release, `4.0.10`; empty where it is not known."""
    instance: str = ""
    """Instance id that workflows must have as a label; empty where it serves those without one."""
    account: Subdomain | None = None
    """Account under which workflows run that name none."""
    deletes_ended: bool = False
    """Whether it deletes ended workflows beyond a number."""


class WorkflowNamespaces(Capability):
    """Namespaces in which workflows may run."""

    title: ClassVar[str] = "namespaces for workflows"
    gathered: ClassVar[bool] = True

    namespaces: list[Name] = Field(default_factory=list)
    """The namespaces."""
    accounts: list[Subdomain] = Field(default_factory=list)
    """Accounts there that have the executor's rights."""
    artifacts: bool = False
    """Whether artifacts that say no place are kept in the stack's object store."""
    makes: dict[Subdomain, list[str]] = Field(default_factory=dict)
    """Kinds of objects that steps may make, for accounts that may make no others; nothing is known of the rest."""


class PipelineServer(Capability):
    """The server of Kubeflow Pipelines, as far as a job or a client must know it."""

    title: ClassVar[str] = "Kubeflow Pipelines"

    host: Host
    """Its name in the cluster."""
    port: Port = 8888
    """Port of its HTTP API."""
    audience: str = "pipelines.kubeflow.org"
    """For whom tokens of accounts are that it takes."""
    account: Subdomain
    """Account under which runs are, in each of the namespaces; it may start them."""
    namespaces: list[Name] = Field(default_factory=list)
    """Namespaces with runs."""
    by_namespace: bool = True
    """Whether runs and experiments belong to a namespace each."""
    as_objects: bool = False
    """Whether pipelines are Kubernetes objects."""
    registered: bool = False
    """Whether namespaces that people register have runs, too."""
    unmade: str = ""
    """Secret with a key of the object store that each of these needs and that only a person can make; `<namespace>`
    stands for its name."""
    root: str = ""
    """Where launchers keep artifacts: `minio://mlpipeline/private-artifacts/`, and the namespace behind it. Empty where
    it is not known."""
