"""Volumes are made, grown, attached, snapshot and removed by the sidecars of drivers and by snapshot-controller.

Real: Kubernetes' controllers of volumes, snapshot-controller of release 8.7.0, and csi-provisioner, csi-resizer,
csi-snapshotter and csi-attacher, with the rendered flags, accounts and rights: those of csi-driver-nfs at its release,
those of ceph-csi a minor newer than the stack's, which is what can be had. Played: the drivers, which say what they
were asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.cluster import rights
from tests.cluster.client import Manifest
from tests.cluster.conftest import show_logs
from tests.cluster.control_plane import ControlPlane
from tests.cluster.controllers import CONTROLLERS, start_kubernetes
from tests.cluster.pods import Program
from tests.cluster.snapshots import snapshot
from tests.cluster.stacks import crds_of, rendered_stack
from tests.cluster.volumes import CONTROLLER, SNAPSHOTS, Driver, claim, snapshot_of, start_driver
from tests.cluster.waves import apply_in_waves, refusals

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.35", existing: [Secret ceph-csi-rbd/csi-rbd-secret]}
storage:
  files: {driver: nfs, server: nfs.example.com, share: /exports/ml, directory: "${pvc.metadata.name}", onDelete: archive}
  block: {driver: rbd, clusterId: ceph-a, monitors: ["192.0.2.11:6789"], pool: kubernetes, secret: {existing: ceph-csi-rbd/csi-rbd-secret}}
components:
  csi-driver-nfs: {}
  ceph-csi-rbd: {}
  snapshot-controller: {}
"""
DRIVERS = {
    "files": ("csi-nfs-controller", "nfs.csi.k8s.io", "nfs-external-provisioner-role"),
    "block": ("csi-rbdplugin-provisioner", "rbd.csi.ceph.com", "rbd-external-provisioner-runner"),
}
"""By the class of the stack: Deployment, the driver's name, and the role of its sidecars."""
BINARIES = (
    "csi-driver",
    "csi-provisioner",
    "csi-resizer",
    "csi-snapshotter",
    "csi-attacher",
    "snapshot-controller",
)
VOLUMES = (
    "persistentvolume-binder-controller",
    "persistentvolumeclaim-protection-controller",
    "persistentvolume-protection-controller",
)
SNAPSHOT = "snapshot.storage.k8s.io"
NEEDED = (
    ("files csi-provisioner", ("", "persistentvolumes", "create"), "claim"),
    ("block csi-provisioner", ("", "secrets", "get"), "claim"),
    ("files csi-resizer", ("", "persistentvolumeclaims/status", "update patch"), "growth"),
    ("files csi-snapshotter", (SNAPSHOT, "volumesnapshotcontents/status", "update patch"), "snapshot"),
    (CONTROLLER, (SNAPSHOT, "volumesnapshotcontents", "create"), "snapshot"),
    (CONTROLLER, (SNAPSHOT, "volumesnapshots/status", "update patch"), "snapshot"),
    ("block csi-attacher", ("storage.k8s.io", "volumeattachments/status", "patch"), "attachment"),
)
"""Rights, the program that is refused without each, and what it is then asked for."""


@dataclass
class Storage:
    """A cluster with drivers, and the objects of a test."""

    control_plane: ControlPlane
    controller: Program
    drivers: Mapping[str, Driver]
    made: list[Manifest] = field(default_factory=list)

    def make(self, manifest: Manifest) -> Manifest:
        """Store an object; it goes when the test is over."""
        self.control_plane.api.store(manifest)
        self.made.append(manifest)
        return manifest

    def remove(self, manifest: Manifest) -> None:
        """Take an object away."""
        self.made.remove(manifest)
        api = self.control_plane.api
        assert api.request("DELETE", api.path(manifest) or "").status in (200, 202, 404)

    def until(self, holds: Callable[[], bool], what: str) -> None:
        """Wait for something, as long as all programs run."""
        self.controller.wait(lambda: self._works() and holds(), what)

    def _works(self) -> bool:
        assert not self.control_plane.sandbox.ended(), self.control_plane.logs()
        return True

    def status(self, manifest: Manifest) -> Manifest:
        """What controllers say of an object."""
        found: Manifest = self.control_plane.api.read(manifest).body.get("status") or {}
        return found

    def bound(self, wanted: Manifest) -> Manifest:
        """The volume of a claim, once it has one."""
        api, name = self.control_plane.api, wanted["metadata"]["name"]
        self.until(lambda: self.status(wanted).get("phase") == "Bound", f"{name} is bound")
        found: Manifest = api.get(f"/api/v1/persistentvolumes/{api.read(wanted).body['spec']['volumeName']}").body
        return found

    def taken(self, name: str, of: str) -> Manifest:
        """A snapshot of a new claim, once it may be used."""
        self.bound(self.make(claim(name, of)))
        made = self.make(snapshot_of(name, of))
        self.until(lambda: bool(self.status(made).get("readyToUse")), f"the snapshot of {name} may be used")
        return made

    def ask(self, of: str, what: str) -> Callable[[], bool]:
        """Ask for something; whether it is there."""
        if what == "claim":
            wanted = self.make(claim("data", of))
            return lambda: self.status(wanted).get("phase") == "Bound"
        wanted = self.make(claim("data", of))
        volume = self.bound(wanted)["metadata"]["name"]
        if what == "growth":
            grown = claim("data", of, size="2Gi")
            assert not self.control_plane.api.apply(grown).refusal
            return lambda: self.status(wanted)["capacity"]["storage"] == "2Gi"
        asked = self.make(snapshot_of("data", of)) if what == "snapshot" else self.attach(volume)
        ready = "readyToUse" if what == "snapshot" else "attached"
        return lambda: bool(self.status(asked).get(ready))

    def lacks(self, program: Program, of: str, resource: str) -> Callable[[], bool]:
        """Whether a program says that it may not; csi-attacher says nothing, and asks the driver again."""
        driver, call = self.drivers[of], "ControllerPublishVolume"
        before, part = len(driver.asked(call)), resource.partition("/")[0]
        if part == "volumeattachments":
            return lambda: len(driver.asked(call)) > before + 1
        return lambda: any(part in line for line in program.forbidden())

    def attach(self, volume: str) -> Manifest:
        """Ask for a volume on a node."""
        driver = self.drivers["block"].name
        self.make({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-1"}})
        known = {"drivers": [{"name": driver, "nodeID": "node-1"}]}
        self.make({"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": {"name": "node-1"}, "spec": known})
        spec = {"attacher": driver, "nodeName": "node-1", "source": {"persistentVolumeName": volume}}
        metadata = {"name": "here"}
        kind = {"apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment"}
        return self.make({**kind, "metadata": metadata, "spec": spec})

    def programs(self) -> dict[str, Program]:
        """The programs whose rights are those of the stack."""
        beside = {f"{of} {name}": each for of, one in self.drivers.items() for name, each in one.sidecars.items()}
        return {CONTROLLER: self.controller, **beside}


@pytest.fixture(scope="module")
def running(
    binaries: Mapping[str, Path], programs: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Storage]:
    """The cluster with both drivers and the controller that they share."""
    wanted = {name: programs[name] for name in BINARIES}
    stack = rendered_stack(tmp_path_factory.mktemp("volumes"), STACK, name="volumes")
    objects = [item.manifest for each in stack.components.values() for item in each.objects]
    with ControlPlane(binaries, data=snapshot(binaries, crds_of(objects))) as control_plane:
        start_kubernetes(control_plane, programs, controllers=(*CONTROLLERS, *VOLUMES), kwok=False)
        results = apply_in_waves(control_plane.api, [*objects, _secret()])
        assert not refusals(results), "\n".join(refusals(results))
        controller = Program(control_plane, objects, CONTROLLER, CONTROLLER)
        controller.start(wanted[CONTROLLER], [*controller.spec["args"]])
        drivers = {
            key: start_driver(control_plane, wanted, objects, deployment, name)
            for key, (deployment, name, _) in DRIVERS.items()
        }
        yield Storage(control_plane, controller, drivers)


def _secret() -> Manifest:
    metadata = {"name": "csi-rbd-secret", "namespace": "ceph-csi-rbd"}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "stringData": {"userID": "kubernetes"}}


@pytest.fixture
def storage(running: Storage, request: pytest.FixtureRequest) -> Iterator[Storage]:
    """The shared cluster without claims; its logs are shown when the test fails."""
    show_logs(request, running.control_plane)
    yield running
    while running.made:
        running.remove(running.made[-1])
    api = running.control_plane.api
    left = (
        "/api/v1/persistentvolumeclaims",
        "/api/v1/persistentvolumes",
        f"{SNAPSHOTS}/volumesnapshots",
        f"{SNAPSHOTS}/volumesnapshotcontents",
    )
    running.until(lambda: not any(api.get(path).body["items"] for path in left), "all is removed")


def test_the_driver_is_asked_for_what_the_class_says(storage: Storage) -> None:
    volume = storage.bound(storage.make(claim("data", "files")))
    said = {
        "server": "nfs.example.com",
        "share": "/exports/ml",
        "subDir": "${pvc.metadata.name}",
        "onDelete": "archive",
        "csi.storage.k8s.io/pvc/name": "data",
        "csi.storage.k8s.io/pvc/namespace": "default",
        "csi.storage.k8s.io/pv/name": volume["metadata"]["name"],
    }

    assert storage.drivers["files"].asked("CreateVolume")[-1]["parameters"] == said
    assert volume["spec"]["csi"]["driver"] == "nfs.csi.k8s.io"


def test_the_driver_gets_the_secret_that_the_class_names(storage: Storage) -> None:
    storage.bound(storage.make(claim("data", "block")))
    (request,) = storage.drivers["block"].asked("CreateVolume")[-1:]

    assert request["secrets"] == {"userID": "kubernetes"}
    assert request["parameters"]["clusterID"] == "ceph-a"


@pytest.mark.parametrize("of", DRIVERS)
def test_a_volume_grows_with_its_claim(storage: Storage, of: str) -> None:
    grown = storage.ask(of, "growth")
    storage.until(grown, "the claim has grown")
    (asked,) = storage.drivers[of].asked("ControllerExpandVolume")[-1:]

    assert asked["capacity_range"]["required_bytes"] == 2 << 30


@pytest.mark.parametrize("of", DRIVERS)
def test_a_claim_is_filled_from_a_snapshot(storage: Storage, of: str) -> None:
    taken = storage.taken("data", of)
    api = storage.control_plane.api
    content = api.get(f"{SNAPSHOTS}/volumesnapshotcontents/{storage.status(taken)['boundVolumeSnapshotContentName']}")
    storage.bound(storage.make(claim("again", of, snapshot="data")))
    asked = storage.drivers[of].asked("CreateVolume")[-1]

    source = asked["volume_content_source"]["Type"]["Snapshot"]["snapshot_id"]
    assert source == content.body["status"]["snapshotHandle"]


@pytest.mark.parametrize("of", DRIVERS)
def test_what_is_removed_here_is_removed_at_the_driver(storage: Storage, of: str) -> None:
    taken, driver = storage.taken("data", of), storage.drivers[of]
    for each in ("DeleteSnapshot", "DeleteVolume"):
        before = len(driver.asked(each))
        storage.remove(taken if each == "DeleteSnapshot" else storage.made[-1])
        storage.until(lambda each=each, before=before: len(driver.asked(each)) > before, each)  # type: ignore[misc]

    assert driver.asked("DeleteVolume")[-1]["volume_id"].startswith("volume-of-pvc-")


def test_a_volume_is_attached_where_something_asks_for_it(storage: Storage) -> None:
    volume = storage.bound(storage.make(claim("data", "block")))["metadata"]["name"]
    asked = storage.attach(volume)
    storage.until(lambda: bool(storage.status(asked).get("attached")), "it is attached")
    storage.remove(asked)
    storage.until(lambda: bool(storage.drivers["block"].asked("ControllerUnpublishVolume")), "it is detached")

    assert storage.drivers["block"].asked("ControllerPublishVolume")[-1]["node_id"] == "node-1"


def test_no_program_is_refused_anything(storage: Storage) -> None:
    for of in DRIVERS:
        storage.taken("data" if of == "files" else "more", of)

    assert {name: each.forbidden() for name, each in storage.programs().items() if each.forbidden()} == {}


@pytest.mark.parametrize(("name", "right", "what"), NEEDED, ids=lambda each: each[1] if len(each) == 3 else "")
def test_without_a_right_what_needs_it_waits(
    storage: Storage, name: str, right: tuple[str, str, str], what: str
) -> None:
    of = name.partition(" ")[0] if " " in name else "files"
    program, role = storage.programs()[name], "" if name == CONTROLLER else DRIVERS[of][2]
    with rights.withheld(program, right, role=role):
        there = storage.ask(of, what)
        storage.until(storage.lacks(program, of, right[1]), f"{name} cannot go on")
        assert not there()

    storage.until(there, "with it what was asked for is there")
    program.log.write_text("")
