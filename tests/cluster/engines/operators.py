"""The programs of a platform that really run while an engine brings it: a row says which program a workload's container is.

All else is taken from the workload as it is delivered: arguments, account, files, probes, Secrets and Services. The kubelet of
`tests/cluster/kubelet` starts its pods, and kwok plays all others. What is played has a reason, so that nothing is left out unseen:
where a run lacks a program, its workload is played, and so is each that needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import pytest

from tests.cluster.client import Manifest
from tests.cluster.control_plane import ControlPlane
from tests.cluster.flows import called
from tests.cluster.hub_bench import known_authorities
from tests.cluster.kubelet.image import Image
from tests.cluster.machines import start_kubelet

WORKLOADS = ("Deployment", "StatefulSet", "DaemonSet")
JOB = "Job"
Programs = Mapping[str, Path]


@dataclass(frozen=True)
class Row:
    """What a container of a workload is here."""

    program: str = ""
    """One of `tools.py`."""
    words: tuple[str, ...] = ()
    """What chooses it, in a binary that holds several."""
    files: Mapping[str, str] = field(default_factory=dict)
    """What its image has besides, by path."""
    makes: tuple[str, ...] = ()
    """The kinds of which it says that they are ready."""
    image: Callable[[Programs], Mapping[str, Image]] | None = None
    """The one image that a bench has, where it is no program of `tools.py`."""
    container: str = ""
    """Its name, where there are several."""
    needs: tuple[str, ...] = ()
    """Workloads without whose programs it does not become ready."""
    serves_jobs: bool = False
    """Whether Jobs of its namespace ask it, and are played where it is."""

    def image_for(self, container: Manifest, programs: Programs, links: Path) -> Image:
        """The image for a container as it is delivered: the program is where its command looks for it."""
        if self.image:
            (found,) = self.image(programs).values()
            return replace(found, keeps=True)
        program, said = programs[self.program], container.get("command")
        if not said:
            words = (str(program), *self.words)
            return Image((), {}, self.files, words, words, keeps=True)
        if "/" not in said[0]:
            return Image((called(said[0], program),), {}, self.files, keeps=True)
        path = "/" + said[0].removeprefix(".").removeprefix("/")
        # A copy of the program would take its hundred megabytes of memory.
        link = links / f"{self.program}-{len([*links.iterdir()])}"
        link.symlink_to(program)
        return Image((), {}, {**self.files, path: str(link)}, keeps=True)


Rows = Mapping[str, Sequence[Row]]
"""By workload: `Deployment NAMESPACE/NAME`."""


class Operators:
    """Those of some objects that really run."""

    def __init__(self, programs: Programs, objects: Sequence[Manifest], rows: Rows, folder: Path) -> None:
        """Programs that are missing are built where the run may; `folder` holds links to them."""
        self.absent = lacking(rows, programs)
        """Why workloads of the rows are played in this run."""
        self._objects, self._rows = objects, {name: each for name, each in rows.items() if name not in self.absent}
        self.apart = {_home(name) for name in self.absent if any(each.serves_jobs for each in rows[name])}
        """Namespaces of which all pods are played."""
        folder.mkdir(parents=True)
        self.images: Mapping[str, Image] = {
            container["image"]: row.image_for(container, programs, folder)
            for name, each in workloads(objects).items()
            for row in self._rows.get(name, ())
            for container in _containers(each)
            if row.container in ("", container["name"])
        }
        """What the images of their containers are, by their whole names."""

    @property
    def names(self) -> Set[str]:
        """The workloads."""
        return self._rows.keys()

    @cached_property
    def real(self) -> Collection[str]:
        """The Services that lead to them, as `NAMESPACE/NAME`, and kinds whose objects they make ready."""
        kinds = {kind for rows in self._rows.values() for row in rows for kind in row.makes}
        found = workloads(self._objects)
        return kinds | {
            f"{each['metadata']['namespace']}/{each['metadata']['name']}"
            for each in self._objects
            if each["kind"] == "Service" and any(_leads(each, found[name]) for name in self._rows if name in found)
        }

    def flags(self, folder: Path) -> tuple[str, ...]:
        """Those that the API server needs for them."""
        return known_authorities(folder)

    @contextmanager
    def at_work(self, control_plane: ControlPlane) -> Iterator[None]:
        """Have their pods run from when they are bound to a node."""
        start_kubelet(control_plane, self.images, shares=True, apart=self.apart)
        yield

    def running(self, control_plane: ControlPlane) -> set[str]:
        """The workloads of which a pod is ready that really runs: one that is played has no address."""
        pods = control_plane.api.get("/api/v1/pods").body["items"]
        return {_owner(each) for each in pods if each["status"].get("podIP") and _is_ready(each)}

    def logged(self, control_plane: ControlPlane, words: str) -> list[str]:
        """The lines of all their logs that hold these words, each with the pod."""
        logs = sorted((control_plane.folder / "kubelet" / "pods").glob("*/*/*/*.log"))
        return [
            f"{log.parts[-4]}/{log.parts[-3]}: {line}"
            for log in logs
            for line in log.read_text(errors="replace").splitlines()
            if words in line
        ]


def lacking(rows: Rows, programs: Programs) -> dict[str, str]:
    """The workloads of which this run lacks a program, or that need one of those, each with the reason."""
    reasons = {name: _lack(each, programs) for name, each in rows.items()}
    absent = {name: reason for name, reason in reasons.items() if reason}
    while held := {
        name: f"needs {need}"
        for name, each in rows.items()
        for row in each
        for need in row.needs
        if name not in absent and need in absent
    }:
        absent |= held
    return absent


def _lack(rows: Sequence[Row], programs: Programs) -> str:
    """Why one of the programs is not there."""
    try:
        for row in rows:
            row.image(programs) if row.image else programs[row.program]
    except pytest.skip.Exception as reason:
        return str(reason)
    return ""


def _home(workload: str) -> str:
    """The namespace in the name of a workload."""
    return workload.partition(" ")[2].partition("/")[0]


def workloads(objects: Sequence[Manifest]) -> dict[str, Manifest]:
    """What runs for as long as the platform does, by `KIND NAMESPACE/NAME`."""
    return {
        f"{each['kind']} {each['metadata']['namespace']}/{each['metadata']['name']}": each
        for each in objects
        if each["kind"] in WORKLOADS
    }


def images_of(item: Manifest) -> set[str]:
    """The images of a workload or a Job."""
    return {each["image"] for each in _containers(item)}


def _containers(item: Manifest) -> list[Manifest]:
    pod = item["spec"]["template"]["spec"]
    return [*pod["containers"], *pod.get("initContainers", ())]


def _leads(service: Manifest, workload: Manifest) -> bool:
    selector = service["spec"].get("selector") or {}
    here = service["metadata"]["namespace"] == workload["metadata"]["namespace"]
    labels: Mapping[str, str] = workload["spec"]["template"]["metadata"]["labels"]
    return here and bool(selector) and selector.items() <= labels.items()


def _is_ready(pod: Manifest) -> bool:
    return any(each["type"] == "Ready" and each["status"] == "True" for each in pod["status"].get("conditions", ()))


def _owner(pod: Manifest) -> str:
    """The workload of a pod."""
    (owner,) = pod["metadata"].get("ownerReferences") or ({"kind": "Pod", "name": pod["metadata"]["name"]},)
    home, kind, name = pod["metadata"]["namespace"], owner["kind"], owner["name"]
    if kind == "ReplicaSet":
        kind, name = "Deployment", name.rpartition("-")[0]
    return f"{kind} {home}/{name}"
