"""The two stacks that stand for Kubeflow come from an empty cluster to Ready, follow Git, and a component goes and comes back.

In kubeflow-classic the programs of `classic.REAL` run from the moment that the engine has applied them, under the accounts and
rights that it applied; all others are played, each by name and with its reason. Where a run lacks one of these programs, its
workload is played with those that need it, and the test is listed as left out with their names.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator, Mapping, Set
from functools import partial
from pathlib import Path

import pytest

from platform_def.yaml import load_all
from tests.cluster.client import Api, Manifest
from tests.cluster.conftest import or_skip
from tests.cluster.engines import state
from tests.cluster.engines.bootstraps import bootstrap_text
from tests.cluster.engines.classic import EXISTING, PLAYED, REAL
from tests.cluster.engines.conftest import EmptyCluster
from tests.cluster.engines.either import ENGINES, FORMS, GATED
from tests.cluster.engines.operators import JOB, Operators, Row, images_of, lacking, workloads
from tests.cluster.engines.prepared import prepare
from tests.cluster.engines.repository import PlatformRepository
from tests.cluster.engines.story import KEPT, Delivered, Engine, handed_over, keeps_what_is_in_git
from tests.cluster.pods import judged, wrong_jobs
from tests.cluster.stacks import REPOSITORY
from tests.cluster.tools import ALWAYS, SOON, TOOLS, LeftOutError
from tests.cluster.waves import condition
from tests.proofs import report
from tests.proofs.report import BUILDS_ALL, LEFT_OUT

pytestmark = pytest.mark.cluster

TRAINING, KATIB = "Deployment kubeflow/training-operator", "Deployment kubeflow/katib-controller"
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
@pytest.mark.parametrize(
    "engine",
    [
        "flux",
        pytest.param("argocd", marks=pytest.mark.thorough),
        pytest.param(GATED, marks=pytest.mark.thorough),
    ],
)
def test_kubeflow_classic_comes_from_nothing_with_its_operators_follows_git_and_lets_a_component_go_and_come(
    engine: str, empty_cluster: EmptyCluster, programs: Mapping[str, Path], tmp_path: Path
) -> None:
    start = lambda cluster: FORMS[engine](cluster, programs)  # noqa: E731 - it is passed on
    text = delivered_by(engine, CLASSIC)
    operators = Operators(programs, delivered(), REAL, tmp_path / "operators")
    if TRAINING in operators.names:
        text = text.replace("\njobs:\n", f"\njobs:\n  - {KEPT_JOB}\n")
    with handed_over(
        empty_cluster, CLASSIC, tmp_path, start, text=text, prepare=prepare_classic, operators=operators
    ) as there:
        follows_git_and_lets_a_component_go_and_come(there, "quota: {gpus: 32}", "quota: {gpus: 31}")
        assert operators.running(there.control_plane) == operators.names
        assert operators.logged(there.control_plane, " is forbidden") == []
        judges_and_tells(there, operators.names)
    if operators.absent:
        pytest.skip(played(operators))


def played(operators: Operators) -> str:
    """What was not run that others would have been, in the words of a report."""
    absent = sorted(operators.absent.items())
    reasons = [f"{name}: {reason.removeprefix(LEFT_OUT).removesuffix(BUILDS_ALL)}" for name, reason in absent]
    count = f"passed with {len(absent)} of {len(absent) + len(operators.names)} workloads played"
    left_out = any(reason.startswith(LEFT_OUT) for _, reason in absent)
    return f"{LEFT_OUT if left_out else ''}{count}; {'; '.join(reasons)}"


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


def judges_and_tells(there: Delivered[Engine], running: Set[str]) -> None:
    """The own webhooks of operators that run refuse what is wrong, and a job that Git holds is as the operator says."""
    api, wait = there.api, partial(there.engine.until, seconds=SECONDS)
    wrong = {TRAINING: wrong_jobs(there.repository.manifests()), KATIB: WRONG}
    for name, each in ((name, each) for operator in wrong.keys() & running for name, each in wrong[operator].items()):
        wait(partial(judged, api, name, each), what=f"{name} judges")
    if TRAINING not in running:
        return
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
    """The text of a sample stack for an engine, which may say an order besides."""
    text = (REPOSITORY / f"stacks/{sample}.yaml").read_text(encoding="utf-8")
    made = re.sub(r"^  engine: \w+$", f"  engine: {engine}".replace(", ", "\n  "), text, flags=re.MULTILINE)
    assert f"  engine: {engine.partition(',')[0]}\n" in made
    return made


def delivered() -> list[Manifest]:
    """The objects of kubeflow-classic, but for those of its jobs."""
    files = sorted(each for each in (REPOSITORY / "dist" / CLASSIC).rglob("*.yaml") if "_jobs" not in each.parts)
    return [each for file in files for each in load_all(file.read_bytes(), file=str(file)) if isinstance(each, dict)]


def prepare_classic(api: Api, repository: PlatformRepository) -> None:
    """What the cluster has already: nodes with cards, and what the text of the bootstrap asks for."""
    prepare(api, repository)
    cards = {"nvidia.com/gpu": "8"}
    status = {"status": {"capacity": cards, "allocatable": cards}}
    content = "application/merge-patch+json"
    assert api.request("PATCH", "/api/v1/nodes/train/status", status, content=content).status == 200
    asked = re.findall(r"^ +\* Secret ([\w-]+)/([\w-]+)", bootstrap_text(repository), flags=re.MULTILINE)
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


class Few(Mapping[str, Path]):
    """Programs of which a run has these alone."""

    def __init__(self, *names: str) -> None:
        self._names = names

    def __getitem__(self, name: str) -> Path:
        return Path(name) if name in self._names else or_skip(partial(refused, name))

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def refused(name: str) -> Path:
    """What `tools.obtain` says where the time for builds is over."""
    raise LeftOutError(f"{LEFT_OUT}{name} not built{BUILDS_ALL}")


NEEDY = {
    "Deployment a/controller": [Row("controller", needs=("Deployment a/webhook",))],
    "Deployment a/webhook": [Row("webhook")],
    "Deployment b/user": [Row("user", needs=("Deployment a/controller",))],
    "StatefulSet s/store": [Row("store", serves_jobs=True)],
}


def test_what_lacks_a_program_is_played_with_what_needs_it() -> None:
    assert lacking(NEEDY, Few("controller", "webhook", "user", "store")) == {}
    assert lacking(NEEDY, Few("controller", "webhook", "store")) == {
        "Deployment b/user": f"{LEFT_OUT}user not built{BUILDS_ALL}"
    }
    assert lacking(NEEDY, Few("controller", "user", "store")) == {
        "Deployment a/webhook": f"{LEFT_OUT}webhook not built{BUILDS_ALL}",
        "Deployment a/controller": "needs Deployment a/webhook",
        "Deployment b/user": "needs Deployment a/controller",
    }


def test_what_is_played_is_named_in_the_report_as_left_out(tmp_path: Path) -> None:
    operators = Operators(Few("controller", "webhook"), [], NEEDY, tmp_path / "links")

    assert operators.names == {"Deployment a/controller", "Deployment a/webhook"}
    assert operators.apart == {"s"}
    assert report.Test("skipped", played(operators)).left_out
    assert played(operators) == (
        "left out: passed with 2 of 4 workloads played; Deployment b/user: user not built; StatefulSet s/store: store not built"
    )
    operators.absent = {"StatefulSet s/store": "no MariaDB"}
    assert not report.Test("skipped", played(operators)).left_out, "the machine lacks it, not the time"


def test_what_an_operator_of_kubeflow_classic_needs_really_runs_too() -> None:
    assert {need for rows in REAL.values() for row in rows for need in row.needs} <= REAL.keys()


def test_programs_of_kubeflow_classic_are_built_before_all_others_but_those_of_the_floor() -> None:
    programs = {row.program for rows in REAL.values() for row in rows} - {""} | {"weed"}

    assert programs - {*ALWAYS} == {*SOON}


def named(image: str) -> str:
    """The last part of an image's name."""
    return image.rpartition("/")[2].partition(":")[0]
