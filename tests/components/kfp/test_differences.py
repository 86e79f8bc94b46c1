"""The page's table of differences from upstream says what is rendered: each row has its fact here, and no row lacks one."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from platform_def.capabilities import (
    AccessManagement,
    HookControllers,
    Mesh,
    ObjectStore,
    PipelineServer,
    WorkflowNamespaces,
)
from platform_def.components.pipelines.kfp.component import Kfp
from platform_def.constructs.component import Setting
from tests.components.kfp.test_kfp import config_map, made, stack, variables
from tests.unit.built import Objects

PAGE = Path(__file__).parents[3] / "docs" / "components" / "kfp.md"
INSIDE = ObjectStore.from_file(
    {"host": "s3", "port": 8333, "tls": False, "namespace": "objects", "administrator": {"secret": "boss"}}
)
MESH = Mesh(api="istio", root_namespace="istio-system")


def names(objects: Objects) -> set[str]:
    return {each["metadata"]["name"] for each in objects.all}


def every_rule(objects: Objects) -> list[dict[str, Any]]:
    return [rule for kind in ("Role", "ClusterRole") for each in objects.of(kind) for rule in each.get("rules", [])]


def teams_are_rendered() -> bool:
    there = {(each["kind"], each["metadata"].get("namespace")) for each in made().all}
    wanted = {
        (kind, home) for kind in ("ConfigMap", "ServiceAccount", "Role") for home in ("team-vision", "team-language")
    }
    scripts = [each for each in made().all if "CompositeController" in each["kind"] or "sync.py" in json.dumps(each)]
    return wanted <= there and not scripts


def keys_have_a_prefix() -> bool:
    objects = made(stack(INSIDE))
    launcher = yaml.safe_load(config_map(objects, "kfp-launcher", "team-vision")["providers"])
    secret = launcher["minio"]["default"]["credentials"]["secretRef"]["secretName"]
    plan = json.loads(config_map(objects, "kfp-bucket", "objects")["plan.json"])
    prefixes = {each["name"]: each["prefix"] for each in plan["users"]}
    return bool(secret == "kfp-team-vision-bucket" and prefixes["kfp-team-vision"] == "private-artifacts/team-vision/")


def only_the_hook_makes_keys_of_people() -> bool:
    asks = HookControllers(namespace="hooks", account="asker")
    opened = AccessManagement(host="kfam.kubeflow.svc.cluster.local", registration=True)
    objects = made(stack(INSIDE, MESH, asks, opened), registeredNamespaces=True)
    hook = next(each for each in objects.of("Deployment") if each["metadata"]["name"] == "kfp-namespaces")
    of_asker = objects.rules("ClusterRole", "kfp-namespaces-metacontroller")
    return hook["metadata"]["namespace"] == "objects" and not any("secrets" in rule["resources"] for rule in of_asker)


def databases_are_three() -> bool:
    text = json.dumps(made(blockV1Pipelines=False).all)
    users = set(re.findall(r'"(kfp(?:-metadata|-cache)?)-sql"', text))
    return users == {"kfp", "kfp-metadata", "kfp-cache"} and '"root"' not in text


def nothing_knows_mlflow() -> bool:
    file = json.loads(config_map(made(), "ml-pipeline-config", "kubeflow")["config.json"])
    return "plugins" not in file and not any("mlflow" in json.dumps(rule) for rule in every_rule(made()))


def stores_outside_are_told() -> bool:
    objects = made(
        stack(
            ObjectStore.from_file({"host": "s3.example.com", "region": "eu-west-1", "credentials": {"existing": "a"}})
        )
    )
    launcher = yaml.safe_load(config_map(objects, "kfp-launcher", "team-vision")["providers"])["minio"]["default"]
    repository = yaml.safe_load(config_map(objects, "artifact-repositories", "team-vision")["default-namespaced"])["s3"]
    said = (launcher["region"], launcher["disableSSL"], launcher["endpoint"])
    return (
        said
        == (repository["region"], repository["insecure"], repository["endpoint"])
        == ("eu-west-1", False, "s3.example.com:443")
    )


def formats_of_keys_are_one() -> bool:
    objects = made()
    repository = yaml.safe_load(config_map(objects, "artifact-repositories", "team-vision")["default-namespaced"])
    of_ui = variables(objects, "ml-pipeline-ui")["ARGO_KEYFORMAT"].replace("{{workflow.namespace}}", "team-vision")
    return bool(of_ui == repository["s3"]["keyFormat"])


def only_v1_has_cache_and_writer() -> bool:
    v1 = {"cache-server", "metadata-writer"}
    return not v1 & names(made()) and v1 <= set(made(blockV1Pipelines=False).names("Deployment"))


def images_have_versions() -> bool:
    objects = made(stack(registry="mirror.example.com"))
    server, ui = variables(objects, "ml-pipeline"), variables(objects, "ml-pipeline-ui")
    started = [server["V2_DRIVER_IMAGE"], server["V2_LAUNCHER_IMAGE"], *(
        each["image"] for workload in objects.of("Deployment") for each in workload["spec"]["template"]["spec"]["containers"]
    )]  # fmt: skip
    tagged = [image for image in started if re.fullmatch(r"mirror\.example\.com/.+:\w[\w.-]+", image)]
    return (
        started == tagged
        and not any(image.endswith(":latest") for image in tagged)
        and ui["VIEWER_TENSORBOARD_TF_IMAGE_NAME"].startswith("mirror.example.com/")
    )


def policies_are_two() -> bool:
    found = made(stack(MESH)).of("AuthorizationPolicy")
    return sorted(each["metadata"]["name"] for each in found) == ["ml-pipeline", "ml-pipeline-visualizationserver"]


def envoy_listens_for_browsers_alone() -> bool:
    file = yaml.safe_load(config_map(made(), "metadata-envoy-configmap", "kubeflow")["envoy-config.yaml"])
    return "admin" not in file and len(file["static_resources"]["listeners"]) == 1


def signing_key_is_generated() -> bool:
    container = made().container("Deployment", "ml-pipeline-ui")
    (signing,) = (each for each in container["env"] if each["name"] == "TENSORBOARD_PROXY_SIGNING_SECRET")
    return bool(signing["valueFrom"]["secretKeyRef"]["name"] == "ml-pipeline-ui-signing") and any(
        each.startswith("ml-pipeline-ui-signing-generator") for each in made().names("Job")
    )


DIFFERENCES: Mapping[str, Callable[[], bool]] = {
    "no metacontroller, no script: what a team needs is rendered": teams_are_rendered,
    "Secrets `kfp-<namespace>-bucket`, keys made with a policy for the prefix": keys_have_a_prefix,
    "with `registeredNamespaces`, a hook of our own, and Metacontroller without rights on Secrets": only_the_hook_makes_keys_of_people,
    "three databases with a user each": databases_are_three,
    "no `pipeline-install-config`, `pipeline-api-server-config`, `kubeflow-pipelines-public`": lambda: (
        not {"pipeline-install-config", "pipeline-api-server-config", "kubeflow-pipelines-public"} & names(made())
    ),
    "the server's `config.json` is ours, and nothing has rights on MLflow's kinds": nothing_knows_mlflow,
    "region, TLS and endpoint in `kfp-launcher` and `artifact-repositories`": stores_outside_are_told,
    "`ARGO_KEYFORMAT` of the interface is that of the controller": formats_of_keys_are_one,
    "no cache server and no metadata writer without v1 pipelines": only_v1_has_cache_and_writer,
    "v1 pipelines are refused by default": lambda: variables(made(), "ml-pipeline")["BLOCK_V1_PIPELINES"] == "true",
    "no custom visualizations": lambda: variables(made(), "ml-pipeline-ui")["ALLOW_CUSTOM_VISUALIZATIONS"] == "false",
    "the key that signs links to TensorBoard is made in the cluster": signing_key_is_generated,
    "images of drivers, launchers, TensorBoard and BusyBox have versions and follow the mirror": images_have_versions,
    "Envoy's administration does not listen": envoy_listens_for_browsers_alone,
    "no `ml-pipeline-ui-artifact` in teams' namespaces": lambda: "ml-pipeline-ui-artifact" not in names(made()),
    "policies of the mesh for the API and visualizations only; MySQL and store have NetworkPolicies": policies_are_two,
}
"""What the page says, and whether it is so."""


def rows() -> list[str]:
    table = PAGE.read_text().partition("## Differences from upstream")[2]
    lines = [line for line in table.splitlines() if line.startswith("| ")]
    return [line.split(" | ")[0].removeprefix("| ") for line in lines[1:]]


def test_the_page_has_a_row_for_each_difference_and_no_other() -> None:
    assert sorted(rows()) == sorted(DIFFERENCES)


@pytest.mark.parametrize("said", sorted(DIFFERENCES))
def test_a_difference_is_as_the_page_says(said: str) -> None:
    assert DIFFERENCES[said]()


@pytest.mark.parametrize(
    ("store", "root"),
    [
        (INSIDE, "minio://mlpipeline/private-artifacts/"),
        (ObjectStore(host="s3.eu-west-1.amazonaws.com"), "s3://mlpipeline/private-artifacts/"),
        (ObjectStore.from_file({"host": "s3.example.com", "buckets": {"kfp": {"bucket": "flows", "credentials": {"existing": "a"}}}}),
         "minio://flows/private-artifacts/"),
    ],
)  # fmt: skip
def test_jobs_know_the_server_and_where_launchers_keep_artifacts(store: ObjectStore, root: str) -> None:
    platform = stack(store)
    config = Kfp.config_model().from_file({"ui": {"access": "administrators"}, "pipelinesAsObjects": True})
    offers = Kfp.offers(Setting("kfp", config, platform)).capabilities
    (server,) = (each for each in offers if isinstance(each, PipelineServer))
    (spaces,) = (each for each in offers if isinstance(each, WorkflowNamespaces))

    assert server.root == root
    assert config_map(made(platform), "kfp-launcher", "team-vision")["defaultPipelineRoot"].startswith(root)
    assert (server.host, server.port) == ("ml-pipeline.kubeflow.svc.cluster.local", 8888)
    assert (server.account, server.audience) == ("pipeline-runner", "pipelines.kubeflow.org")
    assert (server.as_objects, server.by_namespace) == (True, True)
    assert server.namespaces == spaces.namespaces == ["team-vision", "team-language"]
    assert (spaces.accounts, spaces.artifacts) == (["pipeline-runner"], True)
