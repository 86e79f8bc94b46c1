"""What a stack may change of the programs that a component runs, by workload and container.

A workload is known by its role, which stays the same where a pool multiplies it into several objects or where a
controller makes its pods from a custom resource.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from platform_def.config.model import LabelKey, Labels, Model, Name, Quantity, Subdomain, conflict
from platform_def.config.pools import Taint


class Toleration(Taint):
    """A taint that the component's pods tolerate."""


class PodPlacement(Model):
    """Where pods run."""

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

    requests: ResourceAmounts = ResourceAmounts.of_defaults()
    limits: ResourceAmounts = ResourceAmounts.of_defaults()


class SecretKey(Model):
    """One key of a Secret in the component's namespace."""

    secret: Subdomain
    """Name of the Secret."""
    key: Annotated[str, Field(pattern=r"^[-._a-zA-Z0-9]+$", max_length=253)]
    """The key in it."""


EnvName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_.-]*$", max_length=200)]
FlagName = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9._-]*$", max_length=200)]


class ContainerChanges(Model):
    """What a stack may change of one container."""

    resources: ContainerResources = ContainerResources.of_defaults()
    """Requests and limits."""
    env: dict[EnvName, str | SecretKey] = Field(default_factory=dict)
    """Variables that are added, or that replace the component's: a value, or `{secret: …, key: …}`."""
    flags: dict[FlagName, str | None] = Field(default_factory=dict)
    """Flags by name without dashes: the value that is put in place of the component's, or added; null takes it away."""


class Autoscale(Model):
    """Replicas that follow the load, by a HorizontalPodAutoscaler."""

    min: Annotated[int, Field(ge=1, le=1000)] = 2
    """Fewest pods."""
    max: Annotated[int, Field(ge=1, le=1000)]
    """Most pods."""
    cpu: Annotated[int, Field(ge=1, le=1000)] | None = None
    """Mean CPU use that is aimed at, in percent of the requests."""
    memory: Annotated[int, Field(ge=1, le=1000)] | None = None
    """Mean memory use that is aimed at, in percent of the requests."""

    @conflict
    def _makes_sense(self) -> Iterator[ValueError]:
        if self.max < self.min:
            yield ValueError(f"max {self.max} is below min {self.min}")
        if self.cpu is None and self.memory is None:
            yield ValueError("name what is aimed at: `cpu: 80`, `memory: 80` or both")


class VolumeConfig(Model):
    """What a stack may change of a volume that a workload keeps data on. A claim that exists takes a larger size, where
    its class allows that, and nothing else: to change its class, move the data."""

    size: Quantity | None = None
    """Size of the claim."""
    storage: Name | None = None
    """Entry of the stack's `storage:` that it is made from, or a kind of storage: shared, fast, bulk."""


class AccountConfig(Model):
    """What a stack may change of a workload's ServiceAccount."""

    annotations: dict[LabelKey, str] = Field(default_factory=dict)
    """Annotations, such as those by which a cloud knows its identity."""


class WorkloadConfig(Model):
    """What a stack may change of one workload."""

    replicas: Annotated[int, Field(ge=0, le=1000)] | None = None
    """Pods, for workloads that support more than one."""
    autoscale: Autoscale | None = None
    """Pods by load instead."""
    placement: PodPlacement = PodPlacement.of_defaults()
    """Where its pods run, beside what the component's own `placement` says."""
    priority: Subdomain | None = None
    """PriorityClass of its pods."""
    containers: dict[Name, ContainerChanges] = Field(default_factory=dict)
    """Its containers by name."""
    volumes: dict[Name, VolumeConfig] = Field(default_factory=dict)
    """Volumes that it keeps data on, by name."""
    service_account: AccountConfig = AccountConfig.of_defaults()
    """The account that its pods run under."""

    @conflict
    def _one_number(self) -> Iterator[ValueError]:
        if self.replicas is not None and self.autoscale is not None:
            yield ValueError("write either `replicas` or `autoscale`")
