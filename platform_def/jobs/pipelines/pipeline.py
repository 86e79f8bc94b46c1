"""A compiled package of Kubeflow Pipelines that lies beside the stack, run once or on a schedule.

The server knows runs by ids of its own, and does not know a recurring run that came from Git: so a Job asks it for the
run, and does nothing where that is there. A package of the v1 SDK is a Workflow, and runs without the server.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from platform_def.apis.argo_workflows.v1alpha1 import CRON_WORKFLOW, WORKFLOW
from platform_def.capabilities import PipelineServer
from platform_def.config.platform import Platform
from platform_def.constructs.resource import Resource
from platform_def.jobs.pipelines import package as ir
from platform_def.jobs.pipelines.fields import PipelineFields
from platform_def.jobs.pipelines.starter import make_starter, too_large
from platform_def.jobs.template import JobProblem, TemplateJob, home_of
from platform_def.jobs.workflows.fields import Wrong
from platform_def.jobs.workflows.workflow import KEPT_SECONDS
from platform_def.jobs.workflows.written import metadata_of, placed

PLACED = ("pool", "gpu_model", "sharing", "mig_profile", "priority", "priority_class", "annotations", "labels")
"""Words about pods, which steps of a compiled pipeline have by themselves."""


class PipelineConfig(PipelineFields):
    """Parameters of a pipeline."""

    def problems(self, platform: Platform) -> Iterator[JobProblem]:
        """What is wrong with the package, for the server and the store of its namespace."""
        if self.v1:
            yield from self.workflow().problems(platform)
            return
        wrong = [*ir.identity_problems(platform.document(self.file))]
        wrong = wrong or [*ir.package_problems(self.package(platform))]
        wrong = wrong or [
            *ir.parameter_problems(self.package(platform), self.parameters),
            *ir.claim_problems(self.package(platform), platform.storage),
        ]
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
            yield JobProblem(
                "file", f"the pipeline becomes {size} bytes, more than an object may have", "make it smaller"
            )


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


class Pipeline(TemplateJob[PipelineConfig]):
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
