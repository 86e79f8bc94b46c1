"""What a workflow is made of: its templates, and the copy of it that goes into dist/."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

Path = tuple[str | int, ...]
Spec = Mapping[str, Any]

LOCATIONS = frozenset({"artifactory", "azure", "gcs", "git", "hdfs", "http", "oss", "plugin", "raw", "s3"})
"""Words by which an artifact says where it is."""
_CONTAINERS = frozenset({"container", "script"})
_LISTS = frozenset({"containers", "initContainers", "sidecars"})
_IN_TEXT = re.compile(r"""^(\s*(?:-\s+)?["']?image["']?\s*:\s*["']?)([^\s"',{}#]+)""", re.MULTILINE)
"""An image in the manifest that a step applies, which is text."""
_KIND = re.compile(r"""^(?:kind|"kind")\s*:\s*["']?(\w+)""", re.MULTILINE)
"""The kind of an object in such a text."""
VARIABLE = "{{"


def templates_of(spec: Spec) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """The templates, with their places below the specification."""
    found = spec.get("templates")
    for index, each in enumerate(found if isinstance(found, list) else ()):
        if isinstance(each, Mapping):
            yield ("templates", index), each


def uses_of(template: Mapping[str, Any]) -> Iterator[tuple[Path, str]]:
    """The other templates that one names, with the places."""
    groups = template.get("steps")
    for number, group in enumerate(groups if isinstance(groups, list) else ()):
        for index, step in enumerate(group if isinstance(group, list) else ()):
            if isinstance(step, Mapping) and isinstance(step.get("template"), str):
                yield ("steps", number, index, "template"), step["template"]
    dag = template.get("dag")
    tasks = dag.get("tasks") if isinstance(dag, Mapping) else None
    for index, task in enumerate(tasks if isinstance(tasks, list) else ()):
        if isinstance(task, Mapping) and isinstance(task.get("template"), str):
            yield ("dag", "tasks", index, "template"), task["template"]


def kept_artifacts(spec: Spec) -> Iterator[Path]:
    """Places of what is kept in the store of the namespace: artifacts without a place of their own, and logs."""
    if spec.get("archiveLogs") is True:
        yield ("archiveLogs",)
    for path, template in templates_of(spec):
        outputs = template.get("outputs")
        artifacts = outputs.get("artifacts") if isinstance(outputs, Mapping) else None
        for index, artifact in enumerate(artifacts if isinstance(artifacts, list) else ()):
            if isinstance(artifact, Mapping) and not LOCATIONS & artifact.keys():
                yield (*path, "outputs", "artifacts", index)


def made_kinds(template: Mapping[str, Any]) -> Iterator[str]:
    """Kinds of objects that a step makes, changes, reads or deletes, as far as the text of its manifest says so."""
    resource = template.get("resource")
    manifest = resource.get("manifest") if isinstance(resource, Mapping) else None
    yield from _KIND.findall(manifest if isinstance(manifest, str) else "")


def devices_of(spec: Spec) -> Iterator[tuple[Path, str]]:
    """Extended resources that containers ask for, with their places."""
    for path, container in _containers(spec, ()):
        resources = container.get("resources")
        limits = resources.get("limits") if isinstance(resources, Mapping) else None
        for name in limits if isinstance(limits, Mapping) else ():
            if "/" in str(name):
                yield (*path, "resources", "limits", name), str(name)


def images_of(value: object) -> Iterator[str]:
    """Images of containers that are known before a step runs."""
    for _, container in _containers(value, ()):
        image = container.get("image")
        if isinstance(image, str) and VARIABLE not in image:
            yield image


def _containers(value: object, path: Path) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if key in _CONTAINERS and isinstance(inner, Mapping):
                yield (*path, key), inner
            yield from _containers(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            if path and path[-1] in _LISTS and isinstance(inner, Mapping):
                yield (*path, index), inner
            yield from _containers(inner, (*path, index))


def mirrored(value: Any, image: Callable[[str], str], *, container: bool = False, inside: str = "") -> Any:
    """A copy without nulls, whose images are as the cluster pulls them; what is filled in at run time stays."""
    if isinstance(value, Mapping):
        made = {}
        for key, inner in value.items():
            if inner is None:
                continue
            if container and key == "image" and isinstance(inner, str):
                made[key] = inner if VARIABLE in inner else image(inner)
            elif inside == "resource" and key == "manifest" and isinstance(inner, str):
                made[key] = _IN_TEXT.sub(lambda found: found[1] + image(found[2]), inner)
            else:
                made[key] = mirrored(inner, image, container=key in _CONTAINERS, inside=key)
        return made
    if isinstance(value, list):
        return [mirrored(each, image, container=inside in _LISTS) for each in value]
    return value
