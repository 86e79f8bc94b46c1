"""What an application's folder holds: manifests with their files. Only hidden files are left out silently."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from platform_def.errors import ConfigError, PlatformError, Problem, Source
from platform_def.pipeline.applications.charts import CHART
from platform_def.pipeline.kustomize import kustomization
from platform_def.pipeline.kustomize import rules as kustomization_rules
from platform_def.pipeline.user_files import content_of, followed, reading
from platform_def.yaml import load_all

if TYPE_CHECKING:
    from platform_def.config.component import Application

_SUFFIXES = (".yaml", ".yml", ".json")

Found = tuple[Any, Source]
"""A document, of any type as yet, and the file that holds it."""


def folder_of(application: Application, root: Path) -> Path | None:
    """The folder; None when it is not there, hidden, outside the repository, or the whole of it."""
    base = followed(root)
    folder = followed(base / application.path)
    if not folder.is_dir() or not folder.is_relative_to(base):
        return None
    steps = folder.relative_to(base).parts
    return folder if steps and not any(step.startswith(".") for step in steps) else None


def folders_built_on(folder: Path, base: Path) -> Iterator[Path]:
    """The folder, and those that its kustomization builds on; ConfigError for a kustomization that is refused."""
    yield folder
    if kustomization.kustomization_file(folder):
        yield from (each.folder for each in kustomization_rules.checked(folder, base, use="application")[1:])


def manifests(folder: Path, base: Path, shown: str) -> Iterator[Found]:
    """The documents of a folder in the repository `base`, which messages call `shown`; kinds `List` are unpacked.

    Raises ConfigError with the problems of all files.
    """
    if kustomization.kustomization_file(folder):
        kustomization_rules.checked(folder, base, use="application")
        text = kustomization.build(folder, shown=shown)
        yield from ((manifest, Source(shown)) for manifest in load_all(text, file=shown))
        return
    with reading(shown):
        paths = list(files_in(folder))
    problems = [_chart(path.parent.relative_to(base), shown) for path in paths if path.name == CHART]
    if problems:
        raise ConfigError(problems)
    for path in paths:
        file = path.relative_to(base).as_posix()
        try:
            yield from documents(path, file)
        except PlatformError as error:
            problems += error.problems
    if problems:
        raise ConfigError(problems)


def _chart(folder: Path, shown: str) -> Problem:
    hint = f"put the chart elsewhere, and commit here what it makes: helm template NAME CHART > {shown}/all.yaml"
    return Problem("is a Helm chart, and synth runs no Helm", Source(folder.as_posix()), hint)


def files_in(folder: Path) -> Iterator[Path]:
    """Manifests and links, sorted; without what begins with a dot."""
    found = []
    for base, folders, files in os.walk(folder, onerror=_raised):
        folders[:] = [name for name in folders if not name.startswith(".")]
        links = [name for name in folders if Path(base, name).is_symlink()]
        names = [name for name in files if name.endswith(_SUFFIXES) and not name.startswith(".")]
        found += [Path(base, name) for name in (*links, *names)]
    yield from sorted(found)


def _raised(error: OSError) -> NoReturn:
    raise error


def documents(path: Path, file: str) -> Iterator[Found]:
    """The documents of one file, which messages call `file`; links are refused."""
    if path.is_symlink():
        hint = "put the file itself here, or build the application with a kustomization"
        raise ConfigError("is a link, which is not followed", where=Source(file), hint=hint)
    with reading(file):
        documents = load_all(content_of(path), file=file)
    for document in documents:
        yield from unlisted(document, Source(file))


def unlisted(document: Any, source: Source) -> Iterator[Found]:
    """A document, or the items of a kind `List`; an empty document is none."""
    if isinstance(document, dict) and document.get("kind") == "List" and isinstance(document.get("items"), list):
        for item in document["items"]:
            yield item, source
    elif document is not None:
        yield document, source
