"""Argo CD's real controller and repo server bring the sample stack `onprem-gpu` to an empty cluster, and keep it.

Here its Applications are plain, as by default; `test_argocd_gates.py` and `test_argocd_gates_sample.py` have the other form.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from platform_def.delivery.pods.definitions import NAME as DEFINITIONS
from tests.cluster.control_plane import until
from tests.cluster.engines.argocd import SECONDS, ArgoCd
from tests.cluster.engines.both_forms import (
    BROKEN,
    OLDER,
    RETIRED,
    SMALL,
    WELL,
    comes_back_whole,
    goes_on_around_what_is_broken,
    policies,
    stays_as_git_has_it,
)
from tests.cluster.engines.conftest import EmptyCluster, StartArgoCd
from tests.cluster.engines.experiments import is_leaving
from tests.cluster.engines.story import (
    OTHERS,
    Delivered,
    delivered,
    handed_over,
)

pytestmark = pytest.mark.cluster

WEBHOOK = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/cert-manager-webhook"
ANOTHER = BROKEN.replace("self-signed", "another")
"""What it serves is another."""
AFTER = {
    "apiVersion": "argoproj.io/v1alpha1",
    "kind": "Application",
    "metadata": {"name": "cert-manager-after", "namespace": "argocd"},
}


@pytest.fixture
def there(empty_cluster: EmptyCluster, argo_cd: StartArgoCd, tmp_path: Path) -> Iterator[Delivered[ArgoCd]]:
    """A cluster on which everything is Synced and Healthy."""
    with delivered(empty_cluster, "onprem-gpu", tmp_path, argo_cd) as found:
        yield found


def test_an_empty_cluster_is_synced_by_plain_applications_and_then_follows_git(there: Delivered[ArgoCd]) -> None:
    # Emissary reads once, as it starts, which kinds there are.
    assert policies(there.api) == sorted([*OLDER, DEFINITIONS])
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

        # Argo CD deletes none whose sync is under way, and that one is tried again without end. Nor does the API server let
        # an object go while the webhook does not answer that is asked about each of its changes.
        there.repository.change(ANOTHER, RETIRED)
        argocd.look()
        argocd.until(lambda: is_leaving(there.api, AFTER), seconds=180, what="it is to go")
        there.api.request("DELETE", WEBHOOK)
        gone = lambda: not [name for name in argocd.parts() if name.startswith("cert-manager-")]  # noqa: E731 - passed on
        argocd.until(gone, seconds=180, what="it goes without a person")
        comes_back_whole(there)
