"""Models of the template `serve` are reached through Emissary, by the Ingress that KServe makes of them.

Real: KServe's controller 0.20 with its account, configuration and webhooks on a real API server; Emissary's own compiler and Envoy.
Played: cert-manager, kubelets (kwok), the server at the address of its pod, and Emissary's Go program, which hands Ingresses on.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from platform_def.manifests.rendered import RenderedStack
from tests.cluster.client import Manifest
from tests.cluster.compiler import IN_MODULE
from tests.cluster.conftest import show_logs
from tests.cluster.control_plane import until
from tests.cluster.controllers import START_SECONDS
from tests.cluster.door import ECHO, Door
from tests.cluster.gates import emissary
from tests.cluster.models import ModelCluster, model_cluster
from tests.cluster.stacks import rendered_stack

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

TEAM, NAME, SERVER = "team-vision", "iris", ("10.99.1.9", 9000)
HOST = f"{NAME}-{TEAM}.models.ml.example.com"
MANAGER, INGRESS = "kserve-controller-manager", "/apis/networking.k8s.io/v1"
STACK = f"""\
apiVersion: platform-def/v1
cluster: {{kubernetes: "1.36"}}
gateway: emissary
ingress: {{kind: nodePort, host: ml.example.com}}
external:
  authorizationService: {{name: who, host: who.auth.svc.cluster.local, port: 80, adds: [kubeflow-userid]}}
  identity: {{issuer: "https://id.example.com"}}
components:
  cert-manager: {{}}
  kserve: {{}}
  emissary: {{release: "{IN_MODULE}"}}
teams: [{{name: vision}}]
serving:
  - {{template: serve, name: {NAME}, team: vision, model: hf://example/iris-1, format: sklearn}}
"""


@dataclass(frozen=True)
class Reached:
    """What KServe has made of a model, and the door that leads to it."""

    ingress: Manifest
    door: Door


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> RenderedStack:
    """The stack, without an error."""
    return rendered_stack(tmp_path_factory.mktemp("emissary"), STACK, name="models")


@pytest.fixture(scope="module")
def running(rendered: RenderedStack, programs: Mapping[str, Path]) -> Iterator[ModelCluster]:
    """The cluster with KServe's controller."""
    objects = [item.manifest for name in ("namespaces", "kserve") for item in rendered.components[name].objects]
    objects = [item for item in objects if not str(item["apiVersion"]).startswith("getambassador.io/")]
    classes = [
        item.manifest for item in rendered.components["emissary"].objects if item.manifest["kind"] == "IngressClass"
    ]
    with model_cluster(programs, objects, classes, MANAGER) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def reached(
    rendered: RenderedStack, running: ModelCluster, oauth2_proxy: Path | None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Reached]:
    """The model, ready, behind Emissary."""
    (model,) = (
        each.manifest for each in rendered.components[NAME].objects if each.manifest["kind"] == "InferenceService"
    )
    with running.control_plane.explaining():
        running.wait_for(running.submit(model))
        (ingress,) = listed(running, "networking.k8s.io/v1", "Ingress", f"{INGRESS}/namespaces/{TEAM}/ingresses")
        services = listed(running, "v1", "Service", f"/api/v1/namespaces/{TEAM}/services")
    said = [item.manifest for name in ("kserve", "emissary") for item in rendered.components[name].objects]
    root = tmp_path_factory.mktemp("door")
    places = {(f"{each['metadata']['name']}.{TEAM}", 80): SERVER for each in services}
    with emissary(root, [*said, *services, ingress], places, proxy=oauth2_proxy) as (sandbox, door):
        argv = [sys.executable, "-I", str(ECHO), NAME, SERVER[0], str(SERVER[1])]
        sandbox.start("model", argv, log=root / "model.log")
        until(lambda: _status(door) == 200, seconds=START_SECONDS, what="the model answers")
        yield Reached(ingress, door)


def listed(cluster: ModelCluster, api_version: str, kind: str, path: str) -> list[Manifest]:
    """Objects of a list, each of which says what it is."""
    return [{"apiVersion": api_version, "kind": kind, **each} for each in cluster.all(path)]


def _status(door: Door) -> int:
    try:
        return door.get(f"/v1/models/{NAME}", host=HOST).status
    except OSError:
        return 0


def test_kserve_asks_for_the_class_that_emissary_serves(
    rendered: RenderedStack, reached: Reached, request: pytest.FixtureRequest, running: ModelCluster
) -> None:
    show_logs(request, running.control_plane)
    (served,) = (
        each.manifest for each in rendered.components["emissary"].objects if each.manifest["kind"] == "IngressClass"
    )

    assert reached.ingress["spec"]["ingressClassName"] == served["metadata"]["name"]
    assert HOST in [rule["host"] for rule in reached.ingress["spec"]["rules"]]


def test_a_model_answers_at_its_host_and_at_no_other(reached: Reached) -> None:
    found = reached.door.get(f"/v1/models/{NAME}", host=HOST)
    assert (found.status, found.asked["name"], found.asked["path"]) == (200, NAME, f"/v1/models/{NAME}")
    for other in ("iris-team-search.models.ml.example.com", "iris.example.com", "ml.example.com"):
        assert reached.door.get(f"/v1/models/{NAME}", host=other).status == 404


def test_who_has_not_signed_in_is_not_answered(reached: Reached) -> None:
    refused = reached.door.get(f"/v1/models/{NAME}", host=HOST, known=False)

    assert refused.status in (302, 401, 403)
    assert NAME not in refused.asked.values()
