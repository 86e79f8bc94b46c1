"""TLS from each gateway to a Service: who it verifies, in each gateway's words, or an error at the line that asks for it."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from platform_def.capabilities import Gateway
from platform_def.config.capability import Provision
from platform_def.config.platform import Platform
from platform_def.config.routing import BackendTls, RouteConfig
from platform_def.constructs import Route
from platform_def.constructs.component import Owner
from platform_def.constructs.routes.routing import Canary, Redirect
from platform_def.errors import ConfigError, Problem
from tests.unit.constructs.samples import built
from tests.unit.constructs.test_route_fields import DOORS, objects, refused

SYSTEM: dict[str, Any] = {"ca": {"system": True}}
SECRET: dict[str, Any] = {"ca": {"secret": "web-ca"}}
CONFIG_MAP: dict[str, Any] = {"ca": {"configMap": "web-ca"}}
LOOSE: dict[str, Any] = {**SECRET, "anyName": True, "clientCertificate": "web-ca"}
"""What Emissary serves."""


def said(tls: dict[str, Any]) -> BackendTls:
    return BackendTls.model_validate(tls)


def problems(door: str | Gateway, tls: dict[str, Any]) -> dict[str, str | None]:
    """What is wrong with TLS that a stack says of a route, each with what to write."""
    found = refused(door, routing={"tls": tls})
    assert all(each.at is not None and each.at[-3:] == ("routing", "web", "tls") for each in found)
    return {each.text.partition("routing.web.tls: ")[2]: each.hint for each in found}


def several(door: str, *routes: dict[str, Any]) -> list[Any]:
    """Objects of several routes of one component."""

    def build(self: Owner) -> None:
        for index, options in enumerate(routes):
            Route(self, f"web-{index}", **{"path": f"/{index}/", "service": "web", **options})

    platform = Platform(gateway="door", provisions=(Provision.of(DOORS[door], "door"),))
    return [each.manifest for each in built(build, platform=platform).objects]


def clash(door: str, *routes: dict[str, Any]) -> Problem:
    with pytest.raises(ConfigError) as raised:
        several(door, *routes)
    (problem,) = raised.value.problems
    return problem


def test_emissary_verifies_by_a_context_of_the_mapping() -> None:
    context, mapping = objects("emissary", tls=said({**LOOSE, "clientCertificate": "gateway"}), port=8443)

    assert (context["kind"], context["metadata"]["name"], context["metadata"]["namespace"]) == (
        "TLSContext",
        "here-web",
        "here",
    )
    assert context["spec"] == {"secret": "gateway", "ca_secret": "web-ca", "sni": "web.here.svc"}
    assert (mapping["spec"]["service"], mapping["spec"]["tls"]) == ("https://web.here:8443", "here-web")


def test_each_service_of_a_canary_has_its_name_verified() -> None:
    first, _, second, mapping = objects("emissary", tls=said(LOOSE), canary=Canary(service="next", percent=5))

    assert (first["spec"]["sni"], second["spec"]["sni"]) == ("web.here.svc", "next.here.svc")
    assert (second["metadata"]["name"], mapping["spec"]["tls"]) == ("here-web-canary", "here-web-canary")
    rules = [
        each
        for each in objects("istio", tls=said(SECRET), canary=Canary(service="next", percent=5))
        if "host" in each["spec"]
    ]
    assert [each["metadata"]["name"] for each in rules] == ["here-web", "here-next"]


def test_emissary_offers_http_2_to_a_service_of_grpc() -> None:
    context, _ = objects("emissary", tls=said({**LOOSE, "serverName": "web.example.com"}), grpc=True)

    assert context["spec"] == {
        "secret": "web-ca",
        "ca_secret": "web-ca",
        "sni": "web.example.com",
        "alpn_protocols": "h2",
    }


def test_a_second_gateway_of_emissary_reads_its_own_contexts() -> None:
    second = DOORS["emissary"].model_copy(update={"identified": True})
    context, _ = objects(second, tls=said({**LOOSE, "ca": {"secret": "web.ca"}}))

    assert context["spec"] == {
        "secret": "web-ca",
        "ca_secret": "web.ca",
        "secret_namespacing": False,
        "sni": "web.here.svc",
        "ambassador_id": ["default"],
    }


def test_emissary_refuses_what_it_would_not_verify() -> None:
    name = "Emissary verifies who signed a certificate, and never its name"
    alone = "write `anyName: true` where the authority signs for this Service alone, or choose a gateway of Istio's"
    kept = "Emissary verifies a Service only while it shows a certificate of its own"

    assert problems("emissary", SECRET) == {
        kept: "name a Secret with `tls.crt` and `tls.key` as `clientCertificate`",
        name: alone,
    }
    assert problems("emissary", CONFIG_MAP) == {
        "Emissary reads an authority from a Secret alone": "write `ca: {secret: …}`",
        name: alone,
    }


def test_istio_verifies_by_a_destination_rule_that_its_gateway_alone_reads() -> None:
    _, rule = objects("istio", tls=said(SECRET), port=8443)

    assert (rule["kind"], rule["metadata"]["name"], rule["metadata"]["namespace"]) == (
        "DestinationRule",
        "here-web",
        "doors",
    )
    assert rule["spec"] == {
        "host": "web.here.svc.cluster.local",
        "exportTo": ["."],
        "trafficPolicy": {
            "portLevelSettings": [
                {
                    "port": {"number": 8443},
                    "tls": {
                        "mode": "SIMPLE",
                        "sni": "web.here.svc",
                        "credentialName": "web-ca",
                        "subjectAltNames": ["web.here.svc"],
                    },
                }
            ]
        },
    }


def test_istio_shows_a_certificate_and_compares_no_name_where_it_is_told_so() -> None:
    _, rule = objects("istio", tls=said(LOOSE))
    (settings,) = rule["spec"]["trafficPolicy"]["portLevelSettings"]

    assert settings["tls"] == {"mode": "MUTUAL", "sni": "web.here.svc", "credentialName": "web-ca"}


def test_public_authorities_are_those_of_the_gateways_image() -> None:
    tls = said({**SYSTEM, "serverName": "web.example.com"})
    _, rule = objects("istio", tls=tls)
    _, policy = objects("gateway-api", tls=tls)

    assert rule["spec"]["trafficPolicy"]["portLevelSettings"][0]["tls"] == {
        "mode": "SIMPLE",
        "sni": "web.example.com",
        "caCertificates": "system",
        "subjectAltNames": ["web.example.com"],
    }
    assert policy["spec"]["validation"] == {
        "hostname": "web.example.com",
        "subjectAltNames": [{"type": "Hostname", "hostname": "web.example.com"}],
        "wellKnownCACertificates": "System",
    }


def test_istio_reads_no_authority_from_a_config_map() -> None:
    assert problems("istio", CONFIG_MAP) == {
        "Istio reads an authority from a Secret in the gateway's namespace": "write `ca: {secret: …}`"
    }
    assert problems("istio", {**SECRET, "clientCertificate": "gateway"}) == {
        "Istio reads a certificate and the authority of the Service from one Secret": (
            "put all three into one, and name that in `ca` and as `clientCertificate`"
        )
    }


def test_gateway_api_verifies_by_a_policy_next_to_the_service() -> None:
    _, policy = objects("gateway-api", tls=said(CONFIG_MAP), namespace="there")

    assert (policy["kind"], policy["metadata"]["name"], policy["metadata"]["namespace"]) == (
        "BackendTLSPolicy",
        "web",
        "there",
    )
    assert policy["spec"] == {
        "targetRefs": [{"group": "", "kind": "Service", "name": "web"}],
        "validation": {
            "hostname": "web.there.svc",
            # Istio compares names that are listed here, and not the host name.
            "subjectAltNames": [{"type": "Hostname", "hostname": "web.there.svc"}],
            "caCertificateRefs": [{"group": "", "kind": "ConfigMap", "name": "web-ca"}],
        },
    }


def test_gateway_api_has_no_secrets_and_always_compares_a_name() -> None:
    assert problems("gateway-api", LOOSE) == {
        "Gateway API reads an authority from a ConfigMap in the Service's namespace": (
            "write `ca: {configMap: …}`, without `clientCertificate`"
        ),
        "Gateway API always has a name compared": "leave `anyName` out, and name it as `serverName`",
    }


@pytest.mark.parametrize(
    ("door", "tls", "kind"), [("istio", SECRET, "DestinationRule"), ("gateway-api", CONFIG_MAP, "BackendTLSPolicy")]
)
def test_routes_to_one_service_say_the_same_of_it(door: str, tls: dict[str, Any], kind: str) -> None:
    wanted = said(tls)
    both = several(door, {"tls": wanted}, {"tls": wanted})
    text = "route web-1: another route leads to the Service web by another port or another `tls`, and this gateway has "

    assert [each["kind"] for each in both].count(kind) == 1
    for other in ({}, {"tls": wanted, "port": 8443}, {"tls": said({**tls, "serverName": "web.example.com"})}):
        found = clash(door, {"tls": wanted}, other)
        assert found.text == f"{text}one for all routes to a Service"
        assert found.hint == "say the same of both routes, or make a Service for each"
    assert clash(door, {}, {"tls": wanted}).text == found.text
    assert several(door, {}, {"port": 8443})
    assert several(door, {"tls": wanted}, {"service": "other"})
    assert several(door, {"tls": wanted}, {"namespace": "there"})


def test_emissary_has_tls_by_route() -> None:
    assert [each["kind"] for each in several("emissary", {"tls": said(LOOSE)}, {})] == [
        "TLSContext",
        "Mapping",
        "Mapping",
    ]


def test_what_a_stack_says_of_tls_wins() -> None:
    _, rule = objects("istio", tls=said(SECRET), routing={"tls": SYSTEM})

    assert rule["spec"]["trafficPolicy"]["portLevelSettings"][0]["tls"]["caCertificates"] == "system"


def test_a_redirect_asks_no_service_by_tls() -> None:
    (problem,) = refused("istio", service="", redirect=Redirect(path="/else"), tls=said(SECRET))

    assert (problem.text, problem.hint) == ("route web: it is a redirect, which asks no Service", "leave `tls` out")


@pytest.mark.parametrize(
    ("tls", "said"),
    [
        ({"ca": {}}, "name one of configMap, secret, system"),
        ({"ca": {"secret": "a", "configMap": "b"}}, "name one of configMap, secret, system"),
        ({**CONFIG_MAP, "clientCertificate": "web-ca"}, "a gateway that reads Secrets reads the authority in one too"),
        (
            {**SYSTEM, "anyName": True},
            "public authorities sign for every owner of a domain: a certificate of any name proves nothing",
        ),
        ({"ca": {"system": False}}, "Input should be True"),
        ({}, "Field required"),
    ],
)
def test_what_cannot_be_verified_is_refused(tls: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        RouteConfig.model_validate({"tls": tls})


@pytest.mark.parametrize("tls", [SYSTEM, SECRET, CONFIG_MAP])
def test_what_a_stack_says_of_tls_reaches_those_who_build_apart(tls: dict[str, Any]) -> None:
    assert BackendTls.model_validate_json(said(tls).model_dump_json()) == said(tls)
