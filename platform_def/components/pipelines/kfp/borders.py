"""Who reaches which program. The server believes a header that says who a person is, which no team may write.

In a mesh a request with that header passes only from the interface and the programs beside it; everyone else shows a
token, which the server has the API server review. Without a mesh nothing tells the two apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from platform_def.apis.istio.security_v1 import AUTHORIZATION_POLICY, Rule
from platform_def.capabilities import Mesh
from platform_def.components.pipelines.kfp.metadata import PROXY, STORE
from platform_def.components.pipelines.kfp.parts import (
    CACHE,
    ENVOY_PORT,
    GRPC,
    HTTP,
    METADATA_PORT,
    REGISTERED,
    SERVER,
    homes,
)
from platform_def.components.pipelines.kfp.server import SCHEDULER, VISUALIZATION, WEBHOOK_PORT, user_headers
from platform_def.constructs import (
    NetworkPolicy,
    Opening,
    Resource,
    from_cluster,
    from_everywhere,
    from_namespace,
    from_pods,
)
from platform_def.constructs.network_policy import from_namespaces

if TYPE_CHECKING:
    from platform_def.components.pipelines.kfp.config import AnyKfp

CALLERS = (
    "ml-pipeline",
    "ml-pipeline-ui",
    "ml-pipeline-persistenceagent",
    "ml-pipeline-scheduledworkflow",
    "ml-pipeline-viewer-crd-service-account",
    "kubeflow-pipelines-cache",
)
"""Accounts of its programs that may name a person."""


def borders(component: AnyKfp, *, meshed: bool, cached: bool) -> None:
    """Policies of the mesh, and NetworkPolicies where the stack asks for them."""
    if meshed:
        _mesh(component)
    if component.platform.network_policies:
        _network(component, cached=cached)


def _mesh(component: AnyKfp) -> None:
    trust = component.one(Mesh).value.trust_domain
    header, _ = user_headers(component)
    principals = [f"{trust}/ns/{component.namespace}/sa/{each}" for each in CALLERS]
    ours: Rule = {"from": [{"source": {"principals": principals}}]}
    unnamed: Rule = {"when": [{"key": f"request.headers[{header}]", "notValues": ["*"]}]}
    for workload, rules in ((SERVER, [ours, unnamed]), (VISUALIZATION, [ours])):
        Resource(
            component,
            AUTHORIZATION_POLICY,
            workload,
            spec={
                "action": "ALLOW",
                "selector": {"matchLabels": component.selector(workload)},
                "rules": rules,
            },
        )


def _network(component: AnyKfp, *, cached: bool) -> None:
    own = {"app.kubernetes.io/instance": component.name}
    namespaces = [each for each in homes(component) if each != component.namespace]

    def opened(*ports: int) -> list[Opening]:
        """From its own programs, and from namespaces with runs; where runs are beside it, from that one."""
        beside = from_namespace(*ports) if component.config.serves == "one" else from_pods(own, *ports)
        registered = [from_namespaces(REGISTERED, *ports)] if component.config.registered_namespaces else []
        return [beside, *(from_namespace(*ports, name=each) for each in namespaces), *registered]

    webhook = [from_everywhere(WEBHOOK_PORT)] if component.config.pipelines_as_objects else []
    # Prometheus reads the server's metrics at the port of its API.
    NetworkPolicy(component, SERVER, openings=[*opened(HTTP, GRPC), *webhook, from_cluster(HTTP)])
    NetworkPolicy(component, STORE, openings=opened(METADATA_PORT))
    NetworkPolicy(component, PROXY, openings=[from_pods(own, ENVOY_PORT)])
    NetworkPolicy(component, VISUALIZATION, openings=[from_pods(own, HTTP)])
    NetworkPolicy(component, SCHEDULER, openings=[from_cluster(9090)])
    if cached:
        NetworkPolicy(component, CACHE, openings=[from_everywhere(8443)])
