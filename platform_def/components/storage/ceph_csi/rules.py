"""What the programs of ceph-csi's drivers may do in the cluster, as upstream's YAML grants it (deploy/, v3.12.2)."""

from __future__ import annotations

from platform_def.constructs import READ, allow

SNAPSHOT, GROUP = "snapshot.storage.k8s.io", "groupsnapshot.storage.k8s.io"
# Secrets everywhere: classes name theirs in any namespace, and encryption reads one in the claim's.
PROVISIONER_RULES = (
    allow("", "nodes secrets", verbs=READ),
    allow("", "events", verbs="list watch create update patch"),
    allow("", "persistentvolumes", verbs=f"{READ} create update delete patch"),
    allow("", "persistentvolumeclaims", verbs=f"{READ} update"),
    allow("", "persistentvolumeclaims/status", verbs="update patch"),
    allow("", "configmaps serviceaccounts", verbs="get"),
    allow("", "serviceaccounts/token", verbs="create"),
    allow("storage.k8s.io", "storageclasses csinodes", verbs=READ),
)
SNAPSHOT_RULES = (
    allow(SNAPSHOT, "volumesnapshots volumesnapshotcontents", verbs=f"{READ} update patch create"),
    allow(SNAPSHOT, "volumesnapshots/status", verbs="get list patch"),
    allow(SNAPSHOT, "volumesnapshotcontents/status", verbs="update patch"),
    allow(SNAPSHOT, "volumesnapshotclasses", verbs=READ),
)
GROUP_RULES = (
    allow(GROUP, "volumegroupsnapshotclasses", verbs=READ),
    allow(GROUP, "volumegroupsnapshotcontents", verbs=f"{READ} update patch"),
    allow(GROUP, "volumegroupsnapshotcontents/status", verbs="update patch"),
)
LEADER_RULES = (
    allow("", "configmaps", verbs=READ),
    allow("coordination.k8s.io", "leases", verbs=f"{READ} delete update create"),
)
NODE_RULES = (
    allow("", "nodes secrets configmaps serviceaccounts", verbs="get"),
    allow("", "serviceaccounts/token", verbs="create"),
)
