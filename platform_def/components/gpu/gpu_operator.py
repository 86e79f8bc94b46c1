"""NVIDIA's GPU Operator: installs and runs driver, container toolkit, device plugin, discovery, MIG manager, exporter.

The alternative to the components of those names: one policy for the cluster, made from the same pools.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from platform_def.apis import nfd_v1alpha1, nvidia_gpu_operator_v1, nvidia_resource_v1beta1
from platform_def.apis.core.core_v1 import Container, PodSpec
from platform_def.apis.model import Definition
from platform_def.apis.nfd_v1alpha1 import NODE_FEATURE_RULE
from platform_def.apis.nvidia_gpu_operator_v1 import CLUSTER_POLICY, NVIDIA_DRIVER
from platform_def.components.gpu.device_plugin_config import DEFAULT, plugin_config
from platform_def.components.gpu.gpu_operator_policy import (
    DRIVER,
    MIG_FILE,
    OPERANDS,
    PLUGIN_FILES,
    PRIORITY,
    Choices,
    driver,
    policy,
)
from platform_def.components.gpu.gpu_operator_rules import CLUSTER_RULES, OWN_RULES
from platform_def.components.gpu.gpu_operator_stack import (
    DISCOVERY,
    DRA,
    NAME,
    drivers,
    mig_strategy,
    neighbours,
    one_policy,
)
from platform_def.components.gpu.mig_manager_layouts import mig_file
from platform_def.components.gpu.node_feature_discovery_parts import DEVICES, Discovery, Names
from platform_def.components.gpu.node_feature_discovery_pods import prefer_control_plane
from platform_def.components.gpu.node_feature_discovery_pools import labels_of
from platform_def.components.gpu.pool_configurations import VIRTUAL, configurations
from platform_def.config.component import ComponentConfig
from platform_def.config.model import Name
from platform_def.config.platform import NamespaceNeed, Offers, Platform
from platform_def.config.pools import SHARED_GPU, WHOLE_GPU, NodePool
from platform_def.constructs.component import Component
from platform_def.constructs.config_map import config_map, restart_on_change, yaml_file
from platform_def.constructs.crds import Crds
from platform_def.constructs.gpu_nodes import RUNTIME_CLASS
from platform_def.constructs.node_paths import node_paths
from platform_def.constructs.rbac import Account
from platform_def.constructs.release import Release, releases
from platform_def.constructs.resource import Resource
from platform_def.constructs.workload import Deployment
from platform_def.errors import Problem

RELEASES = releases(
    Release(
        version="26.7.0",
        image="nvcr.io/nvidia/gpu-operator:v26.7.0",
        images={DISCOVERY: "registry.k8s.io/nfd/node-feature-discovery:v0.19.0"},
        runtime_images=tuple(dict.fromkeys(OPERANDS.values())),
        apis=(*nvidia_gpu_operator_v1.CRDS, *nvidia_resource_v1beta1.DEFINITIONS),
    )
)

PREFIX = "gpu-operator-node-feature-discovery"
DISCOVERY_NAMES = Names(master=f"{PREFIX}-master", worker=f"{PREFIX}-worker", gc=f"{PREFIX}-gc")
PRIVILEGED = "driver, toolkit, device plugin and MIG manager change the node"

Version = Annotated[str, Field(pattern=r"^\d{3}\.\d+(\.\d+)?$")]
Neighbour = Literal[
    "nvidia-device-plugin", "gpu-feature-discovery", "dcgm-exporter", "mig-manager", "node-feature-discovery"
]


class GpuOperatorConfig(ComponentConfig):
    """What a stack may choose about the GPU Operator; how GPUs are shared is said in `nodePools`."""

    releases = RELEASES

    namespace: Name = NAME
    """Namespace of the operator and of all it runs, as upstream's instructions have it."""
    driver: Literal["container", "host"] = "container"
    """Who installs NVIDIA's driver: the operator, in a container that builds kernel modules, or the node's owner."""
    driver_version: Version = "595.91.07"
    """The driver of all pools that `drivers` does not name; upstream's default. It has no Volta or older any more."""
    drivers: dict[Name, Version] = Field(default_factory=dict)
    """Drivers by pool: `v100: 580.105.08`."""
    kernel_modules: Literal["auto", "open", "proprietary"] = "auto"
    """Which kernel modules; `auto` chooses by card."""
    driver_upgrades: bool = True
    """Let a changed driver version roll over the nodes, one at a time, evicting pods with GPUs; as upstream has it.
    Otherwise nodes keep the driver until their pod is deleted."""
    node_systems: list[Annotated[str, Field(pattern=r"^[a-z0-9.]+$")]] = Field(default_factory=list)
    """Operating systems of the nodes as tags of driver images have them (`ubuntu24.04`), so that a mirror can hold
    those; the operator finds out by itself which one a node needs."""
    toolkit: Literal["container", "host"] = "container"
    """Who installs the container toolkit and sets up containerd for it."""
    toolkit_environment: dict[Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9_]*$")], str] = Field(default_factory=dict)
    """More variables of the toolkit, such as `CONTAINERD_CONFIG`, where containerd is set up in another place."""
    gds: bool = False
    """GPUDirect Storage: the kernel module nvidia-fs beside the driver."""
    gdrcopy: bool = False
    """GDRCopy: its kernel module beside the driver."""
    beside: list[Neighbour] = Field(default_factory=list)
    """Components of the stack that do their part instead of the operator's own program."""


class GpuOperator(Component[GpuOperatorConfig]):
    """CRDs, the operator, node feature discovery, files of the pools, and then policy and drivers."""

    @classmethod
    def offers(cls, config: GpuOperatorConfig) -> Offers:
        """Its namespace and APIs, and the RuntimeClass that it makes."""
        apis = tuple(f"{each.api.kind}.{each.api.group}" for each in _apis(config))
        need = NamespaceNeed(config.namespace, "privileged", why=PRIVILEGED)
        resources = (WHOLE_GPU, SHARED_GPU, "nvidia.com/mig-*")
        return Offers(namespaces=(need,), apis=apis, runtime_classes=(RUNTIME_CLASS,), resources=resources)

    @classmethod
    def requires_of(cls, config: GpuOperatorConfig, platform: Platform) -> tuple[str, ...]:  # noqa: ARG003
        """Components that it leaves a part to."""
        return (DISCOVERY,) if DISCOVERY in config.beside else ()

    @classmethod
    def problems(cls, config: GpuOperatorConfig, platform: Platform) -> Iterator[Problem]:
        """Components and pools that it cannot live with."""
        yield from neighbours(platform, config.beside)
        yield from one_policy(platform, config.beside)
        if config.driver == "container":
            yield from drivers(platform.node_pools, config.driver_version, config.drivers)
            if platform.distribution == "talos":
                yield Problem(
                    "components.gpu-operator: Talos takes signed kernel modules alone, no driver from a container",
                    hint="install NVIDIA's system extensions, and write `driver: host` and `toolkit: host`",
                )

    @classmethod
    def runtime_images(cls, config: GpuOperatorConfig) -> tuple[str, ...]:
        """Its operands, and drivers for the systems that the stack names."""
        versions = sorted({config.driver_version, *config.drivers.values()}) if config.driver == "container" else []
        images = [f"{DRIVER}:{version}-{system}" for version in versions for system in config.node_systems]
        return (*cls.release_of(config).runtime_images, *images)

    def build(self) -> None:
        """Everything that makes the operator run, and what it is told."""
        # The DRA driver brings those of ComputeDomains, where the stack has it for them.
        apart = nvidia_resource_v1beta1.DEFINITIONS if DRA in self.platform.components else ()
        Crds(self, apis=tuple(each for each in _apis(self.config) if each not in apart))
        Account(self, NAME).allow(CLUSTER_RULES).allow_in(self.namespace, OWN_RULES)
        Deployment(self, NAME, pod=self.pod(), ha_replicas=2)
        if DISCOVERY not in self.config.beside:
            Resource(self, NODE_FEATURE_RULE, "nvidia-devices", spec={"rules": [*DEVICES]})
            Discovery(
                self,
                DISCOVERY_NAMES,
                image=self.release.images[DISCOVERY],
                labels={pool.name: labels_of(pool, (NAME,)) for pool in self.platform.node_pools},
            )
        files, layouts = self.plugin_files(), yaml_file(mig_file(self.pools, {}))
        config_map(self, PLUGIN_FILES, files)
        config_map(self, MIG_FILE, {"config.yaml": layouts})
        self.makes("RuntimeClass", RUNTIME_CLASS, group="node.k8s.io", namespace="")
        choices = self.choices(plugin=_digest(*files.values()), mig=_digest(layouts))
        Resource(self, CLUSTER_POLICY, "cluster-policy", spec=policy(choices), part="after")
        if choices.driver:
            self.drivers(choices)

    @property
    def pools(self) -> list[NodePool]:
        """Pools with GPUs."""
        return [pool for pool in self.platform.node_pools if pool.gpu]

    def pod(self) -> PodSpec:
        """The operator."""
        container: Container = {
            "name": NAME,
            "image": self.release.image,
            "command": [NAME],
            "args": ["--leader-elect", "--zap-time-encoding=epoch", "--zap-log-level=info"],
            "env": [
                {"name": "WATCH_NAMESPACE", "value": ""},
                {"name": "OPERATOR_NAMESPACE", "valueFrom": {"fieldRef": {"fieldPath": "metadata.namespace"}}},
                {"name": "DRIVER_MANAGER_IMAGE", "value": self.image(OPERANDS["driverManager"])},
                {"name": "VALIDATOR_IMAGE", "value": self.image(self.release.image)},
            ],
            "ports": [{"name": "metrics", "containerPort": 8080}],
            "livenessProbe": {
                "httpGet": {"path": "/healthz", "port": 8081},
                "initialDelaySeconds": 15,
                "periodSeconds": 20,
            },
            "readinessProbe": {
                "httpGet": {"path": "/readyz", "port": 8081},
                "initialDelaySeconds": 5,
                "periodSeconds": 10,
            },
            "resources": {
                "requests": {"cpu": "200m", "memory": "100Mi"},
                "limits": {"cpu": "500m", "memory": "350Mi"},
            },
        }
        return {
            "serviceAccountName": NAME,
            "priorityClassName": PRIORITY,
            "nodeSelector": {"kubernetes.io/os": "linux"},
            "containers": [container],
            **prefer_control_plane(),
        }

    def plugin_files(self) -> dict[str, str]:
        """Files of the device plugin by what a Node's label says; the default shares nothing."""
        served = [
            pool for pool in self.pools if not (pool.gpu and pool.gpu.sharing and pool.gpu.sharing.mode == VIRTUAL)
        ]
        ways = configurations(served)
        files = {DEFAULT: plugin_config(None, flags={}, imex={}, one_share_a_request=True)}
        files |= {
            way.name: plugin_config(way.gpu, flags={}, imex={}, one_share_a_request=True) for way in ways if way.name
        }
        return {name: yaml_file(file) for name, file in files.items()}

    def choices(self, *, plugin: str, mig: str) -> Choices:
        """What the policy depends on."""
        config, paths = self.config, node_paths(self.platform.distribution)
        images = {**OPERANDS, "validator": self.release.image}
        return Choices(
            pools=self.pools,
            images={name: self.image(image) for name, image in images.items()},
            driver=config.driver == "container",
            toolkit=config.toolkit == "container",
            beside=config.beside,
            kubelet=paths.kubelet,
            socket=paths.runtime_socket,
            toolkit_environment=config.toolkit_environment,
            mig_strategy=mig_strategy(self.pools),
            monitored=self.monitored,
            driver_upgrades=config.driver_upgrades,
            gds=config.gds,
            gdrcopy=config.gdrcopy,
            digests={"plugin": plugin, "mig": mig},
        )

    def drivers(self, choices: Choices) -> None:
        """A driver for every pool that wants its own, and one for all other nodes."""
        wanted: list[tuple[str, str, NodePool | None]] = [("default", self.config.driver_version, None)]
        wanted += [
            (f"pool-{pool.name}", self.config.drivers[pool.name], pool)
            for pool in self.pools
            if pool.name in self.config.drivers
        ]
        for name, version, pool in wanted:
            image = self.image(f"{DRIVER}:{version}")
            spec = driver(choices, image, modules=self.config.kernel_modules, pool=pool)
            Resource(self, NVIDIA_DRIVER, name, spec=spec, part="after")


def _apis(config: GpuOperatorConfig) -> tuple[Definition, ...]:
    own = GpuOperator.release_of(config).apis
    return own if DISCOVERY in config.beside else (*own, *nfd_v1alpha1.CRDS)


def _digest(*files: str) -> str:
    return next(iter(restart_on_change(*files).values()))
