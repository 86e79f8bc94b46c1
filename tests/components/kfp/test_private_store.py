"""An object store outside with a region and a private authority: every program that reaches it is told the same, in each team's
namespace too, in a stack where Argo Workflows keeps artifacts of its own there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from platform_def.capabilities import ObjectStore
from platform_def.components.databases.mysql.component import Mysql
from platform_def.components.notebooks.admission_webhook.component import AdmissionWebhook
from platform_def.components.pipelines.argo_workflows.component import ArgoWorkflows
from platform_def.components.pipelines.flyte.component import Flyte
from platform_def.components.pipelines.kfp.component import Kfp
from platform_def.config.capability import Provision
from platform_def.config.platform import Platform
from platform_def.config.teams import Team
from platform_def.constructs import Setting
from platform_def.manifests.rendered import RenderedStack
from tests.cluster.stacks import rendered_stack
from tests.unit.built import built

HOMES = ("team-vision", "team-language")
AUTHORITY = "{configMap: company, key: root.pem, secret: company-root}"
STORE = f"{{host: s3.example.com, port: 9443, region: eu-central-2, ca: {AUTHORITY}, credentials: {{existing: s3}}}}"
STACK = f"""\
apiVersion: platform-def/v1
cluster: {{kubernetes: "1.36", existing: [Secret kubeflow/s3, Secret argo/s3, Secret team-vision/s3, Secret team-language/s3]}}
gateway: istio-ingress-gateway
ingress: {{kind: cloud, host: ml.example.com, tls: {{secret: ml-example-com}}}}
storage:
  block: {{driver: existing, default: true}}
external:
  identity: {{issuer: "https://id.example.com"}}
  objectStore: {STORE}
components:
  istio: {{}}
  istio-cni: {{}}
  istio-ingress-gateway: {{}}
  argo-workflows: {{artifacts: true}}
  mysql: {{nativePassword: true}}
  kfp: {{}}
teams:
  - {{name: vision}}
  - {{name: language}}
"""
ENDPOINT, REGION = "s3.example.com:9443", "eu-central-2"
SECRET = {"name": "company-root", "key": "root.pem"}


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> RenderedStack:
    """The stack, without a finding that would stop it."""
    return rendered_stack(tmp_path_factory.mktemp("store"), STACK, name="store")


def objects(rendered: RenderedStack, component: str, kind: str, name: str, namespace: str = "") -> dict[str, Any]:
    (found,) = (
        item.manifest
        for item in rendered.components[component].objects
        if (item.manifest["kind"], item.manifest["metadata"]["name"]) == (kind, name)
        and namespace in ("", item.manifest["metadata"].get("namespace"))
    )
    return found


def container(rendered: RenderedStack, name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Pod and first container of a Deployment of kfp."""
    pod: dict[str, Any] = objects(rendered, "kfp", "Deployment", name)["spec"]["template"]["spec"]
    return pod, pod["containers"][0]


def authority(pod: dict[str, Any], one: dict[str, Any]) -> str:
    """The file of the authority in a container, if it is what the stack names."""
    (volume,) = (each for each in pod["volumes"] if each.get("configMap", {}).get("name") == "company")
    assert volume["configMap"]["items"] == [{"key": "root.pem", "path": "ca.crt"}]
    (mount,) = (each for each in one["volumeMounts"] if each["name"] == volume["name"])
    return f"{mount['mountPath']}/ca.crt"


def test_the_server_and_what_it_starts_know_endpoint_region_and_authority(rendered: RenderedStack) -> None:
    pod, one = container(rendered, "ml-pipeline")
    said = {each["name"]: each.get("value") for each in one["env"]}

    assert f"{said['OBJECTSTORECONFIG_HOST']}:{said['OBJECTSTORECONFIG_PORT']}" == ENDPOINT
    assert (said["OBJECTSTORECONFIG_SECURE"], said["OBJECTSTORECONFIG_REGION"]) == ("true", REGION)
    assert Path(authority(pod, one)).parent == Path(said["SSL_CERT_DIR"])
    assert (said["CABUNDLE_CONFIGMAP_NAME"], said["CABUNDLE_KEY_NAME"]) == ("company", "root.pem")


def test_the_interface_knows_endpoint_and_authority_and_asks_the_store_for_the_region(rendered: RenderedStack) -> None:
    pod, one = container(rendered, "ml-pipeline-ui")
    said = {each["name"]: each.get("value") for each in one["env"]}

    assert f"{said['MINIO_HOST']}:{said['MINIO_PORT']}" == ENDPOINT
    assert said["MINIO_SSL"] == "true"
    assert said["NODE_EXTRA_CA_CERTS"] == authority(pod, one)


@pytest.mark.parametrize("home", HOMES)
def test_launchers_and_steps_of_each_team_know_endpoint_region_and_authority(
    rendered: RenderedStack, home: str
) -> None:
    launcher = yaml.safe_load(objects(rendered, "kfp", "ConfigMap", "kfp-launcher", home)["data"]["providers"])
    given = launcher["minio"]["default"]
    data = objects(rendered, "kfp", "ConfigMap", "artifact-repositories", home)["data"]
    steps = yaml.safe_load(data["default-namespaced"])["s3"]

    assert (given["endpoint"], given["region"], given["disableSSL"]) == (ENDPOINT, REGION, False)
    assert (steps["endpoint"], steps["region"], steps["insecure"]) == (ENDPOINT, REGION, False)
    assert steps["caSecret"] == SECRET


def test_the_controller_s_own_repository_says_the_same(rendered: RenderedStack) -> None:
    data = objects(rendered, "argo-workflows", "ConfigMap", "workflow-controller-configmap")["data"]
    own = yaml.safe_load(data["artifactRepository"])["s3"]

    assert (own["endpoint"], own["region"], own["insecure"], own["caSecret"]) == (ENDPOINT, REGION, False, SECRET)


def test_nothing_else_in_the_stack_names_a_store(rendered: RenderedStack) -> None:
    hosts = {
        line.strip()
        for each in rendered.components.values()
        for item in each.objects
        for line in yaml.safe_dump(item.manifest).splitlines()
        if "s3.example.com" in line
    }

    assert all(ENDPOINT in line or line.endswith("s3.example.com") for line in hosts), hosts


def outside(*teams: Team, **ca: str) -> Platform:
    store = ObjectStore.from_file({"host": "s3.example.com", "ca": ca, "credentials": {"existing": "s3"}})
    provisions = (Provision.of(store, "external"),)
    return Platform(provisions=provisions, apis=frozenset({"Workflow.argoproj.io"}), teams=teams)


@pytest.mark.parametrize("component", [Kfp, ArgoWorkflows])
def test_an_authority_that_no_secret_holds_is_an_error_where_steps_of_workflows_need_it(component: Any) -> None:
    def said(platform: Platform) -> list[str]:
        config = component.config_model().from_file({"serves": "one"} if component is Kfp else {})
        return [each.text for each in component.problems(Setting("flows", config, platform)) if "private" in each.text]

    assert len(said(outside(configMap="company"))) == 1
    assert said(outside(configMap="company", secret="company-root")) == []


def test_flyte_s_tasks_would_not_know_it() -> None:
    config = Flyte.config_model().from_file({"access": "administrators"})

    assert [
        each
        for each in Flyte.problems(Setting("flyte", config, outside(configMap="company")))
        if "private" in each.text
    ]


def test_backups_are_sent_to_it() -> None:
    made = built(Mysql, outside(configMap="company", key="root.pem"), backup={})
    pod = made.one("CronJob")["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    (upload,) = pod["containers"]

    assert upload["env"] == [{"name": "SSL_CERT_FILE", "value": authority(pod, upload)}]
    assert not any(each["name"] == "store-ca" for each in pod["initContainers"][0]["volumeMounts"])


def test_pods_that_ask_for_the_store_have_it() -> None:
    made = built(AdmissionWebhook, outside(Team(name="vision"), configMap="company", key="root.pem"), object_store=True)
    (spec,) = (each["spec"] for each in made.of("PodDefault") if each["metadata"]["name"] == "object-store")

    said = {each["name"]: each.get("value") for each in spec["env"]}
    assert said["AWS_CA_BUNDLE"] == authority(spec, spec)
