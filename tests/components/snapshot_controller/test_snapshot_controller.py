"""snapshot-controller: the API of snapshots and who serves it."""

from __future__ import annotations

from platform_def.components.storage.snapshot_controller.component import SnapshotController
from tests.unit.built import built, grants, platform, setting, told

GROUP = "groupsnapshot.storage.k8s.io"
NAME = "snapshot-controller"


def test_it_serves_the_apis_of_snapshots_and_of_groups() -> None:
    objects = built(SnapshotController)
    offered = SnapshotController.offered(setting(SnapshotController)).apis

    assert len(objects.of("CustomResourceDefinition")) == 6
    assert "VolumeSnapshotClass.snapshot.storage.k8s.io" in offered


def test_groups_are_asked_for() -> None:
    flag = "--feature-gates=CSIVolumeGroupSnapshot=false"
    off, on = built(SnapshotController), built(SnapshotController, group_snapshots=True)

    assert flag in off.arguments("Deployment")
    assert not [each for each in on.arguments("Deployment") if "feature-gates" in each]
    assert "create" in grants(on.rules("ClusterRole", NAME), GROUP, "volumegroupsnapshotcontents")
    assert not grants(off.rules("ClusterRole", NAME), GROUP, "volumegroupsnapshotcontents")


def test_one_of_two_leads_in_its_own_namespace() -> None:
    objects = built(SnapshotController, platform(availability="ha"))

    assert objects.one("Deployment")["spec"]["replicas"] == 2
    assert "--leader-election=true" in objects.arguments("Deployment")
    assert "update" in grants(objects.rules("Role", NAME), "coordination.k8s.io", "leases")


def test_it_is_ready_once_the_api_is_there_and_needs_no_right_on_its_node() -> None:
    container = built(SnapshotController).container("Deployment")

    assert container["readinessProbe"]["httpGet"] == {"path": "/healthz/leader-election", "port": 8080}
    assert container["securityContext"]["runAsNonRoot"] is True
    assert container["securityContext"]["readOnlyRootFilesystem"] is True


def test_who_edits_a_namespace_may_snapshot_its_volumes_and_sees_the_classes() -> None:
    objects = built(SnapshotController)
    edit, view = (objects.rules("ClusterRole", f"{NAME}-{role}") for role in ("edit", "view"))

    assert "create" in grants(edit, "snapshot.storage.k8s.io", "volumesnapshots")
    assert not grants(edit, "snapshot.storage.k8s.io", "volumesnapshotcontents")
    assert grants(view, "snapshot.storage.k8s.io", "volumesnapshotclasses") == {"get", "list", "watch"}


def test_clusters_that_bring_one_are_told() -> None:
    (text,) = told(SnapshotController, distribution="gke")

    assert "provided: true" in text
    assert told(SnapshotController) == []
