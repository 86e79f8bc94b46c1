"""Components of the user's own: a folder of plain YAML, or a kustomization, taken in as objects like all others."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from platform_def.checks.provided import provided_definitions
from platform_def.config.component import Application
from platform_def.config.objects import part_of
from platform_def.config.platform import Platform
from platform_def.constructs.protection import protection
from platform_def.crds.model import Definition
from platform_def.errors import ConfigError, PlatformError, Problem, Source
from platform_def.manifests.ciphertext import encrypted
from platform_def.manifests.custom_kind import CustomKind
from platform_def.manifests.images import rewrite_images
from platform_def.manifests.index import CRD, CRD_GROUP, GroupKind
from platform_def.manifests.loose import server_written
from platform_def.manifests.rendered import Manifest, RenderedComponent, RenderedObject
from platform_def.manifests.scope import namespaced
from platform_def.pipeline.applications.files import Found, folder_of, folders_built_on, manifests, unlisted
from platform_def.pipeline.resolve.resolve import Resolved
from platform_def.pipeline.user_files import content_of, followed
from platform_def.yaml import load_each

_API_VERSION = re.compile(r"([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[a-z]([-a-z0-9]*[a-z0-9])?")


def render_applications(
    stack: Resolved, built: Mapping[str, RenderedComponent], *, root: Path
) -> dict[str, RenderedComponent]:
    """The stack's applications by name; `built` are its other components, whose CRDs say what lives in a namespace.

    Objects come with the stack's mirror, and a namespace where they name none; problems come all at once.
    """
    problems: list[Problem] = []
    read: dict[str, list[Found]] = {}
    for name, application in stack.applications.items():
        try:
            read[name] = _read(application, root, stack.loaded.where("components", name, "path"), name)
        except PlatformError as error:
            problems += error.problems
    if problems:
        raise ConfigError(problems)
    if not read:
        return {}
    crds = [item.manifest for each in built.values() for item in each.objects if item.kind == CRD]
    scopes = _Scopes([*crds, *(manifest for found in read.values() for manifest, _ in found)], stack.platform)
    return {
        name: RenderedComponent(
            name,
            tuple(_taken_in(name, *each, stack.applications[name], scopes) for each in found),
            stack.requires.get(name, ()),
        )
        for name, found in read.items()
    }


def folders_of(application: Application, root: Path) -> Iterator[str]:
    """The folders that an application is read from: its own, and those that its kustomization builds on."""
    base = followed(root)
    folder = folder_of(application, root)
    if folder is None:  # told when it is rendered
        return
    yield application.path
    with suppress(PlatformError):
        for path in folders_built_on(folder, base):
            yield path.relative_to(base).as_posix()


def _read(application: Application, root: Path, where: Source | None, name: str) -> list[Found]:
    folder = folder_of(application, root)
    if folder is None:
        hint = "path is a folder below the repository's root, with no name in it that begins with a dot"
        raise ConfigError(f"components.{name}: the folder {application.path} is not there", where=where, hint=hint)
    found = list(manifests(folder, followed(root), application.path))
    problems = [
        replace(problem, where=_place(manifest, origin, root))
        for manifest, origin in found
        for problem in _problems(manifest, origin)
    ]
    if problems:
        raise ConfigError(problems)
    if not found:
        raise ConfigError("holds no Kubernetes object", where=Source(application.path))
    return found


def _place(manifest: Any, origin: Source, root: Path) -> Source:
    """Where the document begins in its file; what a kustomization makes has no line."""
    with suppress(PlatformError, OSError):
        for document in load_each(content_of(root / origin.file), file=origin.file)[0]:
            if any(each == manifest for each, _ in unlisted(document.value, origin)):
                return Source(origin.file, document.line_of(()))
    return origin


def _problems(manifest: Any, origin: Source) -> Iterator[Problem]:
    if not isinstance(manifest, dict):
        yield Problem("holds something that is not an object", origin)
        return
    kind, version = manifest.get("kind"), manifest.get("apiVersion")
    if not isinstance(kind, str) or not isinstance(version, str) or not kind or not version:
        yield Problem("holds an object without apiVersion and kind", origin)
        return
    if not _API_VERSION.fullmatch(version) or not kind.isalnum():
        text = f"'{version[:80]}' and '{kind[:80]}' are no apiVersion and kind"
        yield Problem(text, origin, "write them as apps/v1 and Deployment")
        return
    for field in server_written(manifest):
        yield Problem(f"{kind}: {field} is the API server's to write", origin, "take it out")
    metadata = manifest.get("metadata")
    if not isinstance(metadata, dict) or not isinstance(metadata.get("name"), str) or not metadata["name"]:
        said = metadata.get("name") if isinstance(metadata, dict) else None
        if said is None or said == "":
            yield Problem(f"{kind} has no metadata.name", origin, "every object needs a name that stays")
        else:
            hint = "put it in quotes: in YAML y, n and 1 are no text"
            yield Problem(f"{kind}: metadata.name is not text", origin, hint)
        return
    name = f"{kind} {metadata['name']}"
    if not isinstance(metadata.get("namespace"), str | None):
        yield Problem(f"{name}: metadata.namespace is text", origin)
    for field in ("labels", "annotations"):
        if not isinstance(metadata.get(field), dict | None):
            yield Problem(f"{name}: metadata.{field} is a map", origin)
    if kind == "Secret" and (manifest.get("data") or manifest.get("stringData")) and not encrypted(manifest):
        hint = "make it in the cluster, or use External Secrets, Sealed Secrets or SOPS, which Flux decrypts"
        yield Problem(
            f"Secret {metadata['name']} holds its content: no credential may be in the repository", origin, hint
        )


class _Scopes:
    """Whether kinds live in namespaces: as the stack's CRDs say, or those that the cluster has."""

    def __init__(self, manifests: Iterable[Manifest], platform: Platform):
        kinds = (CustomKind.of(each, "") for each in manifests if _is_crd(each))
        self._own: Mapping[GroupKind, CustomKind] = {(kind.group, kind.kind): kind for kind in kinds if kind}
        self.platform = platform

    @cached_property
    def _provided(self) -> Mapping[GroupKind, Definition]:
        return provided_definitions(self.platform)

    def namespaced(self, manifest: Manifest) -> bool | None:
        """None for a kind that is not known to be served."""
        found = namespaced(manifest["apiVersion"], manifest["kind"], self._own)
        group = manifest["apiVersion"].rpartition("/")[0]
        if found is None and "." in group and (definition := self._provided.get((group, manifest["kind"]))):
            return definition.api.namespaced
        return found


def _is_crd(manifest: Manifest) -> bool:
    return manifest.get("kind") == CRD and str(manifest.get("apiVersion")).startswith(f"{CRD_GROUP}/")


def _taken_in(
    name: str, manifest: Manifest, origin: Source, application: Application, scopes: _Scopes
) -> RenderedObject:
    platform = scopes.platform
    metadata = dict(manifest["metadata"])
    if metadata.get("namespace") is None and application.namespace and scopes.namespaced(manifest) is not False:
        metadata["namespace"] = application.namespace
    notes = {**(metadata.get("annotations") or {}), **protection(manifest["kind"], platform.delivery)}
    if notes:
        metadata["annotations"] = dict(sorted(notes.items()))
    body = rewrite_images({**manifest, "metadata": metadata}, platform.image)
    part = part_of(manifest["kind"])
    return RenderedObject(body, name, part, str(origin))
