"""ChainerJobs: what the Chainer operator needs, and what it would make no pods of."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from platform_def.constructs.render import render
from platform_def.jobs.kubeflow.chainer import Chainer, ChainerConfig
from tests.unit.jobs.platforms import MINIMAL, PLATFORM, container, job, pod, problems, variables

SAID = MINIMAL["chainer"]
SEVERAL = {**SAID, "workers": 3, "gpusPerWorker": 4}


def made(**said: Any) -> dict[str, Any]:
    return job("chainer", PLATFORM, **said)


def test_one_pod_runs_the_program_itself() -> None:
    spec = made(**SAID)["spec"]

    assert set(spec) == {"master"}
    assert container({"kind": "ChainerJob", "spec": spec})["command"] == SAID["command"]


def test_the_master_starts_a_process_for_each_gpu_of_all_pods() -> None:
    manifest = made(**SEVERAL, mpiArgs=["--mca", "mpi_cuda_support", "0"])
    spec = manifest["spec"]

    assert spec["backend"] == "mpi"
    assert (spec["master"]["mpiConfig"], spec["workerSets"]["more"]["mpiConfig"]) == ({"slots": 4}, {"slots": 4})
    assert spec["workerSets"]["more"]["replicas"] == 2
    starts = ["mpiexec", "-n", "12", "--allow-run-as-root", "--mca", "mpi_cuda_support", "0", *SAID["command"]]
    assert container(manifest, "Master")["command"] == starts
    assert {container(manifest, role)["name"] for role in ("Master", "more")} == {"chainer"}


def test_workers_say_nothing_that_a_stateful_set_refuses() -> None:
    worker = pod(made(**SEVERAL), "more")

    assert "activeDeadlineSeconds" not in worker
    assert "restartPolicy" not in worker


def test_pods_reach_each_other_by_the_token_of_their_account_only_where_there_are_several() -> None:
    assert pod(made(**SAID))["automountServiceAccountToken"] is False
    assert "automountServiceAccountToken" not in pod(made(**SEVERAL), "Master")
    assert "automountServiceAccountToken" not in pod(made(**SEVERAL), "more")


def test_names_of_workers_fit_into_their_labels() -> None:
    said = {"template": "chainer", "image": "a/b:1", **SEVERAL}
    config = ChainerConfig.from_file({**said, "name": "n" * 28})
    (found,) = render(lambda scope: Chainer(scope, config=config, platform=PLATFORM)).objects
    longest = found.manifest["metadata"]["name"]

    # A StatefulSet adds a dash and up to ten characters, and labels hold 63.
    assert len(f"{longest}-workerset-more") + 11 <= 63
    with pytest.raises(ValidationError, match="at most 28"):
        ChainerConfig.from_file({**said, "name": "n" * 29})


def test_what_the_operator_decides_is_refused() -> None:
    found = problems("chainer", **SAID, serviceAccount="own", mpiArgs=["--display-map"])

    assert [field for field, _ in found] == ["serviceAccount", "mpiArgs"]


def test_variables_reach_what_mpiexec_starts_in_workers() -> None:
    assert variables(container(made(**SEVERAL, env={"SEED": "1"}), "more"))["SEED"] == "1"
