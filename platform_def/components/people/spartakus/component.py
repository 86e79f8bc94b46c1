"""Spartakus: reports the cluster's nodes to a collector, twice a day. Off unless the stack says that it may report.

Kubeflow 0.3 offered it. Its image and its collector are gone, so a stack names both.
"""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from platform_def.apis.core.core_v1 import Container
from platform_def.config.model import Image, MisfitError, Name, Url
from platform_def.constructs import (
    APACHE,
    AccountNames,
    Component,
    ComponentConfig,
    Operator,
    Release,
    Support,
    Upkeep,
    allow,
    releases,
)

NAME = "spartakus-volunteer"
RELEASES = releases(
    Release(
        "1.0.0",
        kubernetes="1.25-1.37",
        upkeep=Upkeep(Support.ENDED),
        kept="nothing newer reports to a collector; it is off unless asked for",
    ),
    license=APACHE,
)


class SpartakusConfig(ComponentConfig):
    """What a stack may choose about spartakus."""

    releases = RELEASES

    namespace: Name = "kubeflow"
    """Namespace of the program, upstream's."""
    report_usage: bool = False
    """Send reports. Each holds the `clusterId`, the version of Kubernetes, and of every node: a hash of its name, its
    operating system, kernel, container runtime, kubelet, cloud and architecture, and its capacity. No names of people,
    namespaces or workloads. Without it nothing is rendered."""
    cluster_id: Annotated[str, Field(pattern=r"^[A-Za-z0-9-]+$", max_length=100)] | None = None
    """Under which name reports are filed; an id of your own that says nothing, such as a UUID."""
    image: Image | None = None
    """Its image, from your own registry: upstream's, `gcr.io/google_containers/spartakus-amd64:v1.0.0`, is gone."""
    collector: Url | None = None
    """Where reports go; upstream's, `https://stats-collector.kubeflow.org`, is gone."""

    @model_validator(mode="after")
    def _told_all(self) -> Self:
        for field, name in (("cluster_id", "clusterId"), ("image", "image"), ("collector", "collector")):
            if self.report_usage and getattr(self, field) is None:
                raise MisfitError(
                    "reports need it, and upstream's is gone" if field != "cluster_id" else "reports need it", name
                )
        return self


class Spartakus(Component[SpartakusConfig]):
    """The program, where the stack says that it may report."""

    def build(self) -> None:
        """The program with the right to list nodes."""
        config = self.config
        if not config.report_usage:
            return
        assert config.image
        container: Container = {
            "name": "volunteer",
            "image": config.image,
            "args": ["volunteer", f"--cluster-id={config.cluster_id}", f"--database={config.collector}"],
            "resources": {"requests": {"cpu": "10m", "memory": "32Mi"}, "limits": {"memory": "128Mi"}},
            "securityContext": {
                "allowPrivilegeEscalation": False,
                "capabilities": {"drop": ["ALL"]},
                "seccompProfile": {"type": "RuntimeDefault"},
            },
        }
        Operator(
            self,
            NAME,
            container=container,
            names=AccountNames(account="spartakus"),
            rules=[allow("", "nodes", verbs="get list")],
        )
