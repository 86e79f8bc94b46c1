"""Importing a component leaves the caller's process as it is: only what Node is given is filtered."""

from __future__ import annotations

import base64
import errno
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest
from jsii._kernel.types import LoadRequest, LoadResponse, StatsRequest, StatsResponse
from jsii.errors import JSIIError

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


ALONE = """
import json, sys
from pathlib import Path
from platform_def.components.catalogue import component
from platform_def.constructs import node, render
count = len(render(component("training-operator")).objects)
assert not node._Process.running
import cdk8s
cdk8s.App()
(running,) = node._Process.running
started = running._process.pid
below = Path(f"/proc/{started}/task/{started}/children").read_text().split()
words = Path(f"/proc/{started}/cmdline").read_text().split("\\0")
node.stop()
print(json.dumps({"below": below, "words": words, "objects": count, "code": running._process.poll()}))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc")
def test_one_node_runs_and_ends_when_it_is_told_to() -> None:
    said = json.loads(subprocess.run([sys.executable, "-c", ALONE], capture_output=True, check=True).stdout)

    assert said["below"] == []
    assert said["words"][0].endswith("node")
    assert any(word.endswith("lib/program.js") for word in said["words"])
    assert said["objects"] > 10
    assert said["code"] == 0


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc")
def test_a_jsii_whose_kernel_lies_elsewhere_is_run_as_it_is() -> None:
    head = "from pathlib import Path\nfrom platform_def.constructs import node\nnode._KERNEL = Path('none.js')\n"
    said = json.loads(subprocess.run([sys.executable, "-c", head + ALONE], capture_output=True, check=True).stdout)

    assert len(said["below"]) == 1
    assert (said["objects"] > 10, said["code"]) == (True, 0)


def test_what_node_prints_is_told_in_either_form(capsys: pytest.CaptureFixture[str]) -> None:
    hidden = json.dumps({"stderr": base64.b64encode(b"hidden\n").decode()}).encode()
    node.hand_on(io.BytesIO(b"plain\n" + hidden + b"\n{}\n3\n"))

    assert capsys.readouterr().err == "plain\nhidden\n{}\n3\n"


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
        bare().send(StatsRequest(), StatsResponse)


def test_no_room_for_temporary_files_is_not_the_fault_of_node(monkeypatch: pytest.MonkeyPatch) -> None:
    def unpack(_: object) -> str:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(THEIRS, "_jsii_runtime", unpack)
    monkeypatch.setattr(tempfile, "tempdir", "/scratch")

    with pytest.raises(ToolError, match=r"temporary files cannot be written in /scratch: No space.*\n.*TMPDIR"):
        bare().send(StatsRequest(), StatsResponse)


@pytest.mark.parametrize("error", [JSIIError("ENOSPC"), RuntimeError("ENOSPC: no space left on device, write")])
def test_a_cdk8s_that_cannot_be_unpacked_is_a_question_of_room(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def send(*_: object) -> None:
        raise error

    monkeypatch.setattr(THEIRS, "send", send)

    monkeypatch.setattr(THEIRS, "start", lambda _: None)
    mine = bare()
    mine.send(LoadRequest(name="cdk8s", version="2", tarball="x"), LoadResponse)

    with pytest.raises(ToolError, match=r"cannot be unpacked: ENOSPC.*\n  hint: is there room in"):
        mine.send(StatsRequest(), StatsResponse)


def test_cdk8s_is_not_kept_where_there_is_little_room(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert "JSII_RUNTIME_PACKAGE_CACHE_ROOT" in node._unpacked()

    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1 << 20))

    assert node._unpacked() == {"JSII_RUNTIME_PACKAGE_CACHE": "disabled"}


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
        running: ClassVar[list[Any]] = []
        loaded: ClassVar[list[LoadRequest]] = []

        def __init__(self) -> None:
            self._ctx_stack = ExitStack()

        def __del__(self) -> None:
            """Nothing runs."""

    return Bare()
