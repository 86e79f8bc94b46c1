"""Builds in processes beside this one: what becomes of a task whose process ends."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from queue import SimpleQueue
from typing import Any

import orjson
import pytest

from platform_def.config.platform import Platform
from platform_def.errors import Problem, Source, ToolError
from platform_def.pipeline.build import task
from platform_def.pipeline.build.task import Failure, Result, Task, result_of
from platform_def.pipeline.build.workers import FEW, Workers, _feed

TASK = Task("component", "keda", "keda", {}, Platform())


def told(script: str) -> Result | Failure | ToolError:
    """What comes of one task that a shell takes."""
    todo: SimpleQueue[str] = SimpleQueue()
    done: SimpleQueue[tuple[str, Result | Failure] | ToolError] = SimpleQueue()
    todo.put("keda")
    with subprocess.Popen(["/bin/sh", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        _feed(process, {"keda": TASK}, todo, done)
        found = done.get_nowait()
    return found[1] if isinstance(found, tuple) else found


@pytest.mark.parametrize(
    ("script", "how"), [("read line; kill -9 $$", "by signal 9"), ("read line; exit 3", "with exit code 3")]
)
def test_a_process_that_ends_is_told_with_how_and_of_what(script: str, how: str) -> None:
    failure = told(script)

    assert isinstance(failure, Failure)
    assert failure.reads == ()
    assert [str(each) for each in failure.problems] == [
        f"error: the process that built it ended {how}\n  hint: run again with --jobs 1 to see why"
    ]


def test_another_process_takes_the_place_of_one_that_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[bytes]] = []
    process = subprocess.Popen
    answer = orjson.dumps(Failure(()).to_json()).decode()

    def shell(_: object, **options: Any) -> subprocess.Popen[bytes]:
        started.append(process(["/bin/sh", "-c", f"while read line; do echo '{answer}'; done"], **options))
        return started[-1]

    monkeypatch.setattr("platform_def.pipeline.build.workers.run", lambda _: Failure(()))
    monkeypatch.setattr("platform_def.pipeline.build.forked.possible", lambda: False)
    monkeypatch.setattr("platform_def.pipeline.build.workers.subprocess.Popen", shell)
    with Workers(2) as both:
        for _ in range(2):
            found = [result for _, result in both.perform(dict.fromkeys(range(FEW), TASK))]
            started[-1].kill()
            started[-1].wait()

            assert found == [Failure(())] * FEW

    assert len(started) == 2


def test_a_missing_tool_is_no_fault_of_what_is_built() -> None:
    answer = orjson.dumps({"tool": Failure((Problem("no room"),)).to_json()})

    with pytest.raises(ToolError, match="no room"):
        result_of(answer)
    assert isinstance(told(f"read line; echo '{answer.decode()}'"), ToolError)


def test_what_had_been_read_by_then_comes_with_a_failure() -> None:
    problem = Problem("no", Source("a.yaml", 3), "do", ("teams", 0))
    failure = Failure((problem,), ("teams",))

    assert result_of(orjson.dumps(failure.to_json())) == failure


def test_code_that_fails_on_a_stack_that_is_wrong_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> Result:
        raise KeyError("no such pool")

    monkeypatch.setattr(task, "_build", fails)

    with pytest.raises(KeyError):
        task.run(TASK)
    assert task.run(replace(TASK, tentative=True)) == Failure(())
    assert Task.from_json(replace(TASK, tentative=True, watched={"a": "b"}).to_json()).tentative
