"""oauth2-proxy: what it tells gateways, the headers of its answers, its secrets, sessions."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from platform_def.capabilities import AuthorizationService, Gateway, GatewayPath, Identity, OidcClient
from platform_def.components.people.oauth2_proxy.component import Oauth2Proxy
from platform_def.config.access.tokens import ServiceAccountTokens
from platform_def.config.capability import Provision
from platform_def.config.cluster import Ingress, Tls
from platform_def.config.platform import Platform
from platform_def.constructs.component import Setting
from tests.unit.built import Objects, built

INGRESS = Ingress(kind="cloud", host="ml.example.com", tls=Tls(secret="tls"))
DEX = Identity(
    issuer="https://ml.example.com/dex",
    groups_header="kubeflow-groups",
    authorization_url="https://ml.example.com/dex/auth",
    token_url="http://dex.auth.svc:5556/dex/token",
    keys_url="http://dex.auth.svc:5556/dex/keys",
    clients_namespace="auth",
)
OUTSIDE = Identity(issuer="https://id.example.com", user_claim="upn", user_prefix="oidc:")


def facts(identity: Identity = DEX, *more: Provision, **stack: Any) -> Platform:
    return Platform(**{"ingress": INGRESS, "provisions": (Provision.of(identity, "dex"), *more), **stack})


def made(identity: Identity = DEX, *more: Provision, **config: Any) -> Objects:
    chosen = Oauth2Proxy.config_model().from_file(config)
    return built(Oauth2Proxy, facts(identity, *more), **chosen.model_dump(by_alias=False, exclude_unset=True))


def at(identity: Identity = DEX, stack: dict[str, Any] | None = None, **config: Any) -> Setting[Any]:
    return Setting("oauth2-proxy", Oauth2Proxy.config_model().from_file(config), facts(identity, **(stack or {})))


def settings(objects: Objects) -> dict[str, Any]:
    return tomllib.loads(objects.one("ConfigMap", "oauth2-proxy")["data"]["oauth2_proxy.cfg"])


def structured(objects: Objects) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(objects.one("ConfigMap", "oauth2-proxy")["data"]["structured.yaml"])
    return found


def test_gateways_take_user_and_groups_from_its_answer() -> None:
    asked = next(each for each in Oauth2Proxy.offers(at()).capabilities if isinstance(each, AuthorizationService))
    headers = {each["name"]: each["values"] for each in structured(made())["injectResponseHeaders"]}

    assert asked.adds == ("kubeflow-userid", "kubeflow-groups")
    assert set(headers) == set(asked.adds)
    assert headers["kubeflow-userid"] == [{"claimSource": {"claim": "email"}}]


def test_the_groups_header_is_never_absent_so_that_no_client_can_write_it() -> None:
    objects = made()
    groups = structured(objects)["injectResponseHeaders"][1]["values"]
    variables = {each["name"]: each.get("value") for each in objects.container("Deployment")["env"]}

    assert groups[0] == {"secretSource": {"fromEnv": "EVERYONES_GROUP"}}
    assert variables["EVERYONES_GROUP"] == "system:authenticated"


def test_browsers_of_further_hosts_come_back_to_the_host_that_they_came_from() -> None:
    further = [
        {"host": "two.example.com", "tls": {"secret": "two"}},
        {"host": "*.apps.example.com", "tls": {"secret": "apps"}},
    ]
    several = Ingress.model_validate({**INGRESS.model_dump(mode="json", by_alias=True), "furtherHosts": further})
    offered = Oauth2Proxy.offers(at(stack={"ingress": several})).capabilities
    (client,) = (each for each in offered if isinstance(each, OidcClient))
    files = settings(built(Oauth2Proxy, facts(ingress=several)))

    assert client.redirect_uris == [
        "https://ml.example.com/oauth2/callback",
        "https://two.example.com/oauth2/callback",
    ]
    assert "redirect_url" not in files
    assert files["cookie_secure"] is True
    assert "cookie_domains" not in files
    assert settings(made())["redirect_url"] == "https://ml.example.com/oauth2/callback"


def test_the_client_secret_is_read_by_the_issuer_of_the_stack() -> None:
    client = next(each for each in Oauth2Proxy.offers(at()).capabilities if isinstance(each, OidcClient))
    objects = made()

    assert client.redirect_uris == ["https://ml.example.com/oauth2/callback"]
    assert client.secret == "oauth2-proxy-client"
    homes = {each.namespace for each in objects.build.makes if each.name == "oauth2-proxy-client"}
    assert homes == {"oauth2-proxy", "auth"}


def test_an_issuer_outside_gives_the_client_secret() -> None:
    gateway = {"gateway": "edge", "provisions": (_gateway(), Provision.of(OUTSIDE, "external"))}

    refused = [str(each) for each in Oauth2Proxy.problems(at(OUTSIDE, gateway))]
    assert any("does not know a generated secret" in text for text in refused)
    assert [*Oauth2Proxy.problems(at(OUTSIDE, gateway, clientSecret={"existing": "mine"}))] == []
    assert not any(isinstance(each, OidcClient) for each in Oauth2Proxy.offers(at(OUTSIDE)).capabilities)


def _gateway() -> Provision:
    return Provision.of(Gateway(api="emissary", name="edge", namespace="edge"), "edge")


def test_an_issuer_outside_is_asked_for_its_endpoints() -> None:
    provider = structured(made(OUTSIDE, clientSecret={"existing": "mine"}))["providers"][0]

    assert "loginURL" not in provider
    assert "skipDiscovery" not in provider["oidcConfig"]
    assert provider["oidcConfig"]["emailClaim"] == "upn"
    assert "groups" not in provider["scope"].split()


def test_pods_reach_the_issuer_of_the_stack_without_leaving_the_cluster() -> None:
    provider = structured(made())["providers"][0]

    assert provider["redeemURL"] == DEX.token_url
    assert provider["oidcConfig"]["jwksURL"] == DEX.keys_url
    assert provider["oidcConfig"]["issuerURL"] == DEX.issuer
    assert "groups" in provider["scope"].split()


def test_a_prefix_of_users_is_that_of_the_identity() -> None:
    header = structured(made(OUTSIDE, clientSecret={"existing": "mine"}))["injectResponseHeaders"][0]

    assert header["values"] == [{"claimSource": {"claim": "email", "prefix": "oidc:"}}]


def test_no_path_passes_without_a_session_and_no_address_is_trusted_by_default() -> None:
    told = settings(made())

    assert "skip_auth_routes" not in told
    assert "10.0.0.0/8" in told["trusted_proxy_ips"]
    assert (told["cookie_secure"], told["reverse_proxy"]) == (True, True)


def test_programs_get_a_status_in_place_of_a_page() -> None:
    api = Provision.of(GatewayPath(path="/mlflow/api/", access="api"), "mlflow")

    assert settings(made(DEX, api))["api_routes"] == ["^/mlflow/api/"]
    assert "api_routes" not in settings(made())


def test_a_session_with_tokens_is_refreshed_and_asks_for_offline_access() -> None:
    redis = {"host": "redis.example.com", "password": {"existing": "redis"}}
    objects = made(DEX, refreshMinutes=60, redis=redis)

    assert settings(objects)["redis_connection_url"] == "rediss://redis.example.com:6379"
    assert settings(objects)["cookie_refresh"] == "60m"
    assert "offline_access" in structured(objects)["providers"][0]["scope"].split()
    assert settings(made())["session_cookie_minimal"] is True
    assert "session_cookie_minimal" not in settings(objects)


def test_a_cookie_key_has_a_length_that_aes_takes() -> None:
    with pytest.raises(ValidationError, match="16, 24 or 32"):
        Oauth2Proxy.config_model().from_file({"cookieSecret": {"generate": {"length": 40}}})


def test_files_hold_no_secret() -> None:
    objects = made()

    assert settings(objects)["cookie_secret_file"] == "/etc/oauth2_proxy/cookie/cookie-secret"
    assert structured(objects)["providers"][0]["clientSecretFile"] == "/etc/oauth2_proxy/client/client-secret"
    assert objects.of("Secret") == []


def test_tokens_are_kept_in_no_cookie() -> None:
    with pytest.raises(ValidationError, match="do not fit a cookie"):
        Oauth2Proxy.config_model().from_file({"refreshMinutes": 60})


def test_the_token_is_handed_on_where_the_stack_wants_it() -> None:
    fields: dict[str, Any] = {"passToken": True, "redis": {"host": "redis.example.com"}}
    asked = next(
        each for each in Oauth2Proxy.offers(at(**fields)).capabilities if isinstance(each, AuthorizationService)
    )

    assert "authorization" in asked.adds
    assert structured(made(DEX, **fields))["injectResponseHeaders"][2] == {
        "name": "authorization",
        "values": [{"claimSource": {"claim": "id_token", "prefix": "Bearer "}}],
    }


ISSUER = "https://kubernetes.default.svc.cluster.local"
KEYS = {"keys": [{"kid": "one", "n": "AQAB", "e": "AQAB"}]}


def tokens(keys: str = "cluster", issuer: str = ISSUER, **fields: Any) -> ServiceAccountTokens:
    return ServiceAccountTokens.from_file({"issuer": issuer, "audiences": ["platform", "kfp"], "keys": keys, **fields})


def with_tokens(given: ServiceAccountTokens | None) -> Objects:
    return built(Oauth2Proxy, facts(service_account_tokens=given))


def volume(objects: Objects, name: str) -> dict[str, Any]:
    volumes = objects.one("Deployment", "oauth2-proxy")["spec"]["template"]["spec"]["volumes"]
    (found,) = (each for each in volumes if each["name"] == name)
    return dict(found)


def test_tokens_of_service_accounts_pass_for_each_audience_of_the_stack() -> None:
    assert settings(with_tokens(tokens()))["extra_jwt_issuers"] == [f"{ISSUER}=platform", f"{ISSUER}=kfp"]
    assert "extra_jwt_issuers" not in settings(with_tokens(None))


def test_a_public_issuer_needs_nothing_else() -> None:
    objects, plain = with_tokens(tokens("public", "https://oidc.example.com/1")), with_tokens(None)

    assert objects.one("Deployment", "oauth2-proxy")["spec"]["template"]["spec"].keys() == (
        plain.one("Deployment", "oauth2-proxy")["spec"]["template"]["spec"].keys()
    )
    assert "caFiles" not in structured(objects)["providers"][0]
    assert objects.of("ClusterRoleBinding") == []


def test_keys_of_the_api_server_are_read_with_the_clusters_ca_and_without_a_login() -> None:
    objects = with_tokens(tokens())
    (binding,) = objects.of("ClusterRoleBinding")

    assert structured(objects)["providers"][0]["caFiles"] == ["/etc/oauth2_proxy/cluster-ca/ca.crt"]
    assert structured(objects)["providers"][0]["useSystemTrustStore"] is True
    assert volume(objects, "cluster-ca")["configMap"]["name"] == "kube-root-ca.crt"
    assert binding["roleRef"]["name"] == "system:service-account-issuer-discovery"
    assert [each["name"] for each in binding["subjects"]] == ["system:unauthenticated"]


def test_inline_keys_are_served_in_the_pod_under_the_issuers_name() -> None:
    objects = with_tokens(tokens("inline", f"{ISSUER}:6443", jwks=KEYS))
    pod = objects.one("Deployment", "oauth2-proxy")["spec"]["template"]["spec"]
    server = tomllib.loads(objects.one("ConfigMap", "oauth2-proxy")["data"]["keys.cfg"])
    (certificate,) = objects.of("Certificate")

    assert pod["hostAliases"] == [{"ip": "127.0.0.1", "hostnames": ["kubernetes.default.svc.cluster.local"]}]
    assert server["https_address"] == "127.0.0.1:6443"
    assert server["skip_auth_routes"] == [r"GET=^/\.well-known/jwks\.json$"]
    assert pod["securityContext"]["sysctls"] == [{"name": "net.ipv4.ip_unprivileged_port_start", "value": "0"}]
    assert certificate["spec"]["dnsNames"] == ["kubernetes.default.svc.cluster.local"]
    assert volume(objects, "keys")["configMap"]["items"] == [{"key": "jwks.json", "path": ".well-known/jwks.json"}]
    assert "one" in objects.one("ConfigMap", "oauth2-proxy-keys")["data"]["jwks.json"]
    assert structured(objects)["providers"][0]["caFiles"] == ["/etc/oauth2_proxy/keys-certificate/ca.crt"]
    assert [each["name"] for each in pod["containers"]] == ["oauth2-proxy", "keys"]


def test_inline_keys_need_who_signs_their_servers_certificate() -> None:
    def needed(given: ServiceAccountTokens | None) -> list[str]:
        return [each.capability.__name__ for each in Oauth2Proxy.needs_of(at(stack={"service_account_tokens": given}))]

    assert set(needed(tokens("inline", jwks=KEYS))) - set(needed(tokens())) == {"CertificateIssuer"}
    assert needed(tokens()) == needed(None)


def test_settings_under_which_no_token_passes_are_refused() -> None:
    given = {
        "gateway": "edge",
        "service_account_tokens": tokens(),
        "provisions": (_gateway(), Provision.of(DEX, "dex")),
    }
    refused = [str(each) for each in Oauth2Proxy.problems(at(DEX, given, bearerTokens=False, emailDomains=["b.org"]))]

    assert [text.split(": ")[1] for text in refused] == [
        "components.oauth2-proxy.bearerTokens",
        "components.oauth2-proxy.emailDomains",
    ]
    assert [*Oauth2Proxy.problems(at(DEX, given))] == []
