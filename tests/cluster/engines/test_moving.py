"""A delivery moves by the printed steps: to another repository, branch and folder, and from one engine to the other."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from platform_def.components.delivery.flux.words import ENGINE
from platform_def.delivery.markers import is_marker
from tests.cluster.client import Api, Key
from tests.cluster.engines import state
from tests.cluster.engines.argocd import ArgoCd
from tests.cluster.engines.bootstraps import hand_over
from tests.cluster.engines.commands import kubectl_lines, run
from tests.cluster.engines.conftest import EmptyCluster
from tests.cluster.engines.either import ENGINES
from tests.cluster.engines.flux import Flux
from tests.cluster.engines.repository import SAMPLE, PlatformRepository
from tests.cluster.engines.said import say
from tests.cluster.engines.story import Delivered, handed_over

pytestmark = [pytest.mark.cluster, pytest.mark.thorough]

STACK = f"""\
apiVersion: platform-def/v1
cluster: {{kubernetes: "1.36"}}
delivery: {{engine: ENGINE, repository: "{SAMPLE}"}}
components:
  training-operator: {{}}
  cert-manager: {{selfSignedIssuer: self-signed}}
"""
ONE, TWO = "training-operator: {}", "training-operator: {workloads: {training-operator: {replicas: 2}}}"
OWN = ("Application", "AppProject", "Kustomization", "GitRepository")
"""What an engine reads, and reads of itself."""


@pytest.mark.parametrize("engine", ENGINES)
def test_a_delivery_moves_to_another_repository_branch_and_folder(
    engine: str, empty_cluster: EmptyCluster, programs: Mapping[str, Path], tmp_path: Path
) -> None:
    start = lambda cluster: ENGINES[engine](cluster, programs)  # noqa: E731 - it is passed on
    text = STACK.replace("ENGINE", engine)
    with handed_over(empty_cluster, "moved", tmp_path, start, text=text) as there:
        repository = there.repository
        there.engine.wait(repository, repository.revision)
        before, said = state.objects(there.api), repository.manifests()
        revision = repository.move("elsewhere", below="platform", branch="production")
        hand_over(there)
        there.engine.wait(repository, revision)
        after = state.objects(there.api)
        differing = {key for key in state.differing(said, repository.manifests()) if key.kind not in OWN}
        moved = {key for key in state.changed(before, after) if key.kind not in OWN}
        assert state.names(moved) == state.names(differing)
        assert before.keys() == after.keys()

        there.follow(repository.change(ONE, TWO))
        assert replicas(there.api) == 2


def test_a_delivery_moves_from_one_engine_to_the_other_and_back(
    empty_cluster: EmptyCluster, programs: Mapping[str, Path], tmp_path: Path
) -> None:
    start = lambda cluster: ArgoCd(cluster, programs)  # noqa: E731 - it is passed on
    with handed_over(empty_cluster, "moved", tmp_path, start, text=STACK.replace("ENGINE", "argocd")) as first:
        control_plane, repository = first.control_plane, first.repository
        first.engine.wait(repository, repository.revision)
        second = Delivered(
            control_plane, repository, Flux(control_plane, programs, flags=ENGINE.flags), first.stand_ins
        )
        before = identities(first.api, repository)

        move(second, "engine: argocd", "engine: flux")
        assert identities(first.api, repository) == before
        assert first.engine.applications() == {}
        assert [key for key in state.objects(first.api) if key.kind == "ConfigMap" and key.namespace == "argocd"] == [
            Key("v1", "ConfigMap", "argocd", "argocd-cm")
        ]
        second.follow(repository.change(ONE, TWO))
        assert replicas(first.api) == 2

        move(first, "engine: flux", "engine: argocd")
        assert identities(first.api, repository).items() >= before.items()
        assert second.engine.parts() == {}
        first.follow(repository.change(TWO, ONE))
        assert replicas(first.api) == 1


def move(there: Delivered[Any], old: str, new: str) -> None:
    """Change the engine of the stack as synth tells, and wait until the new one has everything."""
    repository = there.repository
    repository.edit(old, new)
    run(there.control_plane, kubectl_lines(say(repository, "synth")), folder=repository.top)
    revision = repository.commit(f"{old} → {new}")
    hand_over(there)
    there.engine.wait(repository, revision)


def identities(api: Api, repository: PlatformRepository) -> dict[Key, str]:
    """What tells each object of the platform from one that was made anew under its name."""
    engine = repository.manifests("_delivery")
    objects = [each for each in repository.manifests() if each not in engine and not is_marker(each)]
    return {Key.of(each): str(api.read(each).body["metadata"]["uid"]) for each in objects}


def replicas(api: Api) -> int:
    """How many pods the training operator is to have."""
    deployment = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "training-operator", "namespace": "kubeflow"},
    }
    return int(api.read(deployment).body["spec"]["replicas"])
