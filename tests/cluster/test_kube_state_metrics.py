"""The real kube-state-metrics with a stack's account and flags, compared with the table that alerts and panels are held to.

Real: the program, the API server. The objects' states are written by the test, as controllers and kubelets would.
"""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from platform_def.components.monitoring.exporters.kube_state_metrics import KUBE_STATE_METRICS, NAME
from platform_def.components.monitoring.kube_state_metrics import flux, training
from platform_def.yaml import load_all
from tests.cluster.client import Manifest
from tests.cluster.conftest import show_logs
from tests.cluster.control_plane import ControlPlane
from tests.cluster.door import Door
from tests.cluster.endpoints import tell
from tests.cluster.fed import unfed
from tests.cluster.mounted import Mounted
from tests.cluster.scrape import Page, bounds, differences, read, unserved
from tests.cluster.snapshots import snapshot
from tests.cluster.stacks import crds_of, rendered_stack
from tests.cluster.waves import apply_in_waves, refusals

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

LISTED = Path(__file__).with_name("listed.yaml")
STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.36"}
delivery: {engine: flux, repository: "https://git.example.com/platform.git"}
components:
  flux: {}
  training-operator: {}
  prometheus-operator: {}
  prometheus: {}
  kube-state-metrics: {labelsOf: {pods: [team]}}
"""
JOBS = {"trains": {"Running": "True"}, "failed": {"Running": "False", "Failed": "True"}, "new": {}}
"""Training jobs, with their conditions."""
KUSTOMIZATIONS = {"good": ("True", False), "bad": ("False", False), "paused": ("False", True)}
PORT = 8080


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> Sequence[Manifest]:
    """The stack's."""
    rendered = rendered_stack(tmp_path_factory.mktemp("stack"), STACK, name="listed")
    return [item.manifest for each in rendered.components.values() for item in each.objects]


@pytest.fixture(scope="module")
def running(
    objects: Sequence[Manifest], binaries: Mapping[str, Path], programs: Mapping[str, Path]
) -> Iterator[Mounted]:
    """The program, which has listed everything."""
    listed = [
        *cast("list[Manifest]", load_all(LISTED.read_bytes(), file=LISTED.name)),
        signing_request(),
        *kustomizations(),
        *training_jobs(),
    ]
    # Nothing answers for the training operator's webhooks here.
    kept = [each for each in objects if "Webhook" not in each["kind"]]
    with ControlPlane(binaries, data=snapshot(binaries, crds_of(objects))) as control_plane:
        with control_plane.explaining():
            results = apply_in_waves(control_plane.api, [*kept, *listed])
            assert not refusals(results), "\n".join(refusals(results))
            for each in listed:
                if "status" in each:
                    tell(control_plane.api, control_plane.api.read(each).body, each["status"])
            program = Mounted(control_plane, objects, NAME, NAME)
            program.start(programs["kube-state-metrics"], program.spec["args"])
            control_plane.sandbox.forward(control_plane.folder / "door.sock", port=PORT)
            program.wait(lambda: complete(control_plane), "it has listed all kinds")
        yield program


@pytest.fixture
def program(running: Mounted, request: pytest.FixtureRequest) -> Mounted:
    """The shared program; its logs are shown when the test fails."""
    show_logs(request, running.control_plane)
    return running


def signing_request() -> Manifest:
    """A request for a certificate."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "any")])
    request = x509.CertificateSigningRequestBuilder().subject_name(name).sign(key, hashes.SHA256())
    pem = base64.b64encode(request.public_bytes(serialization.Encoding.PEM)).decode()
    return {
        "apiVersion": "certificates.k8s.io/v1",
        "kind": "CertificateSigningRequest",
        "metadata": {"name": "any"},
        "spec": {"request": pem, "signerName": "example.com/any", "usages": ["client auth"]},
    }


def kustomizations() -> Iterator[Manifest]:
    """What Flux would have applied, has failed at, and leaves."""
    for name, (ready, suspended) in KUSTOMIZATIONS.items():
        source = {"kind": "GitRepository", "name": "platform"}
        condition = {
            "type": "Ready",
            "status": ready,
            "reason": "Any",
            "message": "",
            "lastTransitionTime": "2026-01-01T00:00:00Z",
        }
        yield {
            "apiVersion": "kustomize.toolkit.fluxcd.io/v1",
            "kind": "Kustomization",
            "metadata": {"name": name, "namespace": "flux-system"},
            "spec": {"interval": "10m", "prune": True, "sourceRef": source, **({"suspend": True} if suspended else {})},
            "status": {"conditions": [condition]},
        }


def training_jobs() -> Iterator[Manifest]:
    """Jobs as the training operator leaves them."""
    for name, conditions in JOBS.items():
        template = {"spec": {"containers": [{"name": "pytorch", "image": "train:1"}]}}
        moment = {"reason": "Any", "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z"}
        yield {
            "apiVersion": "kubeflow.org/v1",
            "kind": "PyTorchJob",
            "metadata": {"name": name, "namespace": "default"},
            "spec": {"pytorchReplicaSpecs": {"Worker": {"replicas": 1, "template": template}}},
            "status": {
                "conditions": [{"type": each, "status": status, **moment} for each, status in conditions.items()],
                "replicaStatuses": {},
            },
        }


def page_of(control_plane: ControlPlane) -> Page:
    """What the program says now."""
    return read(Door(control_plane.folder / "door.sock", "").get("/metrics").text)


def complete(control_plane: ControlPlane) -> bool:
    """Whether it says something of the first and the last kind that it lists."""
    try:
        found = page_of(control_plane)
    except OSError:
        return False
    return {
        "kube_pod_info",
        "kube_poddisruptionbudget_created",
        "flux_kustomization_info",
        "training_job_info",
    } <= found.samples.keys()


@pytest.fixture
def page(program: Mounted) -> Page:
    """What it says."""
    return page_of(program.control_plane)


def test_what_it_serves_is_what_its_table_says(page: Page) -> None:
    found = [*differences(page, [KUBE_STATE_METRICS, flux.STATE, training.STATE])]

    assert found == [], "\n".join(found)


def test_it_serves_all_that_its_table_has(page: Page) -> None:
    assert unserved(page, [KUBE_STATE_METRICS, flux.STATE, training.STATE]) == set()


def restarted(program: Mounted, pod: str, times: int) -> Page:
    """What it says once a pod's container has been started so often."""
    api = program.control_plane.api
    path = f"/api/v1/namespaces/team-vision/pods/{pod}"
    found = api.get(path).body
    (status,) = found["status"]["containerStatuses"]
    tell(api, found, {**found["status"], "containerStatuses": [{**status, "restartCount": times}]})
    name, pages = "kube_pod_container_status_restarts_total", []

    def counted() -> bool:
        pages.append(page_of(program.control_plane))
        counts = zip(pages[-1].samples[name], pages[-1].values[name], strict=True)
        return str(times) in [count for labels, count in counts if labels["pod"] == pod]

    program.wait(counted, f"it says that {pod} was started {times} times")
    return pages[-1]


def test_what_it_says_feeds_panels_and_alerts(program: Mounted, page: Page, programs: Mapping[str, Path]) -> None:
    pages = [page, restarted(program, "stuck-0", 4)]

    assert unfed("kube-state-metrics", pages, engine=programs["prometheus-engine"]) == []


def test_it_says_which_kustomizations_are_applied(page: Page) -> None:
    found = {each["name"]: (each["ready"], each.get("suspended")) for each in page.samples["flux_kustomization_info"]}

    assert found["good"] == ("True", None)
    assert found["bad"] == ("False", None)
    assert found["paused"] == ("False", "true")


def test_it_says_which_training_jobs_run_and_which_have_failed(page: Page) -> None:
    found = {each["name"]: (each.get("running"), each.get("failed")) for each in page.samples["training_job_info"]}

    assert found == {"trains": ("True", None), "failed": ("False", "True"), "new": (None, None)}


def test_pods_and_nodes_make_no_more_series_than_the_page_about_prometheus_says(page: Page) -> None:
    every = [labels for series in page.samples.values() for labels in series]
    of_pods = Counter(each["pod"] for each in every if "pod" in each)
    of_nodes = Counter(each["node"] for each in every if "node" in each and "pod" not in each)

    assert max(of_pods.values()) <= bounds()["pod"]
    assert max(of_nodes.values()) <= bounds()["node"]


def test_its_account_may_list_all_that_it_asks_for(program: Mounted) -> None:
    assert program.forbidden() == []
