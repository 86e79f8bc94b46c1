"""The two stacks that stand for Kubeflow come from an empty cluster to Ready, follow Git, and a component goes and comes back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.acceptance.repository import PROJECT
from tests.cluster.engines import state
from tests.cluster.engines.conftest import EmptyCluster
from tests.cluster.engines.either import ENGINES
from tests.cluster.engines.story import KEPT, handed_over, keeps_what_is_in_git
from tests.cluster.engines.test_coverage_stacks import prepare

pytestmark = pytest.mark.cluster

GONE = "katib"
"""Has programs, a database, webhooks, certificates and definitions of kinds."""


@pytest.mark.parametrize(
    ("sample", "engine", "changed"),
    [
        ("kubeflow-classic", "flux", ("quota: {gpus: 32}", "quota: {gpus: 31}")),
        pytest.param(
            "kubeflow-classic", "argocd", ("quota: {gpus: 32}", "quota: {gpus: 31}"), marks=pytest.mark.thorough
        ),
        pytest.param("kubeflow", "argocd", ("quota: {gpus: 12}", "quota: {gpus: 11}"), marks=pytest.mark.thorough),
        pytest.param("kubeflow", "flux", ("quota: {gpus: 12}", "quota: {gpus: 11}"), marks=pytest.mark.thorough),
    ],
)
def test_kubeflow_comes_from_nothing_follows_git_and_lets_a_component_go_and_come(
    sample: str,
    engine: str,
    changed: tuple[str, str],
    empty_cluster: EmptyCluster,
    programs: Mapping[str, Path],
    tmp_path: Path,
) -> None:
    start = lambda cluster: ENGINES[engine](cluster, programs)  # noqa: E731 - it is passed on
    text = (PROJECT / f"stacks/{sample}.yaml").read_text(encoding="utf-8")
    text = re.sub(r"^  engine: \w+$", f"  engine: {engine}", text, flags=re.MULTILINE)
    with handed_over(empty_cluster, sample, tmp_path, start, text=text, prepare=prepare) as there:
        repository = there.repository
        there.engine.wait(repository, repository.revision)
        keeps_what_is_in_git(there, *changed)

        before, said = state.objects(there.api), repository.file.read_text(encoding="utf-8")
        there.follow(repository.retire(GONE))
        gone = before.keys() - state.objects(there.api).keys()
        assert f"Deployment {GONE}-controller" in {f"{each.kind} {each.name}" for each in gone}
        assert [name for name in state.names(gone) if name.startswith(KEPT)] == []

        repository.file.write_text(said, encoding="utf-8")
        there.follow(repository.commit("Katib is wanted after all"))
        assert [each for each in repository.manifests() if there.api.read(each).status != 200] == []
