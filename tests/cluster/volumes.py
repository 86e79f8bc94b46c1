"""Drivers of volumes as a stack renders them: the sidecars of their Deployments, before a driver that makes nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.cluster.client import Manifest
from tests.cluster.control_plane import ControlPlane
from tests.cluster.pods import Program

CONTROLLER = "snapshot-controller"
FOLDER = "/csi/"
"""Where the containers of a driver's pod find its socket; /tmp is theirs together here."""
SNAPSHOTS = "/apis/snapshot.storage.k8s.io/v1"


@dataclass(frozen=True)
class Sidecar(Program):
    """A container of a driver's pod that turns objects into requests."""

    @property
    def name(self) -> str:
        """Its pod and the container: there are several."""
        return f"{self.deployment}-{self.container}"

    def run(self, binary: Path) -> None:
        """Start it, with the variables of its arguments put in, as the kubelet does."""
        address = self.variables()["ADDRESS"].replace(FOLDER, "/tmp/")
        flags = [each.replace("$(ADDRESS)", address) for each in self.spec["args"]]
        self.start(binary, flags)


@dataclass
class Driver:
    """A driver and its sidecars, by name."""

    name: str
    log: Path
    sidecars: dict[str, Sidecar] = field(default_factory=dict)

    def asked(self, call: str) -> list[dict[str, Any]]:
        """The requests of a kind so far."""
        lines = [json.loads(line) for line in self.log.read_text().splitlines() if line.startswith("{")]
        return [each["request"] for each in lines if each["call"].endswith(f"/{call}")]


def start_driver(
    control_plane: ControlPlane,
    programs: Mapping[str, Path],
    objects: Sequence[Manifest],
    deployment: str,
    name: str,
) -> Driver:
    """Start a driver where its sidecars look for it, and those of its sidecars that there are programs of."""
    pod = Program(control_plane, objects, deployment, "")
    pod.tmp.mkdir(parents=True)
    driver = Driver(name, control_plane.folder / f"{deployment}-driver.log")
    for each in pod.pod["containers"]:
        if each["name"] in programs:
            driver.sidecars[each["name"]] = Sidecar(control_plane, objects, deployment, each["name"])
    (socket,) = {each.variables()["ADDRESS"].rpartition("/")[2] for each in driver.sidecars.values()}
    argv = [str(programs["csi-driver"]), f"--name={name}", f"--socket={pod.tmp / socket}"]
    if "csi-attacher" in driver.sidecars:
        argv.append("--attaches")
    control_plane.sandbox.start(f"{deployment}-driver", argv, log=driver.log)
    for key, sidecar in driver.sidecars.items():
        sidecar.run(programs[key])
    return driver


def claim(name: str, of: str, *, snapshot: str = "", size: str = "1Gi") -> Manifest:
    """A claim of a class, filled from a snapshot where one is named."""
    spec: Manifest = {
        "storageClassName": of,
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": size}},
    }
    if snapshot:
        spec["dataSource"] = {"apiGroup": "snapshot.storage.k8s.io", "kind": "VolumeSnapshot", "name": snapshot}
    metadata = {"name": name, "namespace": "default"}
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": spec}


def snapshot_of(name: str, of: str) -> Manifest:
    """A snapshot of a claim, of the class that has the name of the claim's."""
    return {
        "apiVersion": "snapshot.storage.k8s.io/v1",
        "kind": "VolumeSnapshot",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"volumeSnapshotClassName": of, "source": {"persistentVolumeClaimName": name}},
    }
