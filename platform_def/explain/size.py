"""How big a stack is: its objects, its images, and what the pods of its components request before any job runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import ROUND_UP, Decimal
from pathlib import Path

from platform_def.crds.quantity import amount
from platform_def.explain.capacity import table
from platform_def.explain.images import named
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.rendered import RenderedObject, RenderedStack
from platform_def.pipeline.code import code_digest
from platform_def.pipeline.synth import Options, render

_MIB = 1024**2
_SCALED = ("Deployment", "StatefulSet")


@dataclass(frozen=True)
class Requests:
    """What pods request, as the scheduler adds it up."""

    millicores: int = 0
    mib: int = 0

    def __add__(self, other: Requests) -> Requests:
        return Requests(self.millicores + other.millicores, self.mib + other.mib)

    def __mul__(self, count: int) -> Requests:
        return Requests(self.millicores * count, self.mib * count)

    def most(self, other: Requests) -> Requests:
        """The larger of each."""
        return Requests(max(self.millicores, other.millicores), max(self.mib, other.mib))


@dataclass(frozen=True)
class StackSize:
    """A stack in numbers; pods that jobs and operators create are not counted."""

    objects: int
    """Of all components."""
    images: int
    """Of components and jobs, and those that only running operators name."""
    pods: int
    """Of Deployments and StatefulSets; an autoscaler's target at its fewest."""
    requests: Requests
    """Of these pods."""
    on_each_node: Requests
    """Of the DaemonSets, on a node that all of them select."""


def size(root: Path, stack: str, *, state: Path) -> StackSize:
    """Count a stack; ConfigError where it cannot be rendered. `state`: the folder with results of earlier runs."""
    (rendered,) = render(Options(root, (stack,), state / "cache", code_digest(state))).stacks
    return size_of(rendered)


def size_of(stack: RenderedStack) -> StackSize:
    """Count what is rendered."""
    objects = [item for component in stack.components.values() for item in component.objects]
    scaled = [(item, _replicas(item, objects)) for item in objects if item.kind in _SCALED]
    return StackSize(
        objects=len(objects),
        images=len({image for image, _ in named(stack)}),
        pods=sum(count for _, count in scaled),
        requests=sum((_of_pod(item) * count for item, count in scaled), Requests()),
        on_each_node=sum((_of_pod(item) for item in objects if item.kind == "DaemonSet"), Requests()),
    )


def as_json(found: StackSize) -> dict[str, int]:
    """As other programs read it."""
    return {
        "objects": found.objects,
        "images": found.images,
        "pods": found.pods,
        "cpuMillicores": found.requests.millicores,
        "memoryMib": found.requests.mib,
        "cpuMillicoresOnEachNode": found.on_each_node.millicores,
        "memoryMibOnEachNode": found.on_each_node.mib,
    }


def as_text(found: StackSize) -> str:
    """As people read it: a table of one line."""
    titles = ("OBJECTS", "IMAGES", "PODS", "CPU", "MEMORY", "CPU ON EACH NODE", "MEMORY ON EACH NODE")
    asked = (cell for each in (found.requests, found.on_each_node) for cell in (f"{each.millicores}m", f"{each.mib}Mi"))
    return table(titles, [(found.objects, found.images, found.pods, *asked)])


def _replicas(item: RenderedObject, objects: list[RenderedObject]) -> int:
    """As written; else the fewest of its autoscaler, and 1 as the API server's default."""
    found = at(item.manifest, "spec.replicas")
    return found if isinstance(found, int) else next(_fewest(item, objects), 1)


def _fewest(item: RenderedObject, objects: list[RenderedObject]) -> Iterator[int]:
    for each in objects:
        target = mapping(at(each.manifest, "spec.scaleTargetRef"))
        if each.namespace == item.namespace and (target.get("kind"), target.get("name")) == (item.kind, item.name):
            fewest = at(each.manifest, "spec.minReplicas")
            yield fewest if isinstance(fewest, int) else 1


def _of_pod(item: RenderedObject) -> Requests:
    """Of one pod of an object: its containers and sidecars together, or an init container that asks for more."""
    pod = mapping(at(item.manifest, "spec.template.spec"))
    starting = [mapping(each) for each in items(pod.get("initContainers"))]
    sidecars = [each for each in starting if text(each.get("restartPolicy")) == "Always"]
    running = sum((_of(each) for each in (*map(mapping, items(pod.get("containers"))), *sidecars)), Requests())
    for each in starting:
        running = running.most(_of(each))
    return running


def _of(container: Mapping[str, object]) -> Requests:
    """A limit without a request is the request, as the API server has it."""
    limits, asked = (mapping(at(container, f"resources.{field}")) for field in ("limits", "requests"))
    wanted = {**limits, **asked}
    cores, memory = (amount(wanted.get(name)) or Decimal() for name in ("cpu", "memory"))
    return Requests(_whole(cores * 1000), _whole(memory / _MIB))


def _whole(number: Decimal) -> int:
    return int(number.to_integral_value(ROUND_UP))
