"""Metacontroller, built from a checkout.

The proxy of Go modules does not have its module: $PLATFORM_DEF_METACONTROLLER names a checkout of upstream's repository
at the tag of the release that is offered first.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path

from tests.cluster.tools import LeftOutError, MissingToolError, cache_folder, find_go, go_environment

CHECKOUT, RELEASE, NAME = "PLATFORM_DEF_METACONTROLLER", "4.17.2", "metacontroller"
CHART = "deploy/helm/metacontroller/Chart.yaml"


def obtain_metacontroller() -> Path:
    """The program, built when missing. LeftOutError where no checkout is named."""
    named = os.environ.get(CHECKOUT)
    if not named:
        text = f"Metacontroller {RELEASE} is in no Go module: name a checkout of its tag v{RELEASE} in {CHECKOUT}"
        raise LeftOutError(text)
    checkout = Path(named).resolve()
    said = checkout / CHART
    if not said.is_file() or f"appVersion: v{RELEASE}\n" not in said.read_text():
        raise MissingToolError(f"{CHECKOUT} names {named}, which is no checkout of Metacontroller {RELEASE}")
    key = hashlib.sha256((checkout / "go.sum").read_bytes()).hexdigest()[:12]
    folder = cache_folder() / f"{NAME}-v{RELEASE}-{key}"
    if not folder.is_dir():
        _build(checkout, folder)
    return folder / NAME


def _build(checkout: Path, folder: Path) -> None:
    arriving = folder.with_suffix(".arriving")
    fixed = ["-mod=readonly", "-trimpath", "-buildvcs=false", "-ldflags=-s -w"]
    command = [str(find_go()), "build", *fixed, "-o", str(arriving / NAME), "./pkg/cmd/metacontroller"]
    done = subprocess.run(command, cwd=checkout, env=go_environment(), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise MissingToolError(f"`{' '.join(command)}` failed: {done.stderr}")
    arriving.rename(folder)
