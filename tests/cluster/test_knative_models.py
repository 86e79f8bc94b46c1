"""Models of the template `serve` on Knative: KServe makes services of them, a canary is a share of a service's revisions, and a model
without requests has no pod.

Real and played is what `knative.py` says, and besides: KServe's controller and webhooks 0.20 with the account, rights and
configuration that the stack renders. Played: cert-manager, and servers, which say what model they were given.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from platform_def.manifests.rendered import RenderedStack
from tests.cluster.client import Manifest
from tests.cluster.conftest import or_skip, show_logs
from tests.cluster.door import envoy_program
from tests.cluster.knative import KnativeCluster, knative_cluster
from tests.cluster.kubelet.image import Image
from tests.cluster.machines import PLAIN, PROGRAMS
from tests.cluster.models import WEBHOOK, start
from tests.cluster.pods import Program
from tests.cluster.rights import withheld
from tests.cluster.stacks import rendered_stack
from tests.cluster.waves import condition

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

TEAM, DOMAIN = "team-vision", "models.ml.example.com"
MANAGER, ROLE = "kserve-controller-manager", "kserve-manager-role"
MOVED = {WEBHOOK: 19443, "metrics-addr": 18444, "health-probe-addr": 18081}
STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.36"}
gateway: istio-ingress-gateway
ingress: {kind: nodePort, host: ml.example.com}
components:
  cert-manager: {}
  istio: {}
  istio-ingress-gateway: {}
  istio-cluster-local-gateway: {}
  knative-serving: {timeoutSeconds: 10, skipTagResolving: [docker.io]}
  kserve: {}
teams: [{name: vision}]
serving:
  - {template: serve, name: iris, team: vision, model: hf://example/iris-1, format: sklearn, scaling: {min: 0, max: 2}}
  - {template: serve, name: late, team: vision, model: hf://example/late-1, format: sklearn}
"""
BEFORE = "  - {template: serve, name: faces, team: vision, model: hf://example/faces-7, format: sklearn}\n"
CANARY = """\
  - {template: serve, name: faces, team: vision, model: hf://example/faces-7, format: sklearn, canary: {model: hf://example/faces-8, percent: 10}}
"""
COMPONENTS = (
    "namespaces",
    "istio",
    "istio-ingress-gateway",
    "istio-cluster-local-gateway",
    "knative-serving",
    "kserve",
)
FETCH = 'printf %s "$1" > "$2/address"'
IMAGES = {
    "docker.io/kserve/sklearnserver:": Image(
        PLAIN.programs, {}, PLAIN.files, entrypoint=("python", str(PROGRAMS / "models/served.py")), keeps=True
    ),
    "docker.io/kserve/storage-initializer:": Image(entrypoint=("sh", "-ec", FETCH, "sh")),
}
REQUESTS = 300
CANARIES = range(10, 60)
"""How many of them a tenth may be: one run in ten thousand has others."""


class Models:
    """A cluster on which Knative and KServe work."""

    def __init__(self, cluster: KnativeCluster, kserve: Program, stack: RenderedStack, changed: RenderedStack) -> None:
        self.cluster, self.kserve = cluster, kserve
        self._stack, self._changed = stack, changed

    def model(self, name: str, *, changed: bool = False) -> Manifest:
        """What serves a model, in the stack or in the one with a canary."""
        stack = self._changed if changed else self._stack
        (found,) = (
            each.manifest for each in stack.components[name].objects if each.manifest["kind"] == "InferenceService"
        )
        return found

    def wait(self, made: Manifest, status: str = "True") -> Manifest:
        """An InferenceService, once it is ready."""
        api = self.cluster.control_plane.api

        def is_so() -> bool:
            assert self.kserve.name not in self.cluster.control_plane.sandbox.ended(), self.said()
            return condition(api.read(made).body, "Ready") == status

        try:
            self.cluster.wait(is_so, f"{made['metadata']['name']} is ready", made)
        except TimeoutError as error:
            raise TimeoutError(f"{error}\n{self.said()}") from error
        return api.read(made).body

    def said(self) -> str:
        """The last that KServe's program said."""
        return self.kserve.log.read_text(errors="replace")[-4000:]

    def service(self, name: str) -> Manifest:
        """The service of Knative that a model became."""
        return self.cluster.read("serving.knative.dev/v1", "Service", f"{name}-predictor", TEAM)

    def answer(self, name: str) -> str | None:
        """Which model answers at a host of the stack's domain."""
        try:
            found = self.cluster.door.get(f"/v1/models/{name}", host=f"{name}-{TEAM}.{DOMAIN}", known=False)
        except OSError:
            return None
        return str(found.asked["model"]) if found.status == 200 else None


@pytest.fixture(scope="module")
def running(programs: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Models]:
    """The cluster, with KServe's runtimes."""
    envoy = or_skip(envoy_program)
    stacks = [
        rendered_stack(tmp_path_factory.mktemp(name), STACK + more, name="models")
        for name, more in (("before", BEFORE), ("canary", CANARY))
    ]
    objects = [item.manifest for name in COMPONENTS for item in stacks[0].components[name].objects]
    program = programs["kserve-manager"]
    with knative_cluster(programs, objects, envoy=envoy, further=IMAGES) as cluster:
        api = cluster.control_plane.api
        kserve = start(cluster.control_plane, {"kserve-manager": program}, objects, MANAGER, MOVED)
        for item in (each for each in objects if each["apiVersion"].startswith("serving.kserve.io/")):
            # Each is refused until the webhook answers and is trusted.
            cluster.wait(lambda item=item: not api.apply(item).refusal, f"{item['kind']} is taken")  # type: ignore[misc]
        yield Models(cluster, kserve, *stacks)


@pytest.fixture
def models(running: Models, request: pytest.FixtureRequest) -> Iterator[Models]:
    """The shared cluster; its logs are shown when the test fails."""
    show_logs(request, running.cluster.control_plane)
    yield running
    cluster, made = running.cluster, [*running.cluster.made]
    cluster.clear()
    for item in made:
        # KServe has a finalizer on each, and what is on its way out takes no change.
        cluster.wait(lambda item=item: cluster.control_plane.api.read(item).status == 404, "it is gone", item)  # type: ignore[misc]
    running.kserve.log.write_text("")


def test_a_model_becomes_a_service_of_knative_and_answers_at_the_gateway(models: Models) -> None:
    ready = models.wait(models.cluster.submit(models.model("iris")))
    models.cluster.wait(lambda: models.answer("iris") is not None, "the model answers")
    (template,) = (models.service("iris")["spec"]["template"],)

    assert ready["status"]["deploymentMode"] == "Knative"
    assert ready["status"]["url"] == f"http://iris-{TEAM}.{DOMAIN}"
    assert models.answer("iris") == "hf://example/iris-1"
    notes = template["metadata"]["annotations"]
    assert (notes["autoscaling.knative.dev/min-scale"], notes["autoscaling.knative.dev/max-scale"]) == ("0", "2")
    assert models.cluster.door.get("/v1/models/iris", host=f"iris-team-search.{DOMAIN}", known=False).status == 404
    assert models.kserve.forbidden() == []


def test_a_canary_is_a_share_of_the_revisions_of_one_service(models: Models) -> None:
    models.wait(models.cluster.submit(models.model("faces")))
    models.cluster.wait(lambda: models.answer("faces") == "hf://example/faces-7", "the model answers")
    changed = models.model("faces", changed=True)
    assert not (found := models.cluster.control_plane.api.apply(changed).refusal), found
    models.cluster.wait(lambda: models.answer("faces") == "hf://example/faces-8", "the canary answers", changed)
    models.wait(changed)
    shares = {each.get("revisionName", ""): each["percent"] for each in models.service("faces")["spec"]["traffic"]}
    counted = Counter(models.answer("faces") for _ in range(REQUESTS))

    assert sorted(shares.values()) == [10, 90]
    assert {*counted} == {"hf://example/faces-7", "hf://example/faces-8"}
    assert counted["hf://example/faces-8"] in CANARIES, counted


def test_a_model_without_requests_has_no_pod_and_comes_back(models: Models) -> None:
    quick = {"stable-window": "6s", "scale-to-zero-grace-period": "6s"}
    with models.cluster.configured("config-autoscaler", quick):
        models.wait(models.cluster.submit(models.model("iris")))
        models.cluster.wait(lambda: models.answer("iris") is not None, "the model answers")
        chosen = "serving.kserve.io/inferenceservice=iris"
        models.cluster.wait(lambda: not models.cluster.pods(TEAM, chosen), "it has no pod")

        assert models.answer("iris") == "hf://example/iris-1"
        assert len(models.cluster.pods(TEAM, chosen)) == 1


@pytest.mark.parametrize(
    ("group", "resource"), [("serving.knative.dev", "services"), ("networking.istio.io", "virtualservices")]
)
def test_without_a_right_of_kserve_no_model_is_ready(models: Models, group: str, resource: str) -> None:
    with withheld(models.kserve, (group, resource, "create"), role=ROLE):
        made = models.cluster.submit(models.model("late"))
        refused = f'cannot create resource "{resource}"'

        def is_refused() -> bool:
            return any(refused in each.replace("\\", "") for each in models.kserve.forbidden())

        models.cluster.wait(is_refused, "it is refused", made)
        assert condition(models.cluster.control_plane.api.read(made).body, "Ready") != "True"
