"""Components of the user's own: a folder of plain YAML, or a kustomization, taken in as objects like all others."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from platform_def.config.component import Application
from platform_def.config.platform import Platform
from platform_def.constructs.protection import protection
from platform_def.errors import ConfigError, PlatformError, Problem, Source, ToolError
from platform_def.manifests.images import rewrite_images
from platform_def.manifests.rendered import Manifest, RenderedComponent, RenderedObject
from platform_def.manifests.scope import namespaced
from platform_def.pipeline import kustomization
from platform_def.tools import kustomize_build
from platform_def.yaml import load_all

_SUFFIXES = (".yaml", ".yml", ".json")


def render_application(name: str, application: Application, *, root: Path, platform: Platform) -> RenderedComponent:
    """The objects of a folder, with the stack's mirror and a namespace where they name none; problems all at once."""
    folder = (root / application.path).resolve()
    if not folder.is_relative_to(root.resolve()) or not folder.is_dir():
        raise ConfigError(
            f"components.{name}: the folder {application.path} is not there",
            hint="path is relative to the repository's root",
        )
    problems: list[Problem] = []
    objects = []
    for manifest, origin in _manifests(folder, root, application):
        problem = _problem(manifest, origin)
        if problem:
            problems.append(problem)
            continue
        objects.append(_taken_in(name, manifest, origin, application, platform))
    if not objects and not problems:
        problems.append(Problem("holds no Kubernetes object", Source(application.path)))
    if problems:
        raise ConfigError(problems)
    return RenderedComponent(name, tuple(objects))


def folders_of(application: Application, root: Path) -> Iterator[str]:
    """The folders that an application is read from: its own, and those that its kustomization builds on."""
    base, seen = root.resolve(), set[Path]()
    folder = (base / application.path).resolve()
    if kustomization.kustomization_file(folder):
        with suppress(PlatformError):  # told when it is rendered
            _check_tree(folder, base, seen)
    yield from (path.relative_to(base).as_posix() for path in {folder, *seen} if path.is_relative_to(base))


def _manifests(folder: Path, root: Path, application: Application) -> Iterator[tuple[Any, Source]]:
    if kustomization.kustomization_file(folder):
        _check_tree(folder, root.resolve(), set())
        try:
            text = kustomize_build(folder)
        except ToolError as error:
            raise ConfigError(
                f"kustomize refuses it: {error.problems[0].text}", where=Source(application.path)
            ) from None
        for manifest in load_all(text, file=application.path):
            yield manifest, Source(application.path)
        return
    for path in sorted(folder.rglob("*")):
        if path.suffix in _SUFFIXES and path.is_file() and not path.is_symlink():
            file = path.relative_to(root.resolve()).as_posix()
            for manifest in load_all(path.read_bytes(), file=file):
                if manifest is not None:
                    yield from _unlisted(manifest, Source(file))


def _unlisted(manifest: Any, source: Source) -> Iterator[tuple[Any, Source]]:
    if isinstance(manifest, dict) and manifest.get("kind") == "List" and isinstance(manifest.get("items"), list):
        for item in manifest["items"]:
            yield item, source
    else:
        yield manifest, source


def _check_tree(folder: Path, root: Path, seen: set[Path]) -> None:
    """Everything that the kustomization names is checked as it is: a base may not be remote either."""
    if folder in seen:
        return
    seen.add(folder)
    found = kustomization.read(folder, root, use="application")
    for entry in [*found.items("resources"), *found.items("components")]:
        target = (folder / str(entry.value)).resolve()
        if target.is_dir():
            _check_tree(target, root, seen)


def _problem(manifest: Any, origin: Source) -> Problem | None:
    if not isinstance(manifest, dict):
        return Problem("holds something that is not an object", origin)
    if not isinstance(manifest.get("kind"), str) or not isinstance(manifest.get("apiVersion"), str):
        return Problem("holds an object without apiVersion and kind", origin)
    metadata = manifest.get("metadata")
    if not isinstance(metadata, dict) or not isinstance(metadata.get("name"), str):
        return Problem(f"{manifest['kind']} has no metadata.name", origin, "every object needs a name that stays")
    if manifest["kind"] == "Secret" and (manifest.get("data") or manifest.get("stringData")):
        text = f"Secret {metadata['name']} holds its content: no credential may be in the repository"
        return Problem(text, origin, "make it in the cluster, or use External Secrets, Sealed Secrets or SOPS")
    return None


def _taken_in(
    name: str, manifest: Manifest, origin: Source, application: Application, platform: Platform
) -> RenderedObject:
    metadata = dict(manifest["metadata"])
    if (
        "namespace" not in metadata
        and application.namespace
        and namespaced(manifest["apiVersion"], manifest["kind"]) is not False
    ):
        metadata["namespace"] = application.namespace
    notes = {**(metadata.get("annotations") or {}), **protection(manifest["kind"], platform.delivery)}
    if notes:
        metadata["annotations"] = dict(sorted(notes.items()))
    body = rewrite_images({**manifest, "metadata": metadata}, platform.image)
    part = "crds" if manifest["kind"] == "CustomResourceDefinition" else "main"
    return RenderedObject(body, name, part, str(origin))  # type: ignore[arg-type]
