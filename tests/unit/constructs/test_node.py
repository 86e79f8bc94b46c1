"""Importing a component leaves the caller's process as it is: only what Node is given is filtered."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import ExitStack
from typing import Any

import pytest

from platform_def.constructs import node
from platform_def.errors import ToolError

THEIRS = node._Process.__mro__[1]
"""The class of jsii's that ours stands for."""

PROGRAM = """
import json, os
before = dict(os.environ)
import cdk8s
from platform_def.components.catalogue import component
from platform_def.constructs import render
count = len(render(component("training-operator")).objects)
print(json.dumps({"same": dict(os.environ) == before, "name": os.environ["NODE_NAME"], "objects": count}))
"""


def test_variables_of_the_process_stay_and_do_not_reach_node() -> None:
    foreign = {
        "NODE_NAME": "worker-1",
        "NODE_OPTIONS": "--no-such-option",
        "JSII_RUNTIME": "/nowhere",
        "JSII_NODE": "/no",
    }
    program = PROGRAM.replace("import cdk8s\n", "")
    done = subprocess.run(
        [sys.executable, "-c", program], env=os.environ | foreign, capture_output=True, text=True, check=True
    )
    said = json.loads(done.stdout)

    assert said["same"]
    assert said["name"] == "worker-1"
    assert said["objects"] > 10


def test_node_gets_none_of_the_users_own_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, Any] = {}
    monkeypatch.setattr(subprocess.Popen, "__init__", lambda _, program, **how: given.update(how, program=program))
    monkeypatch.setattr(node._Process, "runtime", "/ours.js")

    theirs = {"JSII_AGENT": "Python", "JSII_DEBUG": "1", "NODE_OPTIONS": "--x", "PATH": "/bin", "TMPDIR": "/no/such"}
    node._Shielded(["node", "--stack-size=1", "/theirs.js"], env=theirs, stdin=1)

    assert given["program"][1:] == ["--stack-size=1", "/ours.js"]
    assert (given["start_new_session"], given["stdin"]) == (True, 1)
    assert given["env"]["PATH"] == "/bin"
    assert given["env"]["TMPDIR"] != "/no/such"
    assert given["env"]["JSII_AGENT"] == "Python"
    assert {"JSII_DEBUG", "NODE_OPTIONS"}.isdisjoint(given["env"])


@pytest.mark.parametrize(
    ("error", "why"), [(ValueError("json"), "it gave no answer"), (OSError("no memory"), "no memory")]
)
def test_a_node_that_does_not_start_is_told_with_the_reason(
    monkeypatch: pytest.MonkeyPatch, error: Exception, why: str
) -> None:
    def start(_: object) -> None:
        raise error

    monkeypatch.setattr(THEIRS, "start", start)

    with pytest.raises(ToolError, match=f"cannot be started: {why}"):
        bare().start()


@pytest.mark.parametrize("error", [AttributeError, OSError, KeyboardInterrupt])
def test_a_node_that_is_gone_is_left_alone(monkeypatch: pytest.MonkeyPatch, error: type[BaseException]) -> None:
    closed: list[str] = []

    def stop(_: object) -> None:
        raise error

    monkeypatch.setattr(THEIRS, "stop", stop)
    mine = bare()
    mine._ctx_stack.callback(closed.append, "unpacked")
    mine.stop()

    assert closed == ["unpacked"]


def bare() -> Any:
    """A process that was never started."""

    class Bare(node._Process):
        def __init__(self) -> None:
            self._ctx_stack = ExitStack()

        def __del__(self) -> None:
            """Nothing runs."""

    return Bare()
