"""VirtualServices and Gateways that istiod takes, and others that it refuses; a real istiod is asked about them, too."""

from __future__ import annotations

TO = "route: [{destination: {host: a}}]"
TWO = "route: [{destination: {host: a}}, {destination: {host: b}}]"


def service(rule: str, *, hosts: str = "[a]", kind: str = "http", gateways: str = "") -> str:
    head = "apiVersion: networking.istio.io/v1\nkind: VirtualService\nmetadata: {name: a, namespace: b}\n"
    return f"{head}spec: {{hosts: {hosts}, {gateways}{kind}: [{rule}]}}\n"


def gateway(*servers: str) -> str:
    head = "apiVersion: networking.istio.io/v1\nkind: Gateway\nmetadata: {name: a, namespace: b}\n"
    return f"{head}spec: {{selector: {{istio: a}}, servers: [{', '.join(servers)}]}}\n"


def server(protocol: str, tls: str = "", name: str = "one") -> str:
    said = f", tls: {tls}" if tls else ""
    return f"{{hosts: ['*'], port: {{number: 443, name: {name}, protocol: {protocol}}}{said}}}"


RULES = [
    f"{{{TO}}}",
    f"{{{TO}, rewrite: {{uri: /}}, retries: {{attempts: 2, retryOn: 5xx}}}}",
    "{route: [{destination: {host: a}, weight: 90}, {destination: {host: b}, weight: 10}]}",
    "{redirect: {uri: /a}}",
    "{directResponse: {status: 404}}",
    "{delegate: {name: a}}",
]
"""Rules of VirtualServices that pass."""
WRONG_RULES = [
    (f"{{{TO}, redirect: {{uri: /}}}}", ".redirect", "does not go with route"),
    (f"{{{TO}, directResponse: {{status: 404}}}}", ".directResponse", "does not go with route"),
    ("{redirect: {uri: /}, rewrite: {uri: /}}", ".rewrite", "does not go with redirect"),
    ("{directResponse: {status: 404}, fault: {abort: {}}}", ".fault", "does not go with directResponse"),
    (f"{{{TO}, delegate: {{name: a}}}}", ".route", "does not go with delegate"),
    ("{match: [{uri: {prefix: /}}]}", "", "has no route, redirect or directResponse"),
    (f"{{{TO}, rewrite: {{}}}}", ".rewrite", "says nothing"),
    (f"{{{TO}, mirror: {{host: a}}, mirrors: [{{destination: {{host: b}}}}]}}", ".mirrors", "does not go with mirror"),
    (
        f"{{{TO}, retries: {{retryOn: 5xx}}}}",
        ".retries.attempts",
        "is missing, so that nothing is tried again",
    ),
    (f"{{{TWO}}}", ".route", "has several destinations and no weight"),
]
"""Others, with the place below the rule and what is wrong there."""
SERVERS = [
    server("HTTP"),
    server("HTTP", "{httpsRedirect: true}"),
    server("HTTPS", "{mode: SIMPLE, credentialName: a}"),
    server("HTTPS", "{mode: SIMPLE, serverCertificate: a, privateKey: b}"),
    server("TLS", "{mode: PASSTHROUGH}"),
    server("TLS", "{mode: AUTO_PASSTHROUGH}"),
    server("HTTPS", "{mode: ISTIO_MUTUAL}"),
]
"""Servers of Gateways that pass."""
WRONG_SERVERS = [
    (server("HTTPS"), "", "speaks HTTPS and has no tls"),
    (server("HTTP", "{mode: SIMPLE, credentialName: a}"), ".tls", "does not go with the protocol HTTP"),
    (server("GRPC", "{caCertificates: a}"), ".tls", "does not go with the protocol GRPC"),
    (server("HTTPS", "{mode: SIMPLE}"), ".tls", "has mode SIMPLE and no certificate"),
    (
        server("HTTPS", "{mode: SIMPLE, credentialName: a, serverCertificate: b, privateKey: c}"),
        ".tls",
        "names certificates in two ways, credentialName and serverCertificate",
    ),
    (
        server("HTTPS", "{mode: ISTIO_MUTUAL, credentialName: a}"),
        ".tls.credentialName",
        "does not go with ISTIO_MUTUAL, which has the mesh's certificates",
    ),
]
"""Others, likewise."""
EVERYWHERE = service(f"{{{TO}}}", hosts="['*']")
TAKEN = [*map(service, RULES), *map(gateway, SERVERS), EVERYWHERE.replace("hosts:", "gateways: [a/b], hosts:")]
WRONG = [
    *(service(rule) for rule, _, _ in WRONG_RULES),
    *(gateway(one) for one, _, _ in WRONG_SERVERS),
    service(f"{{{TWO}}}", kind="tcp"),
    service("").replace(", http: []", ""),
    EVERYWHERE,
    EVERYWHERE.replace("hosts:", "gateways: [a/b, mesh], hosts:"),
    gateway(server("HTTP"), server("HTTP")),
]
"""All of both."""
