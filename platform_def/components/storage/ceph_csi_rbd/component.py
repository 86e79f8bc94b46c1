"""ceph-csi's RBD driver: block devices of one pod at a time on a Ceph cluster that exists, one class a storage entry.

Ceph's credentials stay in Secrets that the stack names; none is ever written.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from platform_def.apis.core.core_v1 import Volume
from platform_def.components.storage.ceph_csi.config import CephCsiConfig, DriverKind
from platform_def.components.storage.ceph_csi.driver import SECURITY, CephDriver
from platform_def.components.storage.ceph_csi.releases import CephCsiRelease, ceph_releases
from platform_def.config.model import LabelKey, Name
from platform_def.config.storage import Rbd
from platform_def.constructs import READ, Component, Problem, Setting, allow
from platform_def.constructs.csi import Sidecar
from platform_def.constructs.storage_entries import own_entries

RBD = DriverKind(
    "rbd",
    slug="ceph-csi-rbd",
    driver="rbd.csi.ceph.com",
    entries=Rbd,
    metrics_port=8680,
    section="rbd",
    shared="rados_namespace",
)
ATTACHER_RULES = (
    allow("storage.k8s.io", "volumeattachments", verbs=f"{READ} update patch"),
    allow("storage.k8s.io", "volumeattachments/status", verbs="patch"),
)
# The node plugin looks up whose volume a mapped image is, to heal rbd-nbd mounts after a restart.
NODE_RULES = (
    allow("", "persistentvolumes", verbs="get"),
    allow("storage.k8s.io", "volumeattachments", verbs="get list"),
)
# By upstream's YAML alone; no sidecar that it pins removes these objects.
SNAPSHOT_RULES = (allow("snapshot.storage.k8s.io", "volumesnapshotcontents", verbs="delete"),)
TOKEN: Volume = {
    "name": "oidc-token",
    "projected": {
        "sources": [
            {"serviceAccountToken": {"path": "oidc-token", "expirationSeconds": 3600, "audience": "ceph-csi-kms"}}
        ]
    },
}
"""By which the driver proves to a key management service who it is (`aws-sts-metadata`)."""
ADDONS = "--csi-addons-endpoint=unix:///csi/csi-addons.sock"
FSTYPE = "--default-fstype=ext4"


class CephCsiRbdConfig(CephCsiConfig):
    """What a stack may choose about the driver; clusters and classes are said in `storage`."""

    releases = ceph_releases(attaches=True)

    namespace: Name = "ceph-csi-rbd"
    """Namespace of the driver, as upstream's chart has it; it needs the privileged Pod Security level."""
    domain_labels: list[LabelKey] = Field(default_factory=list)
    """Node labels that are domains for `domainPools` and `topology`: `[topology.kubernetes.io/zone]`. Every node that
    runs the driver must have all of them, or the driver does not start there."""
    hard_max_clone_depth: Annotated[int, Field(ge=1, le=16)] = 8
    """Clones of clones, after which an image is flattened before another is made; the kernel maps at most 16."""
    soft_max_clone_depth: Annotated[int, Field(ge=1, le=16)] = 4
    """Clones of clones, after which an image is flattened in the background."""


class CephCsiRbd(Component[CephCsiRbdConfig, CephCsiRelease]):
    """Driver, accounts, configuration, controller, node plugin, metrics, and the classes of the stack's entries."""

    several = True
    pod_security = SECURITY

    @classmethod
    def problems(cls, at: Setting[CephCsiRbdConfig]) -> Iterator[Problem]:
        """Storage entries that ceph-csi cannot serve, or none at all."""
        yield from RBD.problems(at)
        yield from _unknown_domains(at)

    def build(self) -> None:
        """Everything that makes, attaches and mounts RBD images."""
        told = self.release.pod_info
        driver = CephDriver(
            self,
            RBD,
            {"attachRequired": True, "podInfoOnMount": told, "fsGroupPolicy": "File", "seLinuxMount": True},
            tokens=[TOKEN],
        )
        depth = self.config.hard_max_clone_depth, self.config.soft_max_clone_depth
        attacher = Sidecar(
            "csi-attacher",
            self.release.images["csi-attacher"],
            ("--retry-interval-start=500ms", FSTYPE),
            rules=ATTACHER_RULES,
        )
        driver.controller(
            flags=[ADDONS, f"--rbdhardmaxclonedepth={depth[0]}", f"--rbdsoftmaxclonedepth={depth[1]}"],
            making=[FSTYPE, "--immediate-topology=false"],
            attacher=attacher,
            names=True,  # and writes the journal of images again in a cluster that they were mirrored to
            snapshot_rules=SNAPSHOT_RULES,
        )
        domains = ",".join(self.config.domain_labels)
        staging = f"--stagingpath={driver.csi.paths.plugins}/kubernetes.io/csi/"
        driver.node_plugin(
            flags=[staging, ADDONS, *([f"--domainlabels={domains}"] if domains else [])],
            made={"ceph-logdir": "/var/log/ceph"},
            rules=NODE_RULES,
            drained=any(entry.mounter == "rbd-nbd" or entry.try_other_mounters for entry in driver.entries.values()),
        )
        for name, entry in driver.entries.items():
            driver.classes(name, entry, class_parameters(entry))


def class_parameters(entry: Rbd) -> dict[str, str]:
    """What the class says beside cluster and Secrets."""
    said = {
        "pool": entry.pool,
        "dataPool": entry.data_pool,
        "topologyConstrainedPools": _domain_pools(entry),
        "imageFeatures": ",".join(entry.image_features),
        "mounter": entry.mounter if entry.mounter == "rbd-nbd" else None,
        "tryOtherMounters": "true" if entry.try_other_mounters else None,
        "mkfsOptions": entry.mkfs_options,
        "mapOptions": entry.map_options,
        "unmapOptions": entry.unmap_options,
        "csi.storage.k8s.io/fstype": entry.filesystem_type,
    }
    if entry.encryption:
        said["encryptionType"] = entry.encryption.type
    return {name: value for name, value in said.items() if value}


def _domain_pools(entry: Rbd) -> str | None:
    pools = [
        {
            "poolName": each.pool,
            **({"dataPool": each.data_pool} if each.data_pool else {}),
            "domainSegments": [{"domainLabel": key, "value": value} for key, value in sorted(each.domain.items())],
        }
        for each in entry.domain_pools
    ]
    return json.dumps(pools) if pools else None


def _unknown_domains(at: Setting[CephCsiRbdConfig]) -> Iterator[Problem]:
    """Domains that no label tells."""
    known = {label.rpartition("/")[2] for label in at.config.domain_labels}
    for name, entry in own_entries(at, RBD.slug, Rbd).items():
        for missing in sorted({key for each in entry.domain_pools for key in each.domain} - known):
            text = f"storage.{name}.domainPools: {at.name} tells the driver of no label '{missing}'"
            yield Problem(
                text,
                hint=f"write `components: {{{at.name}: {{domainLabels: [<prefix>/{missing}]}}}}`",
                at=("storage", name, "domainPools"),
            )
