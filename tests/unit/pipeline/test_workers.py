"""Builds in processes beside this one: what becomes of a task whose process ends."""

from __future__ import annotations

import subprocess
from queue import SimpleQueue

import orjson
import pytest

from platform_def.config.platform import Platform
from platform_def.errors import ToolError
from platform_def.pipeline.build.task import Result, Task, result_of
from platform_def.pipeline.build.workers import BuildError, _feed

TASK = Task("component", "keda", "keda", {}, Platform())


def told(script: str) -> Exception:
    """What comes of one task that a shell takes."""
    todo: SimpleQueue[str] = SimpleQueue()
    done: SimpleQueue[tuple[str, Result | BuildError] | ToolError] = SimpleQueue()
    todo.put("keda")
    with subprocess.Popen(["/bin/sh", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        _feed(process, {"keda": TASK}, todo, done)
        found = done.get_nowait()
    said = found[1] if isinstance(found, tuple) else found
    assert isinstance(said, Exception)
    return said


@pytest.mark.parametrize(
    ("script", "how"), [("read line; kill -9 $$", "by signal 9"), ("read line; exit 3", "with exit code 3")]
)
def test_a_process_that_ends_is_told_with_how_and_of_what(script: str, how: str) -> None:
    error = told(script)

    assert isinstance(error, BuildError)
    assert error.task == "keda"
    assert str(error.error) == (
        f"error: the process that built it ended {how}\n  hint: run again with --jobs 1 to see why"
    )


def test_a_missing_tool_is_no_fault_of_what_is_built() -> None:
    problem: dict[str, object] = {"text": "no room", "where": None, "hint": "", "at": [], "trace": ""}
    answer = orjson.dumps({"problems": [problem], "tool": True})

    with pytest.raises(ToolError, match="no room"):
        result_of(answer)
    assert isinstance(told(f"read line; echo '{answer.decode()}'"), ToolError)
