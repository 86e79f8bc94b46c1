"""Istio's cluster-local gateway: pods reach routes through it without leaving the cluster, as Knative asks."""

from __future__ import annotations

from typing import Any

from platform_def.capabilities import LocalGateway, Mesh
from platform_def.components.gateways.istio_proxies.gateway import AGENT, RELEASES, WITHDRAWN, Door, GatewayProxy
from platform_def.config.model import Name
from platform_def.constructs import Component, ComponentConfig, Offers, Resource, Setting, need, port

NAME = "cluster-local-gateway"


class IstioClusterLocalGatewayConfig(ComponentConfig):
    """What a stack may choose about the gateway."""

    releases = RELEASES
    withdrawn = WITHDRAWN

    namespace: Name = "istio-system"
    """Namespace of the gateway; upstream's."""


class IstioClusterLocalGateway(Component[IstioClusterLocalGatewayConfig]):
    """The gateway with its account and Service, and the Gateway that opens its port to pods alone."""

    needs = (need(Mesh, api="istio"),)
    gives = (LocalGateway,)

    @classmethod
    def offers(cls, at: Setting[IstioClusterLocalGatewayConfig]) -> Offers:
        """The gateway, for what makes routes of its own."""
        given = LocalGateway(api="istio", name=NAME, namespace=at.config.namespace, service=NAME)
        return Offers(capabilities=(given,))

    def build(self) -> None:
        """The gateway, and what it opens."""
        from platform_def.apis.istio.networking_v1 import GATEWAY  # large

        selects = {"app": NAME, "istio": NAME}
        door = Door(
            account=f"{NAME}-service-account",
            role=f"{NAME}-sds",
            selects=selects,
            ports=[port("http2", 80, 8080), port("status-port", AGENT)],
            service={},
            strategy={},
            # It leads to a Service by the server name that the client names, where no other route says where to.
            environment={"ISTIO_META_ROUTER_MODE": "sni-dnat"},
        )
        mesh = self.one(need(Mesh, api="istio")).value
        GatewayProxy(self, NAME, door=door, image=self.release.image, mesh=mesh)
        spec: Any = {
            "selector": selects,
            "servers": [{"port": {"name": "http", "number": 80, "protocol": "HTTP"}, "hosts": ["*"]}],
        }
        Resource(self, GATEWAY, NAME, spec=spec, part="after")
