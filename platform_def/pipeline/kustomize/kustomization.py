"""Kustomization files: where they are, what they say by line, and the one place that has kustomize build a folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from platform_def.errors import ConfigError, ExitError, Source
from platform_def.pipeline.user_files import content_of, reading
from platform_def.tools import kustomize_build
from platform_def.yaml import Node, parse

_ON_ITS_WAY = "recursed accumulation of path '"
"""Before the folder that kustomize was on its way through; what it says of the file itself stands behind the last."""

_LONGEST = 1500
"""Characters of a message: kustomize quotes whole objects."""

_NO_PATCH = "unable to parse SM or JSON patch"
"""What kustomize says, among others, of a JSON patch in YAML's own brackets."""

FILES = ("kustomization.yaml", "kustomization.yml", "Kustomization")


@dataclass(frozen=True)
class Kustomization:
    """One kustomization file, which holds a map."""

    folder: Path
    file: str
    """Its path as messages name it."""
    node: Node

    @property
    def path(self) -> Path:
        """The file itself."""
        return self.folder / self.file.rpartition("/")[2]

    @property
    def fields(self) -> dict[str, Node]:
        """What the map holds."""
        return self.node.value if isinstance(self.node.value, dict) else {}

    def items(self, key: str) -> list[Node]:
        """The list under a key; empty when absent."""
        found = self.fields.get(key)
        return found.value if found is not None and isinstance(found.value, list) else []

    def source(self, node: Node) -> Source:
        """The place of a node."""
        return Source(self.file, node.line)


def kustomization_file(folder: Path) -> Path | None:
    """The kustomization file of a folder, if it has one."""
    return next((folder / name for name in FILES if (folder / name).is_file()), None)


def read(folder: Path, root: Path) -> Kustomization:
    """The kustomization of a folder below `root`; ConfigError when there is none, or none that can be read."""
    shown = folder.relative_to(root).as_posix()
    with reading(shown):
        path = kustomization_file(folder)
    if path is None:
        raise ConfigError("has no kustomization.yaml", where=Source(shown))
    file = path.relative_to(root).as_posix()
    with reading(file):
        found = Kustomization(folder, file, parse(content_of(path), file=file))
    if not isinstance(found.node.value, dict):
        raise ConfigError("a kustomization is a map", where=Source(file, found.node.line))
    return found


def build(folder: Path, *, shown: str) -> str:
    """The YAML that kustomize makes of a folder, which messages call `shown`; ConfigError where it refuses.

    A kustomize that is missing or cannot be started stays the ToolError that it is, with what to install.
    """
    try:
        return kustomize_build(folder)
    except ExitError as error:
        text = _inner(error.problems[0].text.replace(str(folder), shown))
        if _NO_PATCH in text:
            text = "a patch is neither a part of an object nor a JSON patch"
            hint = "write each step of a JSON patch on its own line, `- op: replace`; behind a `[` it takes JSON alone"
            raise ConfigError(f"kustomize refuses it: {text}", where=Source(shown), hint=hint) from None
        raise ConfigError(f"kustomize refuses it: {text}", where=Source(shown)) from None


def _inner(text: str) -> str:
    """What kustomize says of the file itself, no longer than can be read."""
    inner = text.rpartition(_ON_ITS_WAY)[2].partition("': ")[2].rstrip().rstrip('"') if _ON_ITS_WAY in text else ""
    text = inner or text
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST // 2]} … {text[-_LONGEST // 2 :]}"
