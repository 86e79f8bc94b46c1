"""A ceph-csi driver in the cluster: its configuration, the pods that make and those that mount volumes, its classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Generic

from platform_def.apis.core.core_v1 import Container, ResourceRequirements, SecurityContext, Volume, VolumeMount
from platform_def.apis.core.rbac_v1 import PolicyRule
from platform_def.apis.core.storage_v1 import CSIDriverSpec
from platform_def.components.storage.ceph_csi.config import CephCsiConfig, DriverKind, E, ceph_conf, json_file, secrets
from platform_def.components.storage.ceph_csi.releases import CephCsiRelease
from platform_def.components.storage.ceph_csi.rules import (
    GROUP_RULES,
    LEADER_RULES,
    NODE_RULES,
    PROVISIONER_RULES,
    SNAPSHOT_RULES,
)
from platform_def.constructs import (
    Component,
    PodSecurityNeed,
    Service,
    config_map,
    env,
    from_field,
    host_paths,
    memory,
    mounts,
    port,
)
from platform_def.constructs.csi import NODE_SOCKET, SIDECAR_RESOURCES, CsiDriver, Sidecar

SOCKET = "unix:///csi/csi-provisioner.sock"
CONFIG, CEPH_CONFIG, KMS_CONFIG, KEYS = (
    "ceph-csi-config",
    "ceph-config",
    "ceph-csi-encryption-kms-config",
    "keys-tmp-dir",
)
FILES = {
    CEPH_CONFIG: "/etc/ceph/",
    CONFIG: "/etc/ceph-csi-config/",
    KMS_CONFIG: "/etc/ceph-csi-encryption-kms-config/",
    KEYS: "/tmp/csi/keys",  # noqa: S108 - inside the container, in memory
}
SEEN = {"host-mount": "/run/mount"}
HOST = {"host-sys": "/sys", "lib-modules": "/lib/modules", "host-dev": "/dev"}
METRICS = "http-metrics"
SECURITY = PodSecurityNeed(
    "privileged", "mounts volumes for other pods: privileged, with the node's network, processes and kubelet folders"
)
PRIVILEGED: SecurityContext = {"privileged": True, "allowPrivilegeEscalation": True}
"""Upstream's for the two small containers on a node: under SELinux nothing less may open the driver's socket."""
# Upstream sets no requests or limits; Rook, which runs the same containers, limits memory so.
DRIVER_RESOURCES: ResourceRequirements = {"requests": {"cpu": "50m", "memory": "128Mi"}, "limits": {"memory": "1Gi"}}
# No limit on nodes: FUSE and NBD clients live in this container, and all mounts of the node would go with it.
NODE_RESOURCES: ResourceRequirements = {"requests": {"cpu": "50m", "memory": "128Mi"}}


class CephDriver(Generic[E]):
    """One of the drivers in a component, for the storage entries that the component serves."""

    def __init__(
        self,
        component: Component[Any, CephCsiRelease],
        kind: DriverKind[E],
        spec: CSIDriverSpec,
        tokens: Sequence[Volume] = (),
    ):
        """Announce the driver and write what it reads.

        `spec` says how Kubernetes treats it, `tokens` are by which it proves who it is to key management services.
        """
        self.component, self.kind, self.release = component, kind, component.release
        self.config: CephCsiConfig = component.config
        self.tokens = tokens
        self.entries = kind.entries_of(component.setting)
        instances = component.platform.instances(kind.slug)
        offset = instances.index(component.name) if component.name in instances else 0
        self.metrics_port = self.config.metrics_port or kind.metrics_port + offset
        name = self.config.driver_name or (
            kind.driver if component.name == kind.slug else f"{component.name}.{kind.driver}"
        )
        self.csi = CsiDriver(component, name, spec=spec, socket=SOCKET)
        config_map(component, component.named(CONFIG), {"config.json": kind.clusters_file(self.entries)})
        files = {"ceph.conf": ceph_conf(self.config.ceph_options), "keyring": ""}
        config_map(component, component.named(CEPH_CONFIG), files)
        # Mounted by both pods and not optional, yet absent from upstream's YAML: without it they never start.
        config_map(component, component.named(KMS_CONFIG), {"config.json": json_file({**self.config.kms})})

    def controller(
        self,
        *,
        flags: Sequence[str] = (),
        making: Sequence[str] = (),
        attacher: Sidecar | None = None,
        names: bool,
        snapshot_rules: Sequence[PolicyRule] = (),
    ) -> None:
        """The pods that make, grow, snapshot and remove volumes.

        Upstream's three must be on three nodes, so they never become ready on a smaller cluster; with availability
        `ha` there are three here, spread where there is room. `making` are flags of the csi-provisioner, `names` says
        that a container of the driver's own keeps what it knows of volumes in Ceph.
        """
        named, kind = self.component.named, self.kind.name
        plugin = self._plugin("--controllerserver=true", "--pidlimit=-1", *flags, "--setmetadata=true", socket=SOCKET)
        name = named(f"csi-{kind}plugin-provisioner")
        self.csi.controller(
            name,
            account=named(f"{kind}-csi-provisioner"),
            role=named(f"{kind}-external-provisioner-runner"),
            leader_role=named(f"{kind}-external-provisioner-cfg"),
            plugin={**plugin, "resources": DRIVER_RESOURCES},
            sidecars=self._sidecars(making, attacher, snapshot_rules),
            extra_containers=[*([self._names()] if names else []), self._liveness(SOCKET)],
            volumes=self._volumes(),
            rules=self.release.rules,
            leader_rules=LEADER_RULES,
            timeout_seconds=self.config.timeout_seconds,
            ha_replicas=3,
            host_network=self.config.host_network,
        )
        self._monitored(name, workload=name)

    def node_plugin(
        self,
        *,
        flags: Sequence[str] = (),
        folders: Mapping[str, str] | None = None,
        made: Mapping[str, str] | None = None,
        rules: Sequence[PolicyRule] = (),
        drained: bool = False,
    ) -> None:
        """The pod on each node that mounts volumes; on tainted pools too, where upstream's is missing.

        `made` and `folders` are further mounts, of paths of the node that may have to be made and of folders below the
        driver's. `drained`: mounts end with the pod that holds them, so that draining the node decides when.
        """
        named, kind, near = self.component.named, self.kind.name, ",".join(self.config.read_affinity)
        chosen = self.config.selinux
        labels = {"etc-selinux": "/etc/selinux"} if (self.csi.paths.selinux if chosen is None else chosen) else {}
        affinity = ["--enable-read-affinity=true", f"--crush-location-labels={near}"] if near else []
        own = [*mounts({**SEEN, **(made or {}), **{name: f"/csi/{each}" for name, each in (folders or {}).items()}})]
        plugin: Container = {
            **self._plugin(
                "--nodeserver=true",
                *flags,
                *affinity,
                socket=NODE_SOCKET,
                volumes=[*own, *mounts(labels, read_only=True)],
            ),
            "securityContext": {**PRIVILEGED, "capabilities": {"add": ["SYS_ADMIN"]}},
            "resources": NODE_RESOURCES,
        }
        name = named(f"csi-{kind}plugin")
        self.csi.node_plugin(
            name,
            account=named(f"{kind}-csi-nodeplugin"),
            plugin=plugin,
            registrar=Sidecar(
                "driver-registrar", self.release.images["csi-node-driver-registrar"], security=PRIVILEGED
            ),
            extra_containers=[{**self._liveness(NODE_SOCKET), "securityContext": PRIVILEGED}],
            volumes=[
                *host_paths({**SEEN, **labels}),
                *host_paths(made or {}, "DirectoryOrCreate"),
                *self._volumes(),
            ],
            folders=folders,
            host_pid=True,
            rules=[*NODE_RULES, *rules],
            extra_spec={"updateStrategy": {"type": "OnDelete"}} if drained else None,
        )
        self._monitored(named(f"csi-metrics-{kind}plugin"), workload=name)

    def classes(self, name: str, entry: E, parameters: Mapping[str, str]) -> None:
        """The class of one storage entry, and of its snapshots where the stack serves them."""
        cluster = {"clusterID": entry.cluster_id}
        said = {
            "volumeNamePrefix": entry.volume_name_prefix,
            "encrypted": "true" if entry.encryption else None,
            "encryptionKMSID": entry.encryption.kms if entry.encryption else None,
        }
        both = {name: value for name, value in said.items() if value}
        steps = secrets(entry.secret, "provisioner", "controller-expand", "node-stage")
        self.csi.storage_class(name, entry, {**cluster, **both, **parameters, **steps})
        if self.config.snapshots != "off":
            taken = {**cluster, **secrets(entry.secret, "snapshotter")}
            self.csi.snapshot_class(name, taken, deletion=self.config.snapshot_deletion)

    def _sidecars(
        self, making: Sequence[str], attacher: Sidecar | None, snapshot_rules: Sequence[PolicyRule]
    ) -> list[Sidecar]:
        images, again, snapshots = self.release.images, "--retry-interval-start=500ms", self.config.snapshots
        created = ("--prevent-volume-mode-conversion=true", *making, "--extra-create-metadata=true")
        grown = (again, "--handle-volume-inuse-error=false", "--feature-gates=RecoverVolumeExpansionFailure=true")
        flags = (again, *self.release.provisioner_flags, *created)
        found = [
            Sidecar("csi-provisioner", images["csi-provisioner"], flags, rules=PROVISIONER_RULES),
            Sidecar("csi-resizer", images["csi-resizer"], grown),
        ]
        if snapshots != "off":
            # With group snapshots on it waits for their CRDs before it serves any snapshot at all.
            flags = (
                "--extra-create-metadata=true",
                f"{self.release.group_snapshots}{str(snapshots == 'group').lower()}",
            )
            rules = (*SNAPSHOT_RULES, *snapshot_rules, *(GROUP_RULES if snapshots == "group" else ()))
            found.append(Sidecar("csi-snapshotter", images["csi-snapshotter"], flags, rules=rules))
        return [*found, *([attacher] if attacher else [])]

    def _volumes(self) -> list[Volume]:
        """What the driver reads of the node and of its configuration."""
        named = self.component.named
        files = (CEPH_CONFIG, CONFIG, KMS_CONFIG)
        made: list[Volume] = [{"name": name, "configMap": {"name": named(name)}} for name in files]
        return [*host_paths(HOST), *made, *memory(KEYS), *self.tokens]

    def _plugin(self, role: str, *more: str, socket: str, volumes: Sequence[VolumeMount] = ()) -> Container:
        """The driver in one of its roles."""
        flags = [
            "--nodeid=$(NODE_ID)",
            f"--type={self.kind.name}",
            role,
            "--endpoint=$(CSI_ENDPOINT)",
            f"--v={self.config.log_level}",
            f"--drivername={self.csi.name}",
            f"--pluginpath={self.csi.paths.plugins}",
            "--enableprofiling=false",
        ]
        variables = {"POD_IP": from_field("status.podIP"), "NODE_ID": from_field("spec.nodeName")}
        return {
            "name": f"csi-{self.kind.name}plugin",
            "image": self.release.image,
            "args": [*flags, *more],
            "env": env({**variables, "CSI_ENDPOINT": socket, "POD_NAMESPACE": from_field("metadata.namespace")}),
            "volumeMounts": [
                *volumes,
                *mounts({"host-sys": "/sys", "host-dev": "/dev"}),
                *mounts({"lib-modules": "/lib/modules"}, read_only=True),
                *mounts(FILES),
                *mounts({each["name"]: "/run/secrets/tokens" for each in self.tokens}, read_only=True),
            ],
        }

    def _liveness(self, socket: str) -> Container:
        """What asks the driver whether it lives, and tells it as metrics."""
        flags = ["--endpoint=$(CSI_ENDPOINT)", f"--metricsport={self.metrics_port}", "--metricspath=/metrics"]
        return {
            "name": "liveness-prometheus",
            "image": self.release.image,
            "args": ["--type=liveness", *flags, "--polltime=60s", "--timeout=3s"],
            "env": env({"CSI_ENDPOINT": socket, "POD_IP": from_field("status.podIP")}),
            "volumeMounts": mounts({"socket-dir": "/csi"}),
            "resources": SIDECAR_RESOURCES,
        }

    def _names(self) -> Container:
        """What keeps in Ceph what is known of volumes: names of claims, and of RBD images what their journal needs."""
        names = ["--drivername=$(DRIVER_NAME)", "--drivernamespace=$(DRIVER_NAMESPACE)", "--setmetadata=true"]
        return {
            "name": f"csi-{self.kind.name}plugin-controller",
            "image": self.release.image,
            "args": ["--type=controller", f"--v={self.config.log_level}", *names],
            "env": env({"DRIVER_NAMESPACE": from_field("metadata.namespace"), "DRIVER_NAME": self.csi.name}),
            "volumeMounts": mounts({name: FILES[name] for name in (CONFIG, KEYS, CEPH_CONFIG)}),
            "resources": SIDECAR_RESOURCES,
        }

    def _monitored(self, service: str, *, workload: str) -> None:
        ports = [port(METRICS, 8080, self.metrics_port)]
        Service(self.component, service, ports=ports, workload=workload).monitor(METRICS)
