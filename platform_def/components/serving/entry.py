"""How requests from outside reach models: one domain, below the host of the stack's gateway.

Hosts of models are made while the cluster runs, `<name>-<namespace>.<domain>`, so what the gateway must know of them is
said for the whole domain: listeners, certificate, and who is asked before a request passes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from platform_def.apis.cert_manager.v1 import CERTIFICATE
from platform_def.capabilities import AuthorizationService, Gateway
from platform_def.capabilities.serving import Serverless, UrlScheme
from platform_def.config.cluster import Tls
from platform_def.config.model import Subdomain
from platform_def.constructs import ComponentConfig, ExistingObject, Problem, Resource, Scope, Setting
from platform_def.constructs.route import gateway_of

GATEWAY_API = "Gateway.gateway.networking.k8s.io"
GROUP = "gateway.networking.k8s.io"
ACCESS = Literal["people", "everyone", "cluster"]
HTTP, HTTPS = 8080, 8443
"""Ports of the pods of Istio's gateways."""


class EntryConfig(ComponentConfig):
    """How models are reached, for the configuration of a component."""

    domain: Subdomain | None = None
    """Domain of models' hosts, `<name>-<namespace>.<domain>`; by default `models.` before the host of the stack's
    gateway. DNS must lead `*.<domain>` to the gateway."""
    tls: Tls | None = None
    """Certificate for `*.<domain>`: a Secret in the gateway's namespace, or an issuer that signs wildcards; by default
    plain HTTP."""
    access: ACCESS | None = None
    """Who may call models from outside: `people` whom the stack's authorization service lets pass, the default where
    there is one; `everyone` who reaches the gateway; `cluster`: pods alone, the default without a gateway."""


@dataclass(frozen=True)
class ServingEntry:
    """What follows from the stack."""

    domain: str
    scheme: UrlScheme
    access: ACCESS
    gateway: Gateway | None
    """The stack's gateway, where models are reached from outside."""

    @property
    def public(self) -> bool:
        """Whether models have hosts at the gateway."""
        return self.gateway is not None


def entry_of(at: Setting[Any]) -> ServingEntry:
    """How models are reached in this stack."""
    config: EntryConfig = at.config
    gateway = _gateway(at)
    access = config.access or _access(at, gateway)
    if gateway is None or access == "cluster":
        return ServingEntry(f"svc.{at.platform.dns_domain}", "http", "cluster", None)
    domain = config.domain or (f"models.{gateway.host}" if gateway.host else "example.com")
    return ServingEntry(domain, "https" if config.tls else "http", access, gateway)


def _gateway(at: Setting[Any]) -> Gateway | None:
    """The stack's gateway. What the cluster has is asked before the stack's own components: it may not know it."""
    if at.provided and at.platform.gateway not in {each.by for each in at.platform.all(Gateway)}:
        return None
    return gateway_of(at.platform)


def with_knative(at: Setting[Any]) -> ServingEntry:
    """The same for who shares hosts with Knative, which says the domain for both."""
    entry, knative = entry_of(at), at.maybe(Serverless)
    if knative is None or not entry.public:
        return entry
    return replace(entry, domain=knative.value.domain, scheme=knative.value.scheme)


def _access(at: Setting[Any], gateway: Gateway | None) -> ACCESS:
    if gateway is None:
        return "cluster"
    return "people" if at.maybe(AuthorizationService) else "everyone"


def entry_problems(at: Setting[Any]) -> Iterator[Problem]:
    """A domain that is not known, or a gateway that cannot ask who a request is from."""
    config: EntryConfig = at.config
    here, knob = ("components", at.name), f"components.{at.name}"
    gateway = gateway_of(at.platform)
    if gateway is None:
        if config.access in ("people", "everyone"):
            text = f"{knob}.access: the stack has no gateway, so {config.access} could not reach models"
            yield Problem(text, hint="add one and name it under `gateway:`, or write `access: cluster`", at=here)
        return
    entry = entry_of(at)
    if entry.public and not config.domain and not gateway.host:
        text = f"{knob}: nothing says under which domain models are reached: the stack's gateway has no host"
        yield Problem(text, hint="write `ingress: {host: …}`, `domain: …`, or `access: cluster`", at=here)
    if entry.access == "people":
        yield from _people_problems(at, gateway, entry, knob, here)


def _people_problems(
    at: Setting[Any], gateway: Gateway, entry: ServingEntry, knob: str, here: tuple[str, ...]
) -> Iterator[Problem]:
    if at.maybe(AuthorizationService) is None:
        text = f"{knob}.access: people are to be let in, and nothing in the stack asks who they are"
        yield Problem(text, hint="add `oauth2-proxy: {}` under components, or write `access: everyone`", at=here)
    elif gateway.api == "gateway-api" and gateway.controller != "istio":
        text = f"{knob}.access: {at.platform.gateway} has no external authorization, so it cannot ask for a login"
        yield Problem(text, hint="write `access: everyone`, or have Istio serve the gateway", at=here)
    elif "istio" in (gateway.api, gateway.controller) and gateway.host is None:
        text = f"{knob}.access: models and pages share the gateway, whose own host must be known to tell them apart"
        yield Problem(text, hint="write `ingress: {host: …}`", at=here)
    if entry.domain == gateway.host:
        text = f"{knob}.domain: {entry.domain} is the host of the platform's own pages"
        yield Problem(text, hint=f"take a domain of its own, such as models.{entry.domain}", at=(*here, "domain"))


def existing(at: Setting[Any]) -> tuple[ExistingObject, ...]:
    """What the certificate's choice names of the cluster."""
    config: EntryConfig = at.config
    gateway = _gateway(at)
    if config.tls is None or gateway is None:
        return ()
    if config.tls.issuer:
        return (ExistingObject("ClusterIssuer", config.tls.issuer, group="cert-manager.io"),)
    return (ExistingObject("Secret", config.tls.secret or "", gateway.namespace),)


def ask_first(scope: Scope, name: str, entry: ServingEntry, service: AuthorizationService) -> None:
    """Have Istio ask about every request to another host than the platform's own.

    `*.<domain>` would not match a Host header with a port, which the gateway's routes ignore.
    """
    from platform_def.apis.istio.security_v1 import AUTHORIZATION_POLICY, AuthorizationPolicySpec  # large

    gateway = entry.gateway
    assert gateway is not None
    own = [gateway.host, f"{gateway.host}:*"] if gateway.host else []
    operation = {"notHosts": own, "ports": [str(HTTP), str(HTTPS)]}
    spec = {
        "action": "CUSTOM",
        "provider": {"name": service.name},
        "selector": {"matchLabels": dict(gateway.pods)},
        "rules": [{"to": [{"operation": operation}]}],
    }
    Resource(
        scope,
        AUTHORIZATION_POLICY,
        name,
        spec=cast(AuthorizationPolicySpec, spec),
        namespace=gateway.namespace,
        part="after",
    )


def certificate_secret(name: str, tls: Tls) -> str:
    """Secret with the certificate: the stack's, or the one that cert-manager fills."""
    return tls.secret or f"{name}-tls"


def certificate(scope: Scope, name: str, entry: ServingEntry, tls: Tls | None) -> None:
    """The certificate of the domain, where an issuer signs it."""
    if tls and tls.issuer and entry.gateway:
        Resource(
            scope,
            CERTIFICATE,
            name,
            spec={
                "secretName": certificate_secret(name, tls),
                "dnsNames": [f"*.{entry.domain}"],
                "issuerRef": {"kind": "ClusterIssuer", "name": tls.issuer},
            },
            namespace=entry.gateway.namespace,
            part="after",
        )
