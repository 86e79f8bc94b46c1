"""Fields of a workflow that its release does not know.

Upstream's minimal CRDs leave specifications open, so that the API server takes any field and the controller ignores it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from platform_def.apis.argo_workflows import full_v1alpha1, release_4_0_full
from platform_def.apis.argo_workflows.contents import Path
from platform_def.crds.schema import Schema
from platform_def.crds.structure import object_schema
from platform_def.errors import nearest

Wrong = tuple[Path, str, str]
"""A place, what is wrong there, and the remedy."""

_LINES: Mapping[str, Mapping[str, Any]] = {
    "3": {"Workflow": full_v1alpha1.WORKFLOW, "CronWorkflow": full_v1alpha1.CRON_WORKFLOW},
    "4": {"Workflow": release_4_0_full.WORKFLOW, "CronWorkflow": release_4_0_full.CRON_WORKFLOW},
}
_INSTEAD: Mapping[str, str] = {
    "mutex": "write `mutexes: [{name: …}]`",
    "podPriority": "write `podPriorityClassName`",
    "schedule": 'write `schedules: ["…"]`',
    "semaphore": "write `semaphores: [{configMapKeyRef: …}]`",
}
"""What took the place of fields that 4.0 removed."""
_ANY = "x-kubernetes-preserve-unknown-fields"


def strange_fields(body: Mapping[str, Any], release: str) -> list[Wrong]:
    """What the specification of an object has that its release does not know; of an unknown one, that no line knows."""
    line = release.partition(".")[0]
    schemas = [_LINES[line]] if line in _LINES else [*_LINES.values()]
    found = [
        {wrong[0]: wrong for wrong in _strange(body["spec"], _spec(kinds[body["kind"]]), ("spec",))}
        for kinds in schemas
    ]
    return [wrong for path, wrong in found[-1].items() if all(path in each for each in found)]


def _spec(api: Any) -> Schema:
    spec: Schema = object_schema(api)["properties"]["spec"]
    return spec


def _strange(value: object, schema: Schema, path: Path) -> Iterator[Wrong]:
    wanted = schema.get("type")
    if _ANY in schema or value is None:
        return
    if isinstance(value, dict) and wanted in ("object", None):
        known, others = schema.get("properties") or {}, schema.get("additionalProperties")
        for key, inner in value.items():
            if key in known or isinstance(others, dict):
                yield from _strange(inner, known.get(key) or dict(others or {}), (*path, key))
            elif known:
                yield (*path, key), f"has no field {said((*path, key))}", _INSTEAD.get(key) or nearest(key, known)
    elif isinstance(value, list) and wanted == "array":
        for index, inner in enumerate(value):
            yield from _strange(inner, schema.get("items") or {}, (*path, index))
    elif isinstance(value, dict | list) or wanted in ("object", "array"):
        what = {"object": "a map", "array": "a list"}.get(str(wanted), "a single value")
        yield path, f"wants {what} as {said(path)}", ""


def said(path: Sequence[str | int]) -> str:
    """A path as a person writes it: `spec.templates[0].container`."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".")
