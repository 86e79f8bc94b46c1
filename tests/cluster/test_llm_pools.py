"""Requests to language models of the template `llm` go through Istio's gateway and InferencePools to the pods of KServe's
services, where their pickers say.

Real: KServe's controller of LLM services 0.20, istiod and Envoy of Istio 1.31, the presets' start commands, Kubernetes'
controllers and scheduler, and the light picker of the inference extension 1.6 in place of llm-d's, which is in no registry
of packages. The light one does not answer as Istio's mode asks (kubernetes-sigs/gateway-api-inference-extension#3035): a
relay in front of it, which is a stand-in, sends bodies on as they came. Played: cert-manager, the kubelet, which runs
containers as processes, and vLLM.
"""

from __future__ import annotations

import json
import os
import signal
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from platform_def.manifests.rendered import RenderedStack
from tests.cluster.client import Manifest
from tests.cluster.conftest import or_skip, show_logs
from tests.cluster.control_plane import ControlPlane
from tests.cluster.door import Answer, Door, envoy_program, give_pods_addresses
from tests.cluster.kubelet.image import Image
from tests.cluster.machines import PLAIN
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
lwepp "$@" --grpc-port=9012 &
exec lwepp-relay -listen :9002 -picker 127.0.0.1:9012
"""
REQUESTS = 10
CALLERS = 4
ASK = f"/{TEAM}/{NAME}/v1/chat/completions"


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

    def kill(self, pod: str) -> None:
        """Kill the server of a pod."""
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                environment, command = ((process / each).read_bytes().split(b"\0") for each in ("environ", "cmdline"))
                if f"HOSTNAME={pod}".encode() in environment and b"/programs/vllm.py" in command:
                    os.kill(int(process.name), signal.SIGKILL)

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
    programs_of_picker = tuple(str(programs[name].parent) for name in ("lwepp", "lwepp-relay"))
    picker = Image(programs_of_picker, {}, {"/app/epp": str(root / "epp")})
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


def completed(pool: Pool, said: str = "hello", **more: object) -> Answer:
    """What the model answers."""
    body = {"model": NAME, "messages": [{"role": "user", "content": said}], **more}
    headers = {"content-type": "application/json"}
    return pool.door.get(ASK, host=HOST, method="POST", body=json.dumps(body).encode(), headers=headers)


def test_the_gateway_asks_the_picker_and_sends_requests_where_it_says(pool: Pool) -> None:
    servers = pool.servers()

    def told() -> dict[str, Counter[str]]:
        """Where the picker sent requests, by who got them; without the few that pass before it answers (`-`)."""
        asked = {name: [line for line in pool.log(name) if "/v1/chat/completions" in line] for name in servers}
        found = {name: Counter(line.split()[-1] for line in lines) for name, lines in asked.items()}
        return {name: Counter({to: count for to, count in each.items() if to != "-"}) for name, each in found.items()}

    def call() -> bool:
        completed(pool)
        return all(sum(each.values()) >= REQUESTS for each in told().values())

    pool.cluster.wait(call, "both pods are asked")
    assert {name: {*each} for name, each in told().items()} == {name: {address} for name, address in servers.items()}


def test_answers_come_back_from_both_pods_in_turn_whole_and_as_streams(pool: Pool) -> None:
    pool.cluster.wait(lambda: completed(pool).status == 200, "it answers")

    answers = [completed(pool) for _ in range(REQUESTS)]
    assert [each.status for each in answers] == [200] * REQUESTS
    assert {each.asked["choices"][0]["message"]["content"] for each in answers} == {"one two three"}
    assert {*Counter(each.asked["system_fingerprint"] for each in answers)} == {*pool.servers()}
    assert completed(pool, stream=True).text.split("\n\n")[-2] == "data: [DONE]"


def test_a_long_question_arrives_whole(pool: Pool) -> None:
    """Envoy hands the picker a body in pieces."""
    assert completed(pool, "why? " * 100_000).status == 200


@dataclass
class Calls:
    """What callers got who ask without a pause."""

    pool: Pool
    ended: threading.Event = field(default_factory=threading.Event)
    got: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    def call(self) -> None:
        while not self.ended.is_set():
            try:
                answer = completed(self.pool)
            except OSError as error:
                self.failed.append(str(error))
                continue
            if answer.status == 200:
                self.got.append(answer.asked["system_fingerprint"])
            else:
                self.failed.append(f"{answer.status} {answer.text}")

    @staticmethod
    @contextmanager
    def to(pool: Pool) -> Iterator[Calls]:
        """While the block runs."""
        calls = Calls(pool)
        callers = [threading.Thread(target=calls.call) for _ in range(CALLERS)]
        for each in callers:
            each.start()
        try:
            yield calls
        finally:
            calls.ended.set()
            for each in callers:
                each.join()


def test_a_pod_that_dies_loses_no_request_but_those_that_it_had(pool: Pool) -> None:
    pool.cluster.wait(lambda: completed(pool).status == 200, "it answers")
    died, other = sorted(pool.servers())

    with Calls.to(pool) as calls:
        pool.cluster.wait(lambda: {died, other} <= {*calls.got}, "both answer")
        pool.kill(died)
        before = len(calls.got)
        pool.cluster.wait(lambda: died not in pool.servers(), "its death is seen")
        pool.cluster.wait(lambda: len(pool.servers()) == 2, "it is back")
        pool.cluster.wait(lambda: died in calls.got[before + CALLERS :], "it is asked again")

    assert len(calls.failed) <= CALLERS, calls.failed
    assert other in calls.got[before:]


def test_everything_else_than_calls_of_the_model_goes_to_any_pod(pool: Pool) -> None:
    found = pool.door.get(f"/{TEAM}/{NAME}/v1/models", host=HOST)

    published = f"publishers/{TEAM}/models"
    assert [each["id"] for each in found.asked["data"]] == [NAME, f"{published}/{NAME}", "legal", f"{published}/legal"]


def test_at_another_host_there_is_no_model(pool: Pool) -> None:
    assert pool.door.get(f"/{TEAM}/{NAME}/v1/models", host="ml.example.com").status == 404
