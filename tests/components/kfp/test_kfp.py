"""Kubeflow Pipelines: stores, accounts, what teams get, and who may name a person."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
import yaml

from platform_def.capabilities import Identity, Mesh, ObjectStore, SqlDatabase
from platform_def.components.pipelines.kfp.component import Kfp
from platform_def.components.pipelines.kfp.metadata import proxy
from platform_def.config.capability import Capability, Provision
from platform_def.config.platform import Platform
from platform_def.config.teams import Team
from platform_def.constructs import Setting
from platform_def.errors import ConfigError
from tests.unit.built import Objects, built, grants, told

SHARES = {name: {"credentials": {"existing": f"{name}-sql"}} for name in ("kfp", "kfp-metadata", "kfp-cache")}
STORE = {"host": "s3.example.com", "credentials": {"existing": "artifacts"}}
TEAMS = (Team(name="vision"), Team(name="language"))


def server(engine: str = "mysql", **more: Any) -> SqlDatabase:
    port = 3306 if engine == "mysql" else 5432
    return SqlDatabase.from_file({"engine": engine, "host": "db.example.com", "port": port, "shares": SHARES, **more})


def stack(*given: Capability, teams: tuple[Team, ...] = TEAMS, **facts: Any) -> Platform:
    defaults = [server(), ObjectStore.from_file(STORE), Identity(issuer="https://id.example.com")]
    kinds = {each.kind() for each in given}
    every = [*given, *(each for each in defaults if each.kind() not in kinds)]
    return Platform(
        provisions=tuple(Provision.of(each, "external") for each in every),
        teams=teams,
        apis=frozenset({"Workflow.argoproj.io"}),
        **facts,
    )


def made(platform: Platform | None = None, **config: Any) -> Objects:
    return built(Kfp, platform or stack(), **{"ui": {"access": "administrators"}, **config})


def variables(objects: Objects, name: str) -> dict[str, Any]:
    return {each["name"]: each.get("value") for each in objects.container("Deployment", name)["env"]}


def config_map(objects: Objects, name: str, namespace: str) -> dict[str, str]:
    data: dict[str, str] = next(
        each["data"]
        for each in objects.of("ConfigMap")
        if each["metadata"] | {"name": name, "namespace": namespace} == each["metadata"]
    )
    return data


def test_all_are_told_of_one_endpoint_of_the_store() -> None:
    objects = made()
    launcher = yaml.safe_load(config_map(objects, "kfp-launcher", "team-vision")["providers"])
    repository = yaml.safe_load(config_map(objects, "artifact-repositories", "team-vision")["default-namespaced"])

    assert launcher["minio"]["default"]["endpoint"] == repository["s3"]["endpoint"] == "s3.example.com:443"
    assert launcher["minio"]["default"]["disableSSL"] is repository["s3"]["insecure"] is False
    assert variables(objects, "ml-pipeline")["OBJECTSTORECONFIG_HOST"] == "s3.example.com"
    assert variables(objects, "ml-pipeline-ui")["MINIO_HOST"] == "s3.example.com"
    assert not re.search(r"seaweedfs|minio-service|:9000", json.dumps(objects.all))


def test_a_teams_artifacts_and_logs_are_below_its_own_prefix() -> None:
    objects = made()
    root = config_map(objects, "kfp-launcher", "team-vision")["defaultPipelineRoot"]
    repository = yaml.safe_load(config_map(objects, "artifact-repositories", "team-vision")["default-namespaced"])
    of_ui = variables(objects, "ml-pipeline-ui")["ARGO_KEYFORMAT"]

    assert root == "minio://mlpipeline/private-artifacts/team-vision/v2/artifacts"
    assert of_ui.replace("{{workflow.namespace}}", "team-vision") == repository["s3"]["keyFormat"]


def test_in_the_cluster_each_team_has_a_key_to_its_prefix_and_no_other() -> None:
    inside = ObjectStore.from_file(
        {"host": "s3", "port": 8333, "tls": False, "namespace": "objects", "administrator": {"secret": "boss"}}
    )
    plan = json.loads(config_map(made(stack(inside)), "kfp-bucket", "objects")["plan.json"])

    assert plan["bucket"] == "mlpipeline"
    assert {each["name"]: each["prefix"] for each in plan["users"]} == {
        "kfp": "",
        "kfp-team-vision": "private-artifacts/team-vision/",
        "kfp-team-language": "private-artifacts/team-language/",
    }


def test_with_an_identity_of_the_cloud_nobody_has_a_key() -> None:
    objects = made(stack(ObjectStore(host="s3.eu-west-1.amazonaws.com", region="eu-west-1")))
    launcher = config_map(objects, "kfp-launcher", "team-vision")

    assert launcher["defaultPipelineRoot"].startswith("s3://")
    assert yaml.safe_load(launcher["providers"])["s3"]["default"]["credentials"] == {"fromEnv": True}
    assert variables(objects, "ml-pipeline")["OBJECTSTORECONFIG_ACCESSKEY"] == ""


def test_each_program_is_told_of_its_database_in_its_own_words() -> None:
    objects = made(stack(), blockV1Pipelines=False)

    assert variables(objects, "ml-pipeline")["DBDRIVERNAME"] == "mysql"
    assert variables(objects, "ml-pipeline")["DBCONFIG_MYSQLCONFIG_HOST"] == "db.example.com"
    assert "--mysql_config_host=$(DB_HOST)" in objects.arguments("Deployment", "metadata-grpc-deployment")
    assert variables(objects, "cache-server")["DB_DRIVER"] == "mysql"


def test_no_postgresql_serves_its_api_server() -> None:
    with pytest.raises(ConfigError, match="its engine is postgresql, not mysql"):
        made(stack(server("postgresql")))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"version": "8.4"}, "whose accounts cannot use mysql_native_password"),
        ({"version": "9.1"}, "whose accounts cannot use mysql_native_password"),
        ({"tls": "required"}, "wants encrypted connections"),
    ],
)
def test_a_server_that_ml_metadata_cannot_use_is_told(given: dict[str, Any], said: str) -> None:
    platform = stack(server(**given), Mesh(api="istio", root_namespace="istio-system"))

    assert any(said in each for each in problems(platform))


@pytest.mark.parametrize("given", [{"version": "8.0"}, {"version": "8.4", "authentication": ["mysql_native_password"]}])
def test_a_server_that_takes_old_passwords_serves(given: dict[str, Any]) -> None:
    assert not problems(stack(server(**given), Mesh(api="istio", root_namespace="istio-system")))


def problems(platform: Platform, **config: Any) -> list[str]:
    chosen = Kfp.config_model().from_file({"ui": {"access": "administrators"}, **config})
    return [str(each) for each in Kfp.problems(Setting("kfp", chosen, platform))]


def test_teams_without_a_mesh_could_name_any_person() -> None:
    assert any("without a mesh any pod of a team can write it" in each for each in problems(stack()))
    assert not problems(stack(), serves="one")


def test_nothing_runs_workflows_without_argo() -> None:
    said = told(Kfp, {"serves": "one", "ui": {"access": "administrators"}})

    assert any("add `argo-workflows: {}`" in each for each in said)


def test_in_a_mesh_its_own_programs_alone_name_a_person() -> None:
    objects = made(stack(Mesh(api="istio", root_namespace="istio-system", trust_domain="ml.example.com")))
    ours, unnamed = objects.one("AuthorizationPolicy", "ml-pipeline")["spec"]["rules"]

    assert "ml.example.com/ns/kubeflow/sa/ml-pipeline-ui" in ours["from"][0]["source"]["principals"]
    assert unnamed["when"] == [{"key": "request.headers[kubeflow-userid]", "notValues": ["*"]}]


def test_images_that_start_at_run_time_come_from_the_mirror() -> None:
    objects = made(stack(registry="mirror.example.com"))
    told = variables(objects, "ml-pipeline")

    assert told["V2_DRIVER_IMAGE"] == "mirror.example.com/ghcr.io/kubeflow/kfp-driver:2.17.0"
    assert told["V2_LAUNCHER_IMAGE"] == "mirror.example.com/ghcr.io/kubeflow/kfp-launcher:2.17.0"
    assert variables(objects, "ml-pipeline-ui")["VIEWER_TENSORBOARD_TF_IMAGE_NAME"].startswith("mirror.example.com/")


def test_the_two_meanings_of_the_clusters_domain_are_kept_apart() -> None:
    objects = made(stack(dns_domain="cluster.example"))

    assert variables(objects, "ml-pipeline")["CLUSTER_DOMAIN"] == "cluster.example"
    assert variables(objects, "ml-pipeline-ui")["CLUSTER_DOMAIN"] == ".svc.cluster.example"


def test_its_file_names_no_mlflow_and_holds_no_key() -> None:
    file = json.loads(config_map(made(), "ml-pipeline-config", "kubeflow")["config.json"])

    assert "plugins" not in file
    assert file["ObjectStoreConfig"] == {"PipelinePath": "pipelines"}


def test_without_v1_pipelines_no_webhook_looks_at_pods() -> None:
    assert made().names("MutatingWebhookConfiguration") == []
    assert variables(made(), "ml-pipeline")["BLOCK_V1_PIPELINES"] == "true"
    assert made(blockV1Pipelines=False).names("MutatingWebhookConfiguration") == ["cache-webhook-kubeflow"]
    assert made(v1Namespaces=["team-vision"]).names("Deployment").count("metadata-writer") == 1


def test_for_one_its_rights_end_at_its_namespace() -> None:
    objects = made(stack(teams=()), serves="one")

    assert variables(objects, "ml-pipeline")["MULTIUSER"] == "false"
    assert objects.names("ClusterRoleBinding") == []
    assert variables(objects, "ml-pipeline-persistenceagent")["NAMESPACE"] == "kubeflow"
    assert config_map(objects, "kfp-launcher", "kubeflow")["defaultPipelineRoot"].endswith("/kubeflow/v2/artifacts")


def test_pipelines_run_under_an_account_with_rights_in_their_namespace_alone() -> None:
    objects = made()
    homes = sorted(
        each["metadata"]["namespace"]
        for each in objects.of("ServiceAccount")
        if each["metadata"]["name"] == "pipeline-runner"
    )
    role = next(each for each in objects.of("Role") if each["metadata"]["name"] == "pipeline-runner")

    assert homes == ["team-language", "team-vision"]
    assert grants(role["rules"], "argoproj.io", "workflowtaskresults") == {"create", "patch"}
    assert "pipeline-runner" not in objects.names("ClusterRole")


def test_where_profiles_make_the_account_it_is_only_bound() -> None:
    objects = made(account="default-editor")

    assert "default-editor" not in objects.names("ServiceAccount")
    binding = next(each for each in objects.of("RoleBinding") if each["metadata"]["name"] == "pipeline-runner")
    assert binding["subjects"][0]["name"] == "default-editor"


def test_pipelines_in_git_are_checked_by_the_server() -> None:
    objects = made(pipelinesAsObjects=True)

    assert "--pipelinesStoreKubernetes=true" in objects.arguments("Deployment", "ml-pipeline")
    assert "pipelineversions.pipelines.kubeflow.org" in objects.names("CustomResourceDefinition")
    assert "pipelineversions.pipelines.kubeflow.org" not in made().names("CustomResourceDefinition")
    assert objects.names("ValidatingWebhookConfiguration") == ["pipelineversions.pipelines.kubeflow.org"]


def test_metadata_takes_long_lists_and_long_headers() -> None:
    (limits,) = (
        each for each in made().arguments("Deployment", "metadata-grpc-deployment") if "channel_arguments" in each
    )

    assert "grpc.max_receive_message_length=104857600" in limits
    assert "grpc.max_metadata_size=16384" in limits


def _words(argument: str) -> list[str]:
    return argument.partition("=")[2].split(",")


def test_writer_and_store_of_metadata_take_messages_of_one_size_and_no_call_of_a_browser_is_cut() -> None:
    objects = made(v1Namespaces=["team-vision"])
    (limits,) = (
        each for each in objects.arguments("Deployment", "metadata-grpc-deployment") if "channel_arguments" in each
    )
    size = variables(objects, "metadata-writer")["METADATA_GRPC_MAX_RECEIVE_MESSAGE_LENGTH"]
    listener = proxy("store.example.com")["static_resources"]["listeners"][0]
    manager = listener["filter_chains"][0]["filters"][0]["typed_config"]
    route = manager["route_config"]["virtual_hosts"][0]["routes"][0]["route"]

    assert f"grpc.max_receive_message_length={size}" in limits
    assert f"grpc.max_send_message_length={size}" in limits
    # An idle connection is heard of sooner than whoever counts connections forgets it, and never gives up.
    assert {"grpc.keepalive_time_ms=300000", "grpc.keepalive_permit_without_calls=1"} <= {*_words(limits)}
    assert "grpc.http2.max_pings_without_data=0" in limits
    assert (route["timeout"], route["max_stream_duration"]) == ("0s", {"grpc_timeout_header_max": "0s"})


@pytest.mark.parametrize(("hours", "seconds"), [(24, "86400"), (48, "172800")])
def test_workflows_that_have_ended_stay_as_long_as_the_stack_says(hours: int, seconds: str) -> None:
    agent = variables(made(retentionHours=hours), "ml-pipeline-persistenceagent")

    assert agent["TTL_SECONDS_AFTER_WORKFLOW_FINISH"] == seconds


def test_the_key_that_signs_links_to_tensorboard_is_made_in_the_cluster() -> None:
    container = made().container("Deployment", "ml-pipeline-ui")
    (signing,) = (each for each in container["env"] if each["name"] == "TENSORBOARD_PROXY_SIGNING_SECRET")

    assert signing["valueFrom"]["secretKeyRef"]["name"] == "ml-pipeline-ui-signing"


def test_a_team_reaches_api_and_metadata_where_policies_shut_them() -> None:
    objects = made(stack(network_policies=True))

    for name in ("ml-pipeline", "metadata-grpc-deployment"):
        peers = json.dumps(objects.one("NetworkPolicy", name)["spec"]["ingress"])
        assert "team-vision" in peers
    assert "team-vision" not in json.dumps(objects.one("NetworkPolicy", "metadata-envoy-deployment"))
