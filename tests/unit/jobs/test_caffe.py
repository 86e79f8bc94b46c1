"""Caffe: where it begins, and what becomes of a snapshot when its pod must leave."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from platform_def.jobs.plain.caffe import SCRIPT
from tests.unit.jobs.platforms import MINIMAL, container, job, problems, variables

SAID = MINIMAL["caffe"]
SAYS = 'echo "$*" > said'


def ran(folder: Path, program: str, **variables: str) -> subprocess.Popen[bytes]:
    command = ["sh", "-c", SCRIPT, "caffe", "sh", "-c", program, "caffe", "train"]
    # A shell cannot trap what was ignored when it began, as SIGHUP is below nohup and never in a pod.
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    try:
        return subprocess.Popen(command, env={**os.environ, **variables}, cwd=folder, start_new_session=True)
    finally:
        signal.signal(signal.SIGHUP, before)


def test_it_trains_on_all_gpus_of_its_pod() -> None:
    words = container(job("caffe", **SAID, gpusPerWorker=4))["command"]

    assert words[3:] == [
        "caffe",
        "caffe",
        "train",
        "--solver=/data/solver.prototxt",
        "--sighup_effect=stop",
        "--gpu=all",
    ]


def test_without_gpus_it_trains_on_the_processor() -> None:
    assert "--gpu=all" not in container(job("caffe", **SAID, gpusPerWorker=0))["command"]


def test_weights_are_told_to_the_one_who_knows_whether_there_is_a_snapshot() -> None:
    made = container(job("caffe", **SAID, weights="/data/bvlc.caffemodel"))

    assert variables(made)["WEIGHTS"] == "/data/bvlc.caffemodel"
    assert not any("weights=" in word for word in made["command"][3:])


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ([], "train --weights=/w"),
        (["a_iter_100.solverstate", "a_iter_200.solverstate", "a_iter_200.caffemodel"], "a_iter_200.solverstate"),
        (["a_iter_100.solverstate.h5"], "a_iter_100.solverstate.h5"),
    ],
)
def test_the_newest_snapshot_goes_before_weights(tmp_path: Path, files: list[str], said: str) -> None:
    folder = tmp_path / "snapshots"
    folder.mkdir()
    for age, name in enumerate(reversed(files)):
        (folder / name).touch()
        os.utime(folder / name, (1_000_000 - age, 1_000_000 - age))

    assert ran(tmp_path, SAYS, CHECKPOINT_DIR=str(folder), WEIGHTS="/w").wait(10) == 0
    found = (tmp_path / "said").read_text()
    assert said in found
    assert ("--weights" in found) == (not files)


def test_it_ends_as_caffe_does(tmp_path: Path) -> None:
    assert ran(tmp_path, "exit 3").wait(10) == 3


def test_a_pod_that_must_leave_has_not_finished_though_caffe_stops_well(tmp_path: Path) -> None:
    # A shell loses a signal that meets what it has just forked: this one forks nothing once it is ready.
    process = ran(tmp_path, "sleep 60 & trap 'kill $!; : > saved; exit 0' HUP; : > ready; wait")
    until = time.monotonic() + 10
    while not (tmp_path / "ready").exists() and time.monotonic() < until:
        os.sched_yield()
    process.terminate()

    assert process.wait(10) == 143
    assert (tmp_path / "saved").exists()


def test_rdma_is_refused() -> None:
    assert ("rdma", "Caffe trains in one pod, and exchanges nothing with others; leave it out") in problems(
        "caffe", **SAID, pool="train", team="vision", rdma=True
    )
