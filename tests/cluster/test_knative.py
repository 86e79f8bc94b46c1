"""Knative's programs work under the rights and settings of a stack; its services scale with their requests, to zero and back.

What is real and what is played stands in `knative.py`.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from platform_def.checks.rules.operators.value_refused import VALUE_REFUSED
from platform_def.components.serving.knative_serving.releases import REVISIONS
from platform_def.manifests.rendered import RenderedStack
from platform_def.yaml import load
from tests.cluster.conftest import or_skip, show_logs
from tests.cluster.door import Answer, envoy_program
from tests.cluster.fed import unfed
from tests.cluster.knative import HOME, PROGRAMS, KnativeCluster, knative_cluster
from tests.cluster.knative_services import REFUSED, TAKEN, TEAM, service
from tests.cluster.rights import withheld
from tests.cluster.scrape import Page, differences, read, unserved
from tests.cluster.stacks import REPOSITORY, rendered_stack
from tests.cluster.waves import condition
from tests.unit.checks.operators.judged import told

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

DOMAIN = "models.ml.example.com"
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
  knative-serving: {}
teams: [{name: vision}]
"""
COMPONENTS = ("namespaces", "istio", "istio-ingress-gateway", "istio-cluster-local-gateway", "knative-serving")
EXAMPLES = REPOSITORY / "platform_def/components/serving/knative_serving/examples"
QUICK = {"window": "6s", "scale-to-zero-pod-retention-period": "0s"}
METRICS, USERS_METRICS = 9090, 9091
REQUESTS = 200
SHARES = range(20, 85)
"""How many of them a quarter may be: one run in ten thousand has others."""


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> RenderedStack:
    """The stack, without an error."""
    return rendered_stack(tmp_path_factory.mktemp("knative"), STACK, name="services")


@pytest.fixture(scope="module")
def running(rendered: RenderedStack, programs: Mapping[str, Path]) -> Iterator[KnativeCluster]:
    """The cluster with Knative's programs, which are ready."""
    objects = [item.manifest for name in COMPONENTS for item in rendered.components[name].objects]
    with knative_cluster(programs, objects, envoy=or_skip(envoy_program)) as cluster:
        yield cluster


@pytest.fixture
def cluster(running: KnativeCluster, request: pytest.FixtureRequest) -> Iterator[KnativeCluster]:
    """The shared cluster without services, and without a refusal; its logs are shown when the test fails."""
    show_logs(request, running.control_plane)
    try:
        yield running
        assert {name: running.forbidden(name) for name in PROGRAMS} == {name: [] for name in PROGRAMS}
        assert running.net_istio.refused == []
    finally:
        running.clear()


@pytest.fixture
def refusing(running: KnativeCluster, request: pytest.FixtureRequest) -> Iterator[KnativeCluster]:
    """The shared cluster, for a test in which a program is refused something."""
    show_logs(request, running.control_plane)
    running.hear()
    try:
        yield running
    finally:
        running.clear()
        running.hear()


def host_of(name: str) -> str:
    """The host of a service."""
    return f"{name}-{TEAM}.{DOMAIN}"


def asked(cluster: KnativeCluster, host: str, path: str = "/any") -> Answer:
    """The answer at a host, as anyone gets it."""
    return cluster.door.get(path, host=host, known=False)


def test_the_programs_have_passed_their_probes_and_serve_metrics(cluster: KnativeCluster) -> None:
    pages = {name: read(cluster.page(cluster.pods(HOME, f"app={name}")[0], METRICS)) for name in PROGRAMS}

    for name, page in pages.items():
        assert any(each.startswith(("kn_", "go_")) for each in page.types), name
        assert {pod["status"]["containerStatuses"][0]["restartCount"] for pod in cluster.pods(HOME, f"app={name}")} == {
            0
        }


def test_a_service_becomes_ready_and_answers_at_its_host_alone(cluster: KnativeCluster) -> None:
    made = cluster.submit(service("hello"))
    ready = cluster.wait_ready(made)
    answer = asked(cluster, host_of("hello"))
    revision = ready["status"]["latestReadyRevisionName"]

    assert ready["status"]["url"] == f"http://{host_of('hello')}"
    assert ready["status"]["address"]["url"] == f"http://hello.{TEAM}.svc.cluster.local"
    assert (answer.status, answer.asked["version"], answer.asked["revision"]) == (200, "one", revision)
    assert (answer.asked["path"], answer.asked["headers"]["host"]) == ("/any", host_of("hello"))
    for other in ("hello-team-search.models.ml.example.com", "hello.example.com", "ml.example.com"):
        assert asked(cluster, other).status == 404
    for kind, version, name in (
        ("Configuration", "serving.knative.dev/v1", "hello"),
        ("Route", "serving.knative.dev/v1", "hello"),
        ("Revision", "serving.knative.dev/v1", revision),
        ("PodAutoscaler", "autoscaling.internal.knative.dev/v1alpha1", revision),
        ("ServerlessService", "networking.internal.knative.dev/v1alpha1", revision),
        ("Ingress", "networking.internal.knative.dev/v1alpha1", "hello"),
    ):
        assert condition(cluster.read(version, kind, name, TEAM), "Ready") == "True", kind


def test_pods_reach_a_service_by_its_name_and_a_private_one_is_closed_to_all_others(cluster: KnativeCluster) -> None:
    made = cluster.submit(service("private", labels={"networking.knative.dev/visibility": "cluster-local"}))
    ready = cluster.wait_ready(made)

    assert ready["status"]["url"] == f"http://private.{TEAM}.svc.cluster.local"
    for host in (f"private.{TEAM}.svc.cluster.local", f"private.{TEAM}.svc", f"private.{TEAM}"):
        assert cluster.inside.get("/any", host=host, known=False).status == 200, host
    for host in (host_of("private"), f"private.{TEAM}.svc.cluster.local"):
        assert asked(cluster, host).status == 404, host


def test_what_the_tables_say_of_revisions_is_served_and_the_proxy_counts_requests(
    cluster: KnativeCluster, programs: Mapping[str, Path]
) -> None:
    made = cluster.submit(service("counted"))
    cluster.wait_ready(made)
    assert asked(cluster, host_of("counted")).status == 200
    (pod,) = cluster.pods_of(made)

    def counted() -> bool:
        return any("kn_serving_invocation" in each for each in read(cluster.page(pod, USERS_METRICS)).samples)

    cluster.wait(counted, "the proxy counts requests")

    def pages() -> dict[str, str]:
        return {name: cluster.page(cluster.pods(HOME, f"app={name}")[0], METRICS) for name in PROGRAMS}

    def page() -> Page:
        return read("\n".join(pages().values()))

    cluster.wait(lambda: unserved(page(), [REVISIONS]) == set(), "all metrics of revisions are served")
    assert [*differences(page(), [REVISIONS])] == []
    early = pages()
    assert asked(cluster, host_of("counted")).status == 200
    monitors = {"activator": "activator-service"}
    found = {monitors.get(name, name): [read(early[name]), read(text)] for name, text in pages().items()}
    assert unfed("knative-serving", found, engine=programs["prometheus-engine"]) == []


def test_a_service_without_requests_has_no_pod_and_a_request_brings_one_back(cluster: KnativeCluster) -> None:
    made = service("idle", scaling=QUICK)
    with cluster.configured("config-autoscaler", {"scale-to-zero-grace-period": "6s"}):
        cluster.submit(made)
        cluster.wait_ready(made)
        first = asked(cluster, host_of("idle")).asked["pod"]
        cluster.wait(lambda: not cluster.pods(TEAM, "serving.knative.dev/service=idle"), "it has no pod", made)
        assert condition(cluster.control_plane.api.read(made).body, "Ready") == "True"

        answer = asked(cluster, host_of("idle"))
        assert (answer.status, answer.asked["version"]) == (200, "one")
        assert answer.asked["pod"] != first
        found = cluster.pods(TEAM, "serving.knative.dev/service=idle")
        assert [pod["metadata"]["name"] for pod in found] == [answer.asked["pod"]]


def test_more_requests_at_once_than_a_pod_takes_bring_a_second(cluster: KnativeCluster) -> None:
    made = cluster.submit(service("busy", scaling={**QUICK, "max-scale": "2"}, containerConcurrency=1))
    cluster.wait_ready(made)
    found: list[Answer] = []
    over = threading.Event()

    def call() -> None:
        while not over.is_set():
            found.append(asked(cluster, host_of("busy"), "/any?wait=0.5"))

    with ThreadPoolExecutor(4) as pool:
        calls = [pool.submit(call) for _ in range(4)]
        try:
            cluster.wait(lambda: len({each.asked.get("pod") for each in found}) == 2, "two pods answer", made)
        finally:
            over.set()
        for each in calls:
            each.result()

    assert {each.status for each in found} == {200}


def test_revisions_get_their_shares_and_a_tag_a_host_of_its_own(cluster: KnativeCluster) -> None:
    cluster.wait_ready(cluster.submit(service("shared", scaling={"min-scale": "1"})))
    shares = [
        {"revisionName": "shared-00001", "percent": 75},
        {"revisionName": "shared-00002", "percent": 25, "tag": "next"},
    ]
    made = service("shared", "two", scaling={"min-scale": "1"})
    cluster.control_plane.api.apply(made)
    cluster.wait_ready(made)
    made["spec"]["traffic"] = shares
    cluster.control_plane.api.apply(made)
    ready = cluster.wait_ready(made)
    found = Counter(asked(cluster, host_of("shared")).asked["version"] for _ in range(REQUESTS))

    assert {*found} == {"one", "two"}
    assert found["two"] in SHARES, found
    (tagged,) = (each for each in ready["status"]["traffic"] if each.get("tag") == "next")
    assert tagged["url"] == f"http://next-{host_of('shared')}"
    assert {asked(cluster, f"next-{host_of('shared')}").asked["version"] for _ in range(5)} == {"two"}


@pytest.mark.parametrize("name", TAKEN)
def test_services_as_upstream_shows_them_are_taken_and_no_check_is_against_them(
    running: KnativeCluster, name: str
) -> None:
    assert running.control_plane.api.apply(TAKEN[name], dry_run=True).refusal == ""
    assert told(VALUE_REFUSED, json.dumps(TAKEN[name])) == []


@pytest.mark.parametrize("example", sorted(EXAMPLES.glob("*.yaml")), ids=lambda path: path.name)
def test_the_examples_of_our_pages_are_taken(running: KnativeCluster, example: Path) -> None:
    manifest = load(example.read_bytes(), file=example.name)
    assert isinstance(manifest, dict)

    assert running.control_plane.api.apply(manifest, dry_run=True).refusal == ""


@pytest.mark.parametrize("what", REFUSED)
def test_what_a_check_says_is_refused_the_webhook_refuses(running: KnativeCluster, what: str) -> None:
    refusal = running.control_plane.api.apply(REFUSED[what], dry_run=True).refusal

    assert '"validation.webhook.serving.knative.dev" denied the request' in refusal
    assert [severity for severity, *_ in told(VALUE_REFUSED, json.dumps(REFUSED[what]))] == ["error"]


def test_the_network_of_nodes_stays_closed_to_services(running: KnativeCluster) -> None:
    refusal = running.control_plane.api.apply(service("open", hostNetwork=True), dry_run=True).refusal

    assert "hostNetwork" in refusal


@pytest.mark.parametrize(
    ("group", "resource", "verb"),
    [
        ("apps", "deployments", "create"),
        ("", "services", "create"),
        ("caching.internal.knative.dev", "images", "create"),
    ],
)
def test_without_a_right_of_the_controller_no_service_is_ready(
    refusing: KnativeCluster, group: str, resource: str, verb: str
) -> None:
    program = refusing.program("controller")
    with withheld(program, (group, resource, verb), role="knative-serving-core"):
        made = refusing.submit(service(f"without-{resource}"))
        refused = f'cannot {verb} resource "{resource}"'
        refusing.wait(lambda: any(refused in each for each in refusing.forbidden("controller")), "it is refused", made)

        assert condition(refusing.control_plane.api.read(made).body, "Ready") != "True"


def test_without_its_right_to_scale_the_autoscaler_takes_no_pod_away(refusing: KnativeCluster) -> None:
    with withheld(refusing.program("autoscaler"), ("*", "*/scale", "patch"), role="knative-serving-core"):
        made = refusing.submit(service("kept", scaling={**QUICK, "initial-scale": "2"}))
        refused = 'cannot patch resource "deployments/scale"'
        refusing.wait(lambda: any(refused in each for each in refusing.forbidden("autoscaler")), "it is refused", made)


@pytest.mark.parametrize(
    ("name", "role", "right"),
    [
        ("activator", "knative-serving-activator-cluster", ("serving.knative.dev", "revisions", "list watch")),
        (
            "webhook",
            "knative-serving-core",
            ("admissionregistration.k8s.io", "validatingwebhookconfigurations", "list watch"),
        ),
        ("autoscaler", "knative-serving-core", ("", "pods", "list watch")),
    ],
)
def test_without_a_right_to_look_a_program_does_not_come_up_again(
    refusing: KnativeCluster, name: str, role: str, right: tuple[str, str, str]
) -> None:
    with withheld(refusing.program(name), right, role=role):
        refusing.renew(name)
        refused = f'cannot list resource "{right[1]}"'
        refusing.wait(lambda: any(refused in each for each in refusing.forbidden(name)), f"{name} is refused")
    refusing.wait_programs()
