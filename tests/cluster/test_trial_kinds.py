"""Trials are jobs of several pods that train together, each run by its real operator: a PyTorchJob, a TFJob and an MPIJob.

Real: Katib's controller with its webhooks, DB manager and file collector 0.19, the training operator 1.9.4 with its webhooks
and the MPI operator 0.8.2 under their own accounts, Debian's PyTorch, TensorFlow, Open MPI with Debian's sshd, and Debian's
PostgreSQL. Played: the kubelet, and images. Named stand-in: the suggestion service over optuna (`programs/tuning`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.cluster import images
from tests.cluster.client import Manifest
from tests.cluster.conftest import or_skip, show_logs
from tests.cluster.environments import obtain
from tests.cluster.flow_stores import postgres_folder
from tests.cluster.frameworks import MPI_ARGS, SSH
from tests.cluster.machines import LOOKUP
from tests.cluster.tuning import HOME, SEARCH, Tuning, tuning
from tests.cluster.waves import condition

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.own_network,
    pytest.mark.skipif(postgres_folder() is None, reason="no PostgreSQL: apt-get install postgresql"),
    pytest.mark.skipif(bool(images.missing(["mpi", "tensorflow"])), reason="make job-test makes the images"),
    pytest.mark.skipif(not images.DEBIAN_TORCH.exists(), reason="python3-torch of Debian is not installed"),
    pytest.mark.skipif(not images.SSHD.exists(), reason="openssh-server of Debian is not installed"),
]

WRONG = "none"
"""A rate that is no number: the training fails with it."""
COLLECTOR = "metrics-logger-and-collector"
TRIAL: dict[str, Any] = {
    "workers": 2,
    "gpusPerWorker": 0,
    "cpu": "100m",
    "memory": "1Gi",
    "sharedMemory": "256Mi",
    "gracePeriodSeconds": 5,
    "retries": 0,
    "user": 1000,
    "fsGroup": 1000,
    "dataset": {"storage": "shared"},
    "checkpoints": "/data/c",
    "env": {"RATE": "${rate}"},
}


def together(name: str, *rates: str, **trial: Any) -> dict[str, object]:
    """A search that trains with some rates one after the other; the loss stands in lines of JSON."""
    return {
        **SEARCH,
        "name": name,
        "algorithm": "grid",
        "trials": len(rates),
        "parallel": 1,
        "metrics": {"pattern": r'"(loss)": ([0-9.e+-]+)'},
        "parameters": [{"name": "rate", "type": "categorical", "values": [*rates]}],
        "trial": {**TRIAL, **trial},
    }


JOBS = (
    together(
        "torch", "0.4", WRONG, "0.1", template="pytorch-ddp", image="torch/torch:1", command=["/programs/with_torch.py"]
    ),
    together(
        "flow",
        "0.4",
        template="tensorflow",
        image="tensorflow/cpu:1",
        command=["sh", "-c", "echo begins; python /programs/with_tensorflow.py"],
    ),
    together(
        "ring",
        "0.4",
        template="mpi",
        image="mpi/cpu:1",
        command=["python", "/programs/with_mpi.py"],
        mpiArgs=MPI_ARGS,
        ssh=SSH,
        launcherCpu="100m",
        launcherMemory="1Gi",
    ),
)


@pytest.fixture(scope="module")
def running(programs: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tuning]:
    """The cluster with Katib and both operators."""
    or_skip(lambda: obtain("katib"))
    more = {
        "docker.io/library/alpine": LOOKUP,
        "torch/": images.torch(),
        "tensorflow/": images.image("tensorflow"),
        "mpi/": images.mpi(),
    }
    operators = {"training-operator": "{kinds: [PyTorchJob, TFJob]}", "mpi-operator": "{}"}
    with tuning(tmp_path_factory.mktemp("kinds"), programs, JOBS, operators=operators, more=more) as found:
        yield found


@pytest.fixture
def katib(running: Tuning, request: pytest.FixtureRequest) -> Tuning:
    """The shared cluster; its logs are shown when the test fails."""
    show_logs(request, running.bench.control_plane)
    return running


def measured(katib: Tuning, trial: Manifest) -> list[str]:
    """Pods of a trial that had a collector, without the name of the trial."""
    logs = (katib.bench.folder / "pods" / HOME).glob(f"{trial['metadata']['name']}-*/*/{COLLECTOR}.log")
    return sorted(each.parent.parent.name.removeprefix(trial["metadata"]["name"]) for each in logs)


def losses(katib: Tuning, trial: Manifest) -> list[float]:
    """What the collector saw of the loss of a trial."""
    return [float(each) for each in re.findall(r'"loss": ([0-9.e+-]+)', katib.collected(trial))]


def kept(trial: Manifest) -> dict[str, float]:
    """The least and the last loss that Katib has of a trial."""
    (metric,) = trial["status"]["observation"]["metrics"]
    return {key: float(metric[key]) for key in ("min", "latest")}


def checkpoints(katib: Tuning, search: str) -> list[str]:
    """Folders of trials that a search left on its volume."""
    claims = katib.bench.folder / "claims" / HOME
    return sorted(each.name for folder in claims.glob(f"{search}-trial-*/c") for each in folder.iterdir())


def test_a_search_of_pytorchjobs_finds_the_best_rate_and_counts_the_one_that_failed(katib: Tuning) -> None:
    status = katib.run("torch")

    trials = {each["spec"]["parameterAssignments"][0]["value"]: each for each in katib.trials("torch")}
    assert (status["trialsSucceeded"], status["trialsFailed"]) == (2, 1)
    assert condition(trials[WRONG], "Failed") == "True"
    assert status["currentOptimalTrial"]["bestTrialName"] == trials["0.4"]["metadata"]["name"]
    # Each trained from the beginning, in a folder of its own, and not on from what another had left.
    assert kept(trials["0.4"])["min"] < kept(trials["0.1"])["min"]
    assert all(max(losses(katib, trials[rate])) > 1 for rate in ("0.4", "0.1"))
    assert {*checkpoints(katib, "torch")} >= {trials[rate]["metadata"]["name"] for rate in ("0.4", "0.1")}
    assert all(measured(katib, each) == ["-master-0"] for each in trials.values())


@pytest.mark.parametrize(("name", "pod"), [("flow", r"-worker-0"), ("ring", r"-launcher-\w+")])
def test_a_trial_of_each_other_kind_trains_and_is_measured_at_its_first_pod(katib: Tuning, name: str, pod: str) -> None:
    status = katib.run(name)

    (trial,) = katib.trials(name)
    assert status["trialsSucceeded"] == 1
    assert kept(trial)["min"] < max(losses(katib, trial)) / 100
    (found,) = measured(katib, trial)
    assert re.fullmatch(pod, found)


def test_nothing_of_a_search_runs_on_after_its_end_and_no_program_lacked_a_right(katib: Tuning) -> None:
    home = f"/apis/apps/v1/namespaces/{HOME}/deployments"

    katib.bench.wait(lambda: not katib.bench.control_plane.api.get(home).body["items"], "the suggestion services go")
    assert katib.forbidden() == []
