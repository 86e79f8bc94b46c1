"""Requests to language models of the template `llm` go through Istio's gateway and InferencePools to the pods of KServe's
services, where their pickers say.

Real: KServe's controller of LLM services 0.20, istiod and Envoy of Istio 1.31, the presets' start commands, Kubernetes'
controllers and scheduler, and the light picker of the inference extension 1.6 in place of llm-d's, which is in no registry
of packages. The light one does not answer as Istio's mode asks (kubernetes-sigs/gateway-api-inference-extension#3035):
requests that it sends to a pod reach that pod, and their answers are lost. Played: cert-manager, the kubelet, which runs
containers as processes, and vLLM.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from platform_def.manifests.rendered import RenderedStack
from tests.cluster.client import Manifest
from tests.cluster.conftest import or_skip, show_logs
from tests.cluster.control_plane import ControlPlane
from tests.cluster.door import Door, envoy_program, give_pods_addresses
from tests.cluster.job_bench import PLAIN
from tests.cluster.kubelet.image import Image
from tests.cluster.mesh import PLAYED, start_gateway
from tests.cluster.models import WEBHOOK, ModelCluster, model_cluster
from tests.cluster.stacks import rendered_stack
from tests.cluster.waves import apply_in_waves, refusals

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

TEAM, HOST = "team-language", "inference.models.ml.example.com"
NAME = "small"
MANAGER, KIND = "llmisvc-controller-manager", "LLMInferenceService"
MOVED = {WEBHOOK: 19443, "metrics-addr": 18444, "health-probe-addr": 18081}
STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.36"}
gateway: istio-ingress-gateway
ingress: {kind: nodePort, host: ml.example.com}
nodePools:
  - {name: train, nodes: 2, selector: {pool: train}, taints: ["gpu=train:NoSchedule"], gpu: {model: a100-80gb, perNode: 4}}
components:
  cert-manager: {}
  istio: {}
  istio-ingress-gateway: {api: gateway-api}
  gateway-api: {}
  gateway-api-inference-extension: {}
  nvidia-device-plugin: {}
  kserve: {llm: {}}
teams: [{name: language}]
serving:
  - {template: llm, name: small, team: language, model: hf://Qwen/Qwen2.5-7B-Instruct, pool: train, replicas: 2, contextLength: 8192, adapters: [{name: legal, address: hf://example/legal}]}
"""
COMPONENTS = (
    *("namespaces", "nvidia-device-plugin", "gateway-api", "gateway-api-inference-extension", "istio"),
    *("istio-ingress-gateway", "kserve"),
)
START = '#!/bin/sh\nexec python3 /programs/vllm.py "$@"\n'
FETCH = 'while [ $# -gt 0 ]; do mkdir -p "$2" && echo "{}" > "$2/config.json"; shift 2; done'
PICK = """\
#!/bin/sh
# The light picker has no scorers that `--config-text` could choose.
for word in "$@"; do
  shift
  [ "$word" = --config-text ] || [ "$last" = --config-text ] || set -- "$@" "$word"
  last=$word
done
exec lwepp "$@"
"""
REQUESTS = 10


@dataclass(frozen=True)
class Pool:
    """A cluster whose gateway leads to a model."""

    cluster: ModelCluster
    door: Door

    def servers(self) -> dict[str, str]:
        """Where pods of the model that are ready are asked, by their names."""
        pods = self.cluster.pods(TEAM, f"{NAME}-kserve-")
        return {
            each["metadata"]["name"]: f"{each['status']['podIP']}:8000"
            for each in pods
            if "runtimeClassName" in each["spec"] and each["status"]["containerStatuses"][0]["ready"]
        }

    def log(self, pod: str) -> list[str]:
        """What a server has said."""
        (found,) = (self.cluster.control_plane.folder / "kubelet" / "pods" / TEAM / pod).glob("*/main.log")
        return found.read_text().splitlines()


def images(root: Path, programs: Mapping[str, Path]) -> dict[str, Image]:
    """What the images of pods are here."""
    for name, text in (("vllm", START), ("epp", PICK)):
        (root / name).write_text(text)
        (root / name).chmod(0o755)
    server = Image(("/app", *PLAIN.programs), {}, {**PLAIN.files, "/app/vllm": str(root / "vllm")})
    picker = Image((str(programs["lwepp"].parent),), {}, {"/app/epp": str(root / "epp")})
    return {
        "ghcr.io/llm-d/llm-d-cuda:": server,
        "ghcr.io/llm-d/llm-d-router-endpoint-picker:": picker,
        "docker.io/kserve/storage-initializer:": Image(entrypoint=("sh", "-ec", FETCH, "sh")),
    }


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> RenderedStack:
    """The stack, without an error."""
    return rendered_stack(tmp_path_factory.mktemp("llm-pools"), STACK, name="models")


@pytest.fixture(scope="module")
def running(
    served: RenderedStack, programs: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Pool]:
    """The cluster with the model, which is ready."""
    envoy, istiod = or_skip(envoy_program), programs["istiod"]
    objects = [item.manifest for name in COMPONENTS for item in served.components[name].objects]

    def gateway(control_plane: ControlPlane) -> None:
        give_pods_addresses(control_plane.sandbox, control_plane.folder)
        assert not (found := refusals(apply_in_waves(control_plane.api, PLAYED))), found
        start_gateway(control_plane, objects, istiod=istiod, envoy=envoy)

    found = images(tmp_path_factory.mktemp("images"), programs)
    with model_cluster(programs, objects, [], MANAGER, moved=MOVED, images=found, gateway=gateway) as cluster:
        with cluster.control_plane.explaining():
            cluster.wait_for(cluster.submit(model(served)))
            pool = Pool(cluster, Door(cluster.control_plane.folder / "gateway.sock", ""))
            cluster.wait(lambda: len(pool.servers()) == 2, "both pods are ready")
        yield pool


@pytest.fixture
def pool(running: Pool, request: pytest.FixtureRequest) -> Pool:
    """The shared cluster; its logs are shown when the test fails."""
    show_logs(request, running.cluster.control_plane)
    return running


def model(served: RenderedStack) -> Manifest:
    (found,) = (item.manifest for item in served.components[NAME].objects if item.manifest["kind"] == KIND)
    return found


def test_the_gateway_asks_the_picker_and_sends_requests_where_it_says(pool: Pool) -> None:
    servers = pool.servers()

    def told() -> dict[str, Counter[str]]:
        """Where the picker sent requests, by who got them; without the few that pass before it answers (`-`)."""
        asked = {name: [line for line in pool.log(name) if "/v1/completions" in line] for name in servers}
        found = {name: Counter(line.split()[-1] for line in lines) for name, lines in asked.items()}
        return {name: Counter({to: count for to, count in each.items() if to != "-"}) for name, each in found.items()}

    def call() -> bool:
        pool.door.get(f"/{TEAM}/{NAME}/v1/completions", host=HOST)
        return all(sum(each.values()) >= REQUESTS for each in told().values())

    pool.cluster.wait(call, "both pods are asked")
    assert {name: {*each} for name, each in told().items()} == {name: {address} for name, address in servers.items()}


def test_everything_else_than_calls_of_the_model_goes_to_any_pod(pool: Pool) -> None:
    found = pool.door.get(f"/{TEAM}/{NAME}/v1/models", host=HOST)

    published = f"publishers/{TEAM}/models"
    assert [each["id"] for each in found.asked["data"]] == [NAME, f"{published}/{NAME}", "legal", f"{published}/legal"]


def test_at_another_host_there_is_no_model(pool: Pool) -> None:
    assert pool.door.get(f"/{TEAM}/{NAME}/v1/models", host="ml.example.com").status == 404
