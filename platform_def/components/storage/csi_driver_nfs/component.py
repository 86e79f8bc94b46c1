"""csi-driver-nfs: a directory for each claim on NFS servers that exist, one class a storage entry."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from pydantic import Field

from platform_def.apis.core.core_v1 import Container, Probe, ResourceRequirements, SecurityContext
from platform_def.apis.core.rbac_v1 import PolicyRule
from platform_def.config.model import Name
from platform_def.config.storage import Nfs, StaticVolume
from platform_def.constructs import (
    APACHE,
    READ,
    Component,
    ComponentConfig,
    ConfigError,
    PodSecurityNeed,
    Problem,
    Release,
    Setting,
    Support,
    Upkeep,
    Vulnerability,
    Withdrawn,
    allow,
    env,
    from_field,
    mounts,
    releases,
)
from platform_def.constructs.csi import NODE_SOCKET, SIDECAR_RESOURCES, CsiDriver, Sidecar
from platform_def.constructs.static_volume import static_volume
from platform_def.constructs.storage_entries import entries_of, static_problems

SLUG, DRIVER = "csi-driver-nfs", "nfs.csi.k8s.io"
SECRET_OF = "csi.storage.k8s.io/provisioner-secret"  # noqa: S105 - beginning of the parameters that name one
SIDECARS, SNAPSHOT = "registry.k8s.io/sig-storage", "snapshot.storage.k8s.io"


@dataclass(frozen=True, kw_only=True)
class NfsRelease(Release):
    """What differs between releases of the driver and of its sidecars."""

    provisioner_flags: tuple[str, ...]
    resizer_flags: tuple[str, ...] = ()


def _release(version: str, tags: str, **more: Any) -> NfsRelease:
    names = ("csi-provisioner", "csi-resizer", "csi-snapshotter", "csi-node-driver-registrar", "livenessprobe")
    images = {name: f"{SIDECARS}/{name}:v{tag}" for name, tag in zip(names, tags.split(), strict=True)}
    return NfsRelease(version, image=f"{SIDECARS}/nfsplugin:v{version}", images=images, **more)


# Upstream says "1.21+", and tests with what its client library was made for and newer.
SUB_DIRECTORY = Vulnerability(
    "CVE-2026-3864", "who may make volumes reaches directories of the server outside of the share, by `../` in `subDir`"
)
NO_ATTRIBUTES = "--feature-gates=VolumeAttributesClass=false"
RELEASES = releases(
    _release(
        "4.13.4",
        "6.3.0 2.2.0 8.6.0 2.17.0 2.19.0",
        provisioner_flags=(NO_ATTRIBUTES,),
        resizer_flags=(NO_ATTRIBUTES,),
        upkeep=Upkeep(Support.CURRENT, (replace(SUB_DIRECTORY, fixed_in="4.13.1"),)),
    ),
    license=APACHE,
)
WITHDRAWN = (
    Withdrawn(
        "4.12.1",
        instead="4.13.4",
        changes="the sidecars' next major versions; classes and volumes stay as they are",
        upkeep=Upkeep(Support.ENDED, (SUB_DIRECTORY,)),
    ),
)

EVENTS = allow("", "events", verbs=f"{READ} create update patch")
PROVISIONER_RULES = (
    EVENTS,
    allow("", "nodes", verbs=READ),
    allow("", "persistentvolumes", verbs=f"{READ} create patch delete"),
    allow("", "persistentvolumeclaims", verbs=f"{READ} update"),
    allow("storage.k8s.io", "storageclasses csinodes", verbs=READ),
)
RESIZER_RULES = (
    allow("", "persistentvolumes", verbs="update"),
    allow("", "persistentvolumeclaims/status", verbs="update patch"),
)
SNAPSHOT_RULES = (
    allow(SNAPSHOT, "volumesnapshotclasses volumesnapshots", verbs=READ),
    allow(SNAPSHOT, "volumesnapshotcontents", verbs=f"{READ} update patch"),
    allow(SNAPSHOT, "volumesnapshotcontents/status", verbs="get update patch"),
)

# All as upstream has it: mounting needs privileges, the sidecars none.
MOUNTING: SecurityContext = {
    "privileged": True,
    "allowPrivilegeEscalation": True,
    "capabilities": {"add": ["SYS_ADMIN"], "drop": ["ALL"]},
}
SIDECAR_SECURITY: SecurityContext = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "seccompProfile": {"type": "RuntimeDefault"},
}
RESOURCES: ResourceRequirements = {"requests": {"cpu": "10m", "memory": "20Mi"}, "limits": {"memory": "300Mi"}}
CONTROLLER_HEALTH, NODE_HEALTH = 29652, 29653
"""Ports of the node, on its loopback alone."""


class CsiDriverNfsConfig(ComponentConfig):
    """What a stack may choose about the driver; servers and classes are said in `storage`."""

    releases = RELEASES
    withdrawn = WITHDRAWN

    namespace: Name = SLUG
    """Namespace of the driver, at the privileged Pod Security level; upstream uses kube-system, which others share."""
    volumes: dict[Name, StaticVolume] = Field(default_factory=dict)
    """Directories that are there already, each as a volume with a claim of its name."""
    snapshots: Literal["off", "on"] = "on"
    """Serve snapshots, which are archives beside the volumes on the same server; where the cluster lacks their API the
    sidecar waits."""
    snapshot_deletion: Literal["Delete", "Retain"] = "Delete"
    """What becomes of a snapshot's archive when its object goes."""
    snapshot_compression: bool = True
    """Compress snapshots; for data that is compressed already, switching it off saves much time."""
    timeout_seconds: Annotated[int, Field(ge=1, le=7200)] = 1200
    """How long a request may take before it is repeated: copies and snapshots are made file by file."""
    log_level: Annotated[int, Field(ge=0, le=10)] = 5
    """How much the driver logs; upstream's."""


class CsiDriverNfs(Component[CsiDriverNfsConfig, NfsRelease]):
    """Driver, accounts, controller, node plugin, and the classes of the stack's entries."""

    pod_security = PodSecurityNeed(
        "privileged", "mounts volumes for other pods: privileged, with the node's network and the kubelet's folders"
    )

    @classmethod
    def problems(cls, at: Setting[CsiDriverNfsConfig]) -> Iterator[Problem]:
        """No entry to serve."""
        try:
            entries_of(at, SLUG, Nfs)
        except ConfigError as error:
            yield from error.problems
        yield from static_problems(at, SLUG, Nfs, at.config.volumes)

    def build(self) -> None:
        """Everything that makes and mounts directories of NFS servers."""
        driver = CsiDriver(
            self,
            DRIVER,
            spec={"attachRequired": False, "fsGroupPolicy": "File", "volumeLifecycleModes": ["Persistent"]},
            folder="csi-nfsplugin",
        )
        driver.controller(
            "csi-nfs-controller",
            account="csi-nfs-controller-sa",
            role="nfs-external-provisioner-role",
            leader_role="nfs-external-provisioner-leases",
            plugin=self.plugin(CONTROLLER_HEALTH),
            sidecars=self.sidecars(),
            extra_containers=[self.liveness(CONTROLLER_HEALTH)],
            timeout_seconds=self.config.timeout_seconds,
            host_network=True,  # it mounts the share to make a directory; servers know nodes, not pods
            # The second one finds the ports of its node taken.
            extra_spec={"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}},
        )
        driver.node_plugin(
            "csi-nfs-node",
            account="csi-nfs-node-sa",
            plugin=self.plugin(NODE_HEALTH),
            registrar=Sidecar(
                "node-driver-registrar", self.release.images["csi-node-driver-registrar"], security=SIDECAR_SECURITY
            ),
            extra_containers=[self.liveness(NODE_HEALTH)],
            stages=False,
            tolerations=[{"operator": "Exists"}],
        )
        for name, entry in entries_of(self.setting, SLUG, Nfs).items():
            driver.storage_class(name, entry, class_parameters(entry))
            if self.config.snapshots == "on":
                options = {"mountOptions": ",".join(entry.mount_options)} if entry.mount_options else {}
                driver.snapshot_class(name, options, deletion=self.config.snapshot_deletion)

        for name, volume in self.config.volumes.items():
            server = self.platform.storage[volume.storage]
            if isinstance(server, Nfs):
                where = {"server": server.server, "share": f"{server.share.rstrip('/')}{volume.path}"}
                static_volume(driver, name, volume, attributes=where, options=server.mount_options)

    def sidecars(self) -> list[Sidecar]:
        """What turns objects into requests."""
        images, again = self.release.images, "--retry-interval-max=30m"
        making = ("--extra-create-metadata=true", *self.release.provisioner_flags, again)
        growing = ("--handle-volume-inuse-error=false", *self.release.resizer_flags)
        known: list[tuple[str, tuple[str, ...], tuple[PolicyRule, ...]]] = [
            ("csi-provisioner", making, (*PROVISIONER_RULES, *self._secrets())),
            ("csi-resizer", growing, RESIZER_RULES),
        ]
        if self.config.snapshots == "on":
            known.append(("csi-snapshotter", (again,), SNAPSHOT_RULES))
        return [
            Sidecar(name, images[name], flags, rules=rules, security=SIDECAR_SECURITY) for name, flags, rules in known
        ]

    def _secrets(self) -> Iterator[PolicyRule]:
        """Those that entries name with mount options, and no others; upstream's reads all of the cluster."""
        entries = entries_of(self.setting, SLUG, Nfs).values()
        if names := sorted({each.secret.name for each in entries if each.secret}):
            yield allow("", "secrets", verbs="get", names=" ".join(names))

    def plugin(self, health: int) -> Container:
        """The driver; the same program makes and mounts."""
        probe: Probe = {
            "httpGet": {"host": "localhost", "path": "/healthz", "port": health},
            "failureThreshold": 5,
            "initialDelaySeconds": 30,
            "periodSeconds": 30,
            "timeoutSeconds": 10,
        }
        flags = [f"--v={self.config.log_level}", "--nodeid=$(NODE_ID)", "--endpoint=$(CSI_ENDPOINT)"]
        packed = [] if self.config.snapshot_compression else ["--enable-snapshot-compression=false"]
        return {
            "name": "nfs",
            "image": self.release.image,
            "args": [*flags, *(packed if health == CONTROLLER_HEALTH else [])],
            "env": env({"NODE_ID": from_field("spec.nodeName"), "CSI_ENDPOINT": NODE_SOCKET}),
            "livenessProbe": probe,
            "resources": RESOURCES,
            "securityContext": MOUNTING,
        }

    def liveness(self, port: int) -> Container:
        """What asks the driver whether it lives, and answers the kubelet."""
        flags = ["--csi-address=/csi/csi.sock", "--probe-timeout=3s", f"--http-endpoint=localhost:{port}", "--v=2"]
        return {
            "name": "liveness-probe",
            "image": self.release.images["livenessprobe"],
            "args": flags,
            "volumeMounts": mounts({"socket-dir": "/csi"}),
            "resources": SIDECAR_RESOURCES,
            "securityContext": SIDECAR_SECURITY,
        }


def class_parameters(entry: Nfs) -> dict[str, str]:
    """Parameters of the StorageClass."""
    said = {
        "server": entry.server,
        "share": entry.share,
        "subDir": entry.directory,
        "mountPermissions": entry.mount_permissions,
        "onDelete": entry.on_delete if entry.on_delete != "delete" else None,
        f"{SECRET_OF}-name": entry.secret and entry.secret.name,
        f"{SECRET_OF}-namespace": entry.secret and entry.secret.namespace,
    }
    return {name: value for name, value in said.items() if value}
