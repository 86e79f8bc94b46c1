"""Workflows that Argo Workflows ends at once, since names in them lead nowhere, or whose schedule it cannot read.

Facts: Argo Workflows 3.7 and 4.0 (workflow/validate/validate.go; of schedules workflow/cron and robfig/cron's standard
parser). With upstream's minimal CRDs the API server takes any field of a specification.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from platform_def.apis.argo_workflows.names import wrong_names
from platform_def.checks.fault import Fault
from platform_def.errors import nearest
from platform_def.manifests.loose import items, mapping, text
from platform_def.manifests.names import cron_problem, time_zone_problem
from platform_def.manifests.paths import dotted
from platform_def.manifests.rendered import Manifest

GROUP = "argoproj.io"
_POLICIES = ("Allow", "Forbid", "Replace")
_ZONE = re.compile(r"^(CRON_)?TZ=\S+\s+")
"""Argo reads it in front of the schedule, too."""


def of_workflow(manifest: Manifest) -> Iterator[Fault]:
    """A Workflow."""
    yield from _names(mapping(manifest.get("spec")), ("spec",))


def of_template(manifest: Manifest) -> Iterator[Fault]:
    """A WorkflowTemplate or ClusterWorkflowTemplate."""
    yield from _names(mapping(manifest.get("spec")), ("spec",), begins=False)


def of_cron_workflow(manifest: Manifest) -> Iterator[Fault]:
    """A CronWorkflow."""
    spec = mapping(manifest.get("spec"))
    yield from _names(mapping(spec.get("workflowSpec")), ("spec", "workflowSpec"))
    policy = spec.get("concurrencyPolicy")
    if policy and policy not in _POLICIES:
        said = f"'{policy}' is no policy: the controller refuses the workflow"
        yield Fault("spec.concurrencyPolicy", said, nearest(str(policy), _POLICIES) or f"write {', '.join(_POLICIES)}")
    several = [(f"spec.schedules[{index}]", each) for index, each in enumerate(items(spec.get("schedules")))]
    for path, schedule in [("spec.schedule", spec.get("schedule")), *several]:
        said = _ZONE.sub("", text(schedule))
        if said and (wrong := cron_problem(said)):
            yield Fault(path, f"{wrong}: it never starts", "write minute, hour, day of the month, month and weekday")
    zone = text(spec.get("timezone"))
    if zone and zone != "Local" and (wrong := time_zone_problem(zone)):
        yield Fault("spec.timezone", f"{wrong}: it never starts", "write a name such as Europe/Berlin")


def _names(spec: Any, at: tuple[str, ...], *, begins: bool = True) -> Iterator[Fault]:
    if not spec or isinstance(spec.get("workflowTemplateRef"), dict):
        return
    for path, said, hint in wrong_names(spec, begins=begins):
        yield Fault(dotted((*at, *path)), f"the workflow {said}", hint)
