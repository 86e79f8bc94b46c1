"""What the stack's `ingress` means to Emissary: Listeners, Hosts, and who is asked.

Emissary listens to nothing and answers for no host name by itself; all of that is said here.
"""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.apis.core.core_v1 import ContainerPort
from platform_def.apis.emissary.v3alpha1 import AuthServiceSpec, HostSpec, ListenerSpec, TLSContextSpec
from platform_def.capabilities import AuthorizationService
from platform_def.components.gateways.entrance import certificate_secret, open_ports, served_hosts
from platform_def.config.cluster import Ingress

ADMIN = 8877


def container_ports(ingress: Ingress) -> list[ContainerPort]:
    """The pod's ports; on the node's network the server would fill in `hostPort`, so it is written."""
    numbers = {**{name: number for name, _, number in open_ports(ingress)}, "admin": ADMIN}
    ports: list[ContainerPort] = [
        {"name": name, "containerPort": number, "protocol": "TCP"} for name, number in numbers.items()
    ]
    if ingress.kind == "hostNetwork":
        for item in ports:
            item["hostPort"] = item["containerPort"]
    return ports


def listeners(name: str, ingress: Ingress) -> Iterator[tuple[str, ListenerSpec]]:
    """One Listener a port, for Hosts of all namespaces; `name` is what the instance's objects are called."""
    for protocol, _, number in open_ports(ingress):
        made: ListenerSpec = {
            "port": number,
            "protocol": "HTTPS" if protocol == "https" else "HTTP",
            # Envoy writes X-Forwarded-Proto itself, unless a balancer in front is trusted.
            "securityModel": "XFP",
            "hostBinding": {"namespace": {"from": "ALL"}},
        }
        if ingress.balancer:
            made["l7Depth"] = ingress.balancer.trusted_hops
        yield f"{name}-{protocol}", made


def host_names(ingress: Ingress) -> tuple[str, ...]:
    """What the Host header may be: all of it is compared, and browsers write ports other than 80 and 443 into it."""
    return ("*",) if ingress.host is None else _with_ports(ingress.host, ingress)


def _with_ports(host: str, ingress: Ingress) -> tuple[str, ...]:
    """A host, and on nodes' ports with any port; Emissary knows one `*` in a name, so that a wildcard has none."""
    on_nodes = ingress.kind in ("nodePort", "hostNetwork") and "*" not in host
    return (host, f"{host}:*") if on_nodes else (host,)


def hosts(name: str, ingress: Ingress) -> Iterator[tuple[str, HostSpec]]:
    """The stack's host: with a certificate, here or at a balancer, HTTP is sent to HTTPS; without one it is served as
    it comes."""
    made: HostSpec = {"requestPolicy": {"insecure": {"action": "Redirect" if ingress.scheme == "https" else "Route"}}}
    if ingress.tls:
        made["tlsSecret"] = {"name": certificate_secret(name, ingress)}
        made["tlsContext"] = {"name": name}
    for suffix, hostname in zip(("", "-port"), host_names(ingress), strict=False):
        yield f"{name}{suffix}", {"hostname": hostname, **made}
    for called, host, secret in served_hosts(name, ingress):
        own: HostSpec = {**made, "tlsSecret": {"name": secret}, "tlsContext": {"name": called}} if secret else made
        for suffix, hostname in zip(("", "-port"), _with_ports(host, ingress), strict=False):
            yield f"{called}{suffix}", {**own, "hostname": hostname}
    if ingress.tls:
        # Emissary drops a Host whose Secret is missing, and without any Host it serves every route in the clear. This
        # one keeps it from that: it stands for a name that cannot exist, and refuses.
        yield f"{name}-closed", {"hostname": "closed.invalid", "requestPolicy": {"insecure": {"action": "Reject"}}}


def auth(service: AuthorizationService) -> AuthServiceSpec:
    """The external authorization of requests; a request is refused while the service does not answer."""
    spec: AuthServiceSpec = {
        "auth_service": f"{service.host}:{service.port}",
        "proto": "http",
        "allowed_request_headers": [*service.sees],
        "allowed_authorization_headers": [*service.adds],
        "failure_mode_allow": False,
        "timeout_ms": 5000,
    }
    return {**spec, "path_prefix": service.path_prefix} if service.path_prefix else spec


def tls_contexts(name: str, ingress: Ingress) -> Iterator[tuple[str, TLSContextSpec]]:
    """The certificate: Hosts of one name and several ports are only served when they share one context."""
    for called, host, secret in served_hosts(name, ingress):
        if secret:
            names = [*_with_ports(host, ingress)]
            yield called, {"secret": secret, "hosts": names, "alpn_protocols": "h2,http/1.1"}
    if ingress.tls:
        # Without it no client learns by the handshake that HTTP/2 is spoken, which gRPC is nothing without.
        yield (
            name,
            {
                "secret": certificate_secret(name, ingress),
                "hosts": [*host_names(ingress)],
                "alpn_protocols": "h2,http/1.1",
            },
        )
