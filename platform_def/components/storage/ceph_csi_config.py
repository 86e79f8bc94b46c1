"""What ceph-csi reads of the stack's storage entries: the list of Ceph clusters, and the parameters of each class."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from platform_def.config.storage import CephFs, ExistingStorage
from platform_def.errors import ConfigError, Problem

CLUSTER_ID_BYTES = 36
"""ceph-csi packs the cluster's name into volume handles."""
AUTHENTICATION = {f"auth_{part}_required": "cephx" for part in ("cluster", "service", "client")}


def cephfs_entries(storage: Mapping[str, CephFs | ExistingStorage]) -> dict[str, CephFs]:
    """Storage entries by the name of their class; raises ConfigError with all that ceph-csi could not serve."""
    entries = {name: entry for name, entry in sorted(storage.items()) if isinstance(entry, CephFs)}
    problems = [*_nothing_to_serve(entries), *_long_ids(entries), *_contradictions(entries), *_twins(entries)]
    if problems:
        raise ConfigError(problems)
    return {entry.class_name or name: entry for name, entry in entries.items()}


def clusters_file(entries: Mapping[str, CephFs]) -> str:
    """`config.json`: each Ceph cluster once. The driver reads it anew for every request."""
    clusters: dict[str, dict[str, JsonValue]] = {}
    for entry in entries.values():
        cluster: dict[str, JsonValue] = {"clusterID": entry.cluster_id, "monitors": [*entry.monitors]}
        if entry.subvolume_group:
            cluster["cephFS"] = {"subvolumeGroup": entry.subvolume_group}
        clusters[entry.cluster_id] = cluster
    return json_file([clusters[name] for name in sorted(clusters)])


def ceph_conf(options: Mapping[str, str]) -> str:
    """`ceph.conf`: how clients prove who they are, and the stack's own options."""
    lines = [f"{key} = {value}\n" for key, value in sorted({**AUTHENTICATION, **options}.items())]
    return "[global]\n" + "".join(lines)


def class_parameters(entry: CephFs) -> dict[str, str]:
    """Parameters of the StorageClass. The API server refuses to change them later."""
    parameters = {"clusterID": entry.cluster_id, "fsName": entry.filesystem, "mounter": entry.mounter}
    if entry.pool:
        parameters["pool"] = entry.pool
    for step in ("provisioner", "controller-expand", "node-stage"):
        parameters |= _secret(step, entry)
    return parameters


def snapshot_parameters(entry: CephFs) -> dict[str, str]:
    """Parameters of the VolumeSnapshotClass."""
    return {"clusterID": entry.cluster_id, **_secret("snapshotter", entry)}


def json_file(content: JsonValue) -> str:
    """A file in JSON: the same bytes for the same content."""
    return json.dumps(content, indent=2, sort_keys=True) + "\n"


def _secret(step: str, entry: CephFs) -> dict[str, str]:
    return {
        f"csi.storage.k8s.io/{step}-secret-name": entry.secret.name,
        f"csi.storage.k8s.io/{step}-secret-namespace": entry.secret.namespace,
    }


def _nothing_to_serve(entries: Mapping[str, CephFs]) -> Iterator[Problem]:
    if not entries:
        yield Problem(
            "components.ceph-csi-cephfs: storage has no entry with driver cephfs, so there is nothing to serve",
            hint="add under storage: `shared: {driver: cephfs, clusterId: …, monitors: […], filesystem: …, "
            "secret: {existing: namespace/name}}`, or remove the component",
        )


def _long_ids(entries: Mapping[str, CephFs]) -> Iterator[Problem]:
    for name, entry in entries.items():
        size = len(entry.cluster_id.encode())
        if size > CLUSTER_ID_BYTES:
            yield Problem(
                f"storage.{name}.clusterId: {size} bytes, ceph-csi takes at most {CLUSTER_ID_BYTES}",
                hint="any shorter name that stands for the cluster will do",
            )


def _contradictions(entries: Mapping[str, CephFs]) -> Iterator[Problem]:
    """Monitors and subvolume group belong to the cluster's entry in config.json, not to the class."""
    seen: dict[str, tuple[str, CephFs]] = {}
    for name, entry in entries.items():
        first, known = seen.setdefault(entry.cluster_id, (name, entry))
        for field, ours, theirs in (
            ("monitors", sorted(entry.monitors), sorted(known.monitors)),
            ("subvolumeGroup", entry.subvolume_group, known.subvolume_group),
        ):
            if ours != theirs:
                yield Problem(
                    f"storage.{name}.{field}: differs from storage.{first}.{field}, though both have clusterId "
                    f"'{entry.cluster_id}', and ceph-csi keeps one {field} a clusterId",
                    hint="make them equal, or give one another clusterId (any name that stands for the cluster)",
                )


def _twins(entries: Mapping[str, CephFs]) -> Iterator[Problem]:
    seen: dict[str, str] = {}
    for name, entry in entries.items():
        called = entry.class_name or name
        if called in seen:
            yield Problem(f"storage.{name}: its class is called '{called}', as that of storage.{seen[called]} is")
        seen.setdefault(called, name)
