"""Metacontroller: carries out controllers that are a hook alone, which says which objects there shall be.

It may do nothing with the objects that hooks ask for: a component with a hook gives its account the rights on these.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from platform_def.apis.core.core_v1 import Container
from platform_def.capabilities import HookControllers, Mesh
from platform_def.components.pipelines.metacontroller.observation import ALERTS, BOARD, METRICS
from platform_def.config.model import Name
from platform_def.constructs import (
    APACHE,
    CONTROLLER_RUNTIME,
    READ,
    RESTRICTED_LEVEL,
    WRITE,
    Alerts,
    Component,
    ComponentConfig,
    Crds,
    Dashboards,
    Health,
    ImageFacts,
    LeaderElection,
    Offers,
    Operator,
    PodSettings,
    Release,
    Setting,
    allow,
    releases,
)

IMAGE, NAME = "ghcr.io/metacontroller/metacontroller", "metacontroller"
HEALTH, METRICS_PORT = 8081, 9999


def _release(version: str) -> Release:
    return Release(version, image=f"{IMAGE}:v{version}", kubernetes="1.29-1.37", exports=(CONTROLLER_RUNTIME, METRICS))


# Both are compiled against Kubernetes 1.36. Kubeflow Pipelines 2.17.0 ships 4.16.2; flags, rights and definitions are
# the same in 4.17.2.
RELEASES = releases(_release("4.17.2"), _release("4.16.2"), license=APACHE)
FACTS = ImageFacts(user=65532, read_only=True, source="Dockerfile at v4.17.2: a static program, user nonroot (65532)")
GROUP = "metacontroller.k8s.io"
RULES = (
    allow(GROUP, "compositecontrollers decoratorcontrollers", verbs=READ),
    allow(GROUP, "controllerrevisions", verbs=WRITE),  # states of parents, while children are updated one by one
    # Whether a parent's kind has a status; it keeps all definitions in memory for that.
    allow("apiextensions.k8s.io", "customresourcedefinitions", verbs=READ),
    allow("", "events", verbs="create patch"),
)


class MetacontrollerConfig(ComponentConfig):
    """What a stack may choose about Metacontroller."""

    releases = RELEASES

    namespace: Name = "metacontroller"
    """Namespace of the program, upstream's; Kubeflow Pipelines' manifests have it in `kubeflow`."""
    workers: Annotated[int, Field(ge=1, le=64)] = 5
    """Objects of each controller that are worked on at once; upstream's default."""


class Metacontroller(Component[MetacontrollerConfig, Release]):
    """CRDs, and the program that asks hooks."""

    pod_security = RESTRICTED_LEVEL
    gives = (HookControllers,)

    @classmethod
    def offers(cls, at: Setting[MetacontrollerConfig]) -> Offers:
        """Who asks, and under which account."""
        labels = {"app.kubernetes.io/instance": at.name}
        return Offers(
            capabilities=(HookControllers(namespace=at.config.namespace, account=NAME, labels=labels),),
        )

    def build(self) -> None:
        """Everything that asks hooks."""
        Crds(self)
        mesh = self.maybe(Mesh)
        # Its namespace is restricted: a proxy that redirects traffic by itself may not start there.
        meshed = mesh is not None and mesh.value.redirected
        Operator(
            self,
            NAME,
            container=self._container(),
            rules=RULES,
            leader_election=LeaderElection(flag="--leader-election", lease=NAME),
            health=Health(HEALTH),
            metrics=METRICS_PORT,
            facts=FACTS,
            # Hooks in the mesh know it by its account there. Prometheus reads around the proxy.
            pod=PodSettings(annotations={"traffic.sidecar.istio.io/excludeInboundPorts": str(METRICS_PORT)}, mesh="in")
            if meshed
            else PodSettings(),
        )
        Dashboards(self, [BOARD], tables=Alerts(self, ALERTS).tables)

    def _container(self) -> Container:
        return {
            "name": "metacontroller",
            "image": self.release.image,
            "command": ["/usr/bin/metacontroller"],
            # Upstream writes every object that it looks at into its log, at level 4.
            "args": ["--zap-log-level=info", f"--workers={self.config.workers}"],
            "resources": {"requests": {"cpu": "20m", "memory": "64Mi"}, "limits": {"memory": "1Gi"}},
        }
