"""When a node is drained, a job's program hears of it and has the time that its job says, or has not, as the page says of its
launcher: what it says until its end is read as `kubectl logs --follow` reads it, through the real operator.

Real besides: torchrun of PyTorch 2.12 and 1.13, and what the kernel makes of a signal to the first process of a container.
Played: the program, which saves for longer than the 30 seconds that torchrun gives by itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.cluster import images
from tests.cluster.client import Manifest
from tests.cluster.frameworks import COMMON
from tests.cluster.job_bench import JobBench, job_bench
from tests.cluster.machines import LOOKUP, PLAIN

NEEDED = ("torchrun-2.12",)
SAVES = 34
"""Seconds, of the 60 that pods have."""
pytestmark = [
    pytest.mark.frameworks,
    pytest.mark.own_network,
    pytest.mark.skipif(bool(images.missing(NEEDED)), reason="make job-test makes the images"),
    pytest.mark.skipif(not images.DEBIAN_TORCH.exists(), reason="python3-torch of Debian is not installed"),
]
PROGRAM = ["python", "/programs/leaves.py"]
LEAVES: dict[str, Any] = {
    **COMMON,
    "retries": 3,
    "gracePeriodSeconds": 60,
    "command": PROGRAM,
    "env": {"SAVE_SECONDS": str(SAVES)},
}
PYTORCH = {**LEAVES, "template": "pytorch-ddp"}
TORCHRUN = {**PYTORCH, "gpusPerWorker": 2, "command": ["/programs/leaves.py"]}
ALONE = {**LEAVES, "template": "gpu-job", "image": "plain/python:3", "workers": 1}
WRAPPED = ["sh", "-c", "python /programs/leaves.py; echo over"]
PODS: Mapping[str, tuple[int, int]] = {
    "newer": (2, 2),
    "older": (2, 2),
    "direct": (2, 1),
    "alone": (1, 1),
    "wrapped": (1, 1),
}
"""How many pods a job has, and how many programs each of these."""
JOBS = (
    {**TORCHRUN, "name": "newer", "image": "newer/torch:2.12"},
    {**TORCHRUN, "name": "older", "image": "older/torch:1.13"},
    {**PYTORCH, "name": "direct", "image": "plain/python:3", "launcher": "none"},
    {**ALONE, "name": "alone"},
    {**ALONE, "name": "wrapped", "gracePeriodSeconds": 12, "command": WRAPPED},
)


@dataclass(frozen=True)
class Left:
    """What a pod said until it had left, and the one in its place since."""

    said: str
    after: str

    def words(self) -> list[list[str]]:
        """What each of its programs said, a word for each line."""
        ranks = sorted({line["rank"] for line in lines(self.said)})
        return [
            [next(iter({*line} - {"rank", "host"})) for line in lines(self.said) if line["rank"] == rank]
            for rank in ranks
        ]


def lines(log: str) -> list[Manifest]:
    """What programs say in a log, without what their launchers do."""
    return [json.loads(line) for line in log.splitlines() if line.startswith("{")]


def begun(log: str) -> int:
    """How many programs have begun, and been told nothing."""
    return sum("begins" in line for line in lines(log))


@pytest.fixture(scope="module")
def bench(programs: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[JobBench]:
    """The training operator."""
    known = {"newer/": images.torchrun("torchrun-2.12", "torchrun-2.12"), "older/": images.torch(), "plain/": PLAIN}
    known["docker.io/library/alpine"] = LOOKUP
    with job_bench(tmp_path_factory.mktemp("grace"), programs, JOBS, images=known) as found:
        yield found
        assert found.forbidden() == []


@pytest.fixture(scope="module")
def left(bench: JobBench) -> Mapping[str, Left]:
    """Of each job a node is drained, of all at once."""
    started = {name: bench.start(name) for name in PODS}
    with ThreadPoolExecutor(len(PODS)) as pool:
        found = pool.map(lambda name: drained(bench, started[name], *PODS[name]), PODS)
        return dict(zip(PODS, found, strict=True))


def drained(bench: JobBench, job: Manifest, pods: int, processes: int) -> Left:
    """The last of the job's pods goes once all programs run, and they begin again in another one."""

    def runs(pod: Manifest) -> bool:
        return begun(bench.log(pod)) == processes

    bench.wait(job, lambda: sum(map(runs, bench.pods(job))) == pods, "all programs have begun")
    before = sorted(bench.pods(job), key=lambda pod: str(pod["metadata"]["name"]))
    goes, known = before[-1], [pod["metadata"]["uid"] for pod in before]
    with ThreadPoolExecutor(1) as pool:
        said = pool.submit(bench.log, goes, follow=True)
        bench.evict(goes)
        log = said.result()
    later: list[Manifest] = []

    def again() -> bool:
        later[:] = [pod for pod in bench.pods(job) if pod["metadata"]["uid"] not in known and runs(pod)]
        return bool(later)

    bench.wait(job, again, "the programs begin in another pod")
    return Left(log, bench.log(later[0]))


SAVED = ["begins", "told", *["saving"] * SAVES, "saved"]


@pytest.mark.parametrize(("name", "processes"), [("newer", 2), ("direct", 1), ("alone", 1)])
def test_a_program_has_the_time_that_its_job_says_and_goes_on_from_what_it_saved_meanwhile(
    left: Mapping[str, Left], name: str, processes: int
) -> None:
    found = left[name]

    assert found.words() == [SAVED] * processes, found.said
    assert {line["told"] for line in lines(found.said) if "told" in line} == {"SIGTERM"}
    saved = {line["rank"]: line["saved"] for line in lines(found.said) if "saved" in line}
    assert {line["rank"]: line["begins"] for line in lines(found.after) if "begins" in line} == saved
    assert all(step > 0 for step in saved.values())


def test_torchrun_of_before_2_12_ends_it_after_30_seconds(left: Mapping[str, Left]) -> None:
    found = left["older"]

    for words in found.words():
        assert words[:2] == ["begins", "told"], found.said
        assert {*words[2:]} == {"saving"}
        assert SAVES - 6 <= words.count("saving") < SAVES
    assert {line["begins"] for line in lines(found.after) if "begins" in line} == {0}


def test_a_program_behind_a_shell_that_stays_hears_of_nothing(left: Mapping[str, Left]) -> None:
    assert left["wrapped"].words() == [["begins"]], left["wrapped"].said
