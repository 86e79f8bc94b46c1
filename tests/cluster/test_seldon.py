"""The request of a tutorial for Seldon Core, as its script sends it, is answered through Emissary and through Istio.

Real: Seldon's Python wrapper 1.17.1, as the variables of its container say; the SeldonDeployment, the controller's
variables and account of dist/; Emissary's own compiler and Envoy, or API server, istiod and Envoy. Played: the operator
and its executor (`seldon.py`), the kubelet, and whom the gateway asks where oauth2-proxy could not be built.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from platform_def.manifests.rendered import RenderedStack
from tests.cluster.client import Api, Manifest
from tests.cluster.compiler import IN_MODULE
from tests.cluster.conftest import or_skip
from tests.cluster.control_plane import ControlPlane, until
from tests.cluster.controllers import START_SECONDS
from tests.cluster.door import Answer, Door
from tests.cluster.environments import obtain
from tests.cluster.gates import emissary, istio
from tests.cluster.machines import PROGRAMS
from tests.cluster.pods import Program
from tests.cluster.sandbox import Sandbox
from tests.cluster.seldon import written
from tests.cluster.stacks import rendered_stack

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

HOME, NAME, POD = "team-vision", "mnist-classifier", "10.99.1.9"
CONTROLLER = "seldon-controller-manager"
COMPONENTS = ("namespaces", "istio", "istio-ingress-gateway", "seldon-core")
STACK = """\
apiVersion: platform-def/v1
cluster: {{kubernetes: "1.36"}}
gateway: {gateway}
ingress: {{kind: cloud}}
external:
  authorizationService: {{name: who, host: who.auth.svc.cluster.local, port: 80, adds: [kubeflow-userid]}}
  identity: {{issuer: "https://id.example.com"}}
components:
  cert-manager: {{}}
  seldon-core:
    models: {{mnist-classifier: {{team: vision, variants: [{{image: registry.example.com/digits:1}}]}}}}
{components}
teams: [{{name: vision}}]
"""
GATEWAYS = {
    "emissary": ("emissary", f'  emissary: {{release: "{IN_MODULE}"}}'),
    "istio": ("istio-ingress-gateway", "  istio: {}\n  istio-ingress-gateway: {}"),
}
MOVED = 10000
"""Is added to the ports of the model's server: here it shares one network with other programs."""
IMAGE = {"MODEL_NAME": "Digits", "SERVICE_TYPE": "MODEL"}
"""Variables of an image that Seldon's builder makes (`wrappers/s2i/python/s2i/bin/run`)."""
START = 'cd "$1" && exec "$2" "$MODEL_NAME" --service-type "$SERVICE_TYPE"'


@dataclass(frozen=True)
class Served:
    """The model behind a gateway, at its path there."""

    door: Door
    path: str

    def ask(self, *, image: Sequence[float], known: bool = True) -> Answer:
        """What the script sends: an image of 28 by 28 pixels, of which each has a name."""
        names = [f"X{number + 1}" for number in range(len(image))]
        body = json.dumps({"data": {"names": names, "ndarray": [[*image]]}}).encode()
        kind = {"content-type": "application/json"}
        path = f"{self.path}/api/v0.1/predictions"
        return self.door.get(path, known=known, headers=kind, method="POST", body=body)


def objects_of(stack: RenderedStack, *components: str) -> list[Manifest]:
    return [item.manifest for name in components or stack.components for item in stack.components[name].objects]


def made_of(stack: RenderedStack) -> list[Manifest]:
    """What the operator makes of the stack's model."""
    (model,) = (each for each in objects_of(stack, "seldon-core") if each["kind"] == "SeldonDeployment")
    (manager,) = (each for each in objects_of(stack, "seldon-core") if each["kind"] == "Deployment")
    (container,) = manager["spec"]["template"]["spec"]["containers"]
    variables = {each["name"]: each.get("value", "") for each in container["env"]}
    # Here nothing fetches certificates of the mesh: without it the operator's rule would ask for them.
    return written(model, {**variables, "ISTIO_TLS_MODE": "DISABLE"})


def container_of(made: Sequence[Manifest]) -> Manifest:
    (deployment,) = (each for each in made if each["kind"] == "Deployment")
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    return dict(container)


def port_of(made: Sequence[Manifest]) -> int:
    """Where the model's server listens here."""
    return MOVED + next(int(each["containerPort"]) for each in container_of(made)["ports"] if each["name"] == "http")


def start_model(sandbox: Sandbox, folder: Path, made: Sequence[Manifest], wrapper: Path) -> None:
    """Run the container of the Deployment."""
    own = {each["name"]: each["value"] for each in container_of(made)["env"]}
    ports = {name: str(MOVED + int(value)) for name, value in own.items() if name.endswith("_SERVICE_PORT")}
    env = {**IMAGE, **own, **ports}
    argv = ["sh", "-c", START, "sh", str(PROGRAMS / "models"), str(wrapper.with_name("seldon-core-microservice"))]
    sandbox.start("model", argv, log=folder / "model.log", env=env)


def behind_emissary(stack: RenderedStack, root: Path, wrapper: Path, proxy: Path | None) -> Iterator[Served]:
    """The model behind Emissary, at the short path of the tutorial."""
    made = made_of(stack)
    (service,) = (each for each in made if each["kind"] == "Service")
    place = (f"{service['metadata']['name']}.{HOME}", service["spec"]["ports"][0]["port"])
    with emissary(root, [*objects_of(stack), *made], {place: (POD, port_of(made))}, proxy=proxy) as (sandbox, door):
        start_model(sandbox, root, made, wrapper)
        yield answering(Served(door, f"/seldon/{NAME}"))


def behind_istio(
    stack: RenderedStack, binaries: Mapping[str, Path], istiod: Path, wrapper: Path, proxy: Path | None
) -> Iterator[Served]:
    """The model behind Istio, whose routes always name the namespace; the operator's account writes them."""
    objects, made = [each for each in objects_of(stack, *COMPONENTS) if not of_webhooks(each)], made_of(stack)
    with istio(stack, objects, binaries, istiod=istiod, proxy=proxy) as (control_plane, mesh):
        token = Program(control_plane, objects, CONTROLLER, "manager").token()
        with closing(Api(control_plane.api.socket, authority=control_plane.pki.authority, token=token)) as operator:
            refused = [each.refusal for each in operator.apply_all(made) if each.refusal]
        assert refused == []
        start_model(control_plane.sandbox, control_plane.folder, made, wrapper)
        play_pod(control_plane, made, port_of(made))
        yield answering(Served(mesh.door, f"/seldon/{HOME}/{NAME}"))


def of_webhooks(item: Manifest) -> bool:
    """Whether an object is the webhook's of the operator, which is played, or of what makes its certificate."""
    return (item["kind"] == "ValidatingWebhookConfiguration" and "seldon" in item["metadata"]["name"]) or str(
        item["apiVersion"]
    ).startswith("cert-manager.io/")


def play_pod(control_plane: ControlPlane, made: Sequence[Manifest], port: int) -> None:
    """The parts of controllers and kubelet: its account, the pod of the Deployment, and where its Service leads."""
    (deployment,) = (each for each in made if each["kind"] == "Deployment")
    (service,) = (each for each in made if each["kind"] == "Service")
    template = deployment["spec"]["template"]
    assert service["spec"]["selector"].items() <= template["metadata"]["labels"].items()
    metadata = {"name": f"{NAME}-1", "namespace": HOME, "labels": template["metadata"]["labels"]}
    pod: Manifest = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template["spec"]}
    slice_: Manifest = {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {
            "name": f"{NAME}-1",
            "namespace": HOME,
            "labels": {"kubernetes.io/service-name": service["metadata"]["name"]},
        },
        "addressType": "IPv4",
        # The executor's port, at which the model's own server answers here.
        "ports": [{"name": "http", "port": port, "protocol": "TCP"}],
        "endpoints": [
            {
                "addresses": [POD],
                "conditions": {"ready": True},
                "targetRef": {"kind": "Pod", "name": f"{NAME}-1", "namespace": HOME},
            }
        ],
    }
    account: Manifest = {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": {"name": "default", "namespace": HOME},
    }
    api = control_plane.api
    assert [each.refusal for each in map(api.apply, (account, pod, slice_)) if each.refusal] == []
    status = {"status": {"phase": "Running", "podIP": POD, "podIPs": [{"ip": POD}]}}
    reply = api.request("PATCH", f"{api.path(pod)}/status", status, content="application/merge-patch+json")
    assert reply.status == 200, reply.message


@pytest.fixture(scope="module", params=[*GATEWAYS])
def served(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, oauth2_proxy: Path | None
) -> Iterator[Served]:
    """The model behind one of the gateways."""
    wrapper, root = or_skip(lambda: obtain("seldon")), tmp_path_factory.mktemp(str(request.param))
    gateway, components = GATEWAYS[request.param]
    stack = rendered_stack(root, STACK.format(gateway=gateway, components=components), name="models")
    if request.param == "emissary":
        yield from behind_emissary(stack, root, wrapper, oauth2_proxy)
    else:
        istiod, binaries = request.getfixturevalue("programs")["istiod"], request.getfixturevalue("binaries")
        yield from behind_istio(stack, binaries, istiod, wrapper, oauth2_proxy)


def answering(served: Served) -> Served:
    """The model, once it answers."""

    def answers() -> bool:
        try:
            return served.ask(image=drawn(0)).status == 200
        except OSError:
            return False

    until(answers, seconds=START_SECONDS, what="the model answers")
    return served


def drawn(digit: int) -> list[float]:
    """An image with all its ink in one tenth."""
    return [1.0 if number * 10 // 784 == digit else 0.0 for number in range(784)]


@pytest.mark.parametrize("digit", [3, 8])
def test_the_request_of_the_tutorial_is_answered(served: Served, digit: int) -> None:
    answer = served.ask(image=drawn(digit))

    assert answer.status == 200, answer.text
    (numbers,) = answer.asked["data"]["ndarray"]
    assert numbers.index(max(numbers)) == digit
    assert sum(numbers) == pytest.approx(1)


def test_who_is_not_known_is_refused(served: Served) -> None:
    refused = served.ask(image=drawn(1), known=False)

    assert refused.status in (302, 401, 403)
    assert "ndarray" not in refused.text


def test_another_models_path_leads_nowhere(served: Served) -> None:
    other = Served(served.door, served.path.replace(NAME, "other"))

    assert other.ask(image=drawn(1)).status == 404
