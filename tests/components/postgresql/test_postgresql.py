"""What PostgreSQL's component renders and gives."""

from __future__ import annotations

import json
from typing import Any

import pytest

from platform_def.capabilities import Metrics, ObjectStore, SqlDatabase
from platform_def.components.databases.postgresql.component import Postgresql, PostgresqlConfig
from platform_def.config.capability import Provision
from platform_def.config.platform import Platform
from platform_def.constructs import Setting
from platform_def.errors import ConfigError
from tests.unit.built import built


def given(name: str = "postgresql", **knobs: Any) -> SqlDatabase:
    (server,) = Postgresql.offered(Setting(name, PostgresqlConfig.from_file(knobs))).capabilities
    assert isinstance(server, SqlDatabase)
    return server


def test_nobody_loses_patience_while_an_empty_volume_is_filled() -> None:
    probe = built(Postgresql).container("StatefulSet")["startupProbe"]

    assert probe["periodSeconds"] * probe["failureThreshold"] >= 15 * 60
    assert "--host=127.0.0.1" in probe["exec"]["command"]


def test_the_password_is_a_file_that_the_servers_group_reads() -> None:
    pod = built(Postgresql).pod("StatefulSet")
    volume = next(each for each in pod["volumes"] if each["name"] == "root")

    assert {"name": "POSTGRES_PASSWORD_FILE", "value": "/run/secrets/root/password"} in pod["containers"][0]["env"]
    assert (volume["secret"]["secretName"], volume["secret"]["defaultMode"]) == ("postgresql-root", 0o440)
    assert pod["securityContext"]["fsGroup"] == 999


def test_a_stack_s_settings_are_words_of_the_server() -> None:
    flags = {"flags": {"max_connections": "200"}}
    made = built(Postgresql, workloads={"postgresql": {"containers": {"postgresql": flags}}})

    assert made.container("StatefulSet")["args"] == ["--max_connections=200"]


def test_a_certificate_is_made_mounted_for_the_servers_group_alone_and_served() -> None:
    assert (given().tls, given(certificate={}).tls) == ("off", "optional")
    made = built(Postgresql, certificate={})
    spec = made.one("Certificate")["spec"]
    (volume,) = (each for each in made.pod("StatefulSet")["volumes"] if each["name"] == "certificate")
    container = made.container("StatefulSet")

    assert given().host in spec["dnsNames"]
    assert volume["secret"] == {"secretName": spec["secretName"], "defaultMode": 0o640}
    assert "ssl=on" in container["args"]
    (folder,) = (each["mountPath"] for each in container["volumeMounts"] if each["name"] == "certificate")
    assert f"ssl_key_file={folder}/tls.key" in container["args"]


def test_an_issuer_of_the_cluster_signs_where_the_stack_names_one() -> None:
    made = built(Postgresql, certificate={"issuer": "platform-ca"})

    assert made.one("Certificate")["spec"]["issuerRef"] == {"kind": "ClusterIssuer", "name": "platform-ca"}
    assert made.of("Issuer") == []


def test_data_lies_below_the_mount_at_the_same_place_in_all_releases() -> None:
    for release in ("17.11", "18.6"):
        container = built(Postgresql, release=release).container("StatefulSet")

        assert {"name": "PGDATA", "value": "/data/pgdata"} in container["env"]
        assert {"name": "data", "mountPath": "/data"} in container["volumeMounts"]


@pytest.mark.parametrize("name", ["postgresql", "postgresql-b"])
def test_what_it_gives_is_what_it_renders(name: str) -> None:
    server, made = given(name), built(Postgresql, name=name)

    assert server.host == f"{made.one('Service', name)['metadata']['name']}.postgresql.svc.cluster.local"
    assert server.pods == made.one("StatefulSet")["spec"]["template"]["metadata"]["labels"]
    assert server.administrator is not None
    assert server.administrator.secret == f"{name}-root"
    assert server.administrator.username == "postgres"
    assert server.image == made.container("StatefulSet")["image"]
    assert not server.allows("mysql_native_password")


def test_nobody_gets_in_where_policies_are_asked_for() -> None:
    assert "ingress" not in built(Postgresql, Platform(network_policies=True)).one("NetworkPolicy")["spec"]
    assert built(Postgresql).names("NetworkPolicy") == []


def test_backups_are_dumped_by_its_own_client_and_kept_in_a_bucket_of_its_own() -> None:
    store = ObjectStore.from_file({"host": "s3", "namespace": "objects", "administrator": {"secret": "boss"}})
    platform = Platform(provisions=(Provision.of(store, "seaweedfs"),), network_policies=True)
    made = built(Postgresql, platform, backup={"schedule": "0 3 * * *", "keep": 7})
    spec = made.one("CronJob")["spec"]
    pod = spec["jobTemplate"]["spec"]["template"]["spec"]
    plan = json.loads(made.one("ConfigMap", "postgresql-backup-program")["data"]["plan.json"])

    assert (spec["schedule"], spec["timeZone"], spec["concurrencyPolicy"]) == ("0 3 * * *", "Etc/UTC", "Forbid")
    assert "pg_dumpall" in pod["initContainers"][0]["command"][-1]
    assert pod["initContainers"][0]["image"] == made.container("StatefulSet")["image"]
    assert (plan["bucket"], plan["prefix"], plan["keep"]) == ("postgresql-backup", "postgresql/", 7)
    own = made.one("NetworkPolicy", "postgresql")["spec"]["ingress"][0]["from"][0]["podSelector"]["matchLabels"]
    assert own == {"app.kubernetes.io/instance": "postgresql"}


def test_backups_need_a_key() -> None:
    platform = Platform(provisions=(Provision.of(ObjectStore(host="s3.example.com"), "external"),))

    with pytest.raises(ConfigError, match="an object store without a key"):
        built(Postgresql, platform, backup={})


def test_an_exporter_beside_the_server_is_read_by_prometheus_and_watched() -> None:
    reader = Platform(network_policies=True, provisions=(Provision.of(Metrics(), "external"),))
    made = built(Postgresql, reader, exporter=True)
    found = made.container("StatefulSet", container="exporter")

    assert found["image"] == "quay.io/prometheuscommunity/postgres-exporter:v0.20.1"
    assert found["args"][-1] == "--web.listen-address=:9187"
    assert {each["name"]: each["port"] for each in made.one("Service", "postgresql")["spec"]["ports"]}[
        "metrics"
    ] == 9187
    assert made.one("ServiceMonitor")["spec"]["endpoints"][0]["port"] == "metrics"
    assert str(9187) in str(made.one("NetworkPolicy")["spec"]["ingress"])
    alerts = [each["alert"] for each in made.one("PrometheusRule")["spec"]["groups"][0]["rules"]]
    assert alerts[1:] == ["PostgresqlDown", "PostgresqlConnections"]


def test_an_exporter_has_the_password_from_the_secret_alone() -> None:
    found = built(Postgresql, exporter=True).container("StatefulSet", container="exporter")

    assert {each["name"]: each["value"] for each in found["env"]} == {
        "DATA_SOURCE_URI": "127.0.0.1:5432/postgres?sslmode=disable",
        "DATA_SOURCE_USER": "postgres",
        "DATA_SOURCE_PASS_FILE": "/run/secrets/root/password",
    }
    assert found["volumeMounts"] == [{"name": "root", "mountPath": "/run/secrets/root", "readOnly": True}]
    assert [each["name"] for each in built(Postgresql).pod("StatefulSet")["containers"]] == ["postgresql"]
