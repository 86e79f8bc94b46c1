"""Grafana: who gets in and how, where it keeps people, and which dashboards it reads."""

from __future__ import annotations

import configparser
from typing import Any

import pytest
import yaml

from platform_def.capabilities import AlertRouter, DashboardReader, Gateway, Identity, Metrics, SqlDatabase
from platform_def.components.monitoring.grafana.component import Grafana
from platform_def.config.capability import Capability, Provision
from platform_def.config.platform import Platform
from tests.unit.built import Objects, built, platform, stack_of, told

GATEWAY = Gateway(api="emissary", name="edge", namespace="edge", host="ml.example.com")
PROMETHEUS = Metrics(address="http://p:9090", namespace="monitoring", pods={"app.kubernetes.io/name": "prometheus"})
OIDC = {"client_id": "grafana", "client_secret": {"existing": "oidc"}, "admins": ["platform"], "editors": ["leads"]}
SQL = {
    "engine": "postgresql",
    "host": "db.example.com",
    "port": 5432,
    "shares": {"grafana": {"credentials": {"existing": "db"}}},
}


def facts(*more: Capability) -> Platform:
    given = (PROMETHEUS, GATEWAY, Identity(issuer="https://id.example.com"), *more)
    ingress = {"kind": "cloud", "host": "ml.example.com", "tls": {"secret": "tls"}}
    names = {GATEWAY.kind(): "edge"}
    provisions = tuple(Provision.of(each, names.get(each.kind(), "elsewhere")) for each in given)
    return platform(gateway="edge", ingress=ingress, provisions=provisions)


def build(*more: Capability, **config: Any) -> Objects:
    return built(Grafana, facts(*more), **config)


def settings(made: Objects) -> configparser.RawConfigParser:
    found = configparser.RawConfigParser()
    found.read_string(made.one("ConfigMap", "grafana-config")["data"]["grafana.ini"])
    return found


def variables(made: Objects) -> dict[str, Any]:
    return {each["name"]: each.get("value", each.get("valueFrom")) for each in made.container("Deployment")["env"]}


def test_people_are_known_by_the_header_of_the_gateway_which_alone_reaches_it() -> None:
    made = build(access="people")
    proxy = settings(made)["auth.proxy"]
    callers = [peer for rule in made.one("NetworkPolicy")["spec"]["ingress"] for peer in rule["from"]]

    assert (proxy["enabled"], proxy["header_name"]) == ("true", "kubeflow-userid")
    assert settings(made)["auth"]["disable_login_form"] == "true"
    namespaces = [each["namespaceSelector"]["matchLabels"]["kubernetes.io/metadata.name"] for each in callers]
    assert sorted(namespaces) == ["edge", "monitoring"]


def test_people_sign_in_by_the_provider_with_roles_by_group() -> None:
    made = build(access="everyone", oidc=OIDC)
    oauth = settings(made)["auth.generic_oauth"]

    assert oauth["auth_url"] == "https://id.example.com/auth"
    roles = "contains(groups[*], 'platform') && 'Admin' || contains(groups[*], 'leads') && 'Editor' || 'Viewer'"
    assert oauth["role_attribute_path"] == roles
    secret = variables(made)["GF_AUTH_GENERIC_OAUTH_CLIENT_SECRET"]
    assert secret == {"secretKeyRef": {"name": "oidc", "key": "clientSecret"}}


def test_its_pages_are_below_a_path_of_the_gateway() -> None:
    made = build(access="everyone")

    assert settings(made)["server"]["root_url"] == "https://ml.example.com/grafana/"
    assert made.names("Mapping") == ["grafana"]


def test_administrators_alone_get_no_route() -> None:
    made = build()

    assert not made.of("Mapping")
    assert "server" not in settings(made)


def test_the_password_of_admin_is_made_in_the_cluster_and_read_from_a_file() -> None:
    made = build()

    assert variables(made)["GF_SECURITY_ADMIN_PASSWORD__FILE"] == "/run/secrets/admin/password"
    assert [each for each in made.names("Job") if each.startswith("grafana-admin-generator")]


def test_on_a_volume_there_is_one_pod_at_a_time() -> None:
    made = build(availability="ha")

    assert made.one("Deployment")["spec"]["strategy"] == {"type": "Recreate"}
    assert made.one("Deployment")["spec"]["replicas"] == 1
    sized = build(workloads={"grafana": {"volumes": {"data": {"size": "30Gi"}}}})
    assert sized.one("PersistentVolumeClaim")["spec"]["resources"]["requests"]["storage"] == "30Gi"


def test_on_sql_there_are_several_pods_and_no_claim() -> None:
    made = build(SqlDatabase.model_validate(SQL), keeps="sql", availability="ha")
    env = variables(made)

    assert made.one("Deployment")["spec"]["replicas"] == 2
    assert not made.of("PersistentVolumeClaim")
    assert (env["GF_DATABASE_TYPE"], env["GF_DATABASE_HOST"]) == ("postgres", "db.example.com:5432")
    assert env["GF_DATABASE_PASSWORD"] == {"secretKeyRef": {"name": "db", "key": "password"}}


def test_it_asks_the_prometheus_and_the_alertmanager_of_the_stack() -> None:
    router = AlertRouter(service="a", namespace="monitoring", address="http://a:9093")
    file = build(router).one("ConfigMap", "grafana-datasources")["data"]["datasources.yaml"]

    assert [(each["type"], each["url"]) for each in yaml.safe_load(file)["datasources"]] == [
        ("prometheus", "http://p:9090"),
        ("alertmanager", "http://a:9093"),
    ]


def test_it_lists_config_maps_of_its_namespace_or_of_all() -> None:
    own, every = build(), build(teams=True)

    assert "grafana-reader" in own.names("Role")
    assert every.names("ClusterRole") == ["grafana-reader"]
    assert own.arguments("Deployment", "", "dashboards")[0].startswith("/api/v1/namespaces/monitoring/configmaps?")
    assert every.arguments("Deployment", "", "dashboards")[0].startswith("/api/v1/configmaps?")


@pytest.mark.parametrize(("teams", "namespace"), [(False, "monitoring"), (True, None)])
def test_components_write_dashboards_where_it_looks(*, teams: bool, namespace: str | None) -> None:
    given = stack_of({"grafana": {"teams": teams}}).maybe(DashboardReader)

    assert given is not None
    assert given.value.namespace == namespace


def test_a_client_without_pages_for_everyone_is_refused() -> None:
    found = told(Grafana, {"oidc": {"clientId": "grafana", "issuer": "https://id.example.com"}})

    assert "people sign in so where everyone reaches the pages" in found[0]


def test_nothing_is_asked_of_grafana_com() -> None:
    made = settings(build())

    assert made["analytics"]["reporting_enabled"] == made["analytics"]["check_for_updates"] == "false"
    assert made["plugins"]["preinstall_disabled"] == "true"
