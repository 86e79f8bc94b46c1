"""Node as jsii starts it, made ours: the pinned one, in a session of its own, and with errors that a user understands.

jsii reads all this from the user's environment and has no other way in, so its process class is replaced by a subclass.
The result of a build depends on no variable, and those of the process that imports this stay as they are. Ctrl-C
reaches Python alone: a Node that died first would leave it with half an answer. It is started once it is asked
something: most builds do not (`pending.py`).
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any, ClassVar

from jsii import _reference_map
from jsii._kernel.providers import process
from jsii._kernel.types import CreateRequest, CreateResponse, KernelRequest, KernelResponse, LoadRequest, LoadResponse
from jsii.errors import JSIIError

from platform_def.constructs.pending import PendingTree
from platform_def.errors import ToolError
from platform_def.tools import node_path, temporary_files

_FOREIGN = ("JSII_", "NODE_")
_UNPACKED = Path("~/.cache/platform-def/jsii")
_KERNEL = Path("lib", "program.js")
"""What jsii's program starts, in the folder above its own."""
_TALKING = ("/bin/sh", "-c", 'exec "$@" 3<&0 </dev/null >&2', "sh")
"""Runs a program that is talked with through its descriptor 3, and prints on stderr alone: what the kernel expects."""
_ROOM_BYTES = 32 << 20
"""What cdk8s and constructs take unpacked, several times over."""


class _Shielded(subprocess.Popen[bytes]):
    """Node, with a folder for temporary files that exists, whatever TMPDIR says.

    jsii's program starts another Node with its kernel, and hands on whatever either says. The kernel is started alone
    where that can be: each of a thousand constructs is asked for through one process instead of two.
    """

    def __init__(self, command: Sequence[str], *, env: dict[str, str], **pipes: int):
        kept = {name: value for name, value in env.items() if not name.startswith(_FOREIGN)}
        ours = {"TMPDIR": tempfile.gettempdir(), "JSII_AGENT": env["JSII_AGENT"], **_unpacked()}
        how: dict[str, Any] = {"env": kept | ours, "start_new_session": True, **pipes}
        program, kernel = [str(node_path()), *command[1:-1]], Path(_Process.runtime).parent.parent / _KERNEL
        if not (kernel.is_file() and Path(_TALKING[0]).is_file()):
            super().__init__([*program, _Process.runtime], **how)
            return
        here, there = socket.socketpair()
        with here, there:
            how |= {"stdin": there.fileno(), "stdout": subprocess.DEVNULL}
            super().__init__([*_TALKING, *program, "--preserve-symlinks", str(kernel)], **how)
            self.stdin, self.stdout = open(os.dup(here.fileno()), "wb"), open(here.detach(), "rb")  # noqa: SIM115, PTH123


class _Process(process._NodeProcess):
    runtime: ClassVar[str] = ""
    """jsii's own program, unpacked, whatever JSII_RUNTIME says."""

    running: ClassVar[list[_Process]] = []
    loaded: ClassVar[list[LoadRequest]] = []
    """What it has loaded, or is to load first."""
    pending: ClassVar[PendingTree | None] = None
    """The constructs of the build that is under way."""
    up = False

    def _jsii_runtime(self) -> str:
        if self not in self.running or not Path(self.runtime).is_file():
            with temporary_files():
                _Process.runtime = str(super()._jsii_runtime())
        return self.runtime

    def start(self) -> None:
        """Nothing: jsii calls it as soon as cdk8s is imported."""

    def send(self, request: KernelRequest, response_type: type[KernelResponse]) -> KernelResponse:
        if isinstance(request, LoadRequest) and not self.up:
            self.loaded.append(request)
            return LoadResponse(assembly=request.name, types=0)
        if self.pending is not None and (answer := self.pending.take(request)):
            return answer
        if not self.up:
            self._start()
        if self.pending is not None and not self.pending.asked:
            self.pending.hand_over(self._create)
        answered = self._ask(request, response_type)
        if isinstance(request, LoadRequest):
            self.loaded.append(request)
        return answered

    def _start(self) -> None:
        try:
            super().start()  # type: ignore[no-untyped-call]
        except (OSError, ValueError, AssertionError) as error:
            why = "it gave no answer" if isinstance(error, ValueError) else error
            raise ToolError(f"Node, which cdk8s runs on, cannot be started: {why}") from None
        self.running[:] = [self]
        self.up = True
        for each in self.loaded:
            self._ask(each, LoadResponse)

    def _create(self, request: CreateRequest) -> CreateResponse:
        answer = self._ask(request, CreateResponse)
        assert isinstance(answer, CreateResponse), f"{request.fqn} calls back while it is made"
        return answer

    def _ask(self, request: KernelRequest, response_type: type[KernelResponse]) -> KernelResponse:
        try:
            return super().send(request, response_type)
        except (ConnectionError, ValueError) as error:
            if self._process.poll() is None:
                raise
            raise ToolError(f"Node, which cdk8s runs on, ended while it was at work: {error}") from None
        except (JSIIError, RuntimeError) as error:
            if not isinstance(request, LoadRequest):
                raise
            hint = f"is there room in {tempfile.gettempdir()} and in {_UNPACKED}? TMPDIR may name another folder"
            raise ToolError(f"cdk8s cannot be unpacked: {error}", hint=hint) from None

    def stop(self) -> None:
        """Also of a Node that never came up or is gone, and at once if Python, at its end, gets a Ctrl-C."""
        with suppress(AttributeError, OSError, KeyboardInterrupt):
            super().stop()
        self._ctx_stack.close()


_left: list[object] = []
"""What belongs to the Node of the process that this one is a copy of; never touched again."""


def leave() -> None:
    """Let go, in a copy of a process, of the Node that belongs to that one; the next question starts one of its own."""
    for node in _Process.running:
        _left.append((node._process, node.sink_thread, [*_reference_map._refs._refs.values()]))
        _reference_map._refs._refs.clear()
        node.up = False


def stop() -> None:
    """End Node before the process ends."""
    for node in _Process.running:
        if node.up:
            node.stop()


def take_over() -> None:
    """Let jsii start Node in our way from now on."""
    pipes: dict[str, Any] = {name: getattr(subprocess, name) for name in ("PIPE", "TimeoutExpired")}
    ours = SimpleNamespace(Popen=_Shielded, **pipes)
    vars(process).update(subprocess=ours, _NodeProcess=_Process, stderr_sink=hand_on)


def hand_on(reader: IO[bytes]) -> None:
    """Print on stderr what Node prints; jsii's program puts it into JSON."""
    for line in iter(reader.readline, b""):
        said = line
        with suppress(ValueError, KeyError, TypeError):
            told = json.loads(line)
            said = base64.b64decode(told["stderr"] if "stderr" in told else told["stdout"])
        with suppress(ValueError):  # stderr is closed at the end
            sys.stderr.write(said.decode(errors="replace"))


@contextmanager
def pending() -> Iterator[PendingTree]:
    """Let constructs that are made in here wait until Node is asked something; what it is not asked about is let go."""
    found = _Process.pending = PendingTree()
    try:
        yield found
    finally:
        _Process.pending = None


@contextmanager
def released() -> Iterator[None]:
    """Let go of the constructs that are made in here when it ends; what is still held elsewhere lives on.

    jsii never frees one of a process, as Node may still ask for it, and with a construct goes its manifest: a fleet's
    builds would fill the memory.
    """
    known = _reference_map._refs._refs
    before = len(known)
    try:
        yield
    finally:
        for each in list(known)[before:]:
            del known[each]


def _unpacked() -> dict[str, str]:
    """Let jsii keep cdk8s unpacked in the user's cache folder; it fails where it cannot, so there it must not try."""
    with suppress(OSError, RuntimeError):
        folder = _UNPACKED.expanduser()
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK | os.X_OK) and shutil.disk_usage(folder).free >= _ROOM_BYTES:
            return {"JSII_RUNTIME_PACKAGE_CACHE_ROOT": str(folder)}
    return {"JSII_RUNTIME_PACKAGE_CACHE": "disabled"}
