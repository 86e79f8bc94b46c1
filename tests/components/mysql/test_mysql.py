"""What MySQL's component renders and gives."""

from __future__ import annotations

import json
from typing import Any

import pytest

from platform_def.capabilities import Metrics, ObjectStore, SqlDatabase
from platform_def.components.databases.mysql.component import Mysql, MysqlConfig
from platform_def.config.capability import Provision
from platform_def.config.platform import Platform
from platform_def.config.secrets import SecretSource
from platform_def.constructs import Setting
from platform_def.constructs.render import Build, render
from platform_def.errors import ConfigError
from tests.unit.built import built


def build(name: str = "mysql", platform: Platform | None = None, **knobs: Any) -> Build:
    config = MysqlConfig.from_file(knobs)
    return render(lambda scope: Mysql(scope, config=config, platform=platform or Platform(), name=name))


def one(made: Build, kind: str, name: str = "") -> dict[str, Any]:
    bodies = [item.manifest for item in made.objects if item.manifest["kind"] == kind]
    (body,) = (body for body in bodies if name in ("", body["metadata"]["name"]))
    return body


def pod(made: Build) -> dict[str, Any]:
    spec: dict[str, Any] = one(made, "StatefulSet")["spec"]["template"]["spec"]
    return spec


def given(name: str = "mysql", **knobs: Any) -> SqlDatabase:
    (server,) = Mysql.offered(Setting(name, MysqlConfig.from_file(knobs))).capabilities
    assert isinstance(server, SqlDatabase)
    return server


def test_nobody_loses_patience_while_an_empty_volume_is_filled() -> None:
    (container,) = pod(build())["containers"]
    probe = container["startupProbe"]

    assert probe["periodSeconds"] * probe["failureThreshold"] >= 15 * 60


def test_no_probe_holds_a_credential_and_all_ask_by_tcp() -> None:
    (container,) = pod(build())["containers"]

    for which in ("startupProbe", "livenessProbe", "readinessProbe"):
        command = container[which]["exec"]["command"]
        assert command == ["mysqladmin", "ping", "--host=127.0.0.1", "--connect-timeout=5"]


def test_the_password_is_a_file_that_the_servers_group_reads() -> None:
    spec = pod(build())
    (container,) = spec["containers"]
    (volume,) = spec["volumes"]

    assert {"name": "MYSQL_ROOT_PASSWORD_FILE", "value": "/run/secrets/root/password"} in container["env"]
    assert volume["secret"]["secretName"] == "mysql-root"
    assert volume["secret"]["defaultMode"] == 0o440
    assert spec["securityContext"]["fsGroup"] == 999


def test_data_lies_below_the_mount() -> None:
    (container,) = pod(build())["containers"]

    assert "--datadir=/var/lib/mysql/datadir" in container["args"]
    assert {"name": "data", "mountPath": "/var/lib/mysql"} in container["volumeMounts"]


def test_a_stack_sizes_its_volume() -> None:
    made = build(workloads={"mysql": {"volumes": {"data": {"size": "100Gi"}}}})
    (claim,) = one(made, "StatefulSet")["spec"]["volumeClaimTemplates"]

    assert claim["spec"]["resources"]["requests"]["storage"] == "100Gi"


def test_a_stack_s_settings_are_words_of_the_server() -> None:
    flags = {"flags": {"max-connections": "200"}}
    made = build(workloads={"mysql": {"containers": {"mysql": flags}}})

    assert "--max-connections=200" in pod(made)["containers"][0]["args"]


def test_native_passwords_are_served_on_demand_alone() -> None:
    assert "--mysql-native-password=ON" not in pod(build())["containers"][0]["args"]
    assert "--mysql-native-password=ON" in pod(build(nativePassword=True))["containers"][0]["args"]


def test_what_it_gives_says_by_which_plugins_accounts_come_in() -> None:
    assert not given().allows("mysql_native_password")
    assert given(nativePassword=True).allows("mysql_native_password")
    assert given().allows("caching_sha2_password")


def test_a_second_one_shares_no_name() -> None:
    def names(made: Build) -> set[tuple[str, str]]:
        return {(item.manifest["kind"], item.manifest["metadata"]["name"]) for item in made.objects}

    assert not names(build()) & names(build("mysql-b"))
    assert one(build("mysql-b"), "StatefulSet")["spec"]["serviceName"] == "mysql-b-pods"


@pytest.mark.parametrize("name", ["mysql", "mysql-b"])
def test_what_it_gives_is_what_it_renders(name: str) -> None:
    server, made = given(name), build(name)
    labels = one(made, "StatefulSet")["spec"]["template"]["metadata"]["labels"]

    assert server.host == f"{one(made, 'Service', name)['metadata']['name']}.mysql.svc.cluster.local"
    assert server.pods == labels
    assert server.administrator is not None
    assert server.administrator.secret == pod(made)["volumes"][0]["secret"]["secretName"]
    assert server.image == pod(made)["containers"][0]["image"]


def test_a_secret_of_the_stacks_own_reaches_those_who_make_databases() -> None:
    server = given(root=SecretSource(existing="boss", keys={"password": "pw"}).model_dump(exclude_none=True))

    assert server.administrator is not None
    assert (server.administrator.secret, server.administrator.key) == ("boss", "pw")


def test_nobody_gets_in_where_policies_are_asked_for() -> None:
    policy = one(build(platform=Platform(network_policies=True)), "NetworkPolicy")

    assert policy["spec"]["policyTypes"] == ["Ingress"]
    assert "ingress" not in policy["spec"]
    assert (
        policy["spec"]["podSelector"]["matchLabels"] == one(build(), "StatefulSet")["spec"]["selector"]["matchLabels"]
    )
    assert not [item for item in build().objects if item.manifest["kind"] == "NetworkPolicy"]


def test_backups_are_dumped_by_its_own_client_and_kept_in_a_bucket_of_its_own() -> None:
    store = ObjectStore.from_file({"host": "s3", "namespace": "objects", "administrator": {"secret": "boss"}})
    platform = Platform(provisions=(Provision.of(store, "seaweedfs"),), network_policies=True)
    made = built(Mysql, platform, backup={"schedule": "0 3 * * *", "keep": 7})
    spec = made.one("CronJob")["spec"]
    pod = spec["jobTemplate"]["spec"]["template"]["spec"]
    plan = json.loads(made.one("ConfigMap", "mysql-backup-program")["data"]["plan.json"])

    assert (spec["schedule"], spec["timeZone"], spec["concurrencyPolicy"]) == ("0 3 * * *", "Etc/UTC", "Forbid")
    assert "mysqldump" in pod["initContainers"][0]["command"][-1]
    assert pod["initContainers"][0]["image"] == made.container("StatefulSet")["image"]
    assert (plan["bucket"], plan["prefix"], plan["keep"]) == ("mysql-backup", "mysql/", 7)
    own = made.one("NetworkPolicy", "mysql")["spec"]["ingress"][0]["from"][0]["podSelector"]["matchLabels"]
    assert own == {"app.kubernetes.io/instance": "mysql"}


def test_backups_need_a_key() -> None:
    platform = Platform(provisions=(Provision.of(ObjectStore(host="s3.example.com"), "external"),))

    with pytest.raises(ConfigError, match="an object store without a key"):
        built(Mysql, platform, backup={})


def test_an_exporter_beside_the_server_is_read_by_prometheus_and_watched() -> None:
    reader = Platform(network_policies=True, provisions=(Provision.of(Metrics(), "external"),))
    made = built(Mysql, reader, exporter=True)
    found = made.container("StatefulSet", container="exporter")

    assert found["image"] == "quay.io/prometheus/mysqld-exporter:v0.20.0"
    assert found["args"][-1] == "--web.listen-address=:9104"
    assert {each["name"]: each["port"] for each in made.one("Service", "mysql")["spec"]["ports"]}["metrics"] == 9104
    assert made.one("ServiceMonitor")["spec"]["endpoints"][0]["port"] == "metrics"
    assert str(9104) in str(made.one("NetworkPolicy")["spec"]["ingress"])
    alerts = [each["alert"] for each in made.one("PrometheusRule")["spec"]["groups"][0]["rules"]]
    assert alerts[1:] == ["MysqlDown", "MysqlConnections"]


def test_an_exporter_has_the_password_from_the_secret_alone() -> None:
    found = built(Mysql, exporter=True).container("StatefulSet", container="exporter")

    assert found["args"][:2] == ["--mysqld.address=127.0.0.1:3306", "--mysqld.username=root"]
    (password,) = found["env"]
    assert password["name"] == "MYSQLD_EXPORTER_PASSWORD"
    assert password["valueFrom"]["secretKeyRef"] == {"name": "mysql-root", "key": "password"}
    assert [each["name"] for each in built(Mysql).pod("StatefulSet")["containers"]] == ["mysql"]


def test_a_certificate_of_cert_managers_takes_the_place_of_the_servers_own() -> None:
    made = built(Mysql, certificate={})
    spec = made.one("Certificate")["spec"]
    container = made.container("StatefulSet")
    (folder,) = (each["mountPath"] for each in container["volumeMounts"] if each["name"] == "certificate")

    assert "mysql.mysql.svc.cluster.local" in spec["dnsNames"]
    assert {f"--ssl-cert={folder}/tls.crt", f"--ssl-key={folder}/tls.key"} <= {*container["args"]}
    assert not any(word.startswith("--ssl") for word in built(Mysql).container("StatefulSet")["args"])
