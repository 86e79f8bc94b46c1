"""Manifests that this tool did not make, such as what Helm or kustomize printed, as a stack that rules can look at.

Nothing is known of the cluster but its Kubernetes version. Custom kinds are those of the CRDs among the manifests, and
of the catalogue.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from platform_def.config.cluster import SUPPORTED_KUBERNETES
from platform_def.config.platform import Platform
from platform_def.errors import ConfigError, PlatformError, Problem, Source
from platform_def.manifests.rendered import Manifest, RenderedComponent, RenderedObject, RenderedStack
from platform_def.manifests.scope import namespaced_kind
from platform_def.pipeline.application_files import Found, documents, files_in, unlisted
from platform_def.pipeline.reading import reading
from platform_def.yaml import load_all

NAME = "manifests"
STANDARD_INPUT = "-"
_NOT_APPLIED = ("kustomize.config.k8s.io", "config.kubernetes.io", "platform-def")
"""Groups of files that tools read and no API server does."""


def foreign_stack(
    paths: Sequence[str], *, kubernetes: str, namespace: str, standard_input: bytes = b""
) -> RenderedStack:
    """The objects of files, folders (with all below them) and `-`; raises ConfigError with the problems of all files.

    Objects that name no namespace get `namespace`, as `kubectl -n` does; `kubernetes` empty is the default version.
    """
    if kubernetes and kubernetes not in SUPPORTED_KUBERNETES:
        known = f"{SUPPORTED_KUBERNETES[0]} to {SUPPORTED_KUBERNETES[-1]}"
        raise ConfigError(f"Kubernetes {kubernetes} is not known here", hint=f"{known} are, written 1.36")
    found: list[RenderedObject] = []
    problems: list[Problem] = []
    for file, read in _files(paths, standard_input, problems):
        try:
            found += (_object(manifest, source, namespace) for manifest, source in _manifests(read, file))
        except PlatformError as error:
            problems += error.problems
    if not found and not problems:
        problems.append(Problem(f"{', '.join(paths)}: no Kubernetes object there"))
    if problems:
        raise ConfigError(problems)
    platform = Platform(stack=NAME, kubernetes=kubernetes or Platform().kubernetes)
    return RenderedStack(NAME, platform, {NAME: RenderedComponent(NAME, tuple(found))}, foreign=True)


def _files(paths: Iterable[str], standard_input: bytes, problems: list[Problem]) -> Iterator[tuple[str, Path | bytes]]:
    for path in paths:
        place = Path(path)
        if path == STANDARD_INPUT:
            yield "standard input", standard_input
        elif place.is_dir():
            with reading(path):
                yield from ((each.as_posix(), each) for each in files_in(place))
        elif place.is_file():
            yield path, place
        else:
            problems.append(Problem(f"{path}: there is no such file or folder"))


def _manifests(read: Path | bytes, file: str) -> Iterator[tuple[Manifest, Source]]:
    found: Iterable[Found] = documents(read, file) if isinstance(read, Path) else _parsed(read, file)
    problems = []
    for document, source in found:
        if not _is_object(document):
            problems.append(Problem("holds something without apiVersion and kind: no Kubernetes object", source))
        elif str(document["apiVersion"]).partition("/")[0] not in _NOT_APPLIED:
            yield document, source
    if problems:
        raise ConfigError(problems)


def _parsed(text: bytes, file: str) -> Iterator[Found]:
    for document in load_all(text, file=file):
        yield from unlisted(document, Source(file))


def _is_object(document: Any) -> bool:
    return isinstance(document, dict) and all(
        isinstance(document.get(field), str) and document[field] for field in ("apiVersion", "kind")
    )


def _object(manifest: Manifest, source: Source, namespace: str) -> RenderedObject:
    metadata = manifest.get("metadata")
    in_namespace = namespaced_kind(manifest["apiVersion"].rpartition("/")[0], manifest["kind"]) is not False
    if isinstance(metadata, dict) and in_namespace and metadata.get("namespace") is None:
        manifest = {**manifest, "metadata": {**metadata, "namespace": namespace}}
    # Rules keep results by an object's text, which nobody writes to a file here: JSON is made faster.
    return RenderedObject(manifest, NAME, "main", source.file, file_text=json.dumps(manifest))
