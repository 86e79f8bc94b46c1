"""Flux's objects: the source, a Kustomization for each part that waits for what it needs, and the root above them.

Written for Flux 2.9 and newer (drift ignore rules).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from platform_def.config.cluster import Delivery
from platform_def.config.objects import Part
from platform_def.config.words.registered import engines
from platform_def.delivery.drift import drifting, group_of
from platform_def.delivery.gates import goes_before, removal_gate
from platform_def.delivery.guarded import guarded
from platform_def.delivery.health.readiness import HealthOf, readiness
from platform_def.delivery.kinds import GIT_REPOSITORY, KUSTOMIZATION, OCI_REPOSITORY
from platform_def.delivery.target import (
    BOOTSTRAP,
    MANAGED,
    ROOT,
    Target,
    job_labels,
    job_name,
    left_behind,
    part_labels,
    part_names,
)
from platform_def.errors import ConfigError
from platform_def.manifests.author import manifest
from platform_def.manifests.ciphertext import encrypted
from platform_def.manifests.rendered import Manifest, RenderedComponent, RenderedStack
from platform_def.yaml import dump

_KEPT = {"kustomize.toolkit.fluxcd.io/prune": "disabled"}
_TAKES = "!has(oldObject.spec.deletionPolicy) || oldObject.spec.deletionPolicy != 'Orphan'"
_NEEDS = "has(params.spec.dependsOn) && params.spec.dependsOn.exists(each, each.name == oldObject.metadata.name)"
_TIMEOUT = "10m"
"""Long enough for large images and drivers; what takes longer is looked at again after the retry interval."""

_RECURRING = {"prune": True, "deletionPolicy": "Delete"}
"""What starts on a schedule goes with its file: left behind, it would start on."""


def flux_objects(
    stack: RenderedStack,
    target: Target,
    delivery: Delivery,
    *,
    synced_jobs: Mapping[str, str],
    recurring: frozenset[str],
    health_of: HealthOf,
) -> Iterator[Manifest]:
    """What Flux reads for a stack; `synced_jobs` maps the jobs that it starts to their namespaces."""
    interval = f"{delivery.interval_minutes}m"
    source = _source(target, delivery, interval)
    common = {"interval": interval, "sourceRef": {"kind": source["kind"], "name": ROOT}}
    yield source
    policies = guarded(stack.platform, delivery)
    if policies:
        yield from removal_gate(target, KUSTOMIZATION, takes=_TAKES, needs=_NEEDS)
    yield _root(target, common)
    names, graph = part_names(stack), stack.needs
    for part, name in names.items():
        component, _, kind = part.partition("/")
        spec = common | _part(stack, stack.components[component], kind, target, health_of)  # type: ignore[arg-type]
        spec |= _decryption(stack.components[component], kind, delivery)
        outliving = goes_before(names[each] for each in stack.served_by.get(part, ()) if policies)
        labels = part_labels(component, kind) | outliving
        yield _kustomization(name, target, labels, spec | _depends(graph[part], names))
    for job in sorted(synced_jobs):
        said = _job(stack, job, target, names) | (_RECURRING if job in recurring else {})
        yield from _job_objects(stack, job, target, common | said)


def _source(target: Target, delivery: Delivery, interval: str) -> Manifest:
    spec: Manifest = {"interval": interval, "url": target.url, "ref": _reference(target)}
    if delivery.secret:
        spec["secretRef"] = {"name": delivery.secret}
    if target.scheme == "oci":
        if delivery.ca_secret:
            spec["certSecretRef"] = {"name": delivery.ca_secret}
        return manifest(
            OCI_REPOSITORY, ROOT, namespace=target.namespace, labels=MANAGED | BOOTSTRAP, annotations=_KEPT, spec=spec
        )
    if target.scheme not in ("http", "https", "ssh"):
        raise ConfigError(
            f"delivery.repository of the stack {target.stack}: Flux reads Git over https, http and ssh alone, "
            f"not {target.scheme}"
        )
    spec["ignore"] = _only(target.folder())
    return manifest(
        GIT_REPOSITORY, ROOT, namespace=target.namespace, labels=MANAGED | BOOTSTRAP, annotations=_KEPT, spec=spec
    )


def _reference(target: Target) -> Manifest:
    revision = target.revision
    if target.scheme == "oci":
        return {"tag": revision}
    if revision.startswith("refs/"):
        return {"name": revision}
    # Git alone does not say whether a name is a branch or a tag; one that looks like a version is a tag.
    return {"tag": revision} if re.fullmatch(r"v?\d+\.\d+\.\d+\S*", revision) else {"branch": revision}


def _only(folder: str) -> str:
    """Rules that leave nothing of the repository but a folder: other commits then change nothing for Flux."""
    parents = folder.split("/")
    lines = ["/*"]
    for depth in range(1, len(parents) + 1):
        here = "/".join(parents[:depth])
        lines += [f"!/{here}"] if depth == len(parents) else [f"!/{here}", f"/{here}/*"]
    return "\n".join(lines) + "\n"


def _root(target: Target, common: Manifest) -> Manifest:
    """It applies itself too; deleting it by hand deletes nothing else."""
    spec = common | {
        "path": f"./{target.folder('_delivery')}",
        "prune": True,
        "deletionPolicy": "Orphan",
        "retryInterval": "1m",
        "timeout": "5m",
    }
    return _kustomization(ROOT, target, MANAGED | BOOTSTRAP, spec, annotations=_KEPT)


def _part(
    stack: RenderedStack, component: RenderedComponent, part: Part, target: Target, health_of: HealthOf
) -> Manifest:
    spec: Manifest = {
        "path": f"./{target.folder(component.name, part)}",
        "prune": True,
        "wait": True,
        "retryInterval": "1m",
        "timeout": _TIMEOUT,
        "deletionPolicy": _deletion(stack, component, part),
    }
    objects = [item for item in component.objects if item.part == part]
    rules = readiness(objects, stack, health_of)
    if rules:
        spec["healthCheckExprs"] = [
            {
                "apiVersion": rule.api_version,
                "kind": rule.kind,
                "current": rule.current,
                **({"failed": rule.failed} if rule.failed else {}),
            }
            for rule in rules
        ]
    ignored = _ignored(component, part)
    return spec | ({"ignore": ignored} if ignored else {})


def _deletion(stack: RenderedStack, component: RenderedComponent, part: Part) -> str:
    """What becomes of the objects of a part whose Kustomization is deleted.

    By default a Kustomization is gone as soon as deletion of its objects is requested: the controller of a custom
    resource with a finalizer would go too early. WaitForTermination waits for that, up to the timeout. It is left out
    where it would wait in vain: a role that gathers others, deleted together with them, is often created again, empty,
    by the controller manager.
    """
    if left_behind(component.name, part, engine=engines()["flux"].component):
        return "Orphan"
    gathers = any(item.part == part and "aggregationRule" in item.manifest for item in component.objects)
    return "Delete" if gathers and f"{component.name}/{part}" not in stack.servers else "WaitForTermination"


def _decryption(component: RenderedComponent, part: str, delivery: Delivery) -> Manifest:
    """Where there are Secrets that SOPS encrypted; elsewhere Flux needs no keys."""
    here = (item for item in component.objects if item.part == part and item.kind == "Secret")
    if not any(encrypted(item.manifest) for item in here):
        return {}
    return {"decryption": {"provider": "sops", "secretRef": {"name": delivery.sops_keys}}}


def _job(stack: RenderedStack, job: str, target: Target, names: Mapping[str, str]) -> Manifest:
    """Nothing waits for a job that may run for a week, and it outlives its file."""
    return {
        "path": f"./{target.folder('_jobs', job)}",
        "prune": False,
        "deletionPolicy": "Orphan",
        "retryInterval": "1m",
        "timeout": "5m",
        **_depends(stack.job_needs[job], names),
    }


def _job_objects(stack: RenderedStack, job: str, target: Target, spec: Manifest) -> Iterator[Manifest]:
    """The job's Kustomization, after one of those objects that must be there when others of the same job are judged.

    Flux asks the API server of all objects of a Kustomization before it makes the first: a webhook that looks for one
    would refuse the other endlessly.
    """
    others = [item for item in stack.jobs[job] if item.part != "classes"]
    if len(others) == len(stack.jobs[job]):
        yield _kustomization(job_name(job), target, job_labels(job), spec)
        return
    first = f"{job_name(job)}-first"
    without = [_without(kind) for kind in sorted({(item.api_version, item.kind) for item in others})]
    yield _kustomization(first, target, job_labels(job), spec | {"patches": without})
    after = {"dependsOn": [*spec.get("dependsOn", []), {"name": first}]}
    yield _kustomization(job_name(job), target, job_labels(job), spec | after)


def _without(kind: tuple[str, str]) -> Manifest:
    """Leave out all objects of an API version and kind; kustomize asks for a name, which it does not look at."""
    api_version, name = kind
    group, _, version = api_version.rpartition("/")
    told = {"$patch": "delete", "apiVersion": api_version, "kind": name, "metadata": {"name": "all"}}
    target = {"group": group, "version": version, "kind": name} if group else {"version": version, "kind": name}
    return {"patch": dump(told, kubernetes=False), "target": target}


def _depends(needs: Iterable[str], names: Mapping[str, str]) -> Manifest:
    listed = [{"name": names[part]} for part in needs]
    return {"dependsOn": listed} if listed else {}


def _ignored(component: RenderedComponent, part: Part) -> list[Manifest]:
    """Flux matches regular expressions, anchored at both ends."""
    found = []
    for drift in drifting(component, part):
        who = {"group": group_of(drift), "kind": drift.kind, "name": drift.name}
        selector = {key: value.replace(".", r"\.") for key, value in who.items() if value}
        if drift.pointers:
            found.append({"paths": list(drift.pointers), "target": selector})
    return found


def _kustomization(
    name: str,
    target: Target,
    labels: Mapping[str, str],
    spec: Manifest,
    *,
    annotations: Mapping[str, str] | None = None,
) -> Manifest:
    return manifest(KUSTOMIZATION, name, namespace=target.namespace, labels=labels, annotations=annotations, spec=spec)
