"""The CRDs of Argo CD and Flux, whose objects stand in `_delivery/`: read from their own Go modules, pinned by hash.

They are test data that this repository does not hold: the module proxy's client brings them into its own cache.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from platform_def.yaml import load_all
from tests.cluster.client import Manifest
from tests.cluster.tools import LOCAL, MissingToolError, find_go, go_environment


@dataclass(frozen=True)
class ModuleFolder:
    """A folder of YAML in a Go module; `sum` is what go.sum would say of the module."""

    module: str
    version: str
    sum: str
    folder: str
    toolchain: str = LOCAL
    """The release of Go that the module asks for."""


ENGINES = (
    ModuleFolder(
        "github.com/argoproj/argo-cd/v3",
        "v3.6.1",
        "h1:OmhqeKiR3C//awbFrhQqFdtRI+Qiv17j8vqm3UkMj/g=",
        "manifests/crds",
        toolchain="go1.27.0",
    ),
    ModuleFolder(
        "github.com/fluxcd/kustomize-controller",
        "v1.9.4",
        "h1:VBnBMhnemqnE5Zca2AoG2gC4472MoiTmk9rdqvLoMcY=",
        "config/crd/bases",
    ),
    ModuleFolder(
        "github.com/fluxcd/source-controller",
        "v1.9.1",
        "h1:FF8XTxLND/pXzVtUESKURUDiItFJQDZBZkbHvZimN8s=",
        "config/crd/bases",
    ),
)
NAMESPACES = ("argocd", "flux-system")
"""Made by whoever installs the engine, so no stack brings them."""


def engine_crds() -> list[Manifest]:
    """The CRDs of both engines; MissingToolError without Go or when a module is not what was pinned."""
    go = find_go()
    return [crd for source in ENGINES for crd in _crds(_downloaded(go, source) / source.folder)]


def _crds(folder: Path) -> list[Manifest]:
    found = [
        document for file in sorted(folder.glob("*.yaml")) for document in load_all(file.read_bytes(), file=str(file))
    ]
    return [item for item in found if isinstance(item, dict) and item.get("kind") == "CustomResourceDefinition"]


def _downloaded(go: Path, source: ModuleFolder) -> Path:
    command = [str(go), "mod", "download", "-json", f"{source.module}@{source.version}"]
    with tempfile.TemporaryDirectory(prefix="platform-def-go-") as outside_any_module:
        done = subprocess.run(
            command,
            cwd=outside_any_module,
            env=go_environment(source.toolchain),
            capture_output=True,
            text=True,
            check=False,
        )
    answer = json.loads(done.stdout or "{}")
    if done.returncode != 0:
        raise MissingToolError(f"{source.module} {source.version}: {answer.get('Error', done.stderr)}")
    if answer["Sum"] != source.sum:
        raise MissingToolError(f"{source.module} {source.version} is not what was pinned: {answer['Sum']}")
    return Path(answer["Dir"])
