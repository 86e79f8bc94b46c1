"""snapshot-controller: binds VolumeSnapshots to what CSI drivers make, and brings their API; one a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from platform_def.apis.core.core_v1 import Container
from platform_def.config.model import Name
from platform_def.constructs import (
    APACHE,
    KUBERNETES,
    READ,
    WRITE,
    Component,
    ComponentConfig,
    Crds,
    Health,
    ImageFacts,
    Operator,
    PeopleRoles,
    Problem,
    Release,
    Setting,
    Support,
    Upkeep,
    Withdrawn,
    allow,
    releases,
)

NAME, SNAPSHOT, GROUP = "snapshot-controller", "snapshot.storage.k8s.io", "groupsnapshot.storage.k8s.io"
RELEASES = releases(
    # Upstream's YAML at this tag still names the image of 8.6.0. Its client library is that of Kubernetes 1.37.
    Release(
        "8.7.0",
        kubernetes="1.25-1.37",
        image="registry.k8s.io/sig-storage/snapshot-controller:v8.7.0",
        upkeep=Upkeep(Support.CURRENT),
    ),
    license=APACHE,
)
WITHDRAWN = (Withdrawn("8.6.0", instead="8.7.0", changes="the image alone", upkeep=Upkeep(Support.ENDED)),)
RULES = (
    allow("", "persistentvolumes", verbs=READ),
    allow("", "persistentvolumeclaims", verbs=f"{READ} update"),
    allow("", "events", verbs="list watch create update patch"),
    allow(SNAPSHOT, "volumesnapshotclasses", verbs=READ),
    allow(SNAPSHOT, "volumesnapshotcontents", verbs=WRITE),
    allow(SNAPSHOT, "volumesnapshotcontents/status", verbs="patch"),
    allow(SNAPSHOT, "volumesnapshots", verbs=WRITE),
    allow(SNAPSHOT, "volumesnapshots/status", verbs="update patch"),
)
GROUP_RULES = (
    allow(GROUP, "volumegroupsnapshotclasses", verbs=READ),
    allow(GROUP, "volumegroupsnapshotcontents", verbs=WRITE),
    allow(GROUP, "volumegroupsnapshotcontents/status", verbs="patch"),
    allow(GROUP, "volumegroupsnapshots", verbs=f"{READ} update patch"),
    allow(GROUP, "volumegroupsnapshots/status", verbs="update patch"),
)
LEASES = (allow("coordination.k8s.io", "leases", verbs="get list watch create update delete"),)
FACTS = ImageFacts(
    runs_as=65532,
    read_only=True,
    source="one static program on distroless/static, which opens no file (cmd/snapshot-controller at v8.7.0)",
)
PORT, HEALTH = 8080, "/healthz/leader-election"
"""It answers once the snapshot API is there; without it, it ends after half a minute."""


class SnapshotControllerConfig(ComponentConfig):
    """What a stack may choose about snapshots."""

    releases = RELEASES
    withdrawn = WITHDRAWN

    namespace: Name = NAME
    """Namespace of the controller; upstream uses kube-system, which others share."""
    group_snapshots: bool = False
    """Serve VolumeGroupSnapshots too: several volumes at one moment. A driver that makes them says so of itself."""
    log_level: Annotated[int, Field(ge=0, le=10)] = 5
    """How much it logs; upstream's."""


class SnapshotController(Component[SnapshotControllerConfig]):
    """APIs of snapshots and of groups, and the controller that they share."""

    @classmethod
    def problems(cls, at: Setting[SnapshotControllerConfig]) -> Iterator[Problem]:
        """Clusters that have one."""
        if at.platform.distribution in ("openshift", "rke2", "gke", "aks"):
            text = f"components.{at.name}: {at.platform.distribution} brings a snapshot controller of its own"
            yield Problem(text, hint=f"write `{at.name}: {{provided: true}}`")

    def build(self) -> None:
        """Everything that serves snapshots."""
        groups = self.config.group_snapshots
        container: Container = {
            "name": NAME,
            "image": self.release.image,
            "args": [
                f"--v={self.config.log_level}",
                "--leader-election=true",
                f"--http-endpoint=:{PORT}",
                # On by default since 8.7: without the rights on groups it would wait half a minute for their API.
                *([] if groups else ["--feature-gates=CSIVolumeGroupSnapshot=false"]),
            ],
        }
        Crds(self)
        Operator(
            self,
            NAME,
            container=container,
            rules=[*RULES, *(GROUP_RULES if groups else ())],
            own_rules=LEASES,
            ha_replicas=2,  # one works, by a Lease of its own namespace
            health=Health(PORT, live=HEALTH, ready=HEALTH),
            metrics=PORT,
            facts=FACTS,
        )
        mine = [each for each in self.served if each.api.namespaced]
        PeopleRoles(self, mine, aggregate=KUBERNETES, view=[allow(SNAPSHOT, "volumesnapshotclasses", verbs=READ)])
