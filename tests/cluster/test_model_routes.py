"""Models of the template `serve` are reached through the stack's gateway as it says: at their host, by whom it lets in, in the shares
of a canary, and while they are exchanged.

Real: KServe's controller 0.20, istiod and Envoy, network policies, Kubernetes' controllers and scheduler. Played: cert-manager,
the kubelet, which runs containers as processes, and servers, which say what model they were given (`test_model_servers.py` has
KServe's own). Another gateway than Istio's is not asked.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

import pytest

from platform_def.manifests.rendered import RenderedStack
from tests.cluster.client import Manifest
from tests.cluster.conftest import or_skip, show_logs
from tests.cluster.control_plane import ControlPlane, until
from tests.cluster.controllers import START_SECONDS
from tests.cluster.door import Door, envoy_program, give_pods_addresses
from tests.cluster.kubelet.image import Image
from tests.cluster.machines import PLAIN, PROGRAMS, skip_without_policies
from tests.cluster.mesh import PLAYED, servers, start_gateway
from tests.cluster.models import WEBHOOK, ModelCluster, model_cluster
from tests.cluster.route_requests import REFUSED
from tests.cluster.stacks import rendered_stack
from tests.cluster.waves import apply_in_waves, refusals
from tests.cluster.who import Who, start_who

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

TEAM, DOMAIN = "team-vision", "models.ml.example.com"
MANAGER = "kserve-controller-manager"
MOVED = {WEBHOOK: 19443, "metrics-addr": 18444, "health-probe-addr": 18081}
STACK = """\
apiVersion: platform-def/v1
cluster: {{kubernetes: "1.36"}}
gateway: {gateway}
ingress: {{kind: nodePort, host: ml.example.com}}
external:
  authorizationService: {{name: who, host: who.auth.svc.cluster.local, port: 80, adds: [kubeflow-userid]}}
  identity: {{issuer: "https://id.example.com"}}
components:
  cert-manager: {{}}
  kserve: {{}}
{components}
teams: [{{name: vision}}, {{name: search}}, {{name: other}}]
serving:
  - {{template: serve, name: iris, team: vision, model: hf://example/iris-1, format: sklearn}}
"""
CANARY = """\
  - {template: serve, name: faces, team: vision, model: hf://example/faces-7, format: sklearn, canary: {model: hf://example/faces-8, percent: 10}, callers: [search]}
"""
ISTIO = "  istio: {}\n  istio-ingress-gateway: {api: gateway-api}\n  gateway-api: {}"
COMPONENTS = ("namespaces", "gateway-api", "istio", "istio-ingress-gateway", "kserve")
FETCH = 'printf %s "$1" > "$2/address"'
IMAGES = {
    "docker.io/kserve/sklearnserver:": Image(
        PLAIN.programs, {}, PLAIN.files, entrypoint=("python", str(PROGRAMS / "models/served.py"))
    ),
    "docker.io/kserve/storage-initializer:": Image(entrypoint=("sh", "-ec", FETCH, "sh")),
    "plain/": PLAIN,
}
REQUESTS = 300
CANARIES = range(10, 60)
"""How many of them a tenth may be: one run in ten thousand has others."""
CALL = """\
import sys, urllib.request as u
try: print(u.urlopen(f"http://{sys.argv[1]}:8080/v1/models/faces", timeout=5).status)
except OSError: print("nothing")
"""


@dataclass(frozen=True)
class Served:
    """A cluster whose gateway leads to models."""

    cluster: ModelCluster
    stack: RenderedStack
    door: Door

    def model(self, name: str) -> Manifest:
        """What serves a model."""
        return _of(self.stack, name, "InferenceService")

    def submit(self, name: str) -> Manifest:
        """Store all that a model has."""
        objects = [item.manifest for item in self.stack.components[name].objects]
        return self.cluster.submit(*sorted(objects, key=lambda item: item["kind"] != "InferenceService"))


class Caller(threading.Thread):
    """Somebody who asks for a model, one request after the other, until told to end."""

    def __init__(self, door: Door, name: str) -> None:
        super().__init__(daemon=True)
        self.door, self.model = door, name
        self.failed: list[object] = []
        self.told: Counter[str] = Counter()
        self.over = threading.Event()

    def run(self) -> None:
        """Ask."""
        while not self.over.wait(0.02):
            try:
                found = self.door.get(f"/v1/models/{self.model}", host=host_of(self.model))
            except OSError as error:
                self.failed.append(error)
            else:
                if found.status != HTTPStatus.OK:
                    self.failed.append(f"{found.status}: {found.text}")
                else:
                    self.told[str(found.asked["model"])] += 1


def _of(stack: RenderedStack, component: str, kind: str) -> Manifest:
    (found,) = (each.manifest for each in stack.components[component].objects if each.manifest["kind"] == kind)
    return found


def host_of(name: str) -> str:
    """The host of a model."""
    return f"{name}-{TEAM}.{DOMAIN}"


def asked(door: Door, name: str) -> str | None:
    """Which model answers at a host."""
    found = door.get(f"/v1/models/{name}", host=host_of(name))
    return str(found.asked["model"]) if found.status == 200 else None


@pytest.fixture(scope="module")
def running(
    programs: Mapping[str, Path], oauth2_proxy: Path | None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    """The cluster with both models, which are ready."""
    envoy, istiod = or_skip(envoy_program), programs["istiod"]
    text = STACK.format(gateway="istio-ingress-gateway", components=ISTIO) + CANARY
    stack = rendered_stack(tmp_path_factory.mktemp("routes"), text, name="models")
    objects = [item.manifest for name in COMPONENTS for item in stack.components[name].objects]
    known: list[Who] = []

    def gateway(control_plane: ControlPlane) -> None:
        give_pods_addresses(control_plane.sandbox, control_plane.folder)
        known.append(start_who(control_plane.sandbox, control_plane.folder, program=oauth2_proxy, refused=REFUSED))
        assert not (found := refusals(apply_in_waves(control_plane.api, [*servers(), *PLAYED]))), found
        start_gateway(control_plane, objects, istiod=istiod, envoy=envoy)

    with model_cluster(programs, objects, [], MANAGER, moved=MOVED, images=IMAGES, gateway=gateway) as cluster:
        with cluster.control_plane.explaining():
            served = Served(cluster, stack, Door(cluster.control_plane.folder / "gateway.sock", known[0].token))
            for name in ("iris", "faces"):
                cluster.wait_for(served.submit(name))
            for name in ("iris", "faces"):
                cluster.wait(lambda name=name: asked(served.door, name) is not None, f"{name} answers")  # type: ignore[misc]
        yield served


@pytest.fixture
def served(running: Served, request: pytest.FixtureRequest) -> Served:
    """The shared cluster; its logs are shown when the test fails."""
    show_logs(request, running.cluster.control_plane)
    return running


def test_a_model_answers_at_its_host_and_at_no_other(served: Served) -> None:
    assert asked(served.door, "iris") == "hf://example/iris-1"
    for other in (f"iris-team-search.{DOMAIN}", "iris.example.com", "ml.example.com"):
        assert served.door.get("/v1/models/iris", host=other).status == 404


def test_who_has_not_signed_in_is_not_answered(served: Served) -> None:
    refused = served.door.get("/v1/models/iris", host=host_of("iris"), known=False)

    assert refused.status in (302, 401, 403)
    assert "hf://" not in refused.text


def test_a_canary_gets_its_share_of_requests(served: Served) -> None:
    served.cluster.wait_for(served.model("faces"), "CanaryPredictorReady")
    served.cluster.wait(lambda: asked(served.door, "faces") == "hf://example/faces-8", "the canary answers")
    found = Counter(asked(served.door, "faces") for _ in range(REQUESTS))

    assert {*found} == {"hf://example/faces-7", "hf://example/faces-8"}
    assert found["hf://example/faces-8"] in CANARIES, found


def test_pods_of_the_teams_that_may_call_reach_a_model_and_those_of_others_do_not(served: Served) -> None:
    control_plane = served.cluster.control_plane
    skip_without_policies(control_plane.folder / "kubelet")
    # At the pod's own address: connections to Services come from kube-proxy here, not from who calls.
    pod = served.cluster.pods(TEAM, "faces-predictor-")[0]
    said = {team: answered(control_plane, team, pod["status"]["podIP"]) for team in ("vision", "search", "other")}

    assert said == {"vision": "200", "search": "200", "other": "nothing"}


def answered(control_plane: ControlPlane, team: str, address: str) -> str:
    """What a pod of a team gets from a pod of the model `faces`."""
    container = {"name": "main", "image": "plain/python:3", "command": ["python", "-c", CALL, address]}
    pod: Manifest = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "calls", "namespace": f"team-{team}"},
        "spec": {"containers": [container], "restartPolicy": "Never", "tolerations": [{"operator": "Exists"}]},
    }
    assert not (found := control_plane.api.apply(pod).refusal), found

    def ended() -> bool:
        return control_plane.api.read(pod).body["status"].get("phase") in ("Succeeded", "Failed")

    until(ended, seconds=START_SECONDS, what="the pod ends")
    return control_plane.api.text(f"{control_plane.api.path(pod)}/log").strip()


def test_a_model_is_exchanged_while_requests_go_on(served: Served) -> None:
    changed = deepcopy(served.model("iris"))
    changed["spec"]["predictor"]["model"]["storageUri"] = "hf://example/iris-2"
    callers = [Caller(served.door, "iris") for _ in range(2)]
    for each in callers:
        each.start()
    served.cluster.wait(lambda: all(each.told["hf://example/iris-1"] > 10 for each in callers), "they are answered")
    assert not (found := served.cluster.control_plane.api.apply(changed).refusal), found

    def exchanged() -> bool:
        pods = served.cluster.pods(TEAM, "iris-predictor-")
        return len(pods) == 1 and all(each.told["hf://example/iris-2"] > 10 for each in callers)

    served.cluster.wait(exchanged, "the new model answers alone", changed)
    for each in callers:
        each.over.set()
        each.join(START_SECONDS)

    assert [each.failed for each in callers] == [[], []]
