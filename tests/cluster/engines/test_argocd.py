"""Argo CD's real controller and repo server bring the sample stack `onprem-gpu` to an empty cluster, and keep it.

Here its Applications are plain, as by default; `test_argocd_gates.py` has the other form.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from platform_def.delivery.comparisons import NAME as COMPARISONS
from platform_def.delivery.gates import REMOVAL
from platform_def.delivery.pods.definitions import NAME as DEFINITIONS
from tests.cluster.client import Api, Manifest
from tests.cluster.control_plane import until
from tests.cluster.engines.argocd import SECONDS, ArgoCd
from tests.cluster.engines.conftest import EmptyCluster, StartArgoCd
from tests.cluster.engines.repository import SAMPLE
from tests.cluster.engines.story import (
    OTHERS,
    OTHERS_STACK,
    Delivered,
    delivered,
    handed_over,
    keeps_what_is_in_git,
    leaves_alone,
    removes,
    starts_a_job_once,
)

pytestmark = pytest.mark.cluster

POLICIES = tuple(
    f"/apis/admissionregistration.k8s.io/v1/{kind}admissionpolicies" for kind in ("validating", "mutating")
)
PLAIN = [COMPARISONS, REMOVAL]
"""The policies of plain Applications, where no webhook of the stack changes pods and none of its programs awaits a definition."""
EMISSARY: Manifest = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "emissary-ingress", "namespace": "emissary"},
}
WEBHOOK = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/cert-manager-webhook"
SPEAKER: Manifest = {
    "apiVersion": "apps/v1",
    "kind": "DaemonSet",
    "metadata": {"name": "speaker", "namespace": "metallb-system"},
}
LISTENER: Manifest = {
    "apiVersion": "getambassador.io/v3alpha1",
    "kind": "Listener",
    "metadata": {"name": "emissary-ingress-http", "namespace": "emissary"},
}
MOVED = (
    "  registry: registry.example.com/mirror\n",
    "  registry: other.example.com/mirror\n  mirrors: {registry.example.com: other.example.com/mirror/registry.example.com}\n",
)
"""Another registry, to which images on the previous one's host move as well."""
SOUND = "  cert-manager: {selfSignedIssuer: self-signed}\n"
BROKEN = "  cert-manager: {selfSignedIssuer: self-signed, placement: {nodeSelector: {pool: nowhere}}}\n"
ANOTHER = BROKEN.replace("self-signed", "another")
"""What it serves is made anew."""
RETIRED = "retire: {cert-manager: it never came up}\n"
NOTHING = "  # and nothing else\n"
SMALL = f"""\
apiVersion: platform-def/v1
cluster: {{kubernetes: "1.36"}}
delivery: {{engine: argocd, repository: "{SAMPLE}"}}
components:
  node-feature-discovery: {{}}
{OTHERS_STACK}{NOTHING}{BROKEN}"""
WELL = (
    "cert-manager-crds",
    "namespaces-main",
    "node-feature-discovery-crds",
    "node-feature-discovery-main",
    "others-crds",
    "others-main",
)
"""Parts that need nothing of what is broken there."""


@pytest.fixture
def there(empty_cluster: EmptyCluster, argo_cd: StartArgoCd, tmp_path: Path) -> Iterator[Delivered[ArgoCd]]:
    """A cluster on which everything is Synced and Healthy."""
    with delivered(empty_cluster, "onprem-gpu", tmp_path, argo_cd) as found:
        yield found


def test_an_empty_cluster_is_synced_by_plain_applications_and_then_follows_git(there: Delivered[ArgoCd]) -> None:
    # Emissary reads once, as it starts, which kinds there are.
    assert policies(there.api) == sorted([*PLAIN, DEFINITIONS])
    stays_as_git_has_it(there)


def test_a_part_that_is_never_healthy_holds_back_nothing_that_can_do_without_it(
    empty_cluster: EmptyCluster, argo_cd: StartArgoCd, tmp_path: Path
) -> None:
    with handed_over(empty_cluster, "small", tmp_path, argo_cd, text=SMALL, own=OTHERS, answered_by_pods=True) as there:
        argocd = there.engine
        until(lambda: all(map(argocd.is_ready, WELL)), seconds=SECONDS, what="the others come", every=0.5)
        # What comes before its webhook is taken. From now on it is tried, and refused: the webhook has no pod.
        until(lambda: there.api.get(WEBHOOK).status == 200, seconds=SECONDS, what="it is registered", every=0.5)
        there.repository.change(BROKEN, ANOTHER)
        argocd.look()
        until(lambda: "failed calling webhook" in argocd.told(), seconds=SECONDS, what="it is refused", every=0.5)
        assert sorted(argocd.parts()) == sorted([*WELL, "cert-manager-main", "cert-manager-after"])
        goes_on_around_what_is_broken(there)

        # What is refused is not deleted before its sync ends, which it does once the part is mended.
        there.repository.change(ANOTHER, RETIRED)
        argocd.look()
        argocd.until(lambda: argocd.keeps("cert-manager-main"), seconds=180, what="it is to go")
        comes_back_whole(there)


def stays_as_git_has_it(there: Delivered[ArgoCd]) -> None:
    """What a cluster with all of `onprem-gpu` is asked in both forms."""
    # One of its pods has no node, which holds back nobody.
    speaker = there.api.read(SPEAKER).body["status"]
    assert speaker["numberAvailable"] < speaker["desiredNumberScheduled"]
    assert "metallb-after" in there.engine.parts()
    keeps_what_is_in_git(there, "replicas: 2", "replicas: 1")
    sync = ("    name: resnet\n", "    name: resnet\n    sync: true\n")
    starts_a_job_once(there, "resnet", sync, MOVED)
    removes(there, "emissary", EMISSARY, LISTENER)


def goes_on_around_what_is_broken(there: Delivered[ArgoCd]) -> None:
    """A commit gets through that adds a part."""
    argocd, repository = there.engine, there.repository
    assert not argocd.is_ready("cert-manager-main")
    assert not argocd.is_ready("cert-manager-after")
    repository.change(NOTHING, "  nvidia-device-plugin: {}\n")
    argocd.look()
    until(lambda: argocd.is_ready("nvidia-device-plugin-main"), seconds=SECONDS, what="another part comes", every=0.5)
    assert not argocd.is_ready("cert-manager-main")


def comes_back_whole(there: Delivered[ArgoCd]) -> None:
    """A commit brings the part whole that was broken and has gone."""
    there.follow(there.repository.change(RETIRED, SOUND))
    assert "cert-manager-after" in there.engine.parts()
    leaves_alone(there, OTHERS["others"])


def policies(api: Api) -> list[str]:
    """Names of those that the cluster has: an empty one has none."""
    return sorted(each["metadata"]["name"] for path in POLICIES for each in api.get(path).body["items"])
