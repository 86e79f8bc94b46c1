"""Programs in Go that no registry of packages has, built from a checkout of upstream's repository, once, into the cache of tools.

An environment variable names the checkout, which must be at upstream's tag; nothing is written to it.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.cluster.tools import LeftOutError, MissingToolError, cache_folder, find_go, go_environment

FIXED = ("-mod=readonly", "-trimpath", "-buildvcs=false", "-ldflags=-s -w")


@dataclass(frozen=True)
class Checkout:
    """The repository of a product at the tag of a release, and what is built from it."""

    product: str
    release: str
    tag: str
    variable: str
    """Names the folder."""
    says: tuple[str, str]
    """A file that says which release it is, and a text that is in it."""
    packages: Mapping[str, str]
    """By the program's name."""
    cgo: bool = False
    """Whether they are built with a compiler of C."""

    def obtain(self) -> Mapping[str, Path]:
        """The programs, built when missing. LeftOutError where no checkout is named: no pin of ours could fetch one."""
        named = os.environ.get(self.variable)
        if not named:
            text = f"{self.product} {self.release} is in no Go module: name a checkout of its tag {self.tag} in {self.variable}"
            raise LeftOutError(text)
        checkout = Path(named).resolve()
        file, text = self.says
        if not (checkout / file).is_file() or text not in (checkout / file).read_text():
            raise MissingToolError(
                f"{self.variable} names {named}, which is no checkout of {self.product} {self.release}"
            )
        key = hashlib.sha256((checkout / "go.sum").read_bytes()).hexdigest()[:12]
        folder = cache_folder() / "-".join([*self.product.lower().split(), self.tag, key])
        if not folder.is_dir():
            self._build(checkout, folder)
        return {name: folder / name for name in self.packages}

    def _build(self, checkout: Path, folder: Path) -> None:
        arriving = folder.with_name(f"{folder.name}.arriving")
        environment = {**go_environment(), "CGO_ENABLED": str(int(self.cgo))}
        for name, package in self.packages.items():
            command = [str(find_go()), "build", *FIXED, "-o", str(arriving / name), package]
            done = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise MissingToolError(f"`{' '.join(command)}` failed: {done.stderr}")
        arriving.rename(folder)


METACONTROLLER = Checkout(
    "Metacontroller",
    "4.17.2",
    "v4.17.2",
    "PLATFORM_DEF_METACONTROLLER",
    ("deploy/helm/metacontroller/Chart.yaml", "appVersion: v4.17.2\n"),
    {"metacontroller": "./pkg/cmd/metacontroller"},
)
PIPELINES = Checkout(
    "Kubeflow Pipelines",
    "2.17.0",
    "2.17.0",
    "PLATFORM_DEF_PIPELINES",
    ("VERSION", "2.17.0"),
    {
        "apiserver": "./backend/src/apiserver",
        "persistence_agent": "./backend/src/agent/persistence",
        "controller": "./backend/src/crd/controller/scheduledworkflow",
    },
    cgo=True,  # SQLite's package has no types without, though no server of a stack uses it
)
