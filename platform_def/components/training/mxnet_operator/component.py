"""MXNet operator 1.1: runs MXJob objects, as Kubeflow did before its training operator; legacy, archived upstream."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from platform_def.apis.core.core_v1 import Container
from platform_def.config.model import Name
from platform_def.constructs import (
    APACHE,
    WRITE,
    Component,
    ComponentConfig,
    Crds,
    ImageFacts,
    Operator,
    PeopleRoles,
    Release,
    Support,
    Upkeep,
    allow,
    env,
    from_field,
    grants,
    releases,
)

NAME = "mxnet-operator"
# Compiled against Kubernetes 1.16; what it calls, later servers still have: its lock is an Endpoints object.
RELEASES = releases(
    Release(
        "1.1.0",
        image="docker.io/kubeflow/mxnet-operator:v1.1.0",
        upkeep=Upkeep(Support.ENDED),
        kept="it is the last that runs MXJobs with the run policy beside the roles",
    ),
    license=APACHE,
)

RULES = (
    allow("", "pods services", verbs=WRITE),
    allow("", "events", verbs="create patch"),
)
LOCK = (allow("", "endpoints", verbs="create get update"),)
FACTS = ImageFacts(user=0, source="no USER in upstream's Dockerfile at v1.1.0, on golang:1.13")


class MxnetOperatorConfig(ComponentConfig):
    """What a stack may choose about the MXNet operator."""

    releases = RELEASES

    namespace: Name = "kubeflow"
    """Namespace of the operator."""
    threads: Annotated[int, Field(ge=1, le=64)] = 1
    """Jobs that are reconciled at once; upstream's default."""
    watch_namespace: Name | None = None
    """Serve the jobs of this namespace alone; by default of all."""


class MxnetOperator(Component[MxnetOperatorConfig, Release]):
    """CRD and controller of MXJobs, before the training operator; roles for people who train. Legacy."""

    def build(self) -> None:
        """Everything that runs the jobs."""
        Crds(self)
        Operator(
            self,
            NAME,
            container=self.container(),
            rules=[
                *RULES,
                *grants(self.served, "delete get list update watch"),
                *grants(self.served, "update", "finalizers"),
                *grants(self.served, "get patch update", "status"),
            ],
            own_rules=LOCK,
            facts=FACTS,
        )
        PeopleRoles(self, name="mxjobs", verbs=f"{WRITE} deletecollection")

    def container(self) -> Container:
        """The controller; its lock is in the namespace of the last variable, `default` without it."""
        namespace = from_field("metadata.namespace")
        variables = {
            "MY_POD_NAMESPACE": namespace,
            "MY_POD_NAME": from_field("metadata.name"),
            "KUBEFLOW_NAMESPACE": namespace,
        }
        container: Container = {
            "name": NAME,
            "image": self.release.image,
            "command": ["/opt/kubeflow/mxnet-operator.v1"],
            "env": env(variables),
            "resources": {"requests": {"cpu": "50m", "memory": "64Mi"}, "limits": {"memory": "512Mi"}},
        }
        if arguments := list(self.arguments()):
            container["args"] = arguments
        return container

    def arguments(self) -> Iterator[str]:
        """Flags; those of upstream's defaults are left out."""
        if self.config.threads > 1:
            yield f"--threadiness={self.config.threads}"
        if self.config.watch_namespace:
            yield f"--namespace={self.config.watch_namespace}"
