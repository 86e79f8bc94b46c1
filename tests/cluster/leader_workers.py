"""LeaderWorkerSet as a stack renders it, with Volcano, on a real API server: what its tests share.

Its controller has its own account, rights, configuration file, certificate and webhooks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from tests.cluster import rights
from tests.cluster.client import Manifest
from tests.cluster.control_plane import ControlPlane
from tests.cluster.controllers import CONTROLLERS, start_kubernetes
from tests.cluster.gangs import GangCluster, start_volcano
from tests.cluster.queueing import Controller
from tests.cluster.snapshots import snapshot
from tests.cluster.stacks import crds_of
from tests.cluster.waves import apply_in_waves, refusals

MANAGER, SERVICE = "lws-controller-manager", "lws-webhook-service"
SET, INDEX = "leaderworkerset.sigs.k8s.io/name", "leaderworkerset.sigs.k8s.io/worker-index"
METRICS = 18443
MOVED = (f"--metrics-bind-address=:{METRICS}",)
"""Its port for metrics is one of Volcano's webhooks: here both programs share one network."""
# An operator that owns what it makes must be allowed to hold the owner back; clusters ask for it by this plug-in.
FLAGS = ("--enable-admission-plugins=OwnerReferencesPermissionEnforcement",)


class LeaderWorkerSets(Controller):
    """Its controller."""

    elsewhere: ClassVar[Mapping[int, int]] = {}


@dataclass
class GroupCluster:
    """An API server on which LeaderWorkerSets become gangs of pods."""

    gangs: GangCluster
    controller: LeaderWorkerSets

    def submit(self, objects: Sequence[Manifest]) -> Manifest:
        """Store what serves a model; returns its LeaderWorkerSet."""
        self.gangs.submit(*objects)
        (found,) = (item for item in objects if item["kind"] == "LeaderWorkerSet")
        return found

    def pods(self, made: Manifest) -> dict[str, Manifest]:
        """The pods of a set, by name."""
        metadata = made["metadata"]
        found = self.gangs.pods(metadata["namespace"])
        return {
            pod["metadata"]["name"]: pod
            for pod in found
            if pod["metadata"].get("labels", {}).get(SET) == metadata["name"]
        }

    def running(self, made: Manifest) -> dict[str, Manifest]:
        """Those of its pods that run."""
        return {name: pod for name, pod in self.pods(made).items() if pod["status"].get("phase") == "Running"}

    def groups(self, made: Manifest) -> dict[str, Manifest]:
        """Volcano's PodGroups of a set, by name."""
        metadata = made["metadata"]
        found = self.gangs.list(f"{self.gangs.groups}/namespaces/{metadata['namespace']}/podgroups")
        return {
            each["metadata"]["name"]: each
            for each in found
            if each["metadata"].get("labels", {}).get(SET) == metadata["name"]
        }

    def restart(self, pod: Manifest) -> None:
        """Say what a kubelet says once it has started a pod's program again."""
        metadata = pod["metadata"]
        (container,) = pod["status"]["containerStatuses"]
        path = f"/api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}/status"
        patch = {"status": {"containerStatuses": [{**container, "restartCount": 1}]}}
        content = "application/merge-patch+json"
        reply = self.gangs.control_plane.api.request("PATCH", path, patch, content=content)
        assert reply.status == 200, reply.message

    def refused(self, resource: str) -> bool:
        """Whether the controller was refused to make such an object."""
        said = (line.replace("\\", "") for line in self.controller.forbidden())
        return any(f'cannot create resource "{resource}"' in line for line in said)

    @contextmanager
    def clean(self) -> Iterator[GroupCluster]:
        """For one test: its objects are gone afterwards, and no program was refused anything."""
        try:
            yield self
            assert [*self.gangs.forbidden(), *self.controller.forbidden()] == []
        finally:
            self.clear()

    def clear(self) -> None:
        """Remove what the test made, and wait until all that became of it is gone."""
        homes = {item["metadata"]["namespace"] for item in self.gangs.made if "namespace" in item["metadata"]}
        for item in self.gangs.made:
            self.gangs.control_plane.api.request("DELETE", self.gangs.control_plane.api.path(item) or "")
        for home in homes:
            path = f"/apis/apps/v1/namespaces/{home}/statefulsets"
            self.gangs.wait(lambda path=path: not self.gangs.list(path), "no set is left")  # type: ignore[misc]
        self.gangs.clear()
        self.controller.log.write_text("")

    @contextmanager
    def without(self, resource: str, verb: str) -> Iterator[None]:
        """Take a verb on a resource out of the controller's role for some time."""
        role = self.controller.object("ClusterRole", "lws-manager-role")
        try:
            with rights.without(self.gangs.control_plane.api, role, resource, {verb}):
                yield
        finally:
            self.clear()


@contextmanager
def group_cluster(
    programs: Mapping[str, Path], objects: Sequence[Manifest], nodes: Sequence[Manifest]
) -> Iterator[GroupCluster]:
    """The cluster with Volcano and the controller; where it does not come up, the error holds all logs."""
    with ControlPlane(programs, data=snapshot(programs, crds_of(objects)), flags=FLAGS) as control_plane:
        with control_plane.explaining():
            more = ("garbage-collector-controller", "statefulset-controller")
            start_kubernetes(control_plane, programs, controllers=(*CONTROLLERS, *more))
            assert not refusals(apply_in_waves(control_plane.api, nodes))
            gangs = start_volcano(control_plane, programs, objects)
            cluster = GroupCluster(gangs, start_controller(control_plane, programs, objects))
        yield cluster


def start_controller(
    control_plane: ControlPlane, programs: Mapping[str, Path], objects: Sequence[Manifest]
) -> LeaderWorkerSets:
    """Start it, whose objects are stored, and wait until its webhook judges."""
    controller = LeaderWorkerSets(control_plane, objects, MANAGER, "manager")
    controller.start(programs["lws"], [*controller.spec["args"], *MOVED])
    controller.hand_over_certificate()
    stored = control_plane.api.read(controller.object("Service", SERVICE)).body["spec"]
    (port,) = stored["ports"]
    control_plane.sandbox.relay(stored["clusterIP"], port["port"], target=port["targetPort"])
    judges = '"vleaderworkerset.kb.io" denied the request'
    controller.wait(lambda: judges in control_plane.api.apply(wrong(), dry_run=True).refusal, "its webhook judges")
    return controller


def wrong() -> Manifest:
    """A set that its definition takes and its webhook refuses: replicas and their size make more pods than a number can
    say."""
    pod = {"spec": {"containers": [{"name": "main", "image": "server:1"}]}}
    return {
        "apiVersion": "leaderworkerset.x-k8s.io/v1",
        "kind": "LeaderWorkerSet",
        "metadata": {"name": "wrong", "namespace": "default"},
        "spec": {"replicas": 1_000_000, "leaderWorkerTemplate": {"size": 10_000, "workerTemplate": pod}},
    }
