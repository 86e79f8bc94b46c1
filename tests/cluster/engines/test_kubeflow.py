"""The two stacks that stand for Kubeflow come from an empty cluster to Ready, follow Git, and a component goes and comes back.

In kubeflow-classic the programs of `classic.REAL` run from the moment that the engine has applied them, under the accounts and
rights that it applied; all others are played, each by name and with its reason. Where a run lacks one of these programs all are
played, and the test is listed as left out with what was missing.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import pytest

from platform_def.yaml import load_all
from tests.acceptance.repository import PROJECT
from tests.cluster.client import Api, Manifest
from tests.cluster.engines import state
from tests.cluster.engines.classic import EXISTING, PLAYED, REAL
from tests.cluster.engines.conftest import EmptyCluster
from tests.cluster.engines.either import ENGINES
from tests.cluster.engines.operators import JOB, Operators, images_of, workloads
from tests.cluster.engines.repository import PlatformRepository
from tests.cluster.engines.story import KEPT, Delivered, Engine, handed_over, keeps_what_is_in_git
from tests.cluster.engines.test_coverage_stacks import prepare
from tests.cluster.flow_stores import has_mariadb, postgres_folder
from tests.cluster.pods import judged, wrong_jobs
from tests.cluster.tools import TOOLS
from tests.cluster.waves import condition

pytestmark = pytest.mark.cluster

GONE = "katib"
"""Has programs, a database, webhooks, certificates and definitions of kinds."""
CLASSIC = "kubeflow-classic"
KEPT_JOB = (
    '{template: pytorch-ddp, name: kept, team: faces, pool: train, image: "registry.example.com/faces/torch:2.8",'
    " command: [python, train.py], workers: 2, gpusPerWorker: 1, sync: true}"
)
"""Of which the training operator says how it is; its pods are played."""
SECONDS = 120.0


@pytest.mark.parametrize("engine", ["flux", pytest.param("argocd", marks=pytest.mark.thorough)])
def test_kubeflow_comes_from_nothing_follows_git_and_lets_a_component_go_and_come(
    engine: str, empty_cluster: EmptyCluster, programs: Mapping[str, Path], tmp_path: Path
) -> None:
    start = lambda cluster: ENGINES[engine](cluster, programs)  # noqa: E731 - it is passed on
    text = delivered_by(engine, "kubeflow")
    with handed_over(empty_cluster, "kubeflow", tmp_path, start, text=text, prepare=prepare) as there:
        follows_git_and_lets_a_component_go_and_come(there, "quota: {gpus: 12}", "quota: {gpus: 11}")


@pytest.mark.own_network
@pytest.mark.timeout(2400)
@pytest.mark.parametrize("engine", ["flux", pytest.param("argocd", marks=pytest.mark.thorough)])
def test_kubeflow_classic_comes_from_nothing_with_its_operators_follows_git_and_lets_a_component_go_and_come(
    engine: str, empty_cluster: EmptyCluster, programs: Mapping[str, Path], tmp_path: Path
) -> None:
    start = lambda cluster: ENGINES[engine](cluster, programs)  # noqa: E731 - it is passed on
    text = delivered_by(engine, CLASSIC)
    operators, absent = at_work(programs, tmp_path / "operators")
    if operators:
        text = text.replace("\njobs:\n", f"\njobs:\n  - {KEPT_JOB}\n")
    with handed_over(
        empty_cluster, CLASSIC, tmp_path, start, text=text, prepare=prepare_classic, operators=operators
    ) as there:
        follows_git_and_lets_a_component_go_and_come(there, "quota: {gpus: 32}", "quota: {gpus: 31}")
        if operators:
            assert operators.running(there.control_plane) == {*REAL}
            assert operators.logged(there.control_plane, " is forbidden") == []
            judges_and_tells(there)
    if absent:
        pytest.skip(f"passed with all operators played: {absent}")


def at_work(programs: Mapping[str, Path], folder: Path) -> tuple[Operators | None, str]:
    """The operators; none, and the reason, where a run lacks one of their programs: they need each other."""
    if not has_mariadb():
        return None, "no MariaDB: apt-get install mariadb-server"
    if postgres_folder() is None:
        return None, "no PostgreSQL: apt-get install postgresql"
    try:
        return Operators(programs, delivered(), REAL, folder), ""
    except pytest.skip.Exception as left_out:
        return None, str(left_out)


def follows_git_and_lets_a_component_go_and_come(there: Delivered[Engine], old: str, new: str) -> None:
    """What any stack of Kubeflow is asked."""
    repository = there.repository
    there.engine.wait(repository, repository.revision)
    keeps_what_is_in_git(there, old, new)

    before, said = state.objects(there.api), repository.file.read_text(encoding="utf-8")
    there.follow(repository.retire(GONE))
    gone = before.keys() - state.objects(there.api).keys()
    assert f"Deployment {GONE}-controller" in {f"{each.kind} {each.name}" for each in gone}
    assert [name for name in state.names(gone) if name.startswith(KEPT)] == []

    repository.file.write_text(said, encoding="utf-8")
    there.follow(repository.commit("Katib is wanted after all"))
    assert [each for each in repository.manifests() if there.api.read(each).status != 200] == []


def judges_and_tells(there: Delivered[Engine]) -> None:
    """The operators' own webhooks refuse what is wrong, and a job that Git holds is as the operator says."""
    api, wait = there.api, partial(there.engine.until, seconds=SECONDS)
    for name, wrong in {**wrong_jobs(there.repository.manifests()), **WRONG}.items():
        wait(partial(judged, api, name, wrong), what=f"{name} judges")
    (kept,) = there.repository.manifests("_jobs/kept", jobs=True)
    wait(lambda: condition(api.read(kept).body, "Running") == "True", what="the job is said to run")


WRONG: Mapping[str, Manifest] = {
    "validator.experiment.katib.kubeflow.org": {
        "apiVersion": "kubeflow.org/v1beta1",
        "kind": "Experiment",
        "metadata": {"name": "wrong", "namespace": "default"},
        "spec": {"parallelTrialCount": -1},
    }
}
"""By the webhook that refuses it."""


def delivered_by(engine: str, sample: str) -> str:
    """The text of a sample stack for an engine."""
    text = (PROJECT / f"stacks/{sample}.yaml").read_text(encoding="utf-8")
    return re.sub(r"^  engine: \w+$", f"  engine: {engine}", text, flags=re.MULTILINE)


def delivered() -> list[Manifest]:
    """The objects of kubeflow-classic, but for those of its jobs."""
    files = sorted(each for each in (PROJECT / "dist" / CLASSIC).rglob("*.yaml") if "_jobs" not in each.parts)
    return [each for file in files for each in load_all(file.read_bytes(), file=str(file)) if isinstance(each, dict)]


def prepare_classic(api: Api, repository: PlatformRepository) -> None:
    """What the cluster has already: nodes with cards, and what the text of the bootstrap asks for."""
    prepare(api, repository)
    cards = {"nvidia.com/gpu": "8"}
    status = {"status": {"capacity": cards, "allocatable": cards}}
    content = "application/merge-patch+json"
    assert api.request("PATCH", "/api/v1/nodes/train/status", status, content=content).status == 200
    asked = re.findall(r"^ +\* Secret ([\w-]+)/([\w-]+)", repository.say("bootstrap"), flags=re.MULTILINE)
    assert {*map(tuple, asked)} == {*EXISTING}
    for (home, name), keys in EXISTING.items():
        data = {key: secrets.token_urlsafe(16) for key in keys}
        kind = "kubernetes.io/tls" if "tls.key" in keys else "Opaque"
        made = {"kind": "Secret", "metadata": {"name": name, "namespace": home}, "type": kind, "stringData": data}
        for each in ({"kind": "Namespace", "metadata": {"name": home}}, made):
            assert not (refused := api.apply({"apiVersion": "v1", **each}).refusal), refused


def test_each_workload_of_kubeflow_classic_runs_or_is_played_for_a_reason() -> None:
    found = workloads(delivered())

    assert {*REAL, *PLAYED} == {*found}
    assert REAL.keys() & PLAYED.keys() == set()


def test_what_is_played_of_kubeflow_classic_has_no_program_that_its_reason_does_not_name() -> None:
    found = workloads(delivered())
    programs = {name: {named(image) for image in images_of(found[name])} & TOOLS.keys() for name in PLAYED}

    assert [name for name, each in programs.items() if any(one not in PLAYED[name] for one in each)] == []


def test_each_job_of_kubeflow_classic_is_of_an_image_that_runs_and_nothing_played_is() -> None:
    objects = delivered()
    found = workloads(objects)
    images = {image for name in REAL for image in images_of(found[name])}

    assert [each["metadata"]["name"] for each in objects if each["kind"] == JOB and not images_of(each) <= images] == []
    assert [name for name in PLAYED if images_of(found[name]) <= images] == []


def named(image: str) -> str:
    """The last part of an image's name."""
    return image.rpartition("/")[2].partition(":")[0]
