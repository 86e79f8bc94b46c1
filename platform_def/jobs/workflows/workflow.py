"""A workflow of the user's that runs once: a Workflow in a file beside the stack.

An engine makes it again when it is missing, so one that is started by an engine is never deleted by itself.
"""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.apis.argo_workflows.v1alpha1 import WORKFLOW
from platform_def.config.platform import Platform
from platform_def.constructs.resource import Resource
from platform_def.jobs.template import TemplateJob
from platform_def.jobs.workflows.checks import engine_of
from platform_def.jobs.workflows.fields import Wrong
from platform_def.jobs.workflows.written import WrittenConfig, metadata_of, placed

KEPT_SECONDS = 2**31 - 1
"""The longest that the field takes, 68 years: it wins over a time after which the controller deletes all others."""


class WorkflowConfig(WrittenConfig):
    """Parameters of a workflow."""

    stays = ""
    needs = (WORKFLOW.full_name,)
    kind = WORKFLOW.kind

    def deeper(self, platform: Platform) -> Iterator[Wrong]:
        """With what would have the engine start it again and again."""
        yield from super().deeper(platform)
        if self.keep_hours is not None and "ttlStrategy" in self.written(platform):
            yield ("spec", "ttlStrategy"), "says how long the workflow is kept, as `keepHours` does", "leave one out"
        if not self.sync:
            return
        again = "and the engine would start it again"
        if "ttlStrategy" in self.written(platform):
            yield ("spec", "ttlStrategy"), f"the workflow would delete itself, {again}", "leave `ttlStrategy` out"
        if engine_of(platform).deletes_ended:
            hint = "take the numbers out of its `retention:`, or write `sync: false` and start it by hand"
            yield (), f"the engine of workflows deletes ended ones beyond a number, {again}", hint


class Workflow(TemplateJob[WorkflowConfig]):
    """A Workflow."""

    def build(self) -> None:
        """The object, under a name of its own for each content."""
        labels, notes = metadata_of(self, self.config)
        spec = placed(self, self.config)
        if self.config.sync:
            spec["ttlStrategy"] = {"secondsAfterCompletion": KEPT_SECONDS}
        elif self.config.lifetime is not None:
            spec["ttlStrategy"] = {"secondsAfterCompletion": self.config.lifetime}
        Resource(self, WORKFLOW, self.unique_name, spec=spec, labels=labels, annotations=notes)
