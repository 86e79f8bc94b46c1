"""Dex: its address, connectors without secrets in the file, clients, own users, storage."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from platform_def.capabilities import Identity, OidcClient, SqlDatabase
from platform_def.capabilities.databases import SharedDatabase
from platform_def.components.people.dex.component import Dex
from platform_def.components.people.dex.connectors import Connector
from platform_def.config.capability import Provision
from platform_def.config.cluster import Ingress, Tls
from platform_def.config.platform import Platform
from platform_def.config.secrets import SecretSource
from tests.unit.built import Objects, built, grants, setting, told

INGRESS = Ingress(kind="nodePort", host="ml.example.com", tls=Tls(secret="tls"), https_port=30443)
USERS = {"baseDn": "ou=people,dc=example,dc=com"}
CAMPUS = {"id": "campus", "ldap": {"host": "ldap.example.com", "users": USERS}}


def configuration(made: Objects) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(made.one("ConfigMap", "dex")["data"]["config.yaml"])
    return found


def variables(made: Objects) -> dict[str, Any]:
    return {each["name"]: each.get("valueFrom", {}).get("secretKeyRef") for each in made.container("Deployment")["env"]}


def config(**fields: Any) -> dict[str, Any]:
    return {"connectors": [CAMPUS], **fields}


def made_with(platform: Platform | None = None, **fields: Any) -> Objects:
    chosen = Dex.config_model().from_file(config(**fields))
    return built(Dex, platform or Platform(ingress=INGRESS), **chosen.model_dump(by_alias=False, exclude_unset=True))


def test_the_issuer_is_the_address_that_browsers_reach() -> None:
    offered = Dex.offers(setting(Dex, config(), ingress=INGRESS)).capabilities
    given = next(each for each in offered if isinstance(each, Identity))

    assert given.issuer == "https://ml.example.com:30443/dex"
    assert given.keys_url == "http://dex.auth.svc.cluster.local:5556/dex/keys"
    assert configuration(made_with())["issuer"] == given.issuer


def test_without_a_host_there_is_no_address() -> None:
    assert any("no host" in text for text in told(Dex, config()))
    assert not any("no host" in text for text in told(Dex, config(issuer="https://id.example.com")))


def test_no_one_could_sign_in_without_a_connector() -> None:
    assert any("no one could sign in" in text for text in told(Dex, {}, ingress=INGRESS))


def test_the_password_of_a_directory_is_a_variable() -> None:
    ldap = {**CAMPUS["ldap"], "bindDn": "cn=reader", "password": {"existing": "reader"}}  # type: ignore[dict-item]
    made = made_with(connectors=[{"id": "my-campus", "ldap": ldap}])

    (connector,) = configuration(made)["connectors"]
    assert connector["config"]["bindPW"] == "$CONNECTOR_MY_CAMPUS"
    assert variables(made)["CONNECTOR_MY_CAMPUS"] == {"name": "reader", "key": "password"}


def test_a_text_that_dex_would_expand_is_refused() -> None:
    with pytest.raises(ValidationError, match="replace by an environment variable"):
        Connector.from_file({**CAMPUS, "ldap": {**CAMPUS["ldap"], "bindDn": "cn=$x", "password": {"existing": "a"}}})  # type: ignore[dict-item]


def test_a_connector_is_of_exactly_one_kind() -> None:
    with pytest.raises(ValidationError, match="write one of"):
        Connector.from_file({"id": "none"})


@pytest.mark.parametrize(
    ("kind", "said", "expected"),
    [
        ("github", {"orgs": [{"name": "lab", "teams": ["a"]}]}, {"orgs": [{"name": "lab", "teams": ["a"]}]}),
        ("google", {"domains": ["example.com"]}, {"hostedDomains": ["example.com"]}),
        ("microsoft", {"tenant": "lab"}, {"tenant": "lab", "onlySecurityGroups": True}),
        ("oidc", {"issuer": "https://x", "groups": True}, {"issuer": "https://x", "insecureEnableGroups": True}),
    ],
)
def test_a_provider_sends_browsers_back_to_dex(kind: str, said: dict[str, Any], expected: dict[str, Any]) -> None:
    made = made_with(connectors=[{"id": "it", kind: {"clientId": "dex", "secret": {"existing": "app"}, **said}}])

    (connector,) = configuration(made)["connectors"]
    assert connector["type"] == kind
    assert connector["config"]["redirectURI"] == "https://ml.example.com:30443/dex/callback"
    assert connector["config"]["clientSecret"] == "$CONNECTOR_IT"
    assert {key: connector["config"][key] for key in expected} == expected


def test_components_that_sign_people_in_become_clients() -> None:
    client = OidcClient(id="hub", redirect_uris=["https://ml.example.com/hub"], secret="hub-oidc")
    platform = Platform(ingress=INGRESS, provisions=(Provision.of(client, "hub"),))

    made = made_with(platform, clients=[{"id": "kubectl", "redirectUris": ["http://localhost:8000"]}])
    assert configuration(made)["staticClients"] == [
        {"id": "hub", "name": "hub", "redirectURIs": ["https://ml.example.com/hub"], "secretEnv": "CLIENT_0"},
        {"id": "kubectl", "name": "kubectl", "redirectURIs": ["http://localhost:8000"], "public": True},
    ]
    assert variables(made)["CLIENT_0"] == {"name": "hub-oidc", "key": "client-secret"}


def test_two_clients_of_one_id_are_refused() -> None:
    at = setting(Dex, config(clients=[{"id": "hub", "redirectUris": ["http://localhost"]}]), ingress=INGRESS)
    facts = at.platform.with_facts(provisions=(Provision.of(OidcClient(id="hub", secret="x"), "hub"),))

    found = [str(each) for each in Dex.problems(type(at)(at.name, at.config, facts))]
    assert any("both the client hub" in text for text in found)


def test_hashes_of_own_users_are_read_from_a_secret() -> None:
    user = {"email": "operator@example.com", "groups": ["administrators"], "hashKey": "operator"}
    made = made_with(localUsers=[user], localPasswords={"existing": "local"})

    (password,) = configuration(made)["staticPasswords"]
    assert configuration(made)["enablePasswordDB"] is True
    assert (password["hashFromEnv"], "hash" in password) == ("LOCAL_USER_0", False)
    assert variables(made)["LOCAL_USER_0"] == {"name": "local", "key": "operator"}
    assert "staticPasswords" not in configuration(made_with())


def test_a_hash_cannot_be_generated() -> None:
    user = {"email": "operator@example.com", "hashKey": "operator"}
    with pytest.raises(ValidationError, match="no bcrypt hash"):
        Dex.config_model().from_file(config(localUsers=[user], localPasswords={"generate": {}}))


def test_sessions_in_a_database_need_neither_rights_nor_kinds() -> None:
    share = SharedDatabase(credentials=SecretSource(existing="dex-database"))
    server = SqlDatabase(engine="postgresql", host="db.example.com", port=5432, tls="required", shares={"dex": share})
    made = made_with(Platform(ingress=INGRESS, provisions=(Provision.of(server, "external"),)), storage="sql")

    stored = configuration(made)["storage"]
    assert stored["type"] == "postgres"
    assert stored["config"]["ssl"] == {"mode": "verify-full"}
    assert stored["config"]["password"] == "$DATABASE_PASSWORD"
    assert (made.of("ClusterRole"), made.of("CustomResourceDefinition")) == ([], [])
    assert made.pod("Deployment")["automountServiceAccountToken"] is False


def test_two_pods_share_their_state_in_its_own_kinds() -> None:
    made = made_with()

    assert made.one("Deployment")["spec"]["replicas"] == 2
    assert configuration(made)["storage"] == {"type": "kubernetes", "config": {"inCluster": True}}
    assert grants(made.rules("ClusterRole", "dex"), "dex.coreos.com", "*") == {"*"}


def test_the_first_public_client_is_that_of_kubectl() -> None:
    def named(*clients: dict[str, Any]) -> str | None:
        offered = Dex.offers(setting(Dex, config(clients=[*clients]), ingress=INGRESS)).capabilities
        return next(each.kubectl_client for each in offered if isinstance(each, Identity))

    back = {"redirectUris": ["http://localhost:8000"]}
    secret = {"id": "outside", **back, "secret": {"existing": "outside"}}
    assert named(secret, {"id": "kubectl", **back}, {"id": "other", **back}) == "kubectl"
    assert named(secret) is None
