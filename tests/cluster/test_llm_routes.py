"""A language model of the template `llm` without KServe answers through each of the three gateways, streams included.

Real: Deployment, Service and route of the template; a real istiod and Envoy, or Emissary's own compiler and Envoy; whom
the gateway lets pass. Played: the server, which takes vLLM's options and speaks its API, at the address of its pod.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from platform_def.manifests.rendered import RenderedStack
from tests.cluster.client import Manifest
from tests.cluster.compiler import IN_MODULE
from tests.cluster.control_plane import until
from tests.cluster.controllers import START_SECONDS
from tests.cluster.door import Door
from tests.cluster.gates import emissary, istio
from tests.cluster.machines import PROGRAMS
from tests.cluster.sandbox import Sandbox
from tests.cluster.stacks import rendered_stack

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

HOME, NAME, SERVER = "team-language", "chat", ("10.99.1.9", 8000)
BASE, ASK = f"/{HOME}/{NAME}", f"/{HOME}/{NAME}/v1/chat/completions"
HTTP = 8080
STACK = """\
apiVersion: platform-def/v1
cluster: {{kubernetes: "1.36"}}
gateway: {gateway}
ingress: {{kind: cloud}}
nodePools:
  - {{name: train, nodes: 1, selector: {{pool: train}}, gpu: {{model: a100-80gb, perNode: 4}}}}
external:
  authorizationService: {{name: who, host: who.auth.svc.cluster.local, port: 80, adds: [kubeflow-userid]}}
  identity: {{issuer: "https://id.example.com"}}
components:
  nvidia-device-plugin: {{}}
{components}
teams: [{{name: language}}]
serving:
  - {{template: llm, name: chat, team: language, model: hf://Qwen/Qwen2.5-7B-Instruct, pool: train, gpus: 2, contextLength: 8192, adapters: [{{name: legal, address: hf://example/legal}}]}}
"""
GATEWAYS = {
    "istio": ("istio-ingress-gateway", "  istio: {}\n  istio-ingress-gateway: {}"),
    "gateway-api": (
        "istio-ingress-gateway",
        "  istio: {}\n  istio-ingress-gateway: {api: gateway-api}\n  gateway-api: {}",
    ),
    "emissary": ("emissary", f'  emissary: {{release: "{IN_MODULE}"}}'),
}


@dataclass(frozen=True)
class Served:
    """A model behind a gateway."""

    api: str
    door: Door


def objects_of(stack: RenderedStack, *components: str) -> list[Manifest]:
    return [item.manifest for name in components or stack.components for item in stack.components[name].objects]


def start_model(sandbox: Sandbox, folder: Path, stack: RenderedStack) -> None:
    """Run the container of the rendered Deployment at the address of its pod."""
    (deployment,) = (each for each in objects_of(stack, NAME) if each["kind"] == "Deployment")
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    assert container["command"][0] == "vllm"
    words = [*container["command"][1:], *container["args"], f"--host={SERVER[0]}"]
    argv = [sys.executable, "-I", str(PROGRAMS / "vllm.py"), *words]
    sandbox.start("vllm", argv, log=folder / "vllm.log", env={"HOSTNAME": "chat-1"})


def behind(stack: RenderedStack) -> Manifest:
    """Where the pods of its Service are, as their controller would write it."""
    (service,) = (each for each in objects_of(stack, NAME) if each["kind"] == "Service")
    (deployment,) = (each for each in objects_of(stack, NAME) if each["kind"] == "Deployment")
    template = deployment["spec"]["template"]
    assert service["spec"]["selector"].items() <= template["metadata"]["labels"].items()
    (port,) = service["spec"]["ports"]
    (container,) = template["spec"]["containers"]
    (number,) = (each["containerPort"] for each in container["ports"] if each["name"] == port["targetPort"])
    return {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {"name": NAME, "namespace": HOME, "labels": {"kubernetes.io/service-name": NAME}},
        "addressType": "IPv4",
        "ports": [{"name": port["name"], "port": number, "protocol": "TCP"}],
        "endpoints": [{"addresses": [SERVER[0]], "conditions": {"ready": True}}],
    }


@pytest.fixture(scope="module", params=[*GATEWAYS])
def served(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, oauth2_proxy: Path | None
) -> Iterator[Served]:
    """The model behind one of the gateways."""
    api, root = str(request.param), tmp_path_factory.mktemp(str(request.param))
    gateway, components = GATEWAYS[api]
    stack = rendered_stack(root, STACK.format(gateway=gateway, components=components), name="models")
    if api == "emissary":
        yield from behind_emissary(stack, root, oauth2_proxy)
        return
    objects = [*objects_of(stack), behind(stack)]
    istiod, binaries = request.getfixturevalue("programs")["istiod"], request.getfixturevalue("binaries")
    with istio(stack, objects, binaries, istiod=istiod, proxy=oauth2_proxy) as (control_plane, mesh):
        start_model(control_plane.sandbox, control_plane.folder, stack)
        yield Served(api, answering(mesh.door))


def behind_emissary(stack: RenderedStack, root: Path, oauth2_proxy: Path | None) -> Iterator[Served]:
    """The model behind Emissary, whose compiler makes what Envoy is told."""
    with emissary(root, objects_of(stack), {(f"{NAME}.{HOME}", 80): SERVER}, proxy=oauth2_proxy) as (sandbox, door):
        start_model(sandbox, root, stack)
        yield Served("emissary", answering(door))


def answering(door: Door) -> Door:
    """The gateway, once the model answers there."""

    def answers() -> bool:
        try:
            return door.get(f"{BASE}/health").status == 200
        except OSError:
            return False

    until(answers, seconds=START_SECONDS, what="the model answers")
    return door


def question(model: str = NAME, text: str = "count", *, stream: bool = False) -> bytes:
    return json.dumps({"model": model, "stream": stream, "messages": [{"role": "user", "content": text}]}).encode()


def test_a_model_and_its_adapter_answer_the_calls_of_openais_clients(served: Served) -> None:
    models = served.door.get(f"{BASE}/v1/models")
    found = {model: served.door.get(ASK, method="POST", body=question(model)) for model in (NAME, "legal", "other")}

    assert [each["id"] for each in models.asked["data"]] == [NAME, "legal"]
    assert {model: each.status for model, each in found.items()} == {NAME: 200, "legal": 200, "other": 404}
    assert found[NAME].asked["choices"][0]["message"]["content"] == "one two three"
    assert found["legal"].asked["model"] == "legal"


def test_words_arrive_as_they_are_written(served: Served) -> None:
    with served.door.lines(ASK, body=question(text="wait", stream=True)) as answer:
        first = next(answer)
        # Nothing comes until it is let go on: whoever waited for the whole answer would wait here.
        assert served.door.get(f"{BASE}/release").status == 200
        rest = [*answer]

    words = [json.loads(each.removeprefix("data: ")) for each in (first, *rest) if "choices" in each]
    assert [each["choices"][0]["delta"]["content"] for each in words] == ["one", "two", "three"]
    assert rest[-1] == "data: [DONE]"


def test_a_caller_whom_the_stack_does_not_know_is_refused(served: Served) -> None:
    refused = served.door.get(ASK, method="POST", body=question(), known=False)

    assert refused.status in (302, 401, 403)
    assert "choices" not in refused.text
