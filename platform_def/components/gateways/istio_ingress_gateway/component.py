"""Istio's ingress gateway: the Envoy that brings traffic from outside to components' routes.

It serves VirtualServices, or with `api: gateway-api` HTTPRoutes; the pods are the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Literal

from platform_def.apis.core.core_v1 import ServicePort
from platform_def.capabilities import AddressPool, Gateway, Mesh, ModelServing
from platform_def.components.gateways import entrance
from platform_def.components.gateways.istio_proxies.gateway import RELEASES, STATUS, WITHDRAWN, Door, GatewayProxy
from platform_def.config.cluster import Ingress
from platform_def.config.model import Name
from platform_def.constructs import (
    Component,
    ComponentConfig,
    Need,
    Offers,
    Platform,
    PodSecurityNeed,
    Problem,
    Resource,
    Setting,
    need,
    port,
)

SLUG = "istio-ingress-gateway"
NAME, ACCOUNT = "istio-ingressgateway", "istio-ingressgateway-service-account"
"""Upstream's names, which policies and users' Gateways know."""
GATEWAY_API = "Gateway.gateway.networking.k8s.io"


class IstioIngressGatewayConfig(ComponentConfig):
    """What a stack may choose about the gateway."""

    releases = RELEASES
    withdrawn = WITHDRAWN

    namespace: Name = "istio-system"
    """Namespace of the gateway and of the Secrets with its certificates; upstream's."""
    api: Literal["istio", "gateway-api"] = "istio"
    """In which kinds its routes are written: VirtualServices, or HTTPRoutes of Gateway API, whose CRDs the component
    `gateway-api` brings."""
    ingress: Ingress | None = None
    """How traffic reaches this gateway; by default as the stack's `ingress` says, which belongs to the gateway that
    `gateway` names, and for a further one by port-forward alone."""


class IstioIngressGateway(Component[IstioIngressGatewayConfig]):
    """The gateway with its account and Service, and the object that opens its ports."""

    gives = (Gateway, AddressPool)
    several = True

    @classmethod
    def security_of(cls, at: Setting[IstioIngressGatewayConfig]) -> PodSecurityNeed:
        """Baseline, unless the gateway listens on the nodes' own network."""
        return entrance.security_of(ingress_of(at))

    @classmethod
    def needs_of(cls, at: Setting[IstioIngressGatewayConfig]) -> tuple[Need[Any], ...]:
        """The mesh, whose control plane configures it, and cert-manager where it signs the host's certificate."""
        return (need(Mesh, api="istio"), *entrance.needs_of(ingress_of(at)))

    @classmethod
    def offers(cls, at: Setting[IstioIngressGatewayConfig]) -> Offers:
        """Routes, in the kinds that the stack chose."""
        name = name_of(at.name)
        gateway = Gateway(
            api=at.config.api,
            controller="istio" if at.config.api == "gateway-api" else "",
            name=name,
            namespace=at.config.namespace,
            service=name,
            pods=selects(at.name),
            account=account_of(at.name),
            # istiod serves Ingresses at the pods with upstream's label alone.
            ingress_class="istio" if at.name == SLUG else "",
            retries=at.config.api == "gateway-api" and _knows_retries(at.platform),
            **entrance.reached(ingress_of(at)),
        )
        return entrance.offers(at.name, gateway, at.config.ingress)

    @classmethod
    def problems(cls, at: Setting[IstioIngressGatewayConfig]) -> Iterator[Problem]:
        """Routes that nothing would read."""
        if at.config.api == "gateway-api" and not at.platform.serves(GATEWAY_API):
            text = f"components.{at.name}.api: the stack serves no Gateway API, in which its routes are to be written"
            yield Problem(text, hint="add `gateway-api: {}` under components, or `{provided: true}` where it is there")

    def build(self) -> None:
        """The gateway, and what it opens."""
        ingress, name = ingress_of(self.setting), name_of(self.name)
        self.roles.alias(name, NAME)
        mesh = self.one(need(Mesh, api="istio")).value
        door = Door(
            account=account_of(self.name),
            role=f"{name}-sds",
            selects=selects(self.name),
            ports=[*entrance.service_ports(ingress), _status()],
            on_nodes=ingress.kind == "hostNetwork",
            open_ports=[number for _, _, number in entrance.open_ports(ingress)],
            service=entrance.service_type(ingress),
            annotations=entrance.service_annotations(self.name, ingress, self.config.ingress),
            strategy=entrance.strategy(ingress),
            gateway=self._of_pools(),
            environment={"ISTIO_DUAL_STACK": "true"} if ingress.dual_stack else {},
            trusted_hops=ingress.balancer.trusted_hops if ingress.balancer else 0,
        )
        GatewayProxy(self, name, door=door, image=self.release.image, mesh=mesh)
        entrance.certificate(self, name, ingress)
        if self.config.api == "istio":
            self._gateway(name, ingress)
        else:
            self._gateway_api(name, ingress)

    def _of_pools(self) -> str:
        """The Gateway at these pods whose pickers are asked: that of KServe's language models.

        The light picker 1.6.0, of other pools, answers Istio so that every request fails
        (kubernetes-sigs/gateway-api-inference-extension#3035).
        """
        models = [each.value.routes for each in self.platform.all(ModelServing) if each.value.llm]
        return max(models, default="").partition("/")[2] if self.platform.gateway == self.name else ""

    def _gateway(self, name: str, ingress: Ingress) -> None:
        """Istio's own object: plain requests are sent to HTTPS where there is a certificate."""
        from platform_def.apis.istio.networking_v1 import GATEWAY, Server  # large

        hosts = [ingress.host or "*"]
        further = entrance.served_hosts(name, ingress)
        plain: Server = {
            "port": {"name": "http", "number": 80, "protocol": "HTTP"},
            "hosts": [*hosts, *(host for _, host, _ in further)],
        }
        servers = [plain]
        if ingress.scheme == "https":  # Envoy goes by X-Forwarded-Proto, also of a balancer that is trusted
            plain["tls"] = {"httpsRedirect": True}
        if ingress.tls:
            servers.append(
                {
                    "port": {"name": "https", "number": 443, "protocol": "HTTPS"},
                    "hosts": hosts,
                    "tls": {"mode": "SIMPLE", "credentialName": entrance.certificate_secret(name, ingress)},
                }
            )
        for called, host, secret in further:
            if secret:
                server: Server = {
                    "port": {"name": f"https-{called.removeprefix(f'{name}-')}", "number": 443, "protocol": "HTTPS"},
                    "hosts": [host],
                    "tls": {"mode": "SIMPLE", "credentialName": secret},
                }
                servers.append(server)
        spec: Any = {"selector": selects(self.name), "servers": servers}
        told = entrance.record_targets(self.platform, self.name) or None
        Resource(self, GATEWAY, name, spec=spec, annotations=told, part="after")

    def _gateway_api(self, name: str, ingress: Ingress) -> None:
        """Gateway API's object, bound to the pods above by the name of their Service: istiod makes none of its own."""
        from platform_def.apis.gateway_api.v1 import GATEWAY, HTTP_ROUTE  # large

        secret = entrance.certificate_secret(name, ingress) if ingress.tls else ""
        listeners: list[dict[str, object]] = []
        for called, host, own in [(name, ingress.host, secret), *entrance.served_hosts(name, ingress)]:
            listeners += _listeners(called.removeprefix(name), host, own)
        spec: Any = {
            "gatewayClassName": "istio",
            "addresses": [{"type": "Hostname", "value": self.service_host(name)}],
            "listeners": listeners,
        }
        told = entrance.record_targets(self.platform, self.name) or None
        Resource(self, GATEWAY, name, spec=spec, annotations=told, part="after")
        if ingress.tls:
            plain = [each["name"] for each in listeners if each["protocol"] == "HTTP"]
            parent = {"group": "gateway.networking.k8s.io", "kind": "Gateway", "name": name}
            redirect = {"type": "RequestRedirect", "requestRedirect": {"scheme": "https", "statusCode": 301}}
            away: Any = {
                "parentRefs": [{**parent, "sectionName": each} for each in plain],
                "rules": [{"matches": [{"path": {"type": "PathPrefix", "value": "/"}}], "filters": [redirect]}],
            }
            Resource(self, HTTP_ROUTE, f"{name}-redirect", spec=away, part="after")


def _listeners(suffix: str, host: str | None, secret: str) -> Iterator[dict[str, object]]:
    """Of one host: routes go to the listener with the certificate; the other one answers with a redirect alone."""
    named: dict[str, object] = {"hostname": host} if host else {}
    routes = {"namespaces": {"from": "All"}}
    allowed = {"namespaces": {"from": "Same"}} if secret else routes
    yield {"name": f"http{suffix}", "port": 80, "protocol": "HTTP", "allowedRoutes": allowed, **named}
    if secret:
        reference = {"group": "", "kind": "Secret", "name": secret}
        yield {
            "name": f"https{suffix}",
            "port": 443,
            "protocol": "HTTPS",
            "allowedRoutes": routes,
            "tls": {"mode": "Terminate", "certificateRefs": [reference]},
            **named,
        }


def ingress_of(at: Setting[IstioIngressGatewayConfig]) -> Ingress:
    """How traffic reaches an instance."""
    return entrance.ingress_of(at, at.config.ingress, SLUG)


def name_of(instance: str) -> str:
    """Name of the pods, the Service and the Gateway: upstream's, or the instance's own."""
    return NAME if instance == SLUG else instance


def account_of(instance: str) -> str:
    """The account, by which policies elsewhere know the gateway."""
    return ACCOUNT if instance == SLUG else f"{instance}-service-account"


def selects(instance: str) -> dict[str, str]:
    """Labels by which Gateways choose the pods."""
    name = name_of(instance)
    return {"app": name, "istio": "ingressgateway" if instance == SLUG else name}


def _knows_retries(platform: Platform) -> bool:
    """Whether HTTPRoutes have retries in the release of Gateway API that the stack names."""
    fact = platform.component("gateway-api")
    release = fact.release if fact else ""
    found = re.match(r"(\d+)\.(\d+)", release)
    return release.endswith("-experimental") or (found is not None and tuple(map(int, found.groups())) >= (1, 7))


def _status() -> ServicePort:
    """Where balancers ask whether the gateway is well."""
    return port("status-port", STATUS)
