"""Has kustomize build an overlay over the objects that it touches; where it refuses, finds the patch and its line."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from platform_def.errors import ConfigError, Problem
from platform_def.manifests.rendered import Manifest, RenderedObject
from platform_def.pipeline.kustomize import kustomization
from platform_def.pipeline.kustomize.kustomization import Kustomization
from platform_def.pipeline.overlays.places import place_of_step, pointer_steps
from platform_def.tools import temporary_files
from platform_def.yaml import Node, dump, dump_all

_POINTER = re.compile(r"""(?<![^\s"'])/[^\s:"']+""")
"""A JSON pointer in what kustomize says of a patch."""


def build(found: Kustomization, shown: str, objects: Sequence[RenderedObject]) -> str:
    """The objects after the overlay, and what it adds; ConfigError with the line of the first patch that is refused."""
    with temporary_files(), tempfile.TemporaryDirectory(prefix="platform-def-") as temporary:
        folder = Path(temporary)
        shutil.copytree(found.folder, folder / "overlay")
        _lay_out(folder, objects)
        try:
            return kustomization.build(folder, shown=shown)
        except ConfigError as error:
            patch = _refused(found, folder, shown)
            if patch is None:
                raise
            raise ConfigError(_at_its_line(found, patch, problem) for problem in error.problems) from None


def _lay_out(folder: Path, objects: Sequence[RenderedObject]) -> None:
    kustomize: Manifest = {
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
        "components": ["overlay"],
    }
    if objects:
        (folder / "objects.yaml").write_text(dump_all([item.manifest for item in objects]), encoding="utf-8")
        kustomize["resources"] = ["objects.yaml"]
    (folder / "kustomization.yaml").write_text(dump(kustomize), encoding="utf-8")


def _refused(found: Kustomization, folder: Path, shown: str) -> Node | None:
    """The first patch that kustomize refuses; None where it refuses something else."""
    patches = found.items("patches")
    overlay = {"apiVersion": "kustomize.config.k8s.io/v1alpha1", "kind": "Component"}
    for count, patch in enumerate(patches, 1):
        body = {**overlay, "patches": [each.plain() for each in patches[:count]]}
        (folder / "overlay" / found.path.name).write_text(dump(body), encoding="utf-8")
        try:
            kustomization.build(folder, shown=shown)
        except ConfigError:
            return patch
    return None


def _at_its_line(found: Kustomization, patch: Node, problem: Problem) -> Problem:
    pointers = [pointer_steps(each) for each in _POINTER.findall(problem.text)]
    places = [place_of_step(found, patch, steps) for steps in pointers]
    best = max(places, key=lambda each: each[0], default=(0, found.source(patch)))
    return Problem(problem.text, best[1], problem.hint)
