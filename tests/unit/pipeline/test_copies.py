"""Groups of a fleet that copies of the process share: each is worked once, and the run is the same as in one process."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import orjson
import pytest

from platform_def.pipeline.fleet.inputs import Inputs

COUNTED = """
import json, os, sys, time
from platform_def.pipeline.build import forked
copies, here = [], os.getpid()

class Counted(forked.Forked):
    def __init__(self, work):
        super().__init__(work)
        copies.append(self)

forked.Forked = Counted
"""
HEAD = (
    COUNTED
    + """
from platform_def.pipeline.fleet.copies import shared_out

def work(number):
    time.sleep(0.01)
    return number * number, os.getpid()
"""
)
SHARED = (
    HEAD
    + """
found = list(shared_out(range(1, 40), work, work, jobs=int(sys.argv[1])))
print(json.dumps([sorted([number, each[0]] for number, each in found), sum(each[1] != here for _, each in found) > 0,
    len(copies), [each.poll() for each in copies]]))
"""
)
DIES = (
    HEAD
    + """
def dies(number):
    if number > 5:
        os._exit(3)
    return work(number)

found = list(shared_out(range(1, 40), work, dies, jobs=2))
print(json.dumps([sorted([number, each[0]] for number, each in found), len(copies)]))
"""
)
LEFT = (
    HEAD
    + """
rest = shared_out(range(1, 40), work, lambda number: time.sleep(60), jobs=3)
next(rest)
rest.close()
print(json.dumps([each.poll() for each in copies]))
"""
)
ALL = [[number, number * number] for number in range(1, 40)]


def said(program: str, *arguments: str, cwd: Path | None = None) -> Any:
    """What a program prints as JSON."""
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True, cwd=cwd
    )
    return json.loads(done.stdout.splitlines()[-1])


def test_every_group_is_worked_once_by_this_process_or_a_copy() -> None:
    assert said(SHARED, "3") == [ALL, True, 2, [-9, -9]]


def test_one_process_makes_no_copy() -> None:
    assert said(SHARED, "1") == [ALL, False, 0, []]


def test_there_are_never_more_than_eight_processes() -> None:
    assert said(SHARED, "64")[2] == 7


def test_what_a_copy_left_undone_is_worked_here() -> None:
    assert said(DIES) == [ALL, 1]


def test_copies_end_with_the_run_that_needs_no_more_of_them() -> None:
    assert said(LEFT) == [-9, -9]


FLEET = (
    COUNTED
    + """
from platform_def.cli.main import main
sys.argv = ["platformctl", "synth", *sys.argv[1:]]
try:
    main()
except SystemExit as error:
    print(json.dumps([error.code or 0, len(copies)]))
else:
    print(json.dumps([0, len(copies)]))
"""
)
UNREADABLE = """
import os
from platform_def.errors import PlatformError
from platform_def.pipeline.fleet import run
first = os.getpid()

def fails(*given, inner=run.render_loaded, **named):
    if os.getpid() != first:
        raise PlatformError("cannot read it")
    return inner(*given, **named)

run.render_loaded = fails
"""
"""What a copy alone cannot read."""
OBJECT = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: own}\ndata: {text: first}\n"
STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.36"}
teams: [{name: team}]
components: {own: {path: apps/own, namespace: own}}
"""
STACKS = 100


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    """A repository with more stacks than are worked together, of objects of the user's own."""
    (tmp_path / "stacks").mkdir()
    (tmp_path / "apps" / "own").mkdir(parents=True)
    (tmp_path / "apps" / "own" / "object.yaml").write_text(OBJECT)
    for number in range(STACKS):
        (tmp_path / "stacks" / f"edge-{number:03}.yaml").write_text(STACK)
    return tmp_path


def written(root: Path) -> dict[str, bytes]:
    out = root / "dist"
    return {str(each.relative_to(out)): each.read_bytes() for each in out.rglob("*") if each.is_file()}


def beside(root: Path) -> list[dict[str, str]]:
    """What the records say that stacks read beside stacks/ and overlays/."""
    (file,) = (root / ".platformctl").glob("stacks-*.json")
    return [each["beside"] for each in orjson.loads(file.read_bytes().rpartition(b"\n")[0])["stacks"].values()]


def test_copies_write_and_record_what_one_process_does(fleet: Path) -> None:
    assert said(FLEET, "--jobs", "2", cwd=fleet) == [0, 1]
    found, records = written(fleet), beside(fleet)
    assert said(FLEET, "--check", "--no-cache", "--jobs", "1", cwd=fleet) == [0, 0]

    assert len(found) > 4 * STACKS
    assert records == [{"apps/own": Inputs(fleet).of("apps/own")}] * STACKS
    # Nothing is left to do, and what has changed since is seen.
    assert said(FLEET, "--jobs", "2", cwd=fleet) == [0, 0]
    (fleet / "apps" / "own" / "object.yaml").write_text(OBJECT.replace("first", "second"))
    assert said(FLEET, "--jobs", "2", cwd=fleet) == [0, 1]
    assert sum(found[path] != content for path, content in written(fleet).items()) == 2 * STACKS


def test_what_is_wrong_in_one_group_is_told_as_by_one_process(fleet: Path) -> None:
    (fleet / "stacks" / "edge-077.yaml").write_text(STACK.replace("team}", "Team}"))

    def told(jobs: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", FLEET, "--jobs", jobs], capture_output=True, text=True, check=False, cwd=fleet
        )
        return done.stderr

    assert "stacks/edge-077.yaml" in told("2")
    assert told("2") == told("1")
    assert not (fleet / "dist").exists()


def test_what_a_copy_cannot_read_leads_to_one_run_of_all_and_no_traceback(fleet: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", UNREADABLE + FLEET, "--jobs", "2"], capture_output=True, text=True, check=True, cwd=fleet
    )

    assert "Traceback" not in done.stderr
    assert len(written(fleet)) > 4 * STACKS


def test_a_file_that_two_processes_read_differently_has_not_stayed(tmp_path: Path) -> None:
    file = tmp_path / "own.yaml"
    file.write_text("first")
    inputs, others = Inputs(tmp_path), Inputs(tmp_path)
    told = {"own.yaml": others.of("own.yaml")}
    file.write_text("second")
    inputs.take(["own.yaml"])
    inputs.known(told)

    assert not inputs.stayed("own.yaml")


def test_what_only_a_copy_has_read_is_compared_with_what_it_read(tmp_path: Path) -> None:
    file = tmp_path / "own.yaml"
    file.write_text("first")
    inputs = Inputs(tmp_path)
    inputs.known({"own.yaml": Inputs(tmp_path).of("own.yaml")})

    assert inputs.stayed("own.yaml")
    assert Inputs(tmp_path).of("own.yaml") == inputs.of("own.yaml")
