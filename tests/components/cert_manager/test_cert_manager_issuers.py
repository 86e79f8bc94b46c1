"""ClusterIssuers of cert-manager, as stacks name them."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from platform_def.capabilities import CertificateIssuer, Gateway, GatewayPath
from platform_def.components.gateways.cert_manager.component import CertManager
from platform_def.config.capability import Provision
from platform_def.config.platform import Platform
from platform_def.constructs import Setting
from tests.unit.built import Objects, built, grants, setting

DOORS = {
    "emissary": Gateway(api="emissary", name="default", namespace="emissary"),
    "inside": Gateway(api="emissary", name="inside", namespace="inside", identified=True),
    "gateway-api": Gateway(api="gateway-api", name="door", namespace="doors"),
    "istio": Gateway(api="istio", name="door", namespace="doors"),
}


def platform(gateway: str = "none") -> Platform:
    """A stack with a gateway."""
    given = (Provision.of(DOORS[gateway], gateway),) if gateway in DOORS else ()
    return Platform(gateway=gateway, provisions=given)


def made(issuers: dict[str, Any], gateway: str = "none") -> Objects:
    return built(CertManager, platform(gateway), issuers=issuers)


def spec(issuer: dict[str, Any], gateway: str = "none") -> Any:
    return made({"one": issuer}, gateway).one("ClusterIssuer", "one")["spec"]


def told(issuers: dict[str, Any], gateway: str) -> list[str]:
    config = CertManager.config_model().from_file({"issuers": issuers})
    return [each.text for each in CertManager.problems(Setting("cert-manager", config, platform(gateway)))]


def test_an_authority_of_the_clusters_own_signs_itself_once() -> None:
    found = made({"house": {"authority": {"commonName": "ML platform", "years": 2}}})
    root = found.one("Certificate", "house-authority")

    assert found.one("ClusterIssuer", "house")["spec"] == {"ca": {"secretName": "house-authority"}}
    assert found.one("ClusterIssuer", "house-root")["spec"] == {"selfSigned": {}}
    assert root["metadata"]["namespace"] == "cert-manager"
    assert (root["spec"]["isCA"], root["spec"]["duration"]) == (True, "17520h0m0s")
    assert root["spec"]["issuerRef"]["name"] == "house-root"
    assert root["spec"]["commonName"] == "ML platform"


def test_an_authority_may_be_there_already() -> None:
    assert spec({"authority": {"secret": "company-ca"}}) == {"ca": {"secretName": "company-ca"}}


def test_issuers_wait_for_the_programs() -> None:
    assert made({"one": {"authority": {"secret": "a"}}}).part("ClusterIssuer") == "after"


@pytest.mark.parametrize(
    ("gateway", "solver"),
    [
        ("emissary", {"ingress": {"ingressClassName": "acme-http01"}}),
        ("inside", {"ingress": {"ingressClassName": "acme-http01"}}),
        (
            "gateway-api",
            {
                "gatewayHTTPRoute": {
                    "parentRefs": [
                        {
                            "group": "gateway.networking.k8s.io",
                            "kind": "Gateway",
                            "name": "door",
                            "namespace": "doors",
                            "sectionName": "http",
                        }
                    ]
                }
            },
        ),
    ],
)
def test_a_challenge_over_http_is_answered_at_the_stacks_gateway(gateway: str, solver: dict[str, Any]) -> None:
    found = spec({"acme": {"email": "ops@example.com"}}, gateway)

    assert found["acme"] == {
        "server": "https://acme-v02.api.letsencrypt.org/directory",
        "email": "ops@example.com",
        "privateKeySecretRef": {"name": "one-account"},
        "solvers": [{"http01": solver}],
    }


@pytest.mark.parametrize(("gateway", "known"), [("emissary", {}), ("inside", {"ambassador_id": ["inside"]})])
def test_behind_emissary_a_challenge_passes_without_login_and_with_its_path(
    gateway: str, known: dict[str, Any]
) -> None:
    """The Ingress that cert-manager makes would be rewritten to `/`: its class is one that no gateway reads."""
    found = made({"one": {"acme": {}}}, gateway)
    service = found.one("Service", "acme-http01")

    assert found.one("Mapping")["spec"] == {
        "hostname": "*",
        "prefix": "/.well-known/acme-challenge/",
        "service": f"acme-http01.{service['metadata']['namespace']}:80",
        "rewrite": "",
        "bypass_auth": True,
        "timeout_ms": 10_000,
        **known,
    }
    assert service["spec"]["selector"] == {"acme.cert-manager.io/http01-solver": "true"}
    assert [(each["port"], each["targetPort"]) for each in service["spec"]["ports"]] == [(80, 8089)]
    assert made({"one": {"acme": {}}}, "gateway-api").names("Mapping") == []


def test_a_login_at_the_root_asks_no_authority() -> None:
    def public(config: dict[str, Any]) -> list[str]:
        given = CertManager.offers(setting(CertManager, config)).capabilities
        return [each.path for each in given if isinstance(each, GatewayPath) and each.access == "public"]

    assert public({"issuers": {"one": {"acme": {}}}}) == ["/.well-known/acme-challenge/"]
    assert public({"issuers": {"one": {"authority": {}}}}) == []


def test_the_controller_reads_gateway_api_only_where_challenges_are_routes() -> None:
    def flags(gateway: str) -> list[str]:
        return made({"one": {"acme": {}}}, gateway).arguments("Deployment", "cert-manager")

    assert "--enable-gateway-api" in flags("gateway-api")
    assert "--enable-gateway-api" not in flags("emissary")
    assert made({"one": {"acme": {}}}, "gateway-api").build.awaits == ("HTTPRoute.gateway.networking.k8s.io",)


@pytest.mark.parametrize(
    ("dns01", "solver"),
    [
        (
            {"cloudflare": {"apiToken": {"secret": "cf", "key": "token"}}},
            {"cloudflare": {"apiTokenSecretRef": {"name": "cf", "key": "token"}}},
        ),
        ({"route53": {"region": "eu-central-1"}}, {"route53": {"region": "eu-central-1"}}),
        (
            {
                "route53": {
                    "region": "eu-central-1",
                    "hostedZoneId": "Z1",
                    "role": "dns",
                    "accessKeyId": {"secret": "aws", "key": "id"},
                    "secretAccessKey": {"secret": "aws", "key": "secret"},
                }
            },
            {
                "route53": {
                    "region": "eu-central-1",
                    "hostedZoneID": "Z1",
                    "role": "dns",
                    "accessKeyIDSecretRef": {"name": "aws", "key": "id"},
                    "secretAccessKeySecretRef": {"name": "aws", "key": "secret"},
                }
            },
        ),
        ({"cloudDns": {"project": "ml"}}, {"cloudDNS": {"project": "ml"}}),
        (
            {"cloudDns": {"project": "ml", "serviceAccount": {"secret": "g", "key": "k"}}},
            {"cloudDNS": {"project": "ml", "serviceAccountSecretRef": {"name": "g", "key": "k"}}},
        ),
        (
            {"rfc2136": {"nameserver": "10.0.0.53:53", "keyName": "acme", "key": {"secret": "t", "key": "k"}}},
            {
                "rfc2136": {
                    "nameserver": "10.0.0.53:53",
                    "tsigKeyName": "acme",
                    "tsigAlgorithm": "HMACSHA512",
                    "tsigSecretSecretRef": {"name": "t", "key": "k"},
                }
            },
        ),
        (
            {"azureDns": {"subscriptionId": "s", "resourceGroup": "g"}},
            {"azureDNS": {"subscriptionID": "s", "resourceGroupName": "g"}},
        ),
        (
            {
                "azureDns": {
                    "subscriptionId": "s",
                    "resourceGroup": "g",
                    "hostedZone": "example.com",
                    "environment": "AzureChinaCloud",
                    "tenantId": "t",
                    "clientId": "c",
                    "clientSecret": {"secret": "az", "key": "k"},
                }
            },
            {
                "azureDNS": {
                    "subscriptionID": "s",
                    "resourceGroupName": "g",
                    "hostedZoneName": "example.com",
                    "environment": "AzureChinaCloud",
                    "tenantID": "t",
                    "clientID": "c",
                    "clientSecretSecretRef": {"name": "az", "key": "k"},
                }
            },
        ),
        (
            {"azureDns": {"subscriptionId": "s", "resourceGroup": "g", "identityClientId": "i"}},
            {"azureDNS": {"subscriptionID": "s", "resourceGroupName": "g", "managedIdentity": {"clientID": "i"}}},
        ),
        (
            {"webhook": {"groupName": "acme.example.com", "solverName": "own", "config": {"zone": "z"}}},
            {"webhook": {"groupName": "acme.example.com", "solverName": "own", "config": {"zone": "z"}}},
        ),
        (
            {"webhook": {"groupName": "acme.example.com", "solverName": "own"}},
            {"webhook": {"groupName": "acme.example.com", "solverName": "own"}},
        ),
    ],
)
def test_a_domain_may_be_proved_by_a_record(dns01: dict[str, Any], solver: dict[str, Any]) -> None:
    found = spec({"acme": {"server": "letsencrypt-staging", "dns01": dns01}})

    assert found["acme"]["server"] == "https://acme-staging-v02.api.letsencrypt.org/directory"
    assert found["acme"]["solvers"] == [{"dns01": solver}]


def test_vault_is_shown_tokens_of_one_account() -> None:
    chosen = {"server": "https://vault.example.com", "path": "pki/sign/ml", "role": "ml"}
    found = made({"one": {"vault": {**chosen, "ca": {"secret": "vault-ca", "key": "ca.crt"}}}})

    assert found.one("ClusterIssuer", "one")["spec"]["vault"] == {
        "server": "https://vault.example.com",
        "path": "pki/sign/ml",
        "auth": {
            "kubernetes": {
                "role": "ml",
                "mountPath": "/v1/auth/kubernetes",
                "serviceAccountRef": {"name": "vault-issuer"},
            }
        },
        "caBundleSecretRef": {"name": "vault-ca", "key": "ca.crt"},
    }
    (rule,) = found.rules("Role", "vault-issuer-tokens")
    assert rule["resourceNames"] == ["vault-issuer"]
    assert grants([rule], "", "serviceaccounts/token") == {"create"}
    assert found.one("RoleBinding", "vault-issuer-tokens")["subjects"][0]["name"] == "cert-manager"
    assert "vault-issuer" in found.names("ServiceAccount")


def test_what_could_never_be_answered_is_refused() -> None:
    asked: dict[str, Any] = {"one": {"acme": {}}}

    assert "the stack has no gateway that would answer" in told(asked, "none")[0]
    assert "sends plain requests to HTTPS, challenges too" in told(asked, "istio")[0]
    assert told(asked, "emissary") == told(asked, "gateway-api") == []
    assert told({"one": {"authority": {}}}, "istio") == []


def test_two_issuers_of_one_name_are_refused() -> None:
    config = CertManager.config_model().from_file({"issuers": {"a": {"authority": {}}}, "selfSignedIssuer": "a"})
    (problem,) = CertManager.problems(Setting("cert-manager", config, Platform()))

    assert problem.text == "components.cert-manager.issuers.a: `selfSignedIssuer` has that name too"


def test_the_first_one_signs_for_who_names_none() -> None:
    def given(config: dict[str, Any]) -> CertificateIssuer:
        (found,) = CertManager.offers(setting(CertManager, config)).capabilities
        assert isinstance(found, CertificateIssuer)
        return found

    assert given({}).cluster_issuer is None
    assert given({"issuers": {"b": {"authority": {}}, "a": {"authority": {}}}}).cluster_issuer == "b"


def test_secrets_that_are_named_are_the_clusters_own() -> None:
    issuers = {
        "a": {"authority": {"secret": "company-ca"}},
        "b": {"acme": {"dns01": {"cloudflare": {"apiToken": {"secret": "cf", "key": "token"}}}}},
    }
    found = CertManager.offers(setting(CertManager, {"issuers": issuers})).existing

    assert {(each.kind, each.name, each.namespace) for each in found} == {
        ("Secret", "company-ca", "cert-manager"),
        ("Secret", "cf", "cert-manager"),
    }


@pytest.mark.parametrize(
    ("issuer", "why"),
    [
        ({}, "name one of authority, acme, vault"),
        ({"authority": {}, "acme": {}}, "name one of authority, acme, vault"),
        ({"acme": {"dns01": {}}}, "name one of cloudflare, route53, cloudDns, rfc2136, azureDns, webhook"),
        (
            {"acme": {"dns01": {"azureDns": {"subscriptionId": "s", "resourceGroup": "g", "tenantId": "t"}}}},
            "tenantId, clientId and clientSecret belong together",
        ),
        (
            {
                "acme": {
                    "dns01": {
                        "azureDns": {
                            "subscriptionId": "s",
                            "resourceGroup": "g",
                            "tenantId": "t",
                            "clientId": "c",
                            "clientSecret": {"secret": "a", "key": "k"},
                            "identityClientId": "i",
                        }
                    }
                }
            },
            "name a service principal or a managed identity",
        ),
        (
            {"acme": {"byZone": [{"zones": ["a.io", "a.io"], "dns01": {"cloudDns": {"project": "ml"}}}]}},
            "byZone: a.io is written in two places",
        ),
        (
            {"acme": {"dns01": {"route53": {"region": "a", "accessKeyId": {"secret": "s", "key": "k"}}}}},
            "accessKeyId and secretAccessKey belong together",
        ),
    ],
)
def test_an_issuer_is_of_one_sort(issuer: dict[str, Any], why: str) -> None:
    with pytest.raises(ValidationError, match=why):
        made({"one": issuer})


def test_zones_choose_how_their_names_are_proved() -> None:
    inside = {"rfc2136": {"nameserver": "10.0.0.53", "keyName": "acme", "key": {"secret": "t", "key": "k"}}}
    acme = {"dns01": {"cloudDns": {"project": "ml"}}, "byZone": [{"zones": ["inside.example.com"], "dns01": inside}]}
    first, second = spec({"acme": acme})["acme"]["solvers"]
    at = setting(CertManager, {"issuers": {"a": {"acme": acme}}})

    assert first["selector"] == {"dnsZones": ["inside.example.com"]}
    assert first["dns01"]["rfc2136"]["nameserver"] == "10.0.0.53"
    assert second == {"dns01": {"cloudDNS": {"project": "ml"}}}
    assert [each.name for each in CertManager.offers(at).existing] == ["t"]


def test_an_authority_may_ask_for_an_account_that_it_knows() -> None:
    bound = {"keyId": "team", "key": {"secret": "eab", "key": "key"}}
    acme = {"server": "https://acme.example.com/dir", "accountBinding": bound, "preferredChain": "Root R1"}
    found = spec({"acme": {**acme, "dns01": {"cloudDns": {"project": "ml"}}}})["acme"]

    assert found["externalAccountBinding"] == {"keyID": "team", "keySecretRef": {"name": "eab", "key": "key"}}
    assert found["preferredChain"] == "Root R1"


def test_split_dns_asks_the_name_servers_that_are_named() -> None:
    servers = ["1.1.1.1:53", "https://1.1.1.1/dns-query"]
    flags = built(CertManager, recursive_nameservers=servers).arguments("Deployment", "cert-manager")

    assert flags[-2:] == [
        "--dns01-recursive-nameservers=1.1.1.1:53,https://1.1.1.1/dns-query",
        "--dns01-recursive-nameservers-only",
    ]
    assert not any("recursive" in each for each in built(CertManager).arguments("Deployment", "cert-manager"))
