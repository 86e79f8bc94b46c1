"""Models of the template `serve` become Deployments, Services, autoscalers and routes, on a real API server.

Real: KServe's controller and webhooks 0.20 with the account, rights and configuration that the stack renders, and what
makes pods. Played: cert-manager, the gateway that takes routes, servers of models (kwok).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from pathlib import Path

import pytest

from platform_def.constructs.observation.controllers import CONTROLLER_RUNTIME
from platform_def.manifests.rendered import RenderedStack
from tests.cluster.client import Manifest
from tests.cluster.conftest import show_logs
from tests.cluster.fed import unfed
from tests.cluster.models import GATEWAY_API, ModelCluster, model_cluster
from tests.cluster.scrape import faults, page_at
from tests.cluster.stacks import crds_of, rendered_stack

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

TEAM, DOMAIN = "team-vision", "models.ml.example.com"
MANAGER, ROLE = "kserve-controller-manager", "kserve-manager-role"
STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.36", existing: [Secret kserve/models]}
gateway: istio-ingress-gateway
ingress: {kind: nodePort, host: ml.example.com}
nodePools:
  - {name: train, nodes: 2, selector: {pool: train}, taints: ["gpu=train:NoSchedule"], gpu: {model: a100-80gb, perNode: 4}}
external:
  objectStore: {host: s3.example.com, credentials: {existing: models}, ca: {configMap: store-ca, key: cabundle.crt}}
components:
  cert-manager: {}
  istio: {}
  istio-ingress-gateway: {api: gateway-api}
  gateway-api: {}
  nvidia-device-plugin: {}
  kserve: {}
teams: [{name: vision}]
serving:
  - {template: serve, name: iris, team: vision, model: iris/1, format: sklearn, scaling: {min: 1, max: 3, target: 70}}
  - {template: serve, name: faces, team: vision, model: faces/7, format: onnx, pool: train, gpus: 1, canary: {model: faces/8, percent: 10}}
"""
COMPONENTS = ("namespaces", "nvidia-device-plugin", "gateway-api", "kserve")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> RenderedStack:
    """The stack, without an error."""
    return rendered_stack(tmp_path_factory.mktemp("kserve"), STACK, name="models")


@pytest.fixture(scope="module")
def running(served: RenderedStack, programs: Mapping[str, Path]) -> Iterator[ModelCluster]:
    """The cluster with KServe's controller."""
    objects = [item.manifest for name in COMPONENTS for item in served.components[name].objects]
    objects += [
        item.manifest
        for item in served.components["istio"].objects
        if "virtualservices" in str(item.manifest["metadata"]["name"])
    ]
    with model_cluster(programs, objects, store(), MANAGER) as cluster:
        yield cluster


@pytest.fixture
def cluster(running: ModelCluster, request: pytest.FixtureRequest) -> Iterator[ModelCluster]:
    """The shared cluster without models; its logs are shown when the test fails."""
    show_logs(request, running.control_plane)
    with running.clean():
        yield running


def crds(served: RenderedStack, name: str) -> list[Manifest]:
    return crds_of([item.manifest for item in served.components[name].objects])


def store() -> list[Manifest]:
    """What the cluster has of the object store: keys in the team's namespace, and who signed its certificate."""
    return [
        {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": "models", "namespace": TEAM},
            "stringData": {"accessKey": "reader", "secretKey": "of-no-worth"},
        },
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "store-ca", "namespace": "kserve"},
            "data": {"cabundle.crt": "the authority"},
        },
    ]


def model(served: RenderedStack, name: str) -> Manifest:
    (found,) = (
        item.manifest for item in served.components[name].objects if item.manifest["kind"] == "InferenceService"
    )
    return found


def test_a_model_becomes_a_deployment_a_service_an_autoscaler_and_a_route_and_is_ready(
    cluster: ModelCluster, served: RenderedStack
) -> None:
    made = cluster.submit(model(served, "iris"))
    ready = cluster.wait_for(made)

    assert ready["status"]["url"] == f"http://iris-{TEAM}.{DOMAIN}"
    assert ready["status"]["deploymentMode"] == "Standard"
    deployment = cluster.read("Deployment", "apps/v1", "iris-predictor", TEAM)
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    (server,) = (
        item.manifest["spec"]["containers"][0]
        for item in served.components["kserve"].objects
        if item.manifest["metadata"]["name"] == "kserve-sklearnserver"
    )
    assert container["image"] == server["image"]
    scaler = cluster.read("HorizontalPodAutoscaler", "autoscaling/v2", "iris-predictor", TEAM)["spec"]
    assert (scaler["minReplicas"], scaler["maxReplicas"]) == (1, 3)
    assert scaler["metrics"][0]["resource"]["target"]["averageUtilization"] == 70
    route = cluster.read("HTTPRoute", "gateway.networking.k8s.io/v1", "iris", TEAM)["spec"]
    (parent,) = route["parentRefs"]
    assert (parent["namespace"], parent["name"]) == ("istio-system", "kserve-ingress-gateway")
    assert f"iris-{TEAM}.{DOMAIN}" in route["hostnames"]
    (backend,) = route["rules"][0]["backendRefs"]
    service = cluster.read("Service", "v1", backend["name"], TEAM)["spec"]
    (pod,) = cluster.pods(TEAM, "iris-predictor-")
    assert service["selector"].items() <= pod["metadata"]["labels"].items()
    assert backend["port"] in [each["port"] for each in service["ports"]]


def test_a_model_is_fetched_from_the_store_of_the_stack_by_the_account_of_the_team(
    cluster: ModelCluster, served: RenderedStack
) -> None:
    cluster.wait_for(cluster.submit(model(served, "iris")))
    (pod,) = cluster.pods(TEAM, "iris-predictor-")
    (fetcher,) = pod["spec"]["initContainers"]
    variables = {each["name"]: each for each in fetcher["env"]}

    assert fetcher["name"] == "storage-initializer"
    assert fetcher["image"] == "docker.io/kserve/storage-initializer:v0.20.0"
    assert fetcher["args"] == ["s3://models/iris/1", "/mnt/models"]
    assert variables["AWS_ACCESS_KEY_ID"]["valueFrom"]["secretKeyRef"] == {"name": "models", "key": "accessKey"}
    assert variables["AWS_SECRET_ACCESS_KEY"]["valueFrom"]["secretKeyRef"] == {"name": "models", "key": "secretKey"}
    assert variables["AWS_ENDPOINT_URL"]["value"] == "https://s3.example.com:443"
    assert variables["S3_USE_HTTPS"]["value"] == "1"
    assert variables["S3_VERIFY_SSL"]["value"] == "1"
    # The authority is copied into the team's namespace, and mounted where the program is told to look.
    mounts = {each["mountPath"]: each["name"] for each in fetcher["volumeMounts"]}
    volumes = {each["name"]: each for each in pod["spec"]["volumes"]}
    folder = variables["CA_BUNDLE_VOLUME_MOUNT_POINT"]["value"]
    name = volumes[mounts[folder]]["configMap"]["name"]
    assert cluster.read("ConfigMap", "v1", name, TEAM)["data"] == {"cabundle.crt": "the authority"}


def test_a_canary_gets_its_share_by_the_route_of_the_stack(cluster: ModelCluster, served: RenderedStack) -> None:
    objects = [item.manifest for item in served.components["faces"].objects]
    made = cluster.submit(*sorted(objects, key=lambda item: item["kind"] != "InferenceService"))
    cluster.wait_for(made)
    cluster.wait_for(made, "CanaryPredictorReady")
    (route,) = cluster.all(f"{GATEWAY_API}/namespaces/{TEAM}/httproutes")
    (rule,) = route["spec"]["rules"]
    pods = cluster.pods(TEAM, "faces-")

    assert route["spec"]["hostnames"] == [f"faces-{TEAM}.{DOMAIN}"]
    assert {each["weight"]: fetched_behind(cluster, each, pods) for each in rule["backendRefs"]} == {
        90: "s3://models/faces/7",
        10: "s3://models/faces/8",
    }
    for pod in pods:
        (server,) = pod["spec"]["containers"]
        assert server["resources"]["limits"]["nvidia.com/gpu"] == "1"
        assert (pod["spec"]["nodeSelector"]["pool"], pod["spec"]["runtimeClassName"]) == ("train", "nvidia")


def fetched_behind(cluster: ModelCluster, backend: Manifest, pods: list[Manifest]) -> str:
    """What the pod fetches that a backend of a route leads to."""
    service = cluster.read("Service", "v1", backend["name"], TEAM)["spec"]
    (pod,) = (each for each in pods if service["selector"].items() <= each["metadata"]["labels"].items())
    assert backend["port"] in [each["port"] for each in service["ports"]]
    return str(pod["spec"]["initContainers"][0]["args"][0])


def test_what_cannot_be_is_refused_by_the_webhook(running: ModelCluster, served: RenderedStack) -> None:
    wrong = deepcopy(model(served, "iris"))
    wrong["spec"]["predictor"]["minReplicas"] = 5
    refusal = running.control_plane.api.apply(wrong, dry_run=True).refusal

    assert '"inferenceservice.kserve-webhook-server.validator" denied the request' in refusal


def test_what_the_controller_counts_is_what_its_table_says(
    cluster: ModelCluster, served: RenderedStack, programs: Mapping[str, Path]
) -> None:
    cluster.wait_for(cluster.submit(model(served, "iris")))
    page = page_at(cluster.control_plane, 8080)

    # One pod needs no election.
    silent = "leader_election_master_status"
    assert faults(page, [CONTROLLER_RUNTIME], program=programs["kserve-manager"], silent=silent) == []
    pages = {"kserve-controller-manager-metrics-service": [page]}
    assert unfed("kserve", pages, engine=programs["prometheus-engine"]) == []


def test_pods_that_are_no_models_do_not_wait_for_its_webhook(running: ModelCluster) -> None:
    pod: Manifest = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "other", "namespace": TEAM},
        "spec": {"containers": [{"name": "main", "image": "other:1"}]},
    }
    running.control_plane.sandbox.pause(running.controller.name)
    try:
        refusal = running.control_plane.api.apply(pod, dry_run=True).refusal
        other = deepcopy(pod)
        other["metadata"]["labels"] = {"serving.kserve.io/inferenceservice": "iris"}
        waits = running.control_plane.api.apply(other, dry_run=True).refusal
    finally:
        running.control_plane.sandbox.resume(running.controller.name)

    assert refusal == ""
    assert "pod-mutator" in waits


@pytest.mark.parametrize("resource", ["deployments", "services", "httproutes", "horizontalpodautoscalers"])
def test_without_a_right_of_its_role_no_model_is_ready(
    running: ModelCluster, served: RenderedStack, resource: str
) -> None:
    with running.without(ROLE, resource, "create"):
        made = running.submit(model(served, "iris"))
        running.wait(lambda: running.refused(resource), "it is refused", made)

        assert running.control_plane.api.read(made).body.get("status", {}).get("url") is None
