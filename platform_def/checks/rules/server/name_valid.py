"""Names, labels and annotations are what the API server allows for the kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import ObjectRule, OfKind
from platform_def.manifests.index import CRD, CRD_GROUP
from platform_def.manifests.loose import items, mapping
from platform_def.manifests.names import (
    label_key_problem,
    label_problem,
    label_value_problem,
    segment_problem,
    service_problem,
    subdomain_problem,
)
from platform_def.manifests.paths import Path, dotted, pods
from platform_def.manifests.rendered import Kind, Manifest
from platform_def.manifests.schemas.patterns import lowered

ANNOTATIONS_LIMIT_BYTES = 256 * 1024
_LABEL_HINT = "write another value, or keep this text in an annotation, which may hold anything"
_LARGE = "keep large texts in a ConfigMap"
_SERVICES_MAY_BEGIN_WITH_DIGIT = 36
_LONGEST = {("batch", "CronJob"): 52, ("batch", "Job"): 63}
"""A Job's name is a label of its pods, and a CronJob's Jobs have eleven characters more than it."""
_RBAC = "rbac.authorization.k8s.io"
_LABELS: frozenset[tuple[str, str]] = frozenset({("", "Namespace"), ("apps", "StatefulSet")})
"""Kinds whose names are DNS labels; those of all others are subdomains."""


def _reads(context: Context, kind: Kind) -> bool:
    """Whether a Service's name may begin with a digit (gate RelaxedServiceNameValidation, on since 1.36)."""
    platform = context.stack.platform
    gate = platform.feature_gates.get("RelaxedServiceNameValidation")
    newer = int(platform.kubernetes.partition(".")[2]) >= _SERVICES_MAY_BEGIN_WITH_DIGIT
    return kind.kind == "Service" and (newer if gate is None else gate)


def _check(manifest: Manifest, relaxed: bool) -> Iterator[Fault]:
    metadata = manifest.get("metadata")
    if not isinstance(metadata, dict):
        return
    name = metadata.get("name")
    if name is None and isinstance(metadata.get("generateName"), str):
        pass  # the server makes the name up
    elif not isinstance(name, str) or not name:
        yield Fault("metadata.name", "the object has no name")
    elif problem := _name_problem(manifest, name, relaxed):
        meant = lowered(name)
        fits = meant and not _name_problem(manifest, meant, relaxed)
        yield Fault("metadata.name", problem, f"write {meant}, here and wherever it is named" if fits else None)
    namespace = metadata.get("namespace")
    if isinstance(namespace, str) and namespace and (problem := label_problem(namespace)):
        yield Fault("metadata.namespace", problem)
    yield from _metadata_faults(metadata, ("metadata",))
    for index, finalizer in enumerate(items(metadata.get("finalizers"))):
        if isinstance(finalizer, str) and (problem := label_key_problem(finalizer)):
            yield Fault(
                dotted(("metadata", "finalizers", index)), problem, "write a domain and a name: example.com/hold"
            )
    for path, _ in pods(manifest):
        inner = mapping(_at(manifest, path[:-1])).get("metadata")
        if len(path) > 1 and isinstance(inner, dict):
            yield from _metadata_faults(inner, (*path[:-1], "metadata"))


def _name_problem(manifest: Manifest, name: str, relaxed: bool) -> str:
    kind = str(manifest.get("kind"))
    group = str(manifest.get("apiVersion", "")).rpartition("/")[0]
    if (group, kind) == (CRD_GROUP, CRD):
        return _crd_name_problem(manifest, name)
    longest = _LONGEST.get((group, kind), len(name))
    if len(name) > longest:
        return f"'{name}' is longer than the {longest} characters that a {kind} may have"
    return _grammar(group, kind, relaxed)(name)


def _grammar(group: str, kind: str, relaxed: bool) -> Callable[[str], str]:
    if group == _RBAC:
        return segment_problem
    if (group, kind) == ("", "Service"):
        return label_problem if relaxed else service_problem
    return label_problem if (group, kind) in _LABELS else subdomain_problem


def _crd_name_problem(manifest: Manifest, name: str) -> str:
    try:
        spec = manifest["spec"]
        wanted = f"{spec['names']['plural']}.{spec['group']}"
    except (KeyError, TypeError):
        return ""
    return "" if name == wanted else f"'{name}' must be '{wanted}', plural and group"


def _metadata_faults(metadata: Mapping[str, Any], path: Path) -> Iterator[Fault]:
    for key, value in _texts(metadata.get("labels")):
        if problem := label_key_problem(key):
            yield Fault(dotted((*path, "labels", key)), problem, "rename the label")
        elif problem := label_value_problem(value):
            yield Fault(dotted((*path, "labels", key)), problem, _LABEL_HINT)
    size = 0
    for key, value in _texts(metadata.get("annotations")):
        size += len(key.encode()) + len(value.encode())
        if problem := label_key_problem(key.lower()):
            yield Fault(dotted((*path, "annotations", key)), problem, "rename the annotation")
    if size > ANNOTATIONS_LIMIT_BYTES:
        yield Fault(
            dotted((*path, "annotations")), f"{size:,} bytes together, more than {ANNOTATIONS_LIMIT_BYTES:,}", _LARGE
        )


def _texts(values: object) -> Iterator[tuple[str, str]]:
    """Pairs of texts; anything else is the schema rule's to report."""
    for key, value in values.items() if isinstance(values, dict) else ():
        if isinstance(value, str):
            yield key, value


def _at(manifest: Manifest, path: Path) -> Any:
    value: Any = manifest
    for step in path:
        value = value[step]
    return value


NAME_VALID = ObjectRule(
    id="name-valid",
    severity="error",
    title="Names, labels and annotations follow the API server's grammar for the kind",
    why="The API server refuses the object; for a pod template it is the controller's pods that are refused, later.",
    fix="write a name of the letters that the kind allows, here and wherever it is named",
    reads=OfKind(_reads),
    check=_check,
)
