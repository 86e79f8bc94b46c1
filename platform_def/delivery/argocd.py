"""Argo CD's objects: a project, one Application a part, and the root Application that brings them.

They are plain Applications, each tried again until the API server takes it, with policies for what trying again cannot
do: that of removal, those that have a failed comparison made again and the sync of a part that goes ended, and those by
which pods wait for webhooks and for definitions. With `order: gates` further policies, labels and markers keep the
order of parts.

Written for Argo CD 3.2 and newer (`retry.refresh`, stable server-side diff).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from platform_def.apis.core import CONFIG_MAP
from platform_def.config.cluster import Delivery
from platform_def.config.objects import Part
from platform_def.config.words.registered import engines
from platform_def.crds.core.kinds import CORE_KINDS
from platform_def.delivery.comparisons import comparisons, settings
from platform_def.delivery.deadlocks import DeadlocksOf
from platform_def.delivery.drift import drifting, group_of
from platform_def.delivery.endings import endings
from platform_def.delivery.gates import AFTER, SINCE, THERE, goes_before, order_gates, possible, removal_gate, waiting
from platform_def.delivery.guarded import guarded
from platform_def.delivery.health.lua import DEFINITION
from platform_def.delivery.health.readiness import HealthOf, foreseen, readiness
from platform_def.delivery.kinds import APP_PROJECT, APPLICATION
from platform_def.delivery.markers import contents_needed, digest
from platform_def.delivery.pods.definitions import awaiting, definition_gate
from platform_def.delivery.pods.injectors import changed_pods, injection_gate
from platform_def.delivery.target import (
    BOOTSTRAP,
    MANAGED,
    ROOT,
    Target,
    job_labels,
    job_name,
    left_behind,
    part_labels,
    part_name,
    part_names,
)
from platform_def.errors import ConfigError, Problem
from platform_def.manifests.author import manifest
from platform_def.manifests.graph import Graph
from platform_def.manifests.rendered import DELIVERY, JOBS, Manifest, RenderedComponent, RenderedObject, RenderedStack
from platform_def.manifests.updates.replacing import has_consent

ENGINE, SETTINGS = engines()["argocd"].component, "argocd-cm"
CLUSTER = "https://kubernetes.default.svc"
FINALIZER = "resources-finalizer.argocd.argoproj.io"

# Nothing that the root brings has a wave: from 3.6 a sync with waves in which an object is refused ends only when all
# that it has applied is healthy. What the gates are, step 2 of the bootstrap has made.
_KEPT = {"argocd.argoproj.io/sync-options": "Delete=false,Prune=false"}
# The default diff under server-side apply is discontinued upstream: it stumbles over defaults of custom resources.
_DIFF = {"argocd.argoproj.io/compare-options": "ServerSideDiff=true"}
# Argo CD 3.6.1 takes what webhooks change out of the dry run, by the types that it read when a definition changed last.
# The API server may publish that change a moment later: then no object with a new field can be compared, until another
# definition changes or the controller is restarted. And where a definition leaves the spec open, as the minimal ones
# of Argo Workflows do, a change in Git would be taken out too, and never seen.
_COMPARED_WHOLE = {"argocd.argoproj.io/compare-options": "ServerSideDiff=true,IncludeMutationWebhook=true"}
# Where an object may be replaced: the dry run of the comparison would be refused as the update is; and without the
# option each sync would replace the object, whatever else has changed.
_COMPARED_HERE = {"argocd.argoproj.io/compare-options": "ServerSideDiff=false"}
_DIFFERING = ("ApplyOutOfSyncOnly=true",)
# The root does not apply itself: a sync would wait for its own health.
_SKIPPED = {"argocd.argoproj.io/hook": "Skip"}
_TAKES = "has(oldObject.metadata.finalizers)"
_NEEDS = f"has(params.metadata.labels) && ('{AFTER}' + oldObject.metadata.name) in params.metadata.labels"
# Argo CD counts a try before it waits, so the first pause is `duration` times `factor`; the longest is that of Flux.
_PATIENT = {"duration": "5s", "factor": 2, "maxDuration": "1m"}
_IDENTITY = ("apiVersion", "kind", "metadata")
_OPTIONS = ("ServerSideApply=true", "SkipDryRunOnMissingResource=true")


def argocd_objects(
    stack: RenderedStack,
    target: Target,
    delivery: Delivery,
    *,
    synced_jobs: Mapping[str, str],
    recurring: frozenset[str],
    health_of: HealthOf,
    deadlocks_of: DeadlocksOf,
) -> Iterator[Manifest]:
    """What Argo CD reads for a stack; `synced_jobs` maps the jobs that it starts to their namespaces.

    A cluster that is too old for the gates raises ConfigError, and so does a stack that cannot come up without them.
    """
    gated, policies = delivery.order == "gates", guarded(stack.platform, delivery)
    if gated and not possible(stack.platform):
        raise ConfigError(
            f"delivery.order of the stack {stack.name}: `gates` needs Kubernetes {SINCE}, "
            f"and the cluster has {stack.platform.kubernetes}",
            hint="leave it out, or write `retries`, the default",
        )
    if not gated and (found := deadlocks_of(stack)):
        raise ConfigError(_deadlock(each, policies) for each in found)
    names = part_names(stack)
    yield _project(target)
    if not any(_is_settings(item) for item in _own_engine(stack)):
        yield _settings(stack, target, health_of, policies=policies)
    if gated:
        yield from order_gates(target, APPLICATION)
    if policies:
        yield from removal_gate(target, APPLICATION, takes=_TAKES, needs=_NEEDS)
        yield from comparisons(target, APPLICATION, stack.platform, ordered=gated)
        yield from endings(target, APPLICATION, stack.platform)
        if not gated:
            yield from injection_gate(target, changed_pods(stack))
            yield from definition_gate(target, awaiting(stack, Graph.of(stack)))
    yield _root(target)
    for part in names:
        component, _, kind = part.partition("/")
        outliving = goes_before(names[each] for each in stack.servers.get(part, ()) if policies)
        order = _gates(stack, part, names) if gated else outliving
        yield _part(stack, stack.components[component], kind, target=target, order=order)  # type: ignore[arg-type]
    for job, namespace in sorted(synced_jobs.items()):
        made = _recurring_job if job in recurring else _job
        needs = [names[need] for need in stack.job_needs[job]] if gated else []
        yield made(stack, job, namespace, target=target, needs=needs)


def _deadlock(steps: Sequence[str], gates: bool) -> Problem:
    """`gates`: the cluster could have the other form."""
    told = "".join(f"\n    {each}" for each in steps)
    other = ", or write `delivery: {order: gates}`" if gates else ""
    return Problem(
        f"delivery.order: with `retries`, the default, these objects would wait for each other once the webhook is "
        f"registered:{told}",
        hint=f"have the webhook leave out the namespace of its own pods{other}",
    )


def _gates(stack: RenderedStack, part: str, names: Mapping[str, str]) -> dict[str, str]:
    """Labels by which the policies hold a part back: what it waits for, with which content, and whom it goes before."""
    component, _, kind = part.partition("/")
    needs = waiting(names[need] for need in stack.needs[part])
    served_by = goes_before(names[each] for each in stack.served_by.get(part, ()))
    return needs | contents_needed(stack.components[component], kind) | served_by


def _project(target: Target) -> Manifest:
    """Wide inside the one cluster: a narrower project could not delete what a later version leaves out."""
    everything = [{"group": "*", "kind": "*"}]
    return manifest(
        APP_PROJECT,
        ROOT,
        namespace=target.namespace,
        labels=MANAGED | BOOTSTRAP,
        annotations=_KEPT,
        spec={
            "description": f"The platform of the stack {target.stack}",
            "sourceRepos": [target.repository],
            "destinations": [{"server": CLUSTER, "namespace": "*"}],
            "clusterResourceWhitelist": everything,
            "namespaceResourceWhitelist": everything,
        },
    )


def with_health_checks(stack: RenderedStack, delivery: Delivery, health_of: HealthOf) -> RenderedStack:
    """The stack whose own Argo CD, where it has one, holds the health checks; what its ConfigMap says already wins.

    Those of all kinds that are known: one that came with the first object of its kind would come beside it, by another
    Application, and until then the object would count as ready.
    """
    own = _own_engine(stack)
    if not any(map(_is_settings, own)):
        return stack
    looks = settings(policies=guarded(stack.platform, delivery))
    checks = {**looks, **_keys(foreseen(stack)), **_health_checks(stack, health_of)}

    def checked(item: RenderedObject) -> RenderedObject:
        made = item.manifest | {"data": dict(sorted({**checks, **(item.manifest.get("data") or {})}.items()))}
        return replace(item, manifest=made, file_text=None, known_links=None)

    objects = tuple(checked(item) if _is_settings(item) else item for item in own)
    return replace(stack, components={**stack.components, ENGINE: replace(stack.components[ENGINE], objects=objects)})


def _own_engine(stack: RenderedStack) -> tuple[RenderedObject, ...]:
    return stack.components[ENGINE].objects if ENGINE in stack.components else ()


def _is_settings(item: RenderedObject) -> bool:
    return (item.kind, item.name) == (CONFIG_MAP.kind, SETTINGS)


def _health_checks(stack: RenderedStack, health_of: HealthOf) -> dict[str, str]:
    """Keys of argocd-cm: when the stack's objects are ready, by kind."""
    rules = {(rule.group, rule.kind): rule.lua for rule in readiness(stack.objects(), stack, health_of)}
    return _keys({("apiextensions.k8s.io", "CustomResourceDefinition"): DEFINITION, **rules})


def _keys(rules: Mapping[tuple[str, str], str]) -> dict[str, str]:
    named = {f"{group}_{kind}" if group else kind: lua for (group, kind), lua in rules.items()}
    return {f"resource.customizations.health.{kind}": lua for kind, lua in sorted(named.items())}


def _settings(stack: RenderedStack, target: Target, health_of: HealthOf, *, policies: bool) -> Manifest:
    """Only keys of our own: server-side apply keeps all others in the ConfigMap of an Argo CD that exists already."""
    return manifest(
        CONFIG_MAP,
        SETTINGS,
        namespace=target.namespace,
        # Argo CD reads it only with this label; any other would conflict with the installer of Argo CD.
        labels=BOOTSTRAP | {"app.kubernetes.io/part-of": "argocd"},
        annotations=_KEPT,
        fields={"data": {**_health_checks(stack, health_of), **settings(policies=policies)}},
    )


def _root(target: Target) -> Manifest:
    return _application(
        ROOT,
        target,
        folder=target.folder(DELIVERY),
        namespace=target.namespace,
        labels=MANAGED | BOOTSTRAP,
        annotations=_SKIPPED,
        options=("ServerSideApply=true",),
        # It is refused until the parts that others need are ready, and looks again at this pace.
        backoff={"duration": "5s", "factor": 1, "maxDuration": "5s"},
    )


def _part(
    stack: RenderedStack, component: RenderedComponent, part: Part, *, target: Target, order: dict[str, str]
) -> Manifest:
    ignored = _ignored(component, part)
    fact = stack.facts.get(component.name)
    objects = [item for item in component.objects if item.part == part]
    replaced = [str(item) for item in objects if has_consent(item.manifest, "argocd")]
    custom = any((item.api_version, item.kind) not in CORE_KINDS for item in objects)
    options = (*_OPTIONS, *(_DIFFERING if replaced else ()), *(("RespectIgnoreDifferences=true",) if ignored else ()))
    return _application(
        part_name(component.name, part),
        target,
        folder=target.folder(component.name, part),
        namespace=fact.namespace if fact else "",
        labels=part_labels(component.name, part) | order,
        annotations=_COMPARED_HERE if replaced else _COMPARED_WHOLE if custom else None,
        options=options,
        needs=[value for label, value in sorted(order.items()) if label.startswith(AFTER) and value != THERE],
        replaced=sorted(replaced),
        # Without the finalizer an Application leaves its objects behind.
        finalizers=() if left_behind(component.name, part, engine=ENGINE) else (FINALIZER,),
        ignored=ignored,
    )


def _job(stack: RenderedStack, job: str, namespace: str, *, target: Target, needs: Iterable[str]) -> Manifest:
    return _application(
        job_name(job),
        target,
        folder=target.folder(JOBS, job),
        namespace=namespace,
        labels=job_labels(job) | waiting(needs),
        # Applied to create only: what a job says cannot be changed, and dist/ may say it otherwise by now. A sync that
        # applied it again would do so with the body in the cluster, and Argo CD then own what the API server put there:
        # without that, the dry run of a comparison is no Job.
        options=(*_OPTIONS, *_DIFFERING, "RespectIgnoreDifferences=true"),
        ignored=list(_bodies(stack.jobs[job])),
        owns=False,
    )


def _recurring_job(
    stack: RenderedStack,  # noqa: ARG001 - as the other kind of job
    job: str,
    namespace: str,
    *,
    target: Target,
    needs: Iterable[str],
) -> Manifest:
    """What starts on a schedule is changed in its place, and goes with its file: left behind, it would start on."""
    return _application(
        job_name(job),
        target,
        folder=target.folder(JOBS, job),
        namespace=namespace,
        labels=job_labels(job) | waiting(needs),
        annotations=_COMPARED_WHOLE,
        options=_OPTIONS,
        finalizers=(FINALIZER,),
    )


def _bodies(objects: Iterable[RenderedObject]) -> Iterator[Manifest]:
    """Rules that ignore everything of these objects but what names them."""
    pointers: dict[tuple[str, str], set[str]] = {}
    for item in objects:
        group = item.manifest["apiVersion"].rpartition("/")[0]
        fields = {f"/{field}" for field in item.manifest if field not in _IDENTITY} | {"/metadata/labels"}
        pointers.setdefault((group, item.kind), set()).update(fields)
    for (group, kind), found in sorted(pointers.items()):
        yield {**({"group": group} if group else {}), "kind": kind, "jsonPointers": sorted(found)}


def _directory(**read: Sequence[str]) -> Manifest:
    """The source changes with these texts, though nothing reads the variables: Argo CD then compares everything again.

    Else it would not, where a comparison failed because a definition did not have a field yet, or because the API
    server refuses a change: it keeps the result, as if nothing differed, until the next commit (3.3.4 to 3.6.1,
    `useDiffCache`).
    """
    variables = [{"name": name, "value": digest(texts)} for name, texts in read.items() if texts]
    return {"recurse": True, **({"jsonnet": {"extVars": variables}} if variables else {})}


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
    annotations: Mapping[str, str] | None = None,
    options: Sequence[str],
    finalizers: tuple[str, ...] = (),
    ignored: Sequence[Manifest] = (),
    needs: Sequence[str] = (),
    replaced: Sequence[str] = (),
    owns: bool = True,
    backoff: Mapping[str, Any] = _PATIENT,
) -> Manifest:
    """`needs`: the contents that it waits for; `replaced`: objects that it may recreate; `owns`: Argo CD removes what
    is no longer in the folder, and undoes what others change."""
    # Unlimited, and always with the newest commit: a cold start fails until images are pulled and webhooks answer.
    retry = {"limit": -1, "refresh": True, "backoff": dict(backoff)}
    spec: Manifest = {
        "project": ROOT,
        "source": {
            "repoURL": target.repository,
            "targetRevision": target.revision,
            "path": folder,
            "directory": _directory(needs=needs, replaced=replaced),
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
        annotations=_DIFF | dict(annotations or {}),
        finalizers=finalizers,
        spec=spec,
    )
