"""The pods of a ceph-csi driver: one that makes volumes, and one on each node that mounts them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from platform_def.apis.core.core_v1 import Container, EnvVar, PodSpec, SecurityContext, Toleration, Volume, VolumeMount
from platform_def.constructs.node_paths import NodePaths
from platform_def.constructs.release import Release

PROVISIONER_SOCKET = "unix:///csi/csi-provisioner.sock"
NODE_SOCKET = "unix:///csi/csi.sock"
CONFIG = "ceph-csi-config"
CEPH_CONFIG = "ceph-config"
KMS_CONFIG = "ceph-csi-encryption-kms-config"

PRIVILEGED: SecurityContext = {"privileged": True, "allowPrivilegeEscalation": True}
"""Upstream's for the two small containers on a node: under SELinux nothing less may open the driver's socket."""
# Upstream says nothing; csi-driver-nfs runs the same sidecars with all capabilities dropped.
CONFINED: SecurityContext = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}

# Upstream sets no requests or limits; Rook, which runs the same containers, limits memory so.
SIDECAR_RESOURCES = {"requests": {"cpu": "10m", "memory": "32Mi"}, "limits": {"memory": "256Mi"}}
DRIVER_RESOURCES = {"requests": {"cpu": "50m", "memory": "128Mi"}, "limits": {"memory": "1Gi"}}
# No limit on nodes: FUSE clients live in this container, and all mounts of the node would go with it.
NODE_RESOURCES = {"requests": {"cpu": "50m", "memory": "128Mi"}}


@dataclass(frozen=True, kw_only=True)
class Driver:
    """What the pods of one driver need to know."""

    kind: str
    """`cephfs`, as the image's `--type` has it."""
    name: str
    """As StorageClasses name it."""
    release: Release
    paths: NodePaths
    account: str
    log_level: int
    metrics_port: int
    timeout_seconds: int

    @property
    def folder(self) -> str:
        """The driver's folder on a node."""
        return f"{self.paths.plugins}/{self.name}"


def provisioner_pod(driver: Driver, *, snapshots: str, host_network: bool) -> PodSpec:
    """The controller: the driver, a sidecar for each kind of request, and the liveness probe as metrics."""
    sidecars = [_provisioner(driver), _resizer(driver)]
    if snapshots != "off":
        sidecars.append(_snapshotter(driver, groups=snapshots == "group"))
    pod: PodSpec = {
        "serviceAccountName": driver.account,
        "priorityClassName": "system-cluster-critical",
        "containers": [_controller(driver), *sidecars, _liveness(driver, PROVISIONER_SOCKET)],
        "volumes": [{"name": "socket-dir", "emptyDir": {"medium": "Memory"}}, *_shared_volumes()],
    }
    return {**pod, "hostNetwork": True, "dnsPolicy": "ClusterFirstWithHostNet"} if host_network else pod


def node_pod(driver: Driver, *, read_affinity: list[str], selinux: bool, tolerations: list[Toleration]) -> PodSpec:
    """The mounting part, in the node's network so that mounts outlive it; its DNS finds monitors by Service name."""
    return {
        "serviceAccountName": driver.account,
        "priorityClassName": "system-node-critical",
        "hostNetwork": True,
        "hostPID": True,
        "dnsPolicy": "ClusterFirstWithHostNet",
        "containers": [
            _node(driver, read_affinity, selinux=selinux),
            _registrar(driver),
            {**_liveness(driver, NODE_SOCKET), "securityContext": PRIVILEGED},
        ],
        "volumes": [*_node_volumes(driver, selinux=selinux), *_shared_volumes()],
        **({"tolerations": tolerations} if tolerations else {}),  # type: ignore[typeddict-item]
    }


def _controller(driver: Driver) -> Container:
    return {
        "name": f"csi-{driver.kind}plugin",
        "image": driver.release.image,
        "args": [*_driver_flags(driver, "--controllerserver=true"), "--pidlimit=-1", "--setmetadata=true"],
        "env": _driver_env(PROVISIONER_SOCKET),
        "volumeMounts": [{"name": "socket-dir", "mountPath": "/csi"}, *_shared_mounts()],
        "resources": DRIVER_RESOURCES,  # type: ignore[typeddict-item]
    }


def _node(driver: Driver, read_affinity: list[str], *, selinux: bool) -> Container:
    affinity = ["--enable-read-affinity=true", f"--crush-location-labels={','.join(read_affinity)}"]
    # The kubelet names volumes by their path on the node: inside the container they must have the same.
    mounts: list[VolumeMount] = [
        {"name": "socket-dir", "mountPath": "/csi"},
        {"name": "mountpoint-dir", "mountPath": driver.paths.pods, "mountPropagation": "Bidirectional"},
        {"name": "plugin-dir", "mountPath": driver.paths.plugins, "mountPropagation": "Bidirectional"},
        {"name": "host-mount", "mountPath": "/run/mount"},
        {"name": "ceph-csi-mountinfo", "mountPath": "/csi/mountinfo"},
        *_shared_mounts(),
    ]
    if selinux:
        mounts.append({"name": "etc-selinux", "mountPath": "/etc/selinux", "readOnly": True})
    return {
        "name": f"csi-{driver.kind}plugin",
        "image": driver.release.image,
        "args": [*_driver_flags(driver, "--nodeserver=true"), *(affinity if read_affinity else [])],
        "env": _driver_env(NODE_SOCKET),
        "volumeMounts": mounts,
        "securityContext": {**PRIVILEGED, "capabilities": {"add": ["SYS_ADMIN"]}},
        "resources": NODE_RESOURCES,  # type: ignore[typeddict-item]
    }


def _driver_flags(driver: Driver, role: str) -> list[str]:
    return [
        "--nodeid=$(NODE_ID)",
        f"--type={driver.kind}",
        role,
        "--endpoint=$(CSI_ENDPOINT)",
        f"--v={driver.log_level}",
        f"--drivername={driver.name}",
        f"--pluginpath={driver.paths.plugins}",
        "--enableprofiling=false",
    ]


def _provisioner(driver: Driver) -> Container:
    flags = ["--feature-gates=HonorPVReclaimPolicy=true", "--prevent-volume-mode-conversion=true"]
    return _sidecar(driver, "csi-provisioner", *RETRY, *flags, "--extra-create-metadata=true")


def _resizer(driver: Driver) -> Container:
    flags = ["--handle-volume-inuse-error=false", "--feature-gates=RecoverVolumeExpansionFailure=true"]
    return _sidecar(driver, "csi-resizer", *RETRY, *flags)


def _snapshotter(driver: Driver, *, groups: bool) -> Container:
    # Upstream's YAML always says true, its chart false: with it the sidecar waits for the CRDs of group snapshots, at
    # the version v1alpha1, before it serves any snapshot at all.
    return _sidecar(
        driver,
        "csi-snapshotter",
        "--extra-create-metadata=true",
        f"--enable-volume-group-snapshots={str(groups).lower()}",
    )


RETRY = ("--retry-interval-start=500ms",)


def _sidecar(driver: Driver, name: str, *flags: str) -> Container:
    common = ["--csi-address=$(ADDRESS)", "--v=1", f"--timeout={driver.timeout_seconds}s", "--leader-election=true"]
    return {
        "name": name,
        "image": driver.release.images[name],
        "args": [*common, *flags],
        "env": [{"name": "ADDRESS", "value": PROVISIONER_SOCKET}],
        "volumeMounts": [{"name": "socket-dir", "mountPath": "/csi"}],
        "securityContext": CONFINED,
        "resources": SIDECAR_RESOURCES,  # type: ignore[typeddict-item]
    }


def _registrar(driver: Driver) -> Container:
    return {
        "name": "driver-registrar",
        "image": driver.release.images["driver-registrar"],
        "args": [
            "--v=1",
            "--csi-address=/csi/csi.sock",
            f"--kubelet-registration-path={driver.folder}/csi.sock",
        ],
        "env": [_field("KUBE_NODE_NAME", "spec.nodeName")],
        "volumeMounts": [
            {"name": "socket-dir", "mountPath": "/csi"},
            {"name": "registration-dir", "mountPath": "/registration"},
        ],
        "securityContext": PRIVILEGED,
        "resources": SIDECAR_RESOURCES,  # type: ignore[typeddict-item]
    }


def _liveness(driver: Driver, socket: str) -> Container:
    return {
        "name": "liveness-prometheus",
        "image": driver.release.image,
        "args": [
            "--type=liveness",
            "--endpoint=$(CSI_ENDPOINT)",
            f"--metricsport={driver.metrics_port}",
            "--metricspath=/metrics",
            "--polltime=60s",
            "--timeout=3s",
        ],
        "env": [{"name": "CSI_ENDPOINT", "value": socket}, _field("POD_IP", "status.podIP")],
        "volumeMounts": [{"name": "socket-dir", "mountPath": "/csi"}],
        "resources": SIDECAR_RESOURCES,  # type: ignore[typeddict-item]
    }


def _driver_env(socket: str) -> list[EnvVar]:
    return [
        _field("POD_IP", "status.podIP"),
        _field("NODE_ID", "spec.nodeName"),
        {"name": "CSI_ENDPOINT", "value": socket},
        _field("POD_NAMESPACE", "metadata.namespace"),
    ]


def _field(name: str, path: str) -> EnvVar:
    return {"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}}


def _shared_mounts() -> list[VolumeMount]:
    return [
        {"name": "host-sys", "mountPath": "/sys"},
        {"name": "lib-modules", "mountPath": "/lib/modules", "readOnly": True},
        {"name": "host-dev", "mountPath": "/dev"},
        {"name": CEPH_CONFIG, "mountPath": "/etc/ceph/"},
        {"name": CONFIG, "mountPath": "/etc/ceph-csi-config/"},
        {"name": KMS_CONFIG, "mountPath": "/etc/ceph-csi-encryption-kms-config/"},
        {"name": "keys-tmp-dir", "mountPath": "/tmp/csi/keys"},  # noqa: S108 - inside the container, in memory
    ]


def _shared_volumes() -> list[Volume]:
    files: list[Volume] = [{"name": name, "configMap": {"name": name}} for name in (CEPH_CONFIG, CONFIG, KMS_CONFIG)]
    return [
        *_host_paths({"host-sys": "/sys", "lib-modules": "/lib/modules", "host-dev": "/dev"}),
        *files,
        {"name": "keys-tmp-dir", "emptyDir": {"medium": "Memory"}},
    ]


def _node_volumes(driver: Driver, *, selinux: bool) -> list[Volume]:
    made = {
        "socket-dir": f"{driver.folder}/",
        "mountpoint-dir": driver.paths.pods,
        "ceph-csi-mountinfo": f"{driver.folder}/mountinfo",
    }
    there = {"registration-dir": f"{driver.paths.registry}/", "plugin-dir": driver.paths.plugins}
    other = {"host-mount": "/run/mount", **({"etc-selinux": "/etc/selinux"} if selinux else {})}
    return [
        *_host_paths(made, "DirectoryOrCreate"),
        *_host_paths(there, "Directory"),
        *_host_paths(other),
    ]


def _host_paths(paths: Mapping[str, str], kind: str = "") -> list[Volume]:
    return [
        {"name": name, "hostPath": {"path": path, "type": kind} if kind else {"path": path}}
        for name, path in paths.items()
    ]
