"""What a stack says of flyte."""

from __future__ import annotations

from pydantic import Field

from platform_def.components.pipelines.flyte.releases import RELEASES
from platform_def.config.model import Labels, Name, Url
from platform_def.constructs import (
    Access,
    Component,
    ComponentConfig,
    Release,
)


class FlyteConfig(ComponentConfig):
    """What a stack may choose about Flyte."""

    releases = RELEASES

    namespace: Name = "flyte"
    """Namespace of the program, upstream's."""
    projects: list[Name] = Field(default_factory=lambda: ["flytesnacks"])
    """Projects that are there from the beginning. Flyte makes a namespace for each in each of its three domains."""
    access: Access = "people"
    """Who reaches pages and API at the gateway: `people` who are known there; `everyone` who reaches it;
    `administrators` by port-forward."""
    public_store: Url | None = None
    """Address of the object store for browsers and programs outside the cluster, which signed addresses have; needed
    where the store's own address means nothing there."""
    pod_template: Name | None = None
    """PodTemplate whose fields all pods of tasks get; it is looked up in a task's namespace, then in Flyte's."""
    namespace_labels: Labels = Field(default_factory=dict)
    """Labels of the namespaces that Flyte makes, such as the Pod Security level."""


AnyFlyte = Component[FlyteConfig, Release]
"""The component, as its parts see it."""
