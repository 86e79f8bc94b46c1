"""What both templates share: a file of the user's that lies beside the stack, checked and placed as jobs are.

What the file says wins; a pool, a queue and a deadline fill in what it leaves out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from pydantic import Field

from platform_def.apis.argo_workflows.contents import mirrored
from platform_def.config.platform import Platform
from platform_def.config.secrets import FilePath
from platform_def.constructs.workloads.tolerations import tolerations_of
from platform_def.jobs.queueing import pod_queue, pool_of, scheduler_of
from platform_def.jobs.template import JobConfig, JobProblem, TemplateJob, home_of
from platform_def.jobs.workflows import checks
from platform_def.jobs.workflows.fields import Wrong

INSTANCE = "workflows.argoproj.io/controller-instanceid"
SIDECARLESS = {"sidecar.istio.io/inject": "false"}


class WrittenConfig(JobConfig):
    """Parameters of a workflow that lies in a file."""

    stays = "Workflow"
    kind: ClassVar[str]
    below: ClassVar[tuple[str, ...]] = ("spec",)
    """Where the workflow's specification is in the object."""

    file: FilePath
    """File of the repository with the object, from the repository's root: `workflows/train.yaml`."""
    parameters: dict[str, str] = Field(default_factory=dict)
    """Values of the workflow's arguments, by name, instead of those in the file."""

    def files(self) -> tuple[str, ...]:
        """The file."""
        return (self.file,)

    def queued_kinds(self) -> tuple[str, ...]:
        """None: its pods may wait, one by one."""
        return ()

    def body(self, platform: Platform) -> dict[str, Any]:
        """The object as the file says it."""
        found = [each for each in platform.document(self.file) if each is not None]
        return found[0] if found and isinstance(found[0], dict) else {}

    def written(self, platform: Platform) -> Mapping[str, Any]:
        """The workflow's specification as the file says it."""
        found: Any = self.body(platform)
        for step in self.below:
            found = found.get(step) if isinstance(found, Mapping) else None
        return found if isinstance(found, Mapping) else {}

    def problems(self, platform: Platform) -> Iterator[JobProblem]:
        """What is wrong with the file, at its lines; nothing more where it is no such object at all."""
        home = home_of(self, platform)
        wrong = [*checks.identity_problems(platform.document(self.file), self.kind, home)]
        wrong = wrong or [*checks.field_problems(self.body(platform), platform)]
        wrong = wrong or [*self.deeper(platform)]
        for path, text, hint in wrong:
            yield JobProblem("file", text, hint, file=self.file, path=path)
        if self.mig_profile:
            yield JobProblem("migProfile", "steps ask for devices themselves", "leave it out")

    def deeper(self, platform: Platform) -> Iterator[Wrong]:
        """What is wrong with a specification whose fields are known."""
        spec = self.written(platform)
        found = [
            *checks.spec_problems(spec, self.parameters),
            *checks.account_problems(spec, self, platform),
            *checks.right_problems(spec, self, platform),
            *checks.store_problems(spec, self, platform),
            *checks.queue_problems(spec, self, platform),
        ]
        yield from (((*self.below, *path), text, hint) for path, text, hint in found)


def metadata_of(job: TemplateJob[Any], config: WrittenConfig) -> tuple[dict[str, str], dict[str, str]]:
    """Labels and annotations of the object: those of the file, and the engine's instance."""
    written = config.body(job.platform).get("metadata") or {}
    instance = checks.engine_of(job.platform).instance
    labels = {**(written.get("labels") or {}), **({INSTANCE: instance} if instance else {})}
    return labels, dict(written.get("annotations") or {})


def placed(job: TemplateJob[Any], config: WrittenConfig) -> dict[str, Any]:
    """The workflow's specification with what the stack fills in."""
    spec: dict[str, Any] = mirrored(config.written(job.platform), job.image)
    account = checks.engine_of(job.platform).account
    filled = {
        "activeDeadlineSeconds": config.deadline_hours * 3600,
        **({"serviceAccountName": account} if account else {}),
        **({"podPriorityClassName": config.priority_class} if config.priority_class else {}),
        **_place(config, job.platform),
    }
    spec = {**filled, **spec, "podMetadata": _pods(job, config, spec.get("podMetadata") or {})}
    if config.parameters:
        spec["arguments"] = _arguments(spec.get("arguments") or {}, config.parameters)
    return spec


def _place(config: WrittenConfig, platform: Platform) -> dict[str, Any]:
    """Nodes of the pool, and who schedules there."""
    pool, queue = pool_of(config, platform), pod_queue(config, platform)
    made: dict[str, Any] = {}
    if pool and pool.selector:
        made["nodeSelector"] = dict(pool.selector)
    if pool and pool.taints:
        made["tolerations"] = tolerations_of(pool)
    scheduler = queue.scheduler or (scheduler_of(pool, platform) if pool else "")
    return {**made, "schedulerName": scheduler} if scheduler else made


def _pods(job: TemplateJob[Any], config: WrittenConfig, said: Mapping[str, Any]) -> dict[str, Any]:
    """Labels and annotations of all its pods."""
    queue = pod_queue(config, job.platform)
    labels = {**SIDECARLESS, **job.labels(), **queue.labels, **(said.get("labels") or {})}
    notes = {**config.annotations, **queue.annotations, **(said.get("annotations") or {})}
    return {"labels": labels, **({"annotations": notes} if notes else {})}


def _arguments(said: Mapping[str, Any], values: Mapping[str, str]) -> dict[str, Any]:
    """The arguments with these values in the place of what the file gives them."""
    there = [each for each in said.get("parameters") or () if each.get("name") not in values]
    return {**said, "parameters": [*there, *({"name": name, "value": value} for name, value in sorted(values.items()))]}
