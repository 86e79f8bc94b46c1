"""Manifests that this tool did not make, such as what Helm or kustomize printed, as a stack that rules can look at.

Nothing is known of the cluster but its Kubernetes version. Custom kinds are those of the CRDs among the manifests, and
of the catalogue.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Any

import orjson

from platform_def.checks.catalogue import ENTRIES
from platform_def.checks.rule import Finding
from platform_def.config.kubernetes import SUPPORTED_KUBERNETES
from platform_def.errors import ConfigError, PlatformError, Problem, Source
from platform_def.manifests.paths import Path as Steps
from platform_def.manifests.rendered import EXISTING, Manifest, RenderedComponent, RenderedObject, RenderedStack
from platform_def.manifests.scope import namespaced_kind
from platform_def.pipeline.applications.charts import charts_among, not_rendered
from platform_def.pipeline.applications.files import files_in
from platform_def.pipeline.applications.unknown import unknown_platform
from platform_def.pipeline.applications.variables import left_open
from platform_def.pipeline.findings.lines import line_in
from platform_def.pipeline.kustomize.aside import read_aside
from platform_def.pipeline.user_files import reading
from platform_def.yaml import Document, load_each

NAME = "manifests"
STANDARD_INPUT = "-"
_NOT_APPLIED = frozenset(
    {
        *("kustomize.config.k8s.io", "config.kubernetes.io", "builtin", "platform-def"),
        *("kubeadm.k8s.io", "kubelet.config.k8s.io", "kubescheduler.config.k8s.io", "kubeproxy.config.k8s.io"),
        *("apiserver.config.k8s.io", "apiserver.k8s.io", "audit.k8s.io", "controller-runtime.sigs.k8s.io"),
        *("kind.x-k8s.io", "eksctl.io", "skaffold", "install.istio.io", "config.kueue.x-k8s.io"),
    }
)
"""Groups of files that tools and servers read, and that no API server serves."""
_INDEX = "index.json"
"""What synth leaves in the folder of each cluster."""
_CHECKED = "| platformctl check -f -"
_OF_ONE_OBJECT = frozenset(rule.id for rule in ENTRIES["server"] if rule.looks_at == "one object") - {"name-valid"}
"""Rules that see nothing of what kustomize changes: neither other objects nor names and labels."""
_FIELDS = frozenset({"apiVersion", "kind"})
"""What says that a document is an object."""


@dataclass(frozen=True, eq=False)
class _Place:
    """Where an object stands in its file."""

    document: Document
    steps: Steps
    """From the document to the object: empty, or an item of a List."""


@dataclass(frozen=True, eq=False)
class Foreign:
    """What was read: a stack of all objects, and what could not be read."""

    stack: RenderedStack
    problems: tuple[Problem, ...]
    places: Mapping[tuple[str, int], _Place] = field(default_factory=dict)
    left_out: int = 0
    """Documents that tools read and no API server does: kustomizations with their patches and settings, and charts."""
    rendered_by: tuple[str, ...] = ()
    """Commands that check what the tools make of them."""
    no_objects: tuple[str, ...] = ()
    """Files of folders with documents that are nothing of Kubernetes: values, playbooks, workflows."""

    kustomized: frozenset[str] = frozenset()
    """Files whose objects kustomize changes."""

    def judged(self, findings: Iterable[Finding]) -> tuple[list[Finding], Mapping[str, int]]:
        """The findings about what is settled, and of each file how many values are filled in later.

        What an object names, and who names it, is not settled where kustomize gives it another name or namespace.
        """
        settled = [each for each in findings if each.origin not in self.kustomized or each.rule in _OF_ONE_OBJECT]
        return left_open(settled, {(item.origin, item.document): item.manifest for item in self.stack.objects()})

    def line_of(self, finding: Finding) -> int:
        """The line that a finding speaks of."""
        place = self.places.get((finding.origin, finding.document))
        return line_in(place.document, finding.path, within=place.steps) if place else finding.line


def existing_in(paths: Sequence[str], standard_input: bytes = b"") -> tuple[RenderedObject, ...]:
    """What a cluster has, as `kubectl get -o yaml` prints it; ConfigError where any of it cannot be read."""
    problems: list[Problem] = []
    found = [
        replace(_object(manifest, file, count, "default"), component=EXISTING)
        for file, read in _files(paths, standard_input, problems)
        for count, (manifest, _) in enumerate(_manifests(read, file, problems), 1)
    ]
    if problems or (paths and not found):
        raise ConfigError(problems or [Problem(f"{', '.join(paths)}: no Kubernetes object there")])
    return tuple(found)


def foreign_stack(
    paths: Sequence[str],
    *,
    kubernetes: str,
    namespace: str,
    standard_input: bytes = b"",
    existing: tuple[RenderedObject, ...] = (),
    exclude: Sequence[str] = (),
) -> Foreign:
    """The objects of files, folders (with all below them) and `-`, with the problems of what could not be read.

    Objects that name no namespace get `namespace`, as `kubectl -n` does; `kubernetes` empty is the default version.
    `existing` is what their cluster has; `exclude` has patterns of files and folders below a folder that are left out.
    Raises ConfigError where there is nothing to look at.
    """
    if kubernetes and kubernetes not in SUPPORTED_KUBERNETES:
        known = f"{SUPPORTED_KUBERNETES[0]} to {SUPPORTED_KUBERNETES[-1]}"
        raise ConfigError(f"Kubernetes {kubernetes} is not known here", hint=f"{known} are, written 1.36")
    found: list[RenderedObject] = []
    problems: list[Problem] = []
    places: dict[tuple[str, int], _Place] = {}
    left_out = 0
    files = [*_files(paths, standard_input, problems, exclude)]
    no_objects: list[str] = []
    aside, changed, rendered_by = _for_tools([read for _, read in files if isinstance(read, Path)])
    for file, read in files:
        if read in aside:
            left_out += 1
            continue
        count = 0
        for manifest, place in _manifests(read, file, problems, no_objects if file not in paths else None):
            if _is_for_tools(manifest):
                left_out += 1
                continue
            count += 1
            found.append(_object(manifest, file, count, namespace))
            places[file, count] = place
    if not found:
        hint = f"check what is made of it: {rendered_by[0]}" if rendered_by else ""
        raise ConfigError(problems or [Problem(f"{', '.join(paths)}: no Kubernetes object there", hint=hint)])
    platform = unknown_platform(NAME, kubernetes)
    objects = {NAME: RenderedComponent(NAME, tuple(found))}
    stack = RenderedStack(NAME, platform, objects, existing=existing, foreign=True)
    left = tuple(dict.fromkeys(no_objects))
    return Foreign(stack, tuple(problems), places, left_out, rendered_by, left, changed)


def _for_tools(files: Sequence[Path]) -> tuple[frozenset[Path], frozenset[str], tuple[str, ...]]:
    """The files that kustomize and Helm read, those whose objects they change, and commands that check the result."""
    aside, charts = read_aside(files), charts_among(files)
    commands = [
        *(f"kubectl kustomize {_word(folder)} {_CHECKED}" for folder in aside.folders),
        *(f"helm template {_word(folder)} {_CHECKED}" for folder in charts.folders),
    ]
    return aside.files | charts.files, frozenset(file.as_posix() for file in aside.changed), tuple(commands)


def _word(folder: Path) -> str:
    """A folder as a shell, kubectl and Helm take it: without a dot at its start Helm looks for a repository's chart."""
    text = folder.as_posix()
    return shlex.quote(text if text.startswith(("/", ".")) else f"./{text}")


def _files(
    paths: Iterable[str], standard_input: bytes, problems: list[Problem], exclude: Sequence[str] = ()
) -> Iterator[tuple[str, Path | bytes]]:
    for path in paths:
        place = Path(path)
        if path == STANDARD_INPUT:
            yield "standard input", standard_input
        elif place.is_dir():
            _one_cluster(place)
            with reading(path):
                yield from ((each.as_posix(), each) for each in files_in(place) if not _excluded(each, place, exclude))
        elif place.is_file():
            yield path, place
        else:
            problems.append(Problem(f"{path}: there is no such file or folder"))


def _excluded(file: Path, folder: Path, patterns: Sequence[str]) -> bool:
    """Whether the file, or a folder above it, fits a pattern by its path in `folder` or by its name alone."""
    path = file.relative_to(folder)
    ways = [PurePosixPath(*path.parts[:count]) for count in range(1, len(path.parts) + 1)]
    return any(fnmatchcase(way.as_posix(), each) or fnmatchcase(way.name, each) for each in patterns for way in ways)


def _one_cluster(folder: Path) -> None:
    """ConfigError for synth's output folder: what stands there twice is meant for different clusters."""
    clusters = sorted(index.parent for index in folder.glob(f"*/{_INDEX}") if b'"platform-def/' in index.read_bytes())
    if len(clusters) > 1:
        names = ", ".join(cluster.name for cluster in clusters)
        hint = f"check one at a time: -f {clusters[0].as_posix()}"
        raise ConfigError(f"{folder} holds what is meant for {len(clusters)} clusters ({names})", hint=hint)


def _manifests(
    read: Path | bytes, file: str, problems: list[Problem], no_objects: list[str] | None = None
) -> Iterator[tuple[Manifest, _Place]]:
    """The objects of a file; with `no_objects` a document that was never meant to be one is no problem."""
    for document in _documents(read, file, problems):
        for manifest, place in _unlisted(document):
            if _is_object(manifest) or _is_for_tools(manifest):
                yield manifest, place
            elif no_objects is not None and not (isinstance(manifest, dict) and _FIELDS & manifest.keys()):
                no_objects.append(file)
            else:
                text = "holds something without apiVersion and kind: no Kubernetes object"
                problems.append(Problem(text, Source(file, place.document.line_of(place.steps))))


def _documents(read: Path | bytes, file: str, problems: list[Problem]) -> list[Document]:
    if isinstance(read, Path):
        if read.is_symlink():
            problems.append(Problem("is a link, which is not followed", Source(file), "name what it leads to"))
            return []
        try:
            with reading(file):
                read = read.read_bytes()
        except PlatformError as error:
            problems += error.problems
            return []
    documents, unread = load_each(read, file=file)
    problems += [not_rendered(problem, read, command=f"helm template CHART {_CHECKED}") for problem in unread]
    return documents


def _unlisted(document: Document) -> Iterator[tuple[Any, _Place]]:
    """A document, or the items of a kind `List`, or of such as `PodList`, which does not say again what each is."""
    value = document.value
    kind = value.get("kind") if isinstance(value, dict) else None
    items = value.get("items") if isinstance(value, dict) and isinstance(kind, str) and kind.endswith("List") else None
    if not isinstance(value, dict) or not isinstance(items, list):
        yield value, _Place(document, ())
        return
    said = {"apiVersion": value.get("apiVersion"), "kind": str(kind).removesuffix("List")} if kind != "List" else {}
    for index, item in enumerate(items):
        yield {**said, **item} if isinstance(item, dict) else item, _Place(document, ("items", index))


def _is_for_tools(document: Any) -> bool:
    return isinstance(document, dict) and _group_of(document.get("apiVersion")) in _NOT_APPLIED


def _group_of(api_version: object) -> str:
    return api_version.partition("/")[0] if isinstance(api_version, str) else ""


def _is_object(document: Any) -> bool:
    if not isinstance(document, dict):
        return False
    version, kind = document.get("apiVersion"), document.get("kind")
    return isinstance(version, str) and isinstance(kind, str) and version != "" and kind != ""


def _object(manifest: Manifest, file: str, count: int, namespace: str) -> RenderedObject:
    metadata = manifest.get("metadata")
    in_namespace = namespaced_kind(manifest["apiVersion"].rpartition("/")[0], manifest["kind"]) is not False
    if isinstance(metadata, dict) and in_namespace and metadata.get("namespace") is None:
        manifest = {**manifest, "metadata": {**metadata, "namespace": namespace}}
    # Rules keep results by an object's text, which is not written to a file here: JSON is made faster.
    return RenderedObject(manifest, NAME, "main", file, document=count, file_text=_text(manifest))


def _text(manifest: Manifest) -> str:
    try:
        return orjson.dumps(manifest).decode()
    except TypeError:  # a number that is too large, or a text that is no Unicode
        return json.dumps(manifest)
