"""Jobs: what they run never changes; while one is suspended, where and with how much it runs does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from platform_def.crds.index import suspended_by
from platform_def.manifests.loose import at, items, mapping
from platform_def.manifests.paths import Path
from platform_def.manifests.updates.change import Change, Refused, Row
from platform_def.manifests.updates.comparing import Difference, differences, fixed, refused, together
from platform_def.manifests.updates.pod_defaults import POD_DEFAULTS

_SAYS = "the API server does not let it change once the Job exists"
_ELASTIC = 27
"""The minor version from which the completions of an indexed Job follow its parallelism."""
_RESOURCES = 36
"""The minor version from which a suspended Job's requests and limits change."""
_DIRECTIVES = (
    ("template", "metadata", "labels"),
    ("template", "metadata", "annotations"),
    ("template", "spec", "nodeSelector"),
    ("template", "spec", "tolerations"),
    ("template", "spec", "schedulingGates"),
    ("template", "spec", "affinity", "nodeAffinity"),
)
"""Where pods go: what may change while a Job is suspended."""


def _template(change: Change) -> Iterator[Refused]:
    old, new = change.both("spec.template")
    found = differences(old, new, "spec.template", POD_DEFAULTS)
    suspended = at(change.old, suspended_by("batch", "Job")) is True
    loose = [each for each in found if suspended and _is_loose(each, change.kubernetes.minor)]
    yield from refused([each for each in found if each not in loose], _SAYS)
    if loose and len(loose) == len(found):
        asks = f"{change.kubectl} get job {change.name} -o jsonpath='{{.spec.suspend}} {{.status.active}}'"
        says = "the API server takes it only while the Job is suspended and none of its pods runs"
        for each in refused(loose, says):
            yield Refused(each.path, each.text, f"ask whether that is so: {asks}", "warning")


def _is_loose(found: Difference, minor: int) -> bool:
    path = found.path[1:]
    if path == ("template", "spec", "affinity"):
        both = (mapping(found.old), mapping(found.new))
        return all({*each} <= {"nodeAffinity"} for each in both)
    directive = any(path[: len(each)] == each for each in _DIRECTIVES)
    return directive or (minor >= _RESOURCES and _is_resources(path)) or path == ("template", "metadata")


def _is_resources(path: Path) -> bool:
    return len(path) > 4 and path[2] in ("containers", "initContainers") and path[4] == "resources"


def _completions(change: Change) -> Iterator[Refused]:
    old, new = (_filled(mapping(at(one, "spec"))) for one in (change.old, change.new))
    unsaid = all(value is None for value in change.both("spec.completions"))  # then it stays as it was filled in
    if unsaid or old["completions"] == new["completions"]:
        return
    indexed = new["completionMode"] == "Indexed" and change.kubernetes.minor >= _ELASTIC
    if indexed and new["completions"] == new["parallelism"]:
        return
    says = "the API server lets it change only together with parallelism, to the same number" if indexed else _SAYS
    yield from refused(differences(old["completions"], new["completions"], "spec.completions", {}), says)


def _filled(spec: Mapping[str, Any]) -> dict[str, Any]:
    """With what the server fills in: without both numbers each is 1."""
    completions, parallelism = spec.get("completions"), spec.get("parallelism")
    return {
        "completions": 1 if completions is None and parallelism is None else completions,
        "parallelism": 1 if parallelism is None else parallelism,
        "completionMode": spec.get("completionMode") or "NonIndexed",
    }


def _mode(change: Change) -> Iterator[Refused]:
    old, new = (_filled(mapping(at(one, "spec")))["completionMode"] for one in (change.old, change.new))
    yield from refused(differences(old, new, "spec.completionMode", {}), _SAYS)


def _selector(change: Change) -> Iterator[Refused]:
    """Only one that is written by hand; the server makes the others."""
    if at(change.old, "spec.manualSelector") is True and at(change.new, "spec.manualSelector") is True:
        yield from fixed("spec.selector", _SAYS)(change)


def _unfinished(change: Change) -> str:
    kept = "" if items(at(change.new, "spec.template.spec.volumes")) else ", with whatever they have not stored"
    return f"its pods stop{kept}, and the Job runs again from the start, even where it had ended"


JOBS = (
    Row(
        id="job-template",
        kinds=("Job.batch",),
        find=_template,
        way="give the Job a new name, such as one with a version in it",
        loses=_unfinished,
    ),
    Row(
        id="job-completions",
        kinds=("Job.batch",),
        find=together(_completions, _mode),
        way="give the Job a new name",
        loses=_unfinished,
    ),
    Row(
        id="job-fields",
        kinds=("Job.batch",),
        find=together(
            _selector,
            fixed("spec.podFailurePolicy", _SAYS, defaults={"onPodConditions": {"status": "True"}}),
            fixed("spec.backoffLimitPerIndex", _SAYS, since=29),
            fixed("spec.managedBy", _SAYS, since=32),
            fixed("spec.successPolicy", _SAYS, since=31),
        ),
        way="keep the field, or give the Job a new name",
        loses=_unfinished,
    ),
)
