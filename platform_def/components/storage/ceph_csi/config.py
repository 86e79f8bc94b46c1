"""Settings of ceph-csi's drivers, and what they read of the stack's storage entries: which of them are theirs, the
list of Ceph clusters, the Secrets of a class."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import Field, JsonValue
from pydantic.alias_generators import to_camel

from platform_def.config.model import LabelKey, Port, Subdomain
from platform_def.config.storage import Ceph, SecretRef
from platform_def.constructs import ComponentConfig, ConfigError, Problem, Setting
from platform_def.constructs.storage_entries import entries_of

E = TypeVar("E", bound=Ceph)
CLUSTER_ID_BYTES = 36
"""ceph-csi packs the cluster's name into volume handles."""
AUTHENTICATION = {f"auth_{part}_required": "cephx" for part in ("cluster", "service", "client")}


class CephCsiConfig(ComponentConfig):
    """What a stack may choose about any of the drivers; clusters and classes are said in `storage`."""

    driver_name: Annotated[Subdomain, Field(max_length=63)] | None = None
    """Name by which classes and volumes know the driver: by default upstream's, and for an instance of another name
    `<name>.<upstream's>`. It can never be changed for volumes that exist."""
    snapshots: Literal["off", "on", "group"] = "on"
    """Serve snapshots; where the cluster lacks their API the sidecar waits. `group`: also group snapshots, which need
    their CRDs at the version that the release reads (3.17: v1beta2; 3.12: v1alpha1), else no snapshot works at all."""
    snapshot_deletion: Literal["Delete", "Retain"] = "Delete"
    """What becomes of a snapshot in Ceph when its object goes."""
    read_affinity: list[LabelKey] = Field(default_factory=list)
    """Node labels that say where a node is in the CRUSH map, to read from the nearest replica (kernel 5.8 or newer)."""
    host_network: bool = False
    """The pods that make volumes use the node's network: for clusters whose pods cannot reach Ceph."""
    selinux: bool | None = None
    """Show the node's SELinux settings to the driver; by default wherever the distribution has them (not on Talos)."""
    kms: dict[str, dict[str, JsonValue]] = Field(default_factory=dict)
    """Key management services for encrypted volumes by id, as ceph-csi documents them. They name Secrets."""
    ceph_options: dict[str, str] = Field(default_factory=dict)
    """Further options for `[global]` in ceph.conf."""
    metrics_port: Port | None = None
    """Port of the liveness metrics, on nodes a port of the node: upstream's (8681 for CephFS, 8680 for RBD), and for
    further instances the ones after it."""
    timeout_seconds: Annotated[int, Field(ge=1, le=3600)] = 150
    """How long a request to Ceph may take before it is repeated."""
    log_level: Annotated[int, Field(ge=0, le=5)] = 5
    """Upstream's: at lower levels the driver does not say why a mount failed."""


@dataclass(frozen=True)
class DriverKind(Generic[E]):
    """One of the drivers, as far as its configuration is concerned."""

    name: str
    """As `--type` and stacks' entries have it."""
    slug: str
    """Name of the component."""
    driver: str
    """Upstream's name of the driver."""
    entries: type[E]
    metrics_port: int
    section: str
    """Key of a cluster's entry in config.json that holds what concerns this driver alone."""
    shared: str
    """Field of the entries that is there, one value a cluster."""

    def entries_of(self, at: Setting[Any]) -> dict[str, E]:
        """The storage entries that an instance serves, by class; ConfigError with all that ceph-csi could not serve."""
        known: CephCsiConfig = at.config
        return entries_of(
            at,
            self.slug,
            self.entries,
            lambda own: [*_long_ids(own), *_strange_keys(at.name, known.kms, own), *self._contradictions(own)],
        )

    def problems(self, at: Setting[Any]) -> Iterator[Problem]:
        """Storage entries that ceph-csi cannot serve, or none at all."""
        try:
            self.entries_of(at)
        except ConfigError as error:
            yield from error.problems

    def clusters_file(self, entries: Mapping[str, E]) -> str:
        """`config.json`: each Ceph cluster once. The driver reads it again for every request."""
        clusters: dict[str, dict[str, JsonValue]] = {}
        for entry in entries.values():
            cluster: dict[str, JsonValue] = {"clusterID": entry.cluster_id, "monitors": [*entry.monitors]}
            if own := getattr(entry, self.shared):
                cluster[self.section] = {to_camel(self.shared): own}
            clusters[entry.cluster_id] = cluster
        return json_file([clusters[name] for name in sorted(clusters)])

    def _contradictions(self, entries: Mapping[str, E]) -> Iterator[Problem]:
        """What belongs to the cluster's entry in config.json, and not to the class, must be the same in all entries."""
        seen: dict[str, tuple[str, E]] = {}
        for name, entry in entries.items():
            first, known = seen.setdefault(entry.cluster_id, (name, entry))
            same = {"monitors": sorted(entry.monitors) == sorted(known.monitors)}
            same[to_camel(self.shared)] = getattr(entry, self.shared) == getattr(known, self.shared)
            for field in (field for field, equal in same.items() if not equal):
                yield Problem(
                    f"storage.{name}.{field}: differs from storage.{first}.{field}, though both have clusterId "
                    f"'{entry.cluster_id}', and ceph-csi keeps one {field} a clusterId",
                    hint="make them equal, or give one another clusterId (any name that stands for the cluster)",
                    at=("storage", name, field),
                )


def ceph_conf(options: Mapping[str, str]) -> str:
    """`ceph.conf`: how clients prove who they are, and the stack's own options."""
    lines = [f"{key} = {value}\n" for key, value in sorted({**AUTHENTICATION, **options}.items())]
    return "[global]\n" + "".join(lines)


def secrets(reference: SecretRef, *steps: str) -> dict[str, str]:
    """Parameters by which Kubernetes' sidecars find the Secret of a step."""
    return {
        f"csi.storage.k8s.io/{step}-secret-{part}": getattr(reference, part)
        for step in steps
        for part in ("name", "namespace")
    }


def json_file(content: JsonValue) -> str:
    """A file in JSON: the same bytes for the same content."""
    return json.dumps(content, indent=2, sort_keys=True) + "\n"


def _long_ids(entries: Mapping[str, Ceph]) -> Iterator[Problem]:
    for name, entry in entries.items():
        size = len(entry.cluster_id.encode())
        if size > CLUSTER_ID_BYTES:
            yield Problem(
                f"storage.{name}.clusterId: {size} bytes, ceph-csi takes at most {CLUSTER_ID_BYTES}",
                hint="any shorter name that stands for the cluster will do",
                at=("storage", name, "clusterId"),
            )


def _strange_keys(instance: str, known: Mapping[str, object], entries: Mapping[str, Ceph]) -> Iterator[Problem]:
    """Keys that no service has."""
    for name, entry in entries.items():
        kms = entry.encryption.kms if entry.encryption else None
        if kms and kms not in known:
            yield Problem(
                f"storage.{name}.encryption.kms: {instance} knows no key management service '{kms}'",
                hint=f"describe it: `components: {{{instance}: {{kms: {{{kms}: …}}}}}}`",
                at=("storage", name, "encryption", "kms"),
            )
