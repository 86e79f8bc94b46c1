"""Argo CD's real controller and repo server bring the sample stack `onprem-gpu` to an empty cluster, and keep it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from tests.cluster.client import Manifest
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

EMISSARY: Manifest = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "emissary-ingress", "namespace": "emissary"},
}
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
RETIRED = "retire: {cert-manager: it never came up}\n"
NOTHING = "  # and nothing else\n"
SMALL = f"""\
apiVersion: platform-def/v1
cluster: {{kubernetes: "1.36"}}
delivery: {{engine: argocd, repository: "{SAMPLE}"}}
components:
  node-feature-discovery: {{}}
{OTHERS_STACK}{NOTHING}{BROKEN}"""


@pytest.fixture
def there(empty_cluster: EmptyCluster, argo_cd: StartArgoCd, tmp_path: Path) -> Iterator[Delivered[ArgoCd]]:
    """A cluster on which everything is Synced and Healthy."""
    with delivered(empty_cluster, "onprem-gpu", tmp_path, argo_cd) as found:
        yield found


def test_an_empty_cluster_is_synced_in_order_and_then_follows_git(there: Delivered[ArgoCd]) -> None:
    in_order(there.engine)
    # One of its pods has no node, which holds back nobody.
    speaker = there.api.read(SPEAKER).body["status"]
    assert speaker["numberAvailable"] < speaker["desiredNumberScheduled"]
    assert "metallb-after" in there.engine.parts()
    keeps_what_is_in_git(there, "replicas: 2", "replicas: 1")
    sync = ("    name: resnet\n", "    name: resnet\n    sync: true\n")
    starts_a_job_once(there, "resnet", sync, MOVED)
    removes(there, "emissary", EMISSARY, LISTENER)


def test_a_part_that_is_never_healthy_holds_back_what_needs_it_and_nothing_else(
    empty_cluster: EmptyCluster, argo_cd: StartArgoCd, tmp_path: Path
) -> None:
    with handed_over(empty_cluster, "small", tmp_path, argo_cd, text=SMALL, own=OTHERS) as there:
        argocd, repository = there.engine, there.repository
        until(
            lambda: "cert-manager-after waits for cert-manager-main" in argocd.root(),
            seconds=SECONDS,
            what="it waits",
            every=0.5,
        )
        others = [
            "cert-manager-crds",
            "namespaces-main",
            "node-feature-discovery-crds",
            "node-feature-discovery-main",
            "others-crds",
            "others-main",
        ]
        until(lambda: all(map(argocd.is_ready, others)), seconds=SECONDS, what="the others come", every=0.5)
        assert sorted(argocd.parts()) == ["cert-manager-crds", "cert-manager-main", *others[1:]]
        assert not argocd.is_ready("cert-manager-main")

        # A commit gets through, whether it adds a part or takes the broken one away.
        repository.change(NOTHING, "  nvidia-device-plugin: {}\n")
        argocd.look()
        until(
            lambda: argocd.is_ready("nvidia-device-plugin-main"),
            seconds=SECONDS,
            what="another part comes",
            every=0.5,
        )
        assert not argocd.is_ready("cert-manager-main")
        there.follow(repository.change(BROKEN, RETIRED))

        there.follow(repository.change(RETIRED, SOUND))
        assert "cert-manager-after" in argocd.parts()
        leaves_alone(there, OTHERS["others"])


def in_order(argocd: ArgoCd) -> None:
    """No part began before those that it waits for were done."""
    parts = argocd.parts()
    first = {name: each["status"]["history"][0] for name, each in parts.items()}
    waited = {name: argocd.needs(name) for name in parts}
    assert any(waited.values())
    for name, needs in waited.items():
        for need in needs:
            done, began = (datetime.fromisoformat(first[each][when]) for each, when in ((need, DONE), (name, BEGAN)))
            assert done <= began, f"{name} began before {need} was done"


BEGAN, DONE = "deployStartedAt", "deployedAt"
