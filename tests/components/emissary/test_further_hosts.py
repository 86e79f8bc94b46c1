"""Several hosts, and all below one, at each gateway: each with its own certificate."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from platform_def.capabilities import Mesh
from platform_def.components.gateways.emissary.component import Emissary
from platform_def.components.gateways.entrance import needs_of
from platform_def.components.gateways.istio_ingress_gateway.component import IstioIngressGateway
from platform_def.config.capability import Provision
from platform_def.config.cluster import Ingress
from platform_def.config.platform import Platform
from tests.unit.built import Objects, built

HOSTS: dict[str, Any] = {
    "kind": "cloud",
    "host": "ml.example.com",
    "tls": {"issuer": "house"},
    "furtherHosts": [
        {"host": "models.example.com", "tls": {"secret": "models"}},
        {"host": "*.apps.example.com", "tls": {"issuer": "house", "durationHours": 240}},
    ],
}
NAMES = ["ml.example.com", "models.example.com", "*.apps.example.com"]
MESH = Mesh(api="istio", root_namespace="istio-system")


def emissary(**changed: Any) -> Objects:
    return built(Emissary, Platform(gateway="emissary", ingress=Ingress.from_file({**HOSTS, **changed})))


def istio(api: str) -> Objects:
    facts = Platform(
        gateway="istio-ingress-gateway",
        ingress=Ingress.from_file(HOSTS),
        provisions=(Provision.of(MESH, "istio"),),
    )
    return built(IstioIngressGateway, facts, api=api)


def named(made: Objects, kind: str) -> dict[str, Any]:
    return {each["metadata"]["name"]: each["spec"] for each in made.of(kind)}


@pytest.mark.parametrize("made", [emissary, lambda: istio("istio"), lambda: istio("gateway-api")])
def test_cert_manager_signs_what_no_secret_holds(made: Any) -> None:
    signed = {tuple(each["dnsNames"]): each for each in named(made(), "Certificate").values()}

    assert signed.keys() == {("ml.example.com",), ("*.apps.example.com",)}
    assert signed["*.apps.example.com",]["secretName"].endswith("-all-apps-example-com-tls")
    assert (signed["*.apps.example.com",]["duration"], "duration" in signed["ml.example.com",]) == ("240h0m0s", False)


def test_emissary_has_a_host_and_a_context_for_each() -> None:
    made = emissary()
    hosts, contexts = named(made, "Host"), named(made, "TLSContext")

    assert {each["hostname"] for each in hosts.values()} == {*NAMES, "closed.invalid"}
    assert hosts["emissary-ingress-models-example-com"] == {
        "hostname": "models.example.com",
        "requestPolicy": {"insecure": {"action": "Redirect"}},
        "tlsSecret": {"name": "models"},
        "tlsContext": {"name": "emissary-ingress-models-example-com"},
    }
    assert contexts["emissary-ingress-models-example-com"] == {
        "secret": "models",
        "hosts": ["models.example.com"],
        "alpn_protocols": "h2,http/1.1",
    }
    assert contexts["emissary-ingress-all-apps-example-com"]["hosts"] == ["*.apps.example.com"]


def test_emissary_serves_a_further_host_at_ports_of_the_nodes() -> None:
    hosts = named(emissary(kind="nodePort"), "Host").values()

    assert {each["hostname"] for each in hosts} == {
        *NAMES,
        "ml.example.com:*",
        "models.example.com:*",
        "closed.invalid",
    }


def test_istio_has_a_server_for_each_certificate_and_one_for_plain_requests() -> None:
    plain, *secured = named(istio("istio"), "Gateway")["istio-ingressgateway"]["servers"]

    assert (plain["hosts"], plain["tls"]) == (NAMES, {"httpsRedirect": True})
    assert [(each["port"]["name"], each["hosts"], each["tls"]["credentialName"]) for each in secured] == [
        ("https", ["ml.example.com"], "istio-ingressgateway-tls"),
        ("https-models-example-com", ["models.example.com"], "models"),
        (
            "https-all-apps-example-com",
            ["*.apps.example.com"],
            "istio-ingressgateway-all-apps-example-com-tls",
        ),
    ]


def test_gateway_api_has_two_listeners_for_each_and_redirects_at_every_plain_one() -> None:
    made = istio("gateway-api")
    listeners = named(made, "Gateway")["istio-ingressgateway"]["listeners"]
    away = named(made, "HTTPRoute")["istio-ingressgateway-redirect"]

    assert [(each["name"], each["hostname"]) for each in listeners] == [
        ("http", "ml.example.com"),
        ("https", "ml.example.com"),
        ("http-models-example-com", "models.example.com"),
        ("https-models-example-com", "models.example.com"),
        ("http-all-apps-example-com", "*.apps.example.com"),
        ("https-all-apps-example-com", "*.apps.example.com"),
    ]
    assert listeners[3]["tls"]["certificateRefs"] == [{"group": "", "kind": "Secret", "name": "models"}]
    assert {each["allowedRoutes"]["namespaces"]["from"] for each in listeners[::2]} == {"Same"}
    assert [each["sectionName"] for each in away["parentRefs"]] == [
        "http",
        "http-models-example-com",
        "http-all-apps-example-com",
    ]


def test_hosts_without_certificates_are_served_as_they_come() -> None:
    made = emissary(tls=None, furtherHosts=[{"host": "models.example.com"}])

    assert named(made, "Host")["emissary-ingress-models-example-com"] == {
        "hostname": "models.example.com",
        "requestPolicy": {"insecure": {"action": "Route"}},
    }
    assert named(made, "TLSContext") == {}


def test_an_issuer_of_a_further_host_alone_is_needed_too() -> None:
    by_secret = {**HOSTS, "tls": {"secret": "own"}}

    assert len(needs_of(Ingress.from_file(by_secret))) == 1
    assert needs_of(Ingress.from_file({**by_secret, "furtherHosts": HOSTS["furtherHosts"][:1]})) == ()


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"host": None, "tls": {"secret": "own"}}, "furtherHosts: without `host` the gateway accepts every host"),
        ({"tls": None}, "furtherHosts: models.example.com has a certificate, and `host` has none: write `tls:` for it"),
        (
            {"furtherHosts": [{"host": "a.example.com"}]},
            "furtherHosts: a.example.com needs `tls:`, as `host` has a certificate",
        ),
        (
            {"furtherHosts": [{"host": "ml.example.com", "tls": {"secret": "x"}}]},
            "furtherHosts: ml.example.com is named twice",
        ),
        ({"furtherHosts": [{"host": "*"}]}, "'*' is no host: write models.example.com, or *.apps.example.com"),
        ({"furtherHosts": [{"host": "a.*.example.com"}]}, "'a.*.example.com' is no host"),
        ({"furtherHosts": [{"host": f"{'a.' * 126}ab"}]}, "is no host"),
    ],
)
def test_hosts_that_do_not_go_together_are_refused(changed: dict[str, Any], why: str) -> None:
    with pytest.raises(ValidationError) as raised:
        Ingress.from_file({**HOSTS, **changed})

    assert why in str(raised.value)
