"""Argo CD's objects: a project, one Application a part in its wave, and the root Application that brings them.

Written for Argo CD 3.2 and newer (`retry.refresh`, stable server-side diff).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from platform_def.apis.core import CONFIG_MAP
from platform_def.delivery.drift import drifting, group_of
from platform_def.delivery.kinds import APP_PROJECT, APPLICATION
from platform_def.delivery.lua import APPLICATION as APPLICATION_HEALTH
from platform_def.delivery.readiness import HealthOf, readiness
from platform_def.delivery.target import BOOTSTRAP, MANAGED, ROOT, Target, job_labels, job_name, part_labels, part_names
from platform_def.manifests.author import manifest
from platform_def.manifests.rendered import Manifest, Part, RenderedComponent, RenderedStack

CLUSTER = "https://kubernetes.default.svc"
FINALIZER = "resources-finalizer.argocd.argoproj.io"

_WAVE = "argocd.argoproj.io/sync-wave"
_FIRST = {_WAVE: "-1"}
_KEPT = {"argocd.argoproj.io/sync-options": "Delete=false,Prune=false"}
# The default diff under server-side apply is discontinued upstream: it stumbles over defaults of custom resources.
_DIFF = {"argocd.argoproj.io/compare-options": "ServerSideDiff=true"}
# The root does not apply itself: a sync would wait for its own health.
_SKIPPED = {"argocd.argoproj.io/hook": "Skip"}
_OPTIONS = ("ServerSideApply=true", "SkipDryRunOnMissingResource=true")


def argocd_objects(
    stack: RenderedStack, target: Target, *, synced_jobs: Mapping[str, str], health_of: HealthOf
) -> Iterator[Manifest]:
    """What Argo CD reads for a stack; `synced_jobs` maps the jobs that it starts to their namespaces."""
    yield _project(target)
    yield _settings(stack, target, health_of)
    yield _root(target)
    for part, name in part_names(stack).items():
        component, _, kind = part.partition("/")
        yield _part(stack, stack.components[component], kind, name=name, target=target)  # type: ignore[arg-type]
    for job, namespace in sorted(synced_jobs.items()):
        yield _job(stack, job, namespace, target)


def _project(target: Target) -> Manifest:
    """Wide inside the one cluster: a narrower project could not delete what a later version leaves out."""
    everything = [{"group": "*", "kind": "*"}]
    return manifest(
        APP_PROJECT,
        ROOT,
        namespace=target.namespace,
        labels=MANAGED | BOOTSTRAP,
        annotations=_FIRST | _KEPT,
        spec={
            "description": f"The platform of the stack {target.stack}",
            "sourceRepos": [target.repository],
            "destinations": [{"server": CLUSTER, "namespace": "*"}],
            "clusterResourceWhitelist": everything,
            "namespaceResourceWhitelist": everything,
        },
    )


def _settings(stack: RenderedStack, target: Target, health_of: HealthOf) -> Manifest:
    """Only keys of our own: server-side apply leaves all others of Argo CD's ConfigMap alone."""
    rules = {"argoproj.io_Application": APPLICATION_HEALTH}
    for rule in readiness(stack.objects(), stack, health_of):
        rules[f"{rule.group}_{rule.kind}" if rule.group else rule.kind] = rule.lua
    return manifest(
        CONFIG_MAP,
        "argocd-cm",
        namespace=target.namespace,
        # Argo CD reads it only with this label; any other would fight with whoever installs Argo CD.
        labels=BOOTSTRAP | {"app.kubernetes.io/part-of": "argocd"},
        annotations=_FIRST | _KEPT,
        fields={"data": {f"resource.customizations.health.{kind}": lua for kind, lua in sorted(rules.items())}},
    )


def _root(target: Target) -> Manifest:
    return _application(
        ROOT,
        target,
        folder=target.folder("_delivery"),
        namespace=target.namespace,
        labels=MANAGED | BOOTSTRAP,
        annotations=_SKIPPED,
        options=("ServerSideApply=true",),
    )


def _part(stack: RenderedStack, component: RenderedComponent, part: Part, *, name: str, target: Target) -> Manifest:
    ignored = _ignored(component, part)
    fact = stack.facts.get(component.name)
    return _application(
        name,
        target,
        folder=target.folder(component.name, part),
        namespace=fact.namespace if fact else "",
        labels=part_labels(component.name, part),
        annotations={_WAVE: str(stack.waves[f"{component.name}/{part}"])},
        options=(*_OPTIONS, "RespectIgnoreDifferences=true") if ignored else _OPTIONS,
        # Without the finalizer an Application leaves its objects behind: CRDs take every custom resource with them.
        finalizers=() if part == "crds" else (FINALIZER,),
        ignored=ignored,
    )


def _job(stack: RenderedStack, job: str, namespace: str, target: Target) -> Manifest:
    wave = 1 + max((stack.waves[part] for part in stack.job_needs[job]), default=-1)
    return _application(
        job_name(job),
        target,
        folder=target.folder("_jobs", job),
        namespace=namespace,
        labels=job_labels(job),
        annotations={_WAVE: str(wave)},
        options=_OPTIONS,
        owns=False,
    )


def _ignored(component: RenderedComponent, part: Part) -> list[Manifest]:
    found = []
    for drift in drifting(component, part):
        who = {"group": group_of(drift), "kind": drift.kind, "name": drift.name}
        rule: Manifest = {key: value for key, value in who.items() if value}
        if drift.pointers:
            rule["jsonPointers"] = list(drift.pointers)
        elif drift.by:
            rule["managedFieldsManagers"] = [drift.by]
        found.append(rule)
    return found


def _application(
    name: str,
    target: Target,
    *,
    folder: str,
    namespace: str,
    labels: Mapping[str, str],
    annotations: Mapping[str, str],
    options: Sequence[str],
    finalizers: tuple[str, ...] = (),
    ignored: Sequence[Manifest] = (),
    owns: bool = True,
) -> Manifest:
    """`owns`: Argo CD removes what is no longer in the folder, and undoes what others change."""
    # Unlimited, and always with the newest commit: a cold start fails until images are pulled and webhooks answer.
    retry = {"limit": -1, "refresh": True, "backoff": {"duration": "10s", "factor": 2, "maxDuration": "3m"}}
    spec: Manifest = {
        "project": ROOT,
        "source": {
            "repoURL": target.repository,
            "targetRevision": target.revision,
            "path": folder,
            "directory": {"recurse": True},
        },
        "destination": {"server": CLUSTER, **({"namespace": namespace} if namespace else {})},
        "syncPolicy": {
            "automated": {"prune": owns, "selfHeal": owns},
            "syncOptions": list(options),
            "retry": retry,
        },
    }
    if ignored:
        spec["ignoreDifferences"] = list(ignored)
    return manifest(
        APPLICATION,
        name,
        namespace=target.namespace,
        labels=labels,
        annotations=_DIFF | dict(annotations),
        finalizers=finalizers,
        spec=spec,
    )
