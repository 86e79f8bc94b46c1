"""What is wrong with a workflow of the user's, for the engine, the accounts and the store of its namespace."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from platform_def.apis.argo_workflows.contents import (
    VARIABLE,
    Path,
    Spec,
    devices_of,
    kept_artifacts,
    made_kinds,
    templates_of,
)
from platform_def.apis.argo_workflows.names import wrong_names
from platform_def.capabilities import JobQueue, WorkflowEngine, WorkflowNamespaces
from platform_def.config.platform import Platform
from platform_def.errors import nearest
from platform_def.jobs.queueing import given_on, pool_of, queue_labels
from platform_def.jobs.template import JobConfig, home_of
from platform_def.jobs.workflows.fields import Wrong, strange_fields

CLAIM = "PersistentVolumeClaim"
GROUP_VERSION = "argoproj.io/v1alpha1"
_METADATA = ("annotations", "generateName", "labels", "name", "namespace")
_TEMPLATES: Mapping[str, str] = {"CronWorkflow": "cron-workflow", "Workflow": "workflow"}


def identity_problems(documents: tuple[Any, ...], kind: str, home: str) -> Iterator[Wrong]:
    """Whether a file holds one object of the kind, and nothing that the stack or the API server writes."""
    found = [each for each in documents if each is not None]
    if len(found) != 1 or not isinstance(found[0], Mapping):
        what = f"{len(found)} documents" if len(found) > 1 else "no object"
        yield (), f"holds {what}, and one {kind} is wanted", ""
        return
    body = found[0]
    if (body.get("apiVersion"), body.get("kind")) != (GROUP_VERSION, kind):
        other = _TEMPLATES.get(str(body.get("kind")))
        hint = f"its template is `{other}`" if other else f"write apiVersion: {GROUP_VERSION} and kind: {kind}"
        yield ("kind",), f"holds no {kind} of {GROUP_VERSION}", hint
        return
    for key in body.keys() - {"apiVersion", "kind", "metadata", "spec"}:
        yield (key,), f"{key} is not the author's to write", "take it out"
    metadata = body.get("metadata") or {}
    if not isinstance(metadata, Mapping) or not isinstance(body.get("spec"), Mapping):
        yield ("spec",), "metadata and spec are maps", ""
        return
    for key in metadata.keys() - {*_METADATA}:
        yield ("metadata", key), f"metadata.{key} is not the author's to write", "take it out"
    for key in ("annotations", "labels"):
        said = metadata.get(key) or {}
        if not isinstance(said, Mapping) or not all(isinstance(each, str) for each in said.values()):
            yield ("metadata", key), f"metadata.{key} is a map of text", "put numbers and true in quotes"
    if metadata.get("namespace") not in (None, home):
        text = f"says namespace {metadata['namespace']}, and the job runs in {home}"
        yield ("metadata", "namespace"), text, "leave it out: the job's team decides"


def field_problems(body: Mapping[str, Any], platform: Platform) -> Iterator[Wrong]:
    """Fields that the release does not know."""
    release = engine_of(platform).release
    for path, text, hint in strange_fields(body, release):
        yield path, f"Argo Workflows {release} {text}".replace("  ", " "), hint


def spec_problems(spec: Spec, parameters: Mapping[str, str]) -> Iterator[Wrong]:
    """Names inside of it that lead nowhere."""
    if not isinstance(spec.get("workflowTemplateRef"), Mapping):
        yield from wrong_names(spec)
        arguments = spec.get("arguments")
        said = arguments.get("parameters") if isinstance(arguments, Mapping) else None
        there = [each["name"] for each in said or () if isinstance(each, Mapping) and isinstance(each.get("name"), str)]
        for name in parameters:
            if name not in there:
                yield ("arguments",), f"has no parameter '{name}' among its arguments", nearest(name, there)


def account_problems(spec: Spec, config: JobConfig, platform: Platform) -> Iterator[Wrong]:
    """Accounts without the executor's rights: each step would end in an error when it reports its result."""
    given, home = platform.all(WorkflowNamespaces), home_of(config, platform)
    if not given:
        return
    here = [each for each in given if home in each.value.namespaces]
    if not here:
        there = sorted({name for each in given for name in each.value.namespaces})
        text = f"nothing gives workflows an account in the namespace {home}"
        yield (), text, f"name a team by `team:`; they may run in {', '.join(there)}" if there else "name a team"
        return
    known = sorted({name for each in here for name in each.value.accounts})
    places: list[tuple[Path, object]] = [(("serviceAccountName",), spec.get("serviceAccountName"))]
    places += [((*path, "serviceAccountName"), each.get("serviceAccountName")) for path, each in templates_of(spec)]
    for path, name in places:
        if isinstance(name, str) and VARIABLE not in name and name not in known:
            text = f"nothing gives the account {name} the rights of workflows' pods in {home}"
            hint = f"leave it out, name {' or '.join(known)}, or add `executors: [{name}]` to {here[0].by}"
            yield path, text, hint


def right_problems(spec: Spec, config: JobConfig, platform: Platform) -> Iterator[Wrong]:
    """Objects that a step makes under an account which may not."""
    home = home_of(config, platform)
    here = [each for each in platform.all(WorkflowNamespaces) if home in each.value.namespaces]
    for path, template in templates_of(spec):
        account = template.get("serviceAccountName") or spec.get("serviceAccountName") or engine_of(platform).account
        given = [each for each in here if account in each.value.accounts]
        if not given or any(account not in each.value.makes for each in given):
            continue
        allowed = {kind for each in given for kind in each.value.makes[str(account)]}
        for kind in sorted({*made_kinds(template)} - allowed):
            text = f"is about a {kind}, and the account {account} has no right on that kind in {home}"
            other = f"name an account that has it, and list it under `executors:` of {given[0].by}"
            hint = f"add `claims: true` to {given[0].by}, or {other}" if kind == CLAIM else other
            yield (*path, "resource", "manifest"), text, hint


def store_problems(spec: Spec, config: JobConfig, platform: Platform) -> Iterator[Wrong]:
    """Artifacts and logs that nothing keeps."""
    home = home_of(config, platform)
    here = [each for each in platform.all(WorkflowNamespaces) if home in each.value.namespaces]
    if not here or any(each.value.artifacts for each in here) or spec.get("artifactRepositoryRef"):
        return
    for path in kept_artifacts(spec):
        hint = "add `seaweedfs: {}` or `external: {objectStore: …}`, or say where by `s3:`, `gcs:` and the like"
        yield path, f"keeps something, and workflows of {home} have no store", hint
        return


def queue_problems(spec: Spec, config: JobConfig, platform: Platform) -> Iterator[Wrong]:
    """Devices that a step takes past the queue of its team: of Kueue's jobs, pods of workflows are none."""
    given = given_on(JobQueue, pool_of(config, platform), platform)
    if not (given and given.value.kinds and queue_labels(config, platform)):
        return
    for path, name in devices_of(spec):
        text = f"{given.by} queues no pods of workflows: the step would take {name} past the quota of its team"
        yield path, text, "let a `resource` step create a job that waits, or name a team without a `queue`"


def engine_of(platform: Platform) -> WorkflowEngine:
    """The engine; one of which nothing is known where the cluster has its own."""
    given = platform.maybe(WorkflowEngine)
    return given.value if given else WorkflowEngine()
