"""What a text of platformctl tells a person to type, typed: by a real shell, with the real kubectl."""

from __future__ import annotations

import os
import shlex
import sys
from itertools import count
from pathlib import Path

from tests.cluster.control_plane import ControlPlane, until
from tests.cluster.controllers import kubeconfig

BIN = Path(sys.executable).parent
_NUMBERS = count(1)


def run(control_plane: ControlPlane, commands: list[str], *, folder: Path, seconds: float = 120) -> str:
    """Run commands in a folder, one after the other, in that time; what they print. AssertionError with that when one fails."""
    assert commands, "there is nothing to run"
    name = f"shell-{next(_NUMBERS)}"
    log = control_plane.folder / f"{name}.log"
    script = "\n".join(["set -eu -o pipefail", f"cd {shlex.quote(str(folder))}", *commands])
    path = os.pathsep.join((str(BIN), os.environ["PATH"]))
    env = {"KUBECONFIG": str(kubeconfig(control_plane)), "PATH": path, "HOME": str(control_plane.folder)}
    control_plane.sandbox.start(name, ["bash", "-c", script], log=log, env=env)
    until(lambda: name in control_plane.sandbox.ended(), seconds=seconds, what="the commands end")
    code = control_plane.sandbox.stop(name)
    told = log.read_text()
    assert code == 0, f"{chr(10).join(commands)}\nended with {code}:\n{told}"
    return told


def kubectl_lines(text: str) -> list[str]:
    """The commands of a text: its lines that begin with kubectl."""
    return [line.strip() for line in text.splitlines() if line.strip().startswith("kubectl ")]


def second_step(text: str) -> list[str]:
    """The commands of a bootstrap text by which the repository is handed over."""
    return kubectl_lines(text[text.index("\n2. ") : text.index("\nFrom here on")])
