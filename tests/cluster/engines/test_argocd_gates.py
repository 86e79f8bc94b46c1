"""With `order: gates` a part under the real Argo CD waits for what it needs, and holds back nothing else; a stack moves there
and back by one word, and does without policies by another."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from platform_def.delivery.markers import is_marker
from tests.cluster.client import Key, Manifest
from tests.cluster.control_plane import until
from tests.cluster.engines import state
from tests.cluster.engines.argocd import SECONDS, ArgoCd
from tests.cluster.engines.bootstraps import hand_over
from tests.cluster.engines.both_forms import (
    BROKEN,
    GATES,
    PLAIN,
    RETIRED,
    SMALL,
    WELL,
    comes_back_whole,
    comes_in_order_and_stays,
    goes_on_around_what_is_broken,
    policies,
)
from tests.cluster.engines.conftest import EmptyCluster, StartArgoCd
from tests.cluster.engines.either import GATED
from tests.cluster.engines.ordered import ORDERED
from tests.cluster.engines.repository import SAMPLE
from tests.cluster.engines.story import OTHERS, Delivered, handed_over

pytestmark = pytest.mark.cluster

MOVED = f"""\
apiVersion: platform-def/v1
cluster: {{kubernetes: "1.36"}}
delivery: {{engine: {GATED}, repository: "{SAMPLE}"}}
components:
  training-operator: {{}}
  cert-manager: {{selfSignedIssuer: self-signed}}
"""
SOUND, CHANGED = (
    f"{{selfSignedIssuer: self-signed{more}}}" for more in ("", ", workloads: {cert-manager: {replicas: 2}}")
)
"""Of cert-manager, whose issuer waits for its programs."""
WITHOUT = "argocd, policies: false"
OWN = ("Application", "AppProject")


def test_a_part_that_is_never_healthy_holds_back_what_needs_it_and_nothing_else(
    empty_cluster: EmptyCluster, argo_cd: StartArgoCd, tmp_path: Path
) -> None:
    text = SMALL.replace("engine: argocd", f"engine: {GATED}")
    with handed_over(empty_cluster, "small", tmp_path, argo_cd, text=text, own=OTHERS) as there:
        argocd = there.engine
        until(
            lambda: "cert-manager-after waits for cert-manager-main" in argocd.root(),
            seconds=SECONDS,
            what="it waits",
            every=0.5,
        )
        until(lambda: all(map(argocd.is_ready, WELL)), seconds=SECONDS, what="the others come", every=0.5)
        assert sorted(argocd.parts()) == sorted([*WELL, "cert-manager-main"])
        goes_on_around_what_is_broken(there)
        there.follow(there.repository.change(BROKEN, RETIRED))
        comes_back_whole(there)


def test_an_empty_cluster_is_synced_in_order_and_then_follows_git(
    empty_cluster: EmptyCluster, argo_cd: StartArgoCd, tmp_path: Path
) -> None:
    with handed_over(empty_cluster, "ordered", tmp_path, argo_cd, text=ORDERED) as there:
        comes_in_order_and_stays(there, GATES)


def test_a_stack_moves_to_plain_applications_and_back_by_one_word(
    empty_cluster: EmptyCluster, argo_cd: StartArgoCd, tmp_path: Path
) -> None:
    with handed_over(empty_cluster, "small", tmp_path, argo_cd, text=MOVED) as there:
        repository = there.repository
        there.engine.wait(repository, repository.revision)
        before = state.objects(there.api)
        assert policies(there.api) == GATES
        # As a new version of the tool moves a stack that says nothing of it: by a commit, and nothing by hand.
        there.follow(repository.change(GATED, "argocd"))
        unmoved(there, before, PLAIN)
        # What changes meanwhile is not judged by markers of before.
        there.follow(repository.change(SOUND, CHANGED))
        before = state.objects(there.api)
        for old, new, expected in (("argocd", GATED, GATES), (GATED, "argocd", PLAIN)):
            revision = repository.change(f"engine: {old}", f"engine: {new}")
            hand_over(there)
            there.follow(revision)
            unmoved(there, before, expected)
        for old, new, expected in (("argocd", WITHOUT, []), (WITHOUT, "argocd", PLAIN)):
            there.follow(repository.change(f"engine: {old}", f"engine: {new}"))
            unmoved(there, before, expected)


def unmoved(there: Delivered[ArgoCd], before: Mapping[Key, Manifest], expected: list[str]) -> None:
    """These policies are there, with gates the markers too, and every other object is the one that it was."""
    after = state.objects(there.api)
    markers = {key for key, each in after.items() if is_marker(each)}
    assert policies(there.api) == expected
    assert markers == {Key.of(each) for each in there.repository.manifests() if is_marker(each)}
    assert bool(markers) is (expected == GATES)
    moved = state.changed(before, after) | (before.keys() ^ after.keys())
    platform = {key for key in moved if key.kind not in OWN and key.name != "argocd-cm"}
    others = {key for key in platform if not is_marker({**before, **after}[key])}
    assert [name for name in state.names(others) if "AdmissionPolicy" not in name] == []
