"""Language models of the template `llm` become Deployments, LeaderWorkerSets, pickers, pools and routes, on a real API
server.

Real: KServe's controller of LLM services 0.20 and its webhooks with the account, rights, configuration and presets that
the stack renders, LeaderWorkerSet's, and what makes pods. Played: cert-manager, the gateway that takes routes and
pools, servers and pickers (kwok).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from platform_def.manifests.rendered import RenderedStack
from tests.cluster.client import Manifest
from tests.cluster.conftest import show_logs
from tests.cluster.leader_workers import start_controller
from tests.cluster.models import GATEWAY_API, POOLS, WEBHOOK, ModelCluster, model_cluster
from tests.cluster.stacks import rendered_stack
from tests.cluster.waves import condition

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

TEAM, HOST = "team-language", "inference.models.ml.example.com"
MANAGER, ROLE = "llmisvc-controller-manager", "kserve-llmisvc-manager-role"
KIND, PRESET = "LLMInferenceService", "LLMInferenceServiceConfig"
MOVED = {WEBHOOK: 19443, "metrics-addr": 18444, "health-probe-addr": 18081}
"""Ports that LeaderWorkerSet's controller has as well: here both programs share one network."""
STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.36", existing: [Secret kserve/models]}
gateway: istio-ingress-gateway
ingress: {kind: nodePort, host: ml.example.com}
nodePools:
  - {name: train, nodes: 2, selector: {pool: train}, taints: ["gpu=train:NoSchedule"], gpu: {model: a100-80gb, perNode: 8}}
external:
  objectStore: {host: s3.example.com, credentials: {existing: models}}
components:
  cert-manager: {}
  istio: {}
  istio-ingress-gateway: {api: gateway-api}
  gateway-api: {}
  gateway-api-inference-extension: {}
  nvidia-device-plugin: {}
  lws: {}
  kserve: {llm: {}}
teams: [{name: language}]
serving:
  - {template: llm, name: small, team: language, model: hf://Qwen/Qwen2.5-7B-Instruct, pool: train, replicas: 2, contextLength: 8192, adapters: [{name: legal, address: hf://example/legal}]}
  - {template: llm, name: large, team: language, model: hf://meta-llama/Llama-3.1-70B-Instruct, pool: train, gpus: 4, nodes: 2, contextLength: 8192}
  - {template: llm, name: stored, team: language, model: stored/7, pool: train, public: false}
"""
LWS = "lws"
COMPONENTS = ("namespaces", "nvidia-device-plugin", "gateway-api", "gateway-api-inference-extension", LWS, "kserve")
GATEWAY_CLASS: Manifest = {
    "apiVersion": "gateway.networking.k8s.io/v1",
    "kind": "GatewayClass",
    "metadata": {"name": "istio"},
    "spec": {"controllerName": "istio.io/gateway-controller"},
}
"""What istiod makes when it starts."""
STORE: Manifest = {
    "apiVersion": "v1",
    "kind": "Secret",
    "metadata": {"name": "models", "namespace": TEAM},
    "stringData": {"accessKey": "reader", "secretKey": "of-no-worth"},
}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> RenderedStack:
    """The stack, without an error."""
    return rendered_stack(tmp_path_factory.mktemp("llmisvc"), STACK, name="models")


def objects_of(served: RenderedStack, *components: str) -> list[Manifest]:
    return [item.manifest for name in components for item in served.components[name].objects]


@pytest.fixture(scope="module")
def running(served: RenderedStack, programs: Mapping[str, Path]) -> Iterator[ModelCluster]:
    """The cluster with both controllers."""
    objects = objects_of(served, *COMPONENTS)
    objects += [each for each in objects_of(served, "istio") if each["kind"] == "CustomResourceDefinition"]
    with model_cluster(programs, objects, [GATEWAY_CLASS, STORE], MANAGER, moved=MOVED) as cluster:
        control_plane, sets = cluster.control_plane, objects_of(served, LWS)
        for each in (item for item in sets if item["kind"].endswith("WebhookConfiguration")):
            assert not (refusal := control_plane.api.apply(each).refusal), refusal
        start_controller(control_plane, programs, sets)
        yield cluster


@pytest.fixture
def cluster(running: ModelCluster, request: pytest.FixtureRequest) -> Iterator[ModelCluster]:
    """The shared cluster without models; its logs are shown when the test fails."""
    show_logs(request, running.control_plane)
    with running.clean():
        yield running


def model(served: RenderedStack, name: str) -> Manifest:
    (found,) = (item.manifest for item in served.components[name].objects if item.manifest["kind"] == KIND)
    return found


def container(pod: Manifest) -> dict[str, Any]:
    (found,) = (each for each in pod["spec"]["containers"] if each["name"] == "main")
    return dict(found)


def test_a_model_becomes_servers_a_picker_a_pool_and_a_route_is_ready_and_takes_them_away_with_it(
    cluster: ModelCluster, served: RenderedStack
) -> None:
    ready = cluster.wait_for(cluster.submit(model(served, "small")))
    servers, pickers = cluster.pods(TEAM, "small-kserve-"), cluster.pods(TEAM, "small-kserve-router-scheduler-")
    pool = cluster.read("InferencePool", "inference.networking.k8s.io/v1", "small-inference-pool", TEAM)["spec"]
    route = cluster.read("HTTPRoute", "gateway.networking.k8s.io/v1", "small-kserve-route", TEAM)["spec"]

    assert ready["status"]["url"] == f"http://{HOST}/{TEAM}/small"
    # The pool has the servers alone, and its picker is behind the Service that it names.
    assert len(servers) == 3
    chosen = pool["selector"]["matchLabels"].items()
    assert [each for each in servers if chosen <= each["metadata"]["labels"].items()] == [
        each for each in servers if each not in pickers
    ]
    asked = pool["endpointPickerRef"]
    service = cluster.read("Service", "v1", asked["name"], TEAM)["spec"]
    (picker,) = pickers
    assert service["selector"].items() <= picker["metadata"]["labels"].items()
    assert asked["port"]["number"] in [each["port"] for each in service["ports"]]
    # Calls lead to the pool in the group that Istio serves, and everything else to any of the servers.
    (parent,) = route["parentRefs"]
    assert (parent["namespace"], parent["name"]) == ("istio-system", "kserve-ingress-gateway")
    backends = {rule["name"]: rule["backendRefs"] for rule in route["rules"]}
    for name in ("v1-chat-completions-path", "v1-completions-path", "v1-model-routing"):
        (backend,) = backends[name]
        assert (backend["group"], backend["name"]) == ("inference.networking.k8s.io", "small-inference-pool")
    (backend,) = backends["v1-catch-all-path"]
    anyone = cluster.read("Service", "v1", backend["name"], TEAM)["spec"]
    assert anyone["selector"].items() <= {**pool["selector"]["matchLabels"]}.items()

    cluster.clear()
    for path in (f"{GATEWAY_API}/httproutes", f"{POOLS}/inferencepools"):
        cluster.wait(lambda path=path: not cluster.all(path), f"nothing is left at {path}")  # type: ignore[misc]


def test_a_server_has_the_cards_and_arguments_of_the_stack_and_its_model_and_adapters_are_fetched(
    cluster: ModelCluster, served: RenderedStack
) -> None:
    cluster.wait_for(cluster.submit(model(served, "small")))
    pod = next(each for each in cluster.pods(TEAM, "small-kserve-") if "runtimeClassName" in each["spec"])
    server, (fetcher,) = container(pod), pod["spec"]["initContainers"]

    # What scales the model names this Deployment.
    assert cluster.read("Deployment", "apps/v1", "small-kserve", TEAM)["spec"]["replicas"] == 2
    assert server["resources"]["limits"]["nvidia.com/gpu"] == "1"
    assert (pod["spec"]["nodeSelector"], pod["spec"]["runtimeClassName"]) == ({"pool": "train"}, "nvidia")
    assert {"--max-model-len=8192", "--gpu-memory-utilization=0.9"} <= {*server["args"]}
    assert "--tensor-parallel-size 1" in server["command"][2]
    assert f'--served-model-name "small" "publishers/{TEAM}/models/small"' in server["command"][2]
    fetched = dict(zip(fetcher["args"][::2], fetcher["args"][1::2], strict=True))
    assert fetched["hf://Qwen/Qwen2.5-7B-Instruct"] == "/mnt/models"
    folder = fetched["hf://example/legal"]
    assert any(folder in each and "legal" in each for each in server["args"]), server["args"]
    both = [{each["mountPath"]: each["name"] for each in one["volumeMounts"]} for one in (fetcher, server)]
    (shared,) = both[0].items() & both[1].items()
    assert all(Path(each).is_relative_to(shared[0]) for each in ("/mnt/models", folder)), shared


def test_a_model_is_fetched_from_the_store_of_the_stack_by_the_account_of_the_team(
    cluster: ModelCluster, served: RenderedStack
) -> None:
    ready = cluster.wait_for(cluster.submit(model(served, "stored")))
    (pod,) = cluster.pods(TEAM, "stored-kserve-")
    (fetcher,) = pod["spec"]["initContainers"]
    variables = {each["name"]: each for each in fetcher["env"]}

    assert fetcher["args"] == ["s3://models/stored/7", "/mnt/models"]
    assert variables["AWS_ACCESS_KEY_ID"]["valueFrom"]["secretKeyRef"] == {"name": "models", "key": "accessKey"}
    assert variables["AWS_ENDPOINT_URL"]["value"] == "https://s3.example.com:443"
    # It is reached by other pods alone.
    assert cluster.all(f"{GATEWAY_API}/namespaces/{TEAM}/httproutes") == []
    assert [each["url"] for each in ready["status"]["addresses"]] == [
        f"http://stored-kserve-workload-svc.{TEAM}.svc.cluster.local"
    ]


def test_several_nodes_are_a_leader_and_a_worker_that_meet_under_the_leaders_name(
    cluster: ModelCluster, served: RenderedStack
) -> None:
    cluster.wait_for(cluster.submit(model(served, "large")))
    leader, worker = cluster.pods(TEAM, "large-kserve-mn-")
    pool = cluster.read("InferencePool", "inference.networking.k8s.io/v1", "large-inference-pool", TEAM)["spec"]

    assert [each["metadata"]["name"] for each in (leader, worker)] == ["large-kserve-mn-0", "large-kserve-mn-0-1"]
    for rank, pod in enumerate((leader, worker)):
        server = container(pod)
        variables = {each["name"]: each.get("value") for each in server["env"]}
        assert variables["LWS_WORKER_INDEX"] == str(rank)
        assert variables["LWS_LEADER_ADDRESS"].split(".")[0] == "large-kserve-mn-0"
        assert server["resources"]["limits"]["nvidia.com/gpu"] == "4"
        script = server["command"][2]
        for each in ("--tensor-parallel-size 4", "--pipeline-parallel-size 2", "--nnodes 2"):
            assert each in script, script
        assert ("--headless" in script) is bool(rank)
    # Requests go to the leader alone.
    chosen = pool["selector"]["matchLabels"].items()
    assert [chosen <= each["metadata"]["labels"].items() for each in (leader, worker)] == [True, False]


def test_each_version_is_converted_to_the_other(cluster: ModelCluster, served: RenderedStack) -> None:
    older = {**deepcopy(model(served, "small")), "apiVersion": "serving.kserve.io/v1alpha1"}
    cluster.submit(older)
    newer = cluster.read(KIND, "serving.kserve.io/v1alpha2", "small", TEAM)

    assert newer["apiVersion"] == "serving.kserve.io/v1alpha2"
    assert newer["spec"]["model"] == model(served, "small")["spec"]["model"]
    assert newer["spec"]["template"] == cluster.read(KIND, older["apiVersion"], "small", TEAM)["spec"]["template"]
    cluster.wait_for(older)


def test_what_cannot_be_is_refused_by_the_webhook(running: ModelCluster, served: RenderedStack) -> None:
    wrong = deepcopy(model(served, "small"))
    wrong["spec"]["parallelism"] = {"pipeline": 2, "data": 2, "dataLocal": 1}
    refusal = running.control_plane.api.apply(wrong, dry_run=True).refusal

    assert '"llminferenceservice.kserve-webhook-server.v1alpha2.validator" denied the request' in refusal


def test_a_preset_that_is_no_template_is_refused_and_no_preset_is_taken_while_none_judges(
    running: ModelCluster, served: RenderedStack
) -> None:
    api, sandbox = running.control_plane.api, running.control_plane.sandbox
    preset = next(each for each in objects_of(served, "kserve") if each["kind"] == PRESET)
    wrong = deepcopy(preset)
    wrong["metadata"]["name"], wrong["spec"]["annotations"] = "wrong", {"of": "{{ .Spec.Missing }}"}
    refusal = api.apply(wrong, dry_run=True).refusal
    sandbox.pause(running.controller.name)
    try:
        unjudged = api.apply(preset, dry_run=True).refusal
    finally:
        sandbox.resume(running.controller.name)

    assert '"llminferenceserviceconfig.kserve-webhook-server.v1alpha2.validator" denied the request' in refusal
    assert "failed calling webhook" in unjudged


def test_git_may_take_a_preset_away(running: ModelCluster, served: RenderedStack) -> None:
    api = running.control_plane.api
    preset = next(each for each in objects_of(served, "kserve") if each["kind"] == PRESET)
    reply = api.request("DELETE", f"{api.path(preset)}?dryRun=All")

    assert reply.status == 200, reply.message


@pytest.mark.parametrize("resource", ["deployments", "httproutes", "inferencepools", "rolebindings"])
def test_without_a_right_of_its_role_no_model_is_ready(
    running: ModelCluster, served: RenderedStack, resource: str
) -> None:
    with running.without(ROLE, resource, "create"):
        made = running.submit(model(served, "small"))
        running.wait(lambda: running.refused(resource), "it is refused", made)

        assert condition(running.control_plane.api.read(made).body, "Ready") != "True"


def test_without_the_right_to_sets_no_model_of_several_nodes_starts(
    running: ModelCluster, served: RenderedStack
) -> None:
    with running.without(ROLE, "leaderworkersets", "create"):
        made = running.submit(model(served, "large"))
        running.wait(lambda: running.refused("leaderworkersets"), "it is refused", made)

        assert running.pods(TEAM, "large-kserve-mn-") == []
