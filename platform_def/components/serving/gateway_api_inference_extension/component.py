"""The inference extension of Gateway API: InferencePools, and the project's light picker for those that a stack names.

The picker shares requests out evenly. KServe's services have one of llm-d's instead, which knows caches and queues.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, cast

from pydantic import Field

from platform_def.apis.core.core_v1 import Container, PodSpec, ServicePort
from platform_def.capabilities import Mesh, ModelServing
from platform_def.config.model import Labels, Model, Name, Port
from platform_def.constructs import (
    APACHE,
    CONTROLLER_RUNTIME,
    READ,
    RESTRICTED_LEVEL,
    Alerts,
    Component,
    ComponentConfig,
    Crds,
    ImageFacts,
    Need,
    Operator,
    PeopleRoles,
    PodSettings,
    Problem,
    Release,
    Resource,
    Setting,
    allow,
    need,
    port,
    releases,
    target_missing,
)
from platform_def.constructs.probes import grpc_probe

GRPC, HEALTH, METRICS = 9002, 9003, 9090
RELEASES = releases(
    Release(
        "1.6.0",
        # Its CRDs use CEL of Kubernetes 1.30.
        kubernetes="1.30-1.37",
        image="registry.k8s.io/gateway-api-inference-extension/lwepp:v1.6.0",
        needs={"istio": ">=1.30"},
        exports=(CONTROLLER_RUNTIME,),
    ),
    license=APACHE,
)
FACTS = ImageFacts(runs_as=65532, read_only=True, source="cmd/lwepp at v1.6.0: one program, which writes nothing")

RULES = (
    allow("", "pods", verbs=READ),
    allow("inference.networking.k8s.io", "inferencepools", verbs=READ),
)


class PoolConfig(Model):
    """A pool with the light picker."""

    pods: Annotated[Labels, Field(min_length=1)]
    """Labels of the servers' pods."""
    port: Port = 8000
    """Port of the servers."""


class GatewayApiInferenceExtensionConfig(ComponentConfig):
    """What a stack may choose about the inference extension."""

    releases = RELEASES

    namespace: Name = "inference"
    """Namespace of the pools and of their pickers: that of the servers. For several, add an instance each."""
    pools: dict[Name, PoolConfig] = Field(default_factory=dict)
    """Pools of model servers by name, each with a picker that shares requests out evenly; HTTPRoutes lead to them."""


class GatewayApiInferenceExtension(Component[GatewayApiInferenceExtensionConfig]):
    """CRDs, and a picker for each pool of the stack."""

    pod_security = RESTRICTED_LEVEL
    several = True

    @classmethod
    def needs_of(cls, at: Setting[GatewayApiInferenceExtensionConfig]) -> tuple[Need[Any], ...]:
        """Who serves pools: of the controllers here, Istio."""
        return (need(Mesh, api="istio", order="any", optional=True),) if at.config.pools else ()

    @classmethod
    def problems(cls, at: Setting[GatewayApiInferenceExtensionConfig]) -> Iterator[Problem]:
        """Pools that no gateway serves."""
        if at.config.pools and not at.platform.serves("HTTPRoute.gateway.networking.k8s.io"):
            text = f"components.{at.name}.pools: HTTPRoutes lead to pools, and the stack serves no Gateway API"
            yield Problem(text, hint="add `gateway-api: {}` under components", at=("components", at.name, "pools"))
        if at.config.pools and any(each.value.llm for each in at.platform.all(ModelServing)):
            # kubernetes-sigs/gateway-api-inference-extension#3035
            text = f"components.{at.name}.pools: the picker {at.config.version} answers Istio so that every request "
            text += "fails, and Istio asks it where KServe serves language models"
            hint = "have KServe serve them: `serving:` with `template: llm`, or an LLMInferenceService"
            yield Problem(text, hint=hint, at=("components", at.name, "pools"))

    def build(self) -> None:
        """The kinds, and the pickers."""
        Crds(self)
        for name, pool in sorted(self.config.pools.items()):
            self._picker(name, pool)
        PeopleRoles(self)
        Alerts(self, [target_missing(self.named(picker(name))) for name in sorted(self.config.pools)])

    def _picker(self, name: str, pool: PoolConfig) -> None:
        from platform_def.apis.gateway_api.inference_v1 import INFERENCE_POOL

        # Envoy speaks HTTP/2 to it.
        grpc = cast(ServicePort, {**port("grpc", GRPC), "appProtocol": "http2"})
        made = Operator(
            self,
            picker(name),
            container=self._container(name),
            own_rules=RULES,
            ha_replicas=2,
            metrics=port("metrics", METRICS),
            ports=[grpc],
            facts=FACTS,
            # It ends no sooner than the requests that it sent somewhere are answered.
            pod=PodSettings(cast(PodSpec, {"terminationGracePeriodSeconds": 60})),
        )
        spec = {
            "selector": {"matchLabels": dict(pool.pods)},
            "targetPorts": [{"number": pool.port}],
            "endpointPickerRef": {
                "group": "",
                "kind": "Service",
                "name": made.name,
                "port": {"number": GRPC},
                "failureMode": "FailOpen",
            },
        }
        Resource(self, INFERENCE_POOL, name, spec=cast(Any, spec), part="after")

    def _container(self, name: str) -> Container:
        return {
            "name": "picker",
            "image": self.release.image,
            "args": [
                f"--pool-name={name}",
                f"--pool-namespace={self.namespace}",
                f"--grpc-port={GRPC}",
                f"--grpc-health-port={HEALTH}",
                f"--metrics-port={METRICS}",
                # A certificate of its own making proves nothing to the gateway.
                "--secure-serving=false",
            ],
            "livenessProbe": grpc_probe(HEALTH, service="inference-extension", delay=5, period=10),
            "readinessProbe": grpc_probe(HEALTH, service="inference-extension", delay=5, period=10),
            "resources": {"requests": {"cpu": "50m", "memory": "64Mi"}, "limits": {"memory": "512Mi"}},
        }


def picker(pool: str) -> str:
    """Name of a pool's picker."""
    return f"{pool}-picker"
