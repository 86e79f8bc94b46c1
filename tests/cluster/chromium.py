"""A real browser before a gateway: Debian's Chromium, without a screen, in the sandbox of the servers.

It is told what to do by `programs/hub/browse.py`, over a pipe and without a further package.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.cluster.control_plane import until
from tests.cluster.sandbox import Sandbox

CHROMIUM = shutil.which("chromium")
MISSING = "no Chromium: apt-get install --no-install-recommends chromium"
BROWSE = Path(__file__).parent / "programs" / "hub" / "browse.py"
SECONDS = 240
WIDTH, HEIGHT = 900, 760

Step = Mapping[str, object]
"""One of those that `browse.py` knows."""


def opens(url: str) -> Step:
    """Go to a page."""
    return {"open": url}


def true(expression: str) -> Step:
    """Wait until a JavaScript expression is true of the page; its value is told."""
    return {"true": expression}


def filled(form: Mapping[str, str]) -> Step:
    """Fill in the fields of a form, by selectors, once they are there, and send it."""
    fields = "".join(f"(({_found(each)}).value = {json.dumps(text)}) && " for each, text in form.items())
    last = _found(next(iter(form)))
    return true(f"{' && '.join(map(_found, form))} && {fields}(setTimeout(() => {last}.form.submit()), true)")


def clicked(selector: str) -> Step:
    """Click on something once it is there."""
    return true(f"{_found(selector)} && (setTimeout(() => {_found(selector)}.click()), true)")


def picture(path: Path, *, width: int = WIDTH, height: int = HEIGHT) -> Step:
    """Draw what is seen."""
    return {"picture": str(path), "width": width, "height": height}


def _found(selector: str) -> str:
    return f"document.querySelector({json.dumps(selector)})"


def browse(sandbox: Sandbox, folder: Path, steps: Sequence[Step], *, hosts: Mapping[str, str]) -> list[Any]:
    """What each `true` step came to; `hosts` says at which address names are, certificates of any authority are taken."""
    folder.mkdir()
    rules = ", ".join(f"MAP {name} {address}" for name, address in hosts.items())
    argv = [
        str(CHROMIUM), "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu",
        "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking", "--disable-component-update",
        "--ignore-certificate-errors", f"--host-resolver-rules={rules}", f"--user-data-dir={folder / 'profile'}",
        f"--window-size={WIDTH},{HEIGHT}", "--lang=en", "--hide-scrollbars",
    ]  # fmt: skip
    told, log = folder / "steps.json", folder / "chromium.log"
    told.write_text(json.dumps({"argv": argv, "seconds": SECONDS, "steps": steps}))
    name = f"chromium-{folder.name}"
    sandbox.start(
        name, [sys.executable, "-I", str(BROWSE), str(told)], log=log, env={"HOME": str(folder), "LANG": "C.UTF-8"}
    )
    until(lambda: name in sandbox.ended(), seconds=SECONDS + 60, what="the browser has gone through it", every=0.2)
    code, said = sandbox.stop(name), log.read_text(errors="replace")
    assert code == 0, said[-6000:]
    found: list[Any] = json.loads(said.splitlines()[-1])
    return found
