"""TLS from a gateway to a Service, which Emissary has at the route and the others have at the Service.

Whatever is rendered verifies the Service: who signed its certificate, and unless the stack says otherwise its name.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from platform_def.capabilities import Gateway
from platform_def.config.routing import BackendTls
from platform_def.constructs.component import Scope
from platform_def.constructs.resource import Resource
from platform_def.constructs.routes.routing import Backend, Routing
from platform_def.errors import Problem

if TYPE_CHECKING:
    from platform_def.apis.emissary.v3alpha1 import TLSContextSpec
    from platform_def.apis.gateway_api.v1 import BackendTLSPolicySpec
    from platform_def.apis.istio.networking_v1 import DestinationRuleSpec


def unlike_others(scope: Scope, routing: Routing) -> Iterator[Problem]:
    """Why a gateway that has TLS by Service cannot serve a route beside the earlier ones of its component."""
    for backend in routing.backends:
        known = scope.owner.reached.get((backend.namespace, backend.service))
        if known is not None and known != (backend.port, routing.tls) and (routing.tls or known[1]):
            text = f"another route leads to the Service {backend.service} by another port or another `tls`, and this "
            text += "gateway has one for all routes to a Service"
            yield routing.problem("tls", text, "say the same of both routes, or make a Service for each")


def first_to(scope: Scope, routing: Routing) -> Iterator[tuple[Backend, BackendTls]]:
    """The Services that the route reaches by TLS and no earlier one of its component did; all are remembered."""
    for backend in routing.backends:
        place = (backend.namespace, backend.service)
        if place not in scope.owner.reached and routing.tls:
            yield backend, routing.tls
        scope.owner.reached[place] = (backend.port, routing.tls)


def emissary_refusals(routing: Routing) -> Iterator[Problem]:
    """What of TLS Emissary cannot do."""
    tls = routing.tls
    if tls is None:
        return
    if tls.ca.secret is None:
        yield routing.problem("tls", "Emissary reads an authority from a Secret alone", "write `ca: {secret: …}`")
    elif not tls.client_certificate:
        text = "Emissary verifies a Service only while it shows a certificate of its own"
        yield routing.problem("tls", text, "name a Secret with `tls.crt` and `tls.key` as `clientCertificate`")
    if not tls.any_name:
        text = "Emissary verifies who signed a certificate, and never its name"
        yield routing.problem(
            "tls", text, "write `anyName: true` where the authority signs for this Service alone, or choose a gateway "
            "of Istio's"
        )  # fmt: skip


def emissary_context(scope: Scope, name: str, routing: Routing, backend: Backend, gateway: Gateway) -> str:
    """The TLSContext of a Mapping, by its name, of which Emissary knows one in all namespaces."""
    from platform_def.apis.emissary.v3alpha1 import TLS_CONTEXT  # its types are large

    tls = routing.tls
    assert tls is not None
    assert tls.ca.secret is not None
    assert tls.client_certificate is not None
    spec: TLSContextSpec = {
        "secret": tls.client_certificate,
        "ca_secret": tls.ca.secret,
        "sni": routing.server_name(backend, tls),
    }
    if "." in tls.ca.secret + tls.client_certificate:
        spec["secret_namespacing"] = False
    if routing.grpc:
        spec["alpn_protocols"] = "h2"
    if gateway.identified:
        spec["ambassador_id"] = [gateway.name]
    called = f"{scope.owner.namespace}-{name}"
    Resource(scope, TLS_CONTEXT, called, spec=spec, part="after")
    return called


def istio_refusals(routing: Routing) -> Iterator[Problem]:
    """What of TLS Istio's own API cannot do."""
    tls = routing.tls
    if tls and tls.ca.config_map:
        text = "Istio reads an authority from a Secret in the gateway's namespace"
        yield routing.problem("tls", text, "write `ca: {secret: …}`")
    if tls and tls.client_certificate not in (None, tls.ca.secret):
        text = "Istio reads a certificate and the authority of the Service from one Secret"
        yield routing.problem("tls", text, "put all three into one, and name that in `ca` and as `clientCertificate`")


def destination_rules(scope: Scope, routing: Routing, gateway: Gateway) -> None:
    """A DestinationRule for each Service, which the gateway alone reads: pods of a mesh reach it as before."""
    from platform_def.apis.istio.networking_v1 import DESTINATION_RULE  # its types are large

    for backend, tls in first_to(scope, routing):
        name = routing.server_name(backend, tls)
        said: dict[str, object] = {"mode": "MUTUAL" if tls.client_certificate else "SIMPLE", "sni": name}
        if tls.ca.secret:
            said["credentialName"] = tls.ca.secret
        else:
            said["caCertificates"] = "system"
        if not tls.any_name:
            # Without it Istio compares no name once `sni` is said.
            said["subjectAltNames"] = [name]
        spec = {
            "host": scope.owner.service_host(backend.service, backend.namespace),
            "exportTo": ["."],
            "trafficPolicy": {"portLevelSettings": [{"port": {"number": backend.port}, "tls": said}]},
        }
        Resource(
            scope,
            DESTINATION_RULE,
            f"{backend.namespace}-{backend.service}",
            spec=cast("DestinationRuleSpec", spec),
            namespace=gateway.namespace,
            part="after",
        )


def gateway_api_refusals(routing: Routing) -> Iterator[Problem]:
    """What of TLS Gateway API cannot do."""
    tls = routing.tls
    if tls is None:
        return
    if tls.ca.secret:
        text = "Gateway API reads an authority from a ConfigMap in the Service's namespace"
        yield routing.problem("tls", text, "write `ca: {configMap: …}`, without `clientCertificate`")
    if tls.any_name:
        text = "Gateway API always has a name compared"
        yield routing.problem("tls", text, "leave `anyName` out, and name it as `serverName`")


def backend_policies(scope: Scope, routing: Routing) -> None:
    """A BackendTLSPolicy for each Service, next to it."""
    from platform_def.apis.gateway_api.v1 import BACKEND_TLS_POLICY  # its types are large

    for backend, tls in first_to(scope, routing):
        name = routing.server_name(backend, tls)
        # Istio compares the names that are listed, and does not compare `hostname`.
        validation: dict[str, object] = {
            "hostname": name,
            "subjectAltNames": [{"type": "Hostname", "hostname": name}],
        }
        if tls.ca.config_map:
            validation["caCertificateRefs"] = [{"group": "", "kind": "ConfigMap", "name": tls.ca.config_map}]
        else:
            validation["wellKnownCACertificates"] = "System"
        spec = {"targetRefs": [{"group": "", "kind": "Service", "name": backend.service}], "validation": validation}
        Resource(
            scope,
            BACKEND_TLS_POLICY,
            backend.service,
            spec=cast("BackendTLSPolicySpec", spec),
            namespace=backend.namespace,
            part="after",
        )
