"""A workflow of the user's that runs on a schedule: a CronWorkflow in a file beside the stack.

Its name is the job's and never changes. A change of the file is applied to the same object, which keeps the time of its
last start and the workflows that it owns: an object of another name would start beside the former one, or, where that
is deleted, end what runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from platform_def.apis.argo_workflows.v1alpha1 import CRON_WORKFLOW
from platform_def.config.platform import Platform
from platform_def.constructs.resource import Resource
from platform_def.jobs.template import TemplateJob
from platform_def.jobs.workflows.fields import Wrong
from platform_def.jobs.workflows.written import WrittenConfig, metadata_of, placed


class CronWorkflowConfig(WrittenConfig):
    """Parameters of a workflow that starts on a schedule."""

    needs = (CRON_WORKFLOW.full_name,)
    kind = CRON_WORKFLOW.kind
    below = ("spec", "workflowSpec")

    @property
    def recurring(self) -> bool:
        """It starts on a schedule."""
        return True

    def deeper(self, platform: Platform) -> Iterator[Wrong]:
        """With a clock that never strikes, and a number that has no effect."""
        yield from super().deeper(platform)
        spec = self.body(platform).get("spec") or {}
        if not spec.get("schedules") and not spec.get("schedule"):
            yield ("spec",), "says no time to start at", 'write `schedules: ["0 3 * * *"]`'
        if self.rerun is not None:
            yield (), "`rerun` does nothing for what starts on a schedule", "leave it out"


class CronWorkflow(TemplateJob[CronWorkflowConfig]):
    """A CronWorkflow."""

    def build(self) -> None:
        """The object, under the job's own name."""
        labels, notes = metadata_of(self, self.config)
        said: dict[str, Any] = {
            key: value for key, value in self.config.body(self.platform)["spec"].items() if value is not None
        }
        spec = {**said, "workflowSpec": placed(self, self.config)}
        Resource(self, CRON_WORKFLOW, self.unique_name, spec=spec, labels=labels, annotations=notes)
