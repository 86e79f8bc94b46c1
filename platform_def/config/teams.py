"""Teams: who shares the cluster, with which namespaces and quotas."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from platform_def.config.model import Model, Name

PodSecurity = Literal["privileged", "baseline", "restricted"]


class Quota(Model):
    """What a team or a member may use at once."""

    gpus: Annotated[int, Field(ge=0)] | None = None
    """GPUs in use at once; absent means no limit. A team's becomes a ResourceQuota of its namespace."""


class Member(Model):
    """A person or a service account of a team."""

    name: Annotated[str, Field(min_length=1, max_length=253, pattern=r"^[^\s]+$")]
    """The name that the identity provider gives, usually an e-mail address."""
    quota: Quota | None = None
    """A limit of their own, inside the team's; for components that give members a namespace each."""


class Team(Model):
    """A team with a namespace of its own."""

    name: Name
    """Name of the team."""
    namespace: Name | None = None
    """Its namespace; by default `team-<name>`."""
    quota: Quota | None = None
    """What the whole team may use."""
    queue: Name | None = None
    """Queue that its jobs wait in, where the stack has a component that queues."""
    members: list[Member] = Field(default_factory=list)
    """Who belongs to it; for components that know people."""
    pod_security: PodSecurity = "baseline"
    """Pod Security level of its namespace. RDMA jobs need `privileged`: baseline forbids IPC_LOCK and host networks."""

    @property
    def home(self) -> str:
        """The team's namespace."""
        return self.namespace or f"team-{self.name}"
