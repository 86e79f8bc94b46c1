"""A compiled package of Kubeflow Pipelines that lies beside the stack, run once or on a schedule.

The server knows runs by ids of its own, and does not know a recurring run that came from Git: so a Job asks it for the
run, and does nothing where that is there. A package of the v1 SDK is a Workflow, and runs without the server.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import Field, JsonValue

from platform_def.apis.argo_workflows.v1alpha1 import CRON_WORKFLOW, WORKFLOW
from platform_def.capabilities import PipelineServer, WorkflowNamespaces
from platform_def.config.model import Model
from platform_def.config.platform import Platform
from platform_def.config.secrets import FilePath
from platform_def.constructs.resource import Resource
from platform_def.jobs.pipelines import package as ir
from platform_def.jobs.pipelines.starter import make_starter, too_large
from platform_def.jobs.template import Job, JobConfig, JobProblem, home_of
from platform_def.jobs.workflows.fields import Wrong
from platform_def.jobs.workflows.workflow import KEPT_SECONDS, WorkflowConfig
from platform_def.jobs.workflows.written import metadata_of, placed

RUNNER = "pipeline-runner"
"""Account that the compiler of the v1 SDK writes into every package."""
PLACED = ("pool", "gpu_model", "sharing", "mig_profile", "priority", "priority_class", "annotations", "labels")
"""Words about pods, which steps of a compiled pipeline have by themselves."""


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


class PipelineConfig(JobConfig):
    """Parameters of a pipeline."""

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

    def problems(self, platform: Platform) -> Iterator[JobProblem]:
        """What is wrong with the package, for the server and the store of its namespace."""
        if self.v1:
            yield from self.workflow().problems(platform)
            return
        wrong = [*ir.identity_problems(platform.document(self.file))]
        wrong = wrong or [*ir.package_problems(self.package(platform))]
        wrong = wrong or [*ir.parameter_problems(self.package(platform), self.parameters)]
        for path, text, hint in wrong:
            yield JobProblem("file", text, hint, file=self.file, path=path)
        for name in PLACED:
            if name in self.model_fields_set:
                field = type(self).model_fields[name].alias or name
                yield JobProblem(field, f"steps of a pipeline have {field} in the package", "leave it out")
        given = platform.maybe(PipelineServer)
        if given is None:
            hint = (
                "add `kfp: {}`, or write `provides: {pipelineServer: {host: …, account: …, namespaces: […]}}` to yours"
            )
            yield JobProblem("template", "nothing in the stack says where the server of pipelines is", hint)
        elif not wrong:
            yield from self._server_problems(given.value, platform)

    def _server_problems(self, server: PipelineServer, platform: Platform) -> Iterator[JobProblem]:
        home = home_of(self, platform)
        if home not in server.namespaces:
            there = ", ".join(server.namespaces)
            text = f"runs are in {there}, and the job is in {home}" if there else "no namespace has runs"
            yield JobProblem("namespace" if self.namespace else "team", text, "name a team, or that namespace")
        root = self.pipeline_root or self.package(platform).root
        field = "pipelineRoot" if self.pipeline_root else "file"
        yield from (JobProblem(field, text, hint) for _, text, hint in root_problems(root, server, home))
        if size := too_large(self, platform):
            yield JobProblem("file", f"becomes {size} bytes, more than an object may have", "make it smaller")


def root_problems(root: str, server: PipelineServer, home: str) -> Iterator[Wrong]:
    """A place for artifacts that the key of the namespace does not open."""
    own = f"{server.root}{home}/"
    if not root or not server.root or f"{root.rstrip('/')}/".startswith(own):
        return
    scheme, bucket = server.root.partition("://")[0], server.root.split("/")[2]
    if root.partition("://")[0] != scheme:
        text = f"{root}: launchers of {home} know keys for {scheme}:// only"
    elif root.split("/")[2] != bucket:
        text = f"{root}: {home} has a key to the bucket {bucket}"
    else:
        text = f"{root}: the key of {home} opens {own} only"
    yield (), text, f"leave it out, or write {own}…"


class Pipeline(Job[PipelineConfig]):
    """What the release understands: objects and a Job that asks the server, or a workflow."""

    def build(self) -> None:
        """All of it."""
        if self.config.v1:
            self._workflow()
        else:
            make_starter(self)

    def _workflow(self) -> None:
        workflow, schedule = self.config.workflow(), self.config.schedule
        labels, notes = metadata_of(self, workflow)
        spec = placed(self, workflow)
        if schedule is None:
            if self.config.sync:
                spec["ttlStrategy"] = {"secondsAfterCompletion": KEPT_SECONDS}
            Resource(self, WORKFLOW, self.unique_name, spec=spec, labels=labels, annotations=notes)
            return
        clock: dict[str, Any] = {
            "schedules": [schedule.cron],
            "suspend": not schedule.enabled,
            "concurrencyPolicy": "Forbid" if schedule.concurrent == 1 else "Allow",
            "workflowMetadata": {"labels": labels, "annotations": notes},
            "workflowSpec": spec,
        }
        Resource(self, CRON_WORKFLOW, self.unique_name, spec=clock, labels=labels)
