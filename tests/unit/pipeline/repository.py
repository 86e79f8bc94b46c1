"""A small platform repository for tests, and the synthesis of it without a cache."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

from platform_def.errors import ConfigError, PlatformError, Problem
from platform_def.manifests.rendered import RenderedStack
from platform_def.pipeline.load import read
from platform_def.pipeline.resolve.resolve import resolve
from platform_def.pipeline.synth import Options, Rendered, render

HEAD = 'apiVersion: platform-def/v1\ncluster: {kubernetes: "1.36"}\n'
OPERATOR = HEAD + "components: {training-operator: {}}\n"


def write(root: Path, files: dict[str, str]) -> Path:
    """Write files by path below the repository."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def synthesise(root: Path, *names: str, cache: Path | None = None, code: str = "") -> Rendered:
    """Render in this process."""
    return render(Options(root, names, cache, code, jobs=1))


def unchecked(root: Path, *names: str, cache: Path | None = None) -> Rendered:
    """The same for those who don't look at what checks find, which is half of the work."""
    with patch("platform_def.pipeline.synth.find", lambda *_, **__: ()):
        return synthesise(root, *names, cache=cache)


def stack(root: Path, name: str = "a") -> RenderedStack:
    """One rendered stack."""
    return next(each for each in unchecked(root, name).stacks if each.name == name)


def refused(root: Path) -> list[Problem]:
    """Everything that one run reports before it builds anything, in order; there must be something."""
    loaded, problems = read(root)
    for each in loaded:
        try:
            resolve(each)
        except PlatformError as error:
            problems += error.problems
    assert problems
    return list(ConfigError(problems).problems)
