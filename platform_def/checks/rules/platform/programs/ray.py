"""Ray's custom resources are such as their operator runs: their names, and what goes together in them.

Facts: ValidateRayClusterMetadata and -Spec, ValidateRayJobMetadata and -Spec and ValidateRayCronJobSpec of KubeRay
1.7.0 (names since 1.3). Kueue 0.19 suspends a job in a queue, and its webhook asks for the same; not of one that runs
on a cluster which is there (rayjob_webhook.go).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from platform_def.apis.kueue import QUEUE_LABEL
from platform_def.checks.fault import Fault
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.paths import Path, dotted
from platform_def.manifests.rendered import Manifest

RAY_KINDS: Mapping[str, tuple[str, str, int]] = {
    "RayCluster": ("", "spec", 53),
    "RayService": ("", "spec.rayClusterConfig", 47),
    "RayJob": ("spec", "spec.rayClusterSpec", 47),
    "RayCronJob": ("spec.jobTemplate", "spec.jobTemplate.rayClusterSpec", 36),
}
"""Of each kind where it describes a job, where the cluster, and how many characters its name may have."""
_LABEL = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
_SAID_TO_RAY = ("num-cpus", "num-gpus", "memory", "resources")


def ray_faults(manifest: Manifest) -> Iterator[Fault]:
    """What the operator refuses to run, and says in an event alone."""
    kind = text(manifest.get("kind"))
    job, cluster, longest = RAY_KINDS[kind]
    name = at(manifest, "metadata.name")
    if isinstance(name, str) and (len(name) > longest or not _LABEL.fullmatch(name)):
        said = f"the operator takes a letter first, then letters, digits and dashes, at most {longest}"
        yield Fault("metadata.name", said, "Services and pods of the cluster begin with it: shorten or rewrite it")
    if job:
        yield from _job(manifest, job)
    yield from _groups(mapping(at(manifest, cluster)), cluster)


def _job(manifest: Manifest, place: str) -> Iterator[Fault]:
    spec = mapping(at(manifest, place))
    chosen, mode = mapping(spec.get("clusterSelector")), spec.get("submissionMode")
    suspended, queued = (
        spec.get("suspend") is True,
        QUEUE_LABEL in mapping(at(manifest, "metadata.labels")) and not chosen,
    )
    if spec and not chosen and spec.get("rayClusterSpec") is None:
        yield Fault(place, "the job has no cluster", "add rayClusterSpec, or clusterSelector for one that is there")
    if (suspended or queued) and spec.get("shutdownAfterJobFinishes") is not True:
        said = f"a job that is {'suspended' if suspended else 'in a queue'} must take its cluster away when it ends"
        yield Fault(f"{place}.shutdownAfterJobFinishes", said, "write true")
    if suspended and chosen:
        yield Fault(f"{place}.clusterSelector", "a suspended job brings its own cluster", "write rayClusterSpec")
    lasts = spec.get("ttlSecondsAfterFinished")
    if isinstance(lasts, int) and lasts > 0 and spec.get("shutdownAfterJobFinishes") is not True:
        said = "the cluster of the job stays, and has no time after which it goes"
        yield Fault(f"{place}.ttlSecondsAfterFinished", said, "write shutdownAfterJobFinishes: true, or leave it out")
    tries = spec.get("backoffLimit")
    if isinstance(tries, int) and tries > 0 and (chosen or mode == "InteractiveMode"):
        why = "on a cluster that was there before" if chosen else "that people hand in"
        yield Fault(f"{place}.backoffLimit", f"a job {why} is not tried again", "leave it out")
    if mode == "SidecarMode":
        for field in ("submitterPodTemplate", "submitterConfig", "clusterSelector"):
            if spec.get(field):
                yield Fault(f"{place}.{field}", "does not go with SidecarMode: the head's pod hands the job in", "")
    for field in ("activeDeadlineSeconds", "preRunningDeadlineSeconds"):
        if isinstance(limit := spec.get(field), int) and limit <= 0:
            yield Fault(f"{place}.{field}", f"{limit} seconds are no time at all", "write more, or leave it out")


def _groups(cluster: Mapping[str, Any], place: str) -> Iterator[Fault]:
    path: Path = tuple(place.split("."))
    head = mapping(cluster.get("headGroupSpec"))
    groups = [((*path, "headGroupSpec"), head)] if head else []
    for index, group in enumerate(items(cluster.get("workerGroupSpecs"))):
        groups.append(((*path, "workerGroupSpecs", index), mapping(group)))
    for where, group in groups:
        if at(group, "template.spec.containers") == []:
            yield Fault(dotted((*where, "template", "spec", "containers")), "the group has no container", "")
        twice = [name for name in _SAID_TO_RAY if mapping(group.get("rayStartParams")).get(name)]
        if twice and group.get("resources"):
            said = f"what a pod of the group has is said here and by {twice[0]} of rayStartParams"
            yield Fault(dotted((*where, "resources")), said, "leave one of them out")
        fewest, most = group.get("minReplicas"), group.get("maxReplicas")
        if isinstance(fewest, int) and isinstance(most, int) and fewest > most:
            yield Fault(dotted((*where, "minReplicas")), f"more than maxReplicas, which is {most}", "lower it")
