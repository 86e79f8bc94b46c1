"""Offline inference: shards are dealt out, each result is written once, and a pod that was killed goes on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from platform_def.capabilities import JobQueue
from platform_def.config.capability import Provision
from platform_def.config.teams import Team
from platform_def.jobs.plain import shard_runner
from tests.unit.jobs.platforms import PLATFORM, container, job, problems

SAID: dict[str, Any] = {
    "command": ["infer", "{input}", "{output}"],
    "input": "/data/in",
    "dataset": {"claim": "data"},
    "output": {"claim": "results"},
}
COUNTING = 'import sys; open(sys.argv[2], "w").write(open(sys.argv[1]).read().upper())'
"""A program that is run for each shard."""
STAYING = """
import json, sys
for line in sys.stdin:
    shard = json.loads(line)
    open(shard["output"], "w").write(open(shard["input"]).read().upper())
    print("done", flush=True)
"""
"""A program that loads its model once."""
SLOW = 'import sys, time; open(sys.argv[2], "w").write("half"); time.sleep(60)'


def settings(folder: Path, **more: Any) -> str:
    content = {"input": f"{folder}/in", "pattern": "*.txt", "rows": 0, "results": f"{folder}/out", "suffix": ".out"}
    return json.dumps(content | more)


def started(folder: Path, program: list[str], index: int = 0, parts: int = 1, **more: Any) -> subprocess.Popen[str]:
    environment = {**os.environ, "JOB_COMPLETION_INDEX": str(index), "PARTS": str(parts)}
    command = [sys.executable, "-c", Path(shard_runner.__file__).read_text(), settings(folder, **more), *program]
    return subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True, start_new_session=True)


def ran(folder: Path, program: list[str], index: int = 0, parts: int = 1, **more: Any) -> str:
    process = started(folder, program, index, parts, **more)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    return errors


def each(program: str) -> list[str]:
    return [sys.executable, "-c", program, "{input}", "{output}"]


def filled(folder: Path, *names: str, text: str = "") -> None:
    for name in names:
        (folder / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "in" / name).write_text(text or name)


def results(folder: Path) -> dict[str, str]:
    out = folder / "out"
    return {path.relative_to(out).as_posix(): path.read_text() for path in out.rglob("*") if path.is_file()}


def test_parts_have_every_file_once(tmp_path: Path) -> None:
    filled(tmp_path, "a.txt", "b.txt", "c.txt", "deep/d.txt", "other.csv")

    for index in range(3):
        ran(tmp_path, each(COUNTING), index, 3)

    assert results(tmp_path) == {
        "a.txt.out": "A.TXT",
        "b.txt.out": "B.TXT",
        "c.txt.out": "C.TXT",
        "deep/d.txt.out": "DEEP/D.TXT",
    }


def test_a_file_of_rows_is_cut_and_every_row_is_there_once(tmp_path: Path) -> None:
    filled(tmp_path, "a.txt", text="".join(f"row {number}\n" for number in range(10)))

    for index in range(2):
        ran(tmp_path, each(COUNTING), index, 2, rows=4)

    made = results(tmp_path)
    assert sorted(made) == ["a.txt.000000.out", "a.txt.000001.out", "a.txt.000002.out"]
    rows = "".join(made[name] for name in sorted(made)).splitlines()
    assert rows == [f"ROW {number}" for number in range(10)]


def test_a_program_that_stays_is_told_of_each_shard(tmp_path: Path) -> None:
    filled(tmp_path, "a.txt", "b.txt")

    report = ran(tmp_path, [sys.executable, "-c", STAYING])

    assert results(tmp_path) == {"a.txt.out": "A.TXT", "b.txt.out": "B.TXT"}
    assert "2 results made, 0 were there" in report


def test_a_pod_that_was_killed_leaves_no_half_result_and_goes_on(tmp_path: Path) -> None:
    filled(tmp_path, "a.txt", "b.txt")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a.txt.out").write_text("A.TXT")
    killed = started(tmp_path, each(SLOW))
    half = tmp_path / "out" / ".b.txt.out.part"
    for _ in range(600):
        if half.exists() and half.read_text():
            break
        time.sleep(0.05)
    os.killpg(killed.pid, signal.SIGKILL)  # as the kubelet ends all of a container
    killed.communicate()

    assert "b.txt.out" not in results(tmp_path)
    report = ran(tmp_path, each(COUNTING))

    assert results(tmp_path) == {"a.txt.out": "A.TXT", "b.txt.out": "B.TXT"}
    assert "1 results made, 1 were there" in report


@pytest.mark.parametrize("program", [["false", "{input}", "{output}"], ["false"]], ids=["each", "stays"])
def test_a_program_that_fails_fails_its_part(program: list[str], tmp_path: Path) -> None:
    filled(tmp_path, "a.txt")

    process = started(tmp_path, program)
    process.communicate(timeout=60)

    assert process.returncode != 0
    assert results(tmp_path) == {}


def test_each_part_is_tried_by_itself_and_knows_how_many_there_are() -> None:
    spec = job("offline-inference", **SAID, parts=100, workers=4, retries=5)["spec"]

    assert (spec["completionMode"], spec["completions"], spec["parallelism"]) == ("Indexed", 100, 4)
    assert spec["backoffLimitPerIndex"] == 5
    found = container(job("offline-inference", **SAID, parts=100))
    assert {"name": "PARTS", "value": "100"} in found["env"]
    assert json.loads(found["command"][3])["input"] == "/data/in"
    assert found["command"][4:] == SAID["command"]


def test_it_waits_in_the_queue_of_its_team() -> None:
    queue = JobQueue(implementation="kueue", label="kueue.x-k8s.io/queue-name", kinds=["Job.batch"])
    team = Team(name="vision", pod_security="privileged", queue="vision")
    facts = PLATFORM.with_facts(teams=(team,), provisions=(Provision.of(queue, "kueue"),))

    assert "kueue.x-k8s.io/queue-name" in job("offline-inference", facts, **SAID, team="vision")["metadata"]["labels"]


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"input": "/elsewhere"}, "input"),
        ({"results": "/tmp/results"}, "results"),
        ({"results": "/data/in/results"}, "results"),
        ({"input": "/datasets/faces"}, "input"),
    ],
)
def test_folders_that_no_volume_holds_are_refused(values: dict[str, Any], field: str) -> None:
    assert [name for name, _ in problems("offline-inference", **{**SAID, **values})] == [field]
