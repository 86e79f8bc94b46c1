"""Looks at the nodes of GPU and RDMA pools before anything needs them, and writes down what their owner has to set.

It only reads, without a right in the cluster: what is wrong with a node shows here, and not as a job that hangs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from platform_def.apis.core.core_v1 import Container, EnvVar, PodSpec, ResourceRequirements, SecurityContext, Volume
from platform_def.components.gpu.gpu_preflight.script import SCRIPT
from platform_def.components.gpu.gpu_preflight.settings import node_settings
from platform_def.config.model import Image, Name
from platform_def.config.pools import NodePool
from platform_def.constructs import (
    RESTRICTED,
    RESTRICTED_LEVEL,
    Component,
    ComponentConfig,
    DaemonSet,
    Platform,
    PodSecurityNeed,
    Problem,
    Release,
    Setting,
    config_map,
    releases,
    restart_on_change,
)
from platform_def.constructs.gpu_nodes import gpu_affinity, gpu_tolerations, rdma_affinity
from platform_def.constructs.pool_names import per_pool

RELEASES = releases(
    # It calls no API.
    Release("1.37.0", image="docker.io/library/busybox:1.37.0", kubernetes="1.25-1.37", license="GPL-2.0-only")
)

NAME = "gpu-preflight"
SCRIPTS, SETTINGS = "gpu-preflight-script", "gpu-preflight-node-settings"
PRIVILEGED = "the preflight reads the node's firmware variables, to know whether Secure Boot is on"

PRIVILEGED_BY_LIBRARIES = "the preflight reads the nodes' folders with the driver's libraries"

LAST_DRIVERS = (
    # Source: NVIDIA's lists of supported cards by driver branch.
    (re.compile(r"k\d+.*"), 470),
    (re.compile(r"(m|p)\d+.*|v100.*|titan-?[xv].*"), 580),
)
"""Last driver branch by generation: Kepler; Maxwell, Pascal and Volta."""

# busybox as any user: it reads files that all may read.
SECURITY: SecurityContext = {**RESTRICTED, "runAsUser": 65532, "runAsGroup": 65532}
RESOURCES: ResourceRequirements = {"requests": {"cpu": "5m", "memory": "8Mi"}, "limits": {"memory": "32Mi"}}


class GpuPreflightConfig(ComponentConfig):
    """What a stack may choose about the preflight; what is expected of nodes is said in `nodePools`."""

    releases = RELEASES

    namespace: Name = NAME
    """Namespace; at the privileged Pod Security level with `secureBoot`, else at the restricted one."""
    image: Image | None = None
    """Image with a POSIX shell, grep, sed, tail and tr; by default busybox."""
    secure_boot: bool = True
    """Read the firmware's variables to tell whether Secure Boot is on: the one check that needs a node's folder."""
    strict: bool = False
    """A pod is ready only while its node passes. Off, since a delivery engine waits for ready pods: one bad node would
    hold up the whole stack."""
    seconds: Annotated[int, Field(ge=10, le=86400)] = 300
    """How often a node is looked at; what changes is written to the log."""


class GpuPreflight(Component[GpuPreflightConfig]):
    """A script, a DaemonSet for each pool with GPUs or RDMA, and each pool's settings for the owner of its nodes."""

    @classmethod
    def security_of(cls, at: Setting[GpuPreflightConfig]) -> PodSecurityNeed:
        """Privileged where it looks into folders of the node: the driver's libraries, or the firmware's variables."""
        if any(pool.gpu and pool.gpu.host_libraries for pool in at.platform.node_pools):
            return PodSecurityNeed("privileged", PRIVILEGED_BY_LIBRARIES)
        return PodSecurityNeed("privileged", PRIVILEGED) if at.config.secure_boot else RESTRICTED_LEVEL

    @classmethod
    def problems(cls, at: Setting[GpuPreflightConfig]) -> Iterator[Problem]:
        """Nothing to look at."""
        if not _pools(at.platform):
            yield Problem(
                "components.gpu-preflight: no node pool has GPUs or RDMA",
                hint="say `gpu:` or `rdma:` for the pools that have them",
            )

    def build(self) -> None:
        """The script, and a look at each pool."""
        config_map(self, SCRIPTS, {"preflight.sh": SCRIPT})
        pools = _pools(self.platform)
        if pools:
            config_map(self, SETTINGS, {f"{pool.name}.txt": node_settings(pool, self.platform) for pool in pools})
        for pool in pools:
            DaemonSet(self, name_of(pool), pod=self.pod(pool), pod_annotations=restart_on_change(SCRIPT))

    def pod(self, pool: NodePool) -> PodSpec:
        """The script on the nodes of one pool, with what the pool says of them."""
        volumes: list[Volume] = [
            {"name": "script", "configMap": {"name": SCRIPTS}},
            {"name": "state", "emptyDir": {"sizeLimit": "1Mi"}},
        ]
        container = self.container(pool)
        if self.config.secure_boot:
            container["volumeMounts"].append({"name": "firmware", "mountPath": "/host/firmware", "readOnly": True})
            # Its parent is there on every Linux; the folder of variables is not.
            volumes.append({"name": "firmware", "hostPath": {"path": "/sys/firmware", "type": "Directory"}})
        libraries = pool.gpu.host_libraries if pool.gpu else None
        if libraries:
            container["volumeMounts"].append({"name": "driver", "mountPath": "/host/driver", "readOnly": True})
            # Where it is missing an event of the pod says so: made empty, jobs would run without a driver.
            volumes.append({"name": "driver", "hostPath": {"path": libraries.driver, "type": "Directory"}})
        return {
            "automountServiceAccountToken": False,
            "affinity": {"nodeAffinity": gpu_affinity([pool]) if pool.gpu else rdma_affinity([pool])},
            "tolerations": gpu_tolerations([pool]),
            "containers": [container],
            "volumes": volumes,
        }

    def container(self, pool: NodePool) -> Container:
        """One container, without a network, a token or a right."""
        env = {**expectations(pool, self.platform), "SECONDS_BETWEEN": str(self.config.seconds)}
        variables: list[EnvVar] = [{"name": name, "value": value} for name, value in env.items()]
        container: Container = {
            "name": NAME,
            "image": self.config.image or self.release.image,
            "command": ["sh", "/script/preflight.sh"],
            "env": [
                {"name": "NODE_NAME", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
                *variables,
            ],
            "volumeMounts": [
                {"name": "script", "mountPath": "/script", "readOnly": True},
                {"name": "state", "mountPath": "/tmp"},  # noqa: S108 - an emptyDir inside the container
            ],
            "securityContext": SECURITY,
            "resources": RESOURCES,
        }
        if self.config.strict:
            container["readinessProbe"] = {"exec": {"command": ["test", "-e", "/tmp/passed"]}}  # noqa: S108
        return container


def expectations(pool: NodePool, platform: Platform) -> dict[str, str]:
    """What the script compares the node with, as its variables."""
    values = {
        "POOL": pool.name,
        "CARDS": str(pool.gpu.per_node if pool.gpu else 0),
        "CGROUP": platform.cgroup,
        "RDMA": pool.rdma.kind if pool.rdma.pinned else "none",
        "MEMLOCK": "unlimited" if pool.memlock_unlimited else "any",
    }
    if pool.rdma.sriov:
        ports = str(len(pool.rdma.networks))
        values |= {"NETNS": pool.rdma.netns, "FUNCTIONS": str(pool.rdma.functions), "PORTS": ports}
    if pool.gpu:
        model = pool.gpu.model
        last = next((branch for models, branch in LAST_DRIVERS if models.fullmatch(model)), None)
        if pool.gpu.host_libraries:
            values["LIBRARIES"] = pool.gpu.host_libraries.driver
        values |= {"MODEL": model, **({"LAST_DRIVER": str(last)} if last else {})}
    return values


def name_of(pool: NodePool) -> str:
    """Name of a pool's DaemonSet; it is a label's value too."""
    return per_pool(NAME, pool.name)


def _pools(platform: Platform) -> list[NodePool]:
    return [pool for pool in platform.node_pools if pool.gpu or pool.rdma.kind != "none"]
