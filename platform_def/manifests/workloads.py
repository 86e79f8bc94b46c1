"""The pods that objects make: with which labels, how many, and where their template stands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from platform_def.crds.core.kinds import CORE_KINDS
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.paths import Path
from platform_def.manifests.rendered import Manifest, RenderedObject

_LONG_RUNNING = frozenset({"Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "ReplicationController"})
_JOB_LABELS = ("batch.kubernetes.io/job-name", "job-name")
_CONTAINERS = ("initContainers", "containers")


@dataclass(frozen=True, eq=False)
class Pods:
    """The pods of one template."""

    item: RenderedObject
    path: Path
    """To the specification of the pod: `spec.template.spec`."""
    spec: Manifest
    metadata: Mapping[str, Any]
    """Of the template; of a Pod its own."""
    count: int | None
    """How many there are at once; None where nothing says so: one a node, or as many as an autoscaler wants."""

    @property
    def labels(self) -> Mapping[str, Any]:
        """Labels as the template says them, and those by which Kubernetes knows a Job's; an operator may add others."""
        own = mapping(self.metadata.get("labels"))
        of_job = (self.item.api_version, self.item.kind) == ("batch/v1", "Job") and self.item.name
        return {**own, **dict.fromkeys(_JOB_LABELS, self.item.name)} if of_job else own

    @property
    def annotations(self) -> Mapping[str, Any]:
        """Annotations as the template says them."""
        return mapping(self.metadata.get("annotations"))

    @property
    def namespace(self) -> str:
        """Where the pods run."""
        return self.item.namespace or ""

    @property
    def core(self) -> bool:
        """Whether Kubernetes itself makes them, so that what the template says is all."""
        return (self.item.api_version, self.item.kind) in CORE_KINDS

    @property
    def long_running(self) -> bool:
        """Whether they are started again for as long as the object is there."""
        return self.core and self.item.kind in _LONG_RUNNING

    def containers(self, groups: tuple[str, ...] = _CONTAINERS) -> Iterator[tuple[Path, Manifest]]:
        """The containers with their paths in the object."""
        for group in groups:
            for index, container in enumerate(items(self.spec.get(group))):
                if isinstance(container, dict):
                    yield (*self.path, group, index), container

    def volumes(self) -> Iterator[tuple[Path, Manifest]]:
        """The volumes with their paths in the object."""
        for index, volume in enumerate(items(self.spec.get("volumes"))):
            if isinstance(volume, dict):
                yield (*self.path, "volumes", index), volume


def pods_of(item: RenderedObject) -> tuple[Pods, ...]:
    """What an object makes of pods: of a core workload, or of any custom resource that holds pod templates."""
    return item.once(_all_pods)


def _all_pods(item: RenderedObject) -> tuple[Pods, ...]:
    return tuple(_pods(item))


def _pods(item: RenderedObject) -> Iterator[Pods]:
    for path, spec in item.pods:
        template = _reached(item.manifest, path[:-1]) if path and path[-1] == "spec" else {}
        above = _reached(item.manifest, path[:-2]) if len(path) > 1 else {}
        yield Pods(item, path, spec, mapping(template.get("metadata")), _count(item, template, above))


def _reached(value: Any, path: Path) -> Mapping[str, Any]:
    for step in path:
        value = value[step]
    return mapping(value)


def _count(item: RenderedObject, template: Mapping[str, Any], above: Mapping[str, Any]) -> int | None:
    if item.kind == "DaemonSet":
        return None
    if template is item.manifest:
        return 1
    at_once = above.get("parallelism" if item.kind in ("Job", "CronJob") else "replicas", 1)
    return at_once if isinstance(at_once, int) else None


def devices_asked(container: Mapping[str, Any]) -> dict[str, object]:
    """Extended resources that a container asks for, with the amounts as they are written; limits hold."""
    resources = mapping(container.get("resources"))
    asked = {**mapping(resources.get("requests")), **mapping(resources.get("limits"))}
    return {name: amount for name, amount in asked.items() if is_extended(name)}


def is_extended(resource: object) -> bool:
    """Whether a resource is one that device plugins offer."""
    domain, slash, _ = text(resource).partition("/")
    return bool(slash) and domain != "kubernetes.io" and not domain.endswith(".kubernetes.io")


def claims(pods: Pods) -> Iterator[tuple[Path, str]]:
    """The claims that the pods mount, by name."""
    for path, volume in pods.volumes():
        name = text(at(volume, "persistentVolumeClaim.claimName"))
        if name:
            yield (*path, "persistentVolumeClaim", "claimName"), name
