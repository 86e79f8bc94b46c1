"""What a stack file says of a pipeline, and of a package of the v1 SDK, which is a workflow."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field, JsonValue

from platform_def.apis.argo_workflows.v1alpha1 import CRON_WORKFLOW, WORKFLOW
from platform_def.capabilities import WorkflowNamespaces
from platform_def.config.model import Model
from platform_def.config.platform import Platform
from platform_def.config.secrets import FilePath
from platform_def.jobs.pipelines import package as ir
from platform_def.jobs.template import JobConfig
from platform_def.jobs.workflows.workflow import WorkflowConfig

RUNNER = "pipeline-runner"
"""Account that the compiler of the v1 SDK writes into every package."""


COMPILED = "pipelines.kubeflow.org/pipeline_compilation_time"
"""Annotation in which that compiler writes the time."""


class PipelineSchedule(Model):
    """When a pipeline starts."""

    cron: Annotated[str, Field(pattern=r"^\S+( \S+){4}$", max_length=100)]
    """Minute, hour, day of the month, month, day of the week: `0 3 * * 1`."""
    enabled: bool = True
    """Whether the clock strikes."""
    concurrent: Annotated[int, Field(ge=1, le=10)] = 1
    """Runs at once; those beyond wait, or are left out by Argo Workflows."""
    catchup: bool = False
    """Make up for starts that were missed, one by one."""


class V1Config(WorkflowConfig):
    """A package of the v1 SDK, whose account is the engine's where the namespace has none for pipelines."""

    def written(self, platform: Platform) -> Mapping[str, Any]:
        """The specification."""
        spec = super().written(platform)
        known = {each for given in platform.all(WorkflowNamespaces) for each in given.value.accounts}
        if spec.get("serviceAccountName") == RUNNER and RUNNER not in known:
            return {key: value for key, value in spec.items() if key != "serviceAccountName"}
        return spec


class PipelineFields(JobConfig):
    """Parameters of a pipeline; what is impossible of them is known above."""

    stays = "pipeline run"
    file: FilePath
    """File of the repository with the compiled package, from the repository's root: `pipelines/train.yaml`."""
    v1: bool = False
    """The package is one of the v1 SDK: a Workflow, which runs on Argo Workflows without the server."""
    parameters: dict[str, JsonValue] = Field(default_factory=dict)
    """Values of the pipeline's parameters, of the types that it says."""
    schedule: PipelineSchedule | None = None
    """Run it on a schedule; by default once."""
    pipeline_root: Annotated[str, Field(pattern=r"^[a-z0-9]+://[^\s]+$", max_length=500)] | None = None
    """Where artifacts are kept; by default the namespace's part of the stack's bucket."""
    experiment: Annotated[str, Field(min_length=1, max_length=128)] = "Default"
    """Experiment that its runs belong to."""

    def files(self) -> tuple[str, ...]:
        """The package."""
        return (self.file,)

    def held(self, platform: Platform) -> list[Any]:
        """The package without the time at which the v1 SDK compiled it: to compile it again starts no second run."""
        return [[_timeless(each) for each in documents] for documents in super().held(platform)]

    @property
    def recurring(self) -> bool:
        """Only what is an object itself: recurring runs of the server's are not."""
        return self.v1 and self.schedule is not None

    def apis(self) -> tuple[str, ...]:
        """A workflow of its own, or what recurring runs of the server are."""
        if not self.v1:
            return ("ScheduledWorkflow.kubeflow.org",)
        return (CRON_WORKFLOW.full_name if self.schedule else WORKFLOW.full_name,)

    def queued_kinds(self) -> tuple[str, ...]:
        """None: pods may wait, one by one."""
        return ()

    def runtime_images(self, platform: Platform) -> tuple[str, ...]:
        """Those of its steps, which the server makes pods of."""
        return () if self.v1 else tuple(map(platform.image, self.package(platform).images()))

    def workflow(self) -> V1Config:
        """The package of the v1 SDK as a workflow."""
        own = {name: getattr(self, name) for name in (*JobConfig.model_fields, "file") if name in self.model_fields_set}
        values = {name: each if isinstance(each, str) else json.dumps(each) for name, each in self.parameters.items()}
        return V1Config(**{**own, "sync": self.sync and self.schedule is None, "parameters": values})

    def package(self, platform: Platform) -> ir.Package:
        """What the compiler wrote."""
        return ir.Package.of(platform.document(self.file))


def _timeless(document: Any) -> Any:
    """A document of a package without the time of its compilation."""
    metadata = document.get("metadata") if isinstance(document, Mapping) else None
    notes = metadata.get("annotations") if isinstance(metadata, Mapping) else None
    if not isinstance(metadata, Mapping) or not isinstance(notes, Mapping):
        return document
    kept = {key: value for key, value in notes.items() if key != COMPILED}
    return {**document, "metadata": {**metadata, "annotations": kept}}
