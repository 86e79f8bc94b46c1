"""NVIDIA's GPU Operator: installs and runs driver, container toolkit, device plugin, discovery, MIG manager, exporter.

The alternative to the components of those names: one policy for the cluster, made from the same pools.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from platform_def.apis.core.core_v1 import Container, PodSpec
from platform_def.apis.node_features import nfd_v1alpha1
from platform_def.apis.node_features.nfd_v1alpha1 import NODE_FEATURE_RULE
from platform_def.apis.nvidia import resource_v1beta1
from platform_def.apis.nvidia.gpu_operator_v1 import CLUSTER_POLICY, NVIDIA_DRIVER
from platform_def.capabilities import Devices, GpuClient, NodeLabels, NodeWork, RuntimeClass
from platform_def.components.gpu.discovery.parts import DEVICES, Discovery, PartNames
from platform_def.components.gpu.gpu_operator.config import (
    DISCOVERY,
    DRIVER,
    NAME,
    OPERANDS,
    PROGRAMS,
    GpuOperatorConfig,
)
from platform_def.components.gpu.gpu_operator.policy import MIG_FILE, PLUGIN_FILES, PRIORITY, driver, policy
from platform_def.components.gpu.gpu_operator.rules import CLUSTER_RULES, OWN_RULES
from platform_def.components.gpu.gpu_operator.stack import labels_of, problems_of
from platform_def.components.gpu.pools.configurations import WHOLE, configurations
from platform_def.components.gpu.pools.device_plugin_config import DEFAULT, plugin_config
from platform_def.components.gpu.pools.mig_layouts import mig_file
from platform_def.components.gpu.pools.node_labels import wanted_labels
from platform_def.config.pools import SHARED_GPU, WHOLE_GPU, virtual
from platform_def.constructs import (
    Component,
    Crds,
    Health,
    Need,
    Offers,
    Operator,
    PodSecurityNeed,
    PodSettings,
    Problem,
    Resource,
    Setting,
    config_map,
    env,
    from_field,
    need,
    yaml_file,
)
from platform_def.constructs.gpu_nodes import RUNTIME_CLASS, prefer_control_plane
from platform_def.crds.model import Definition

PREFIX = "gpu-operator-node-feature-discovery"
DISCOVERY_NAMES = PartNames(master=f"{PREFIX}-master", worker=f"{PREFIX}-worker", gc=f"{PREFIX}-gc")


class GpuOperator(Component[GpuOperatorConfig]):
    """CRDs, the operator, node feature discovery, files of the pools, and then policy and drivers."""

    pod_security = PodSecurityNeed("privileged", "driver, toolkit, device plugin and MIG manager change the node")
    gives = (Devices, GpuClient, NodeLabels, NodeWork, RuntimeClass)

    @classmethod
    def served_by(cls, at: Setting[GpuOperatorConfig]) -> tuple[Definition, ...]:
        """Its policy, rules of node feature discovery where it brings that, and ComputeDomains, which their own driver
        brings where the stack has it."""
        theirs = resource_v1beta1.DEFINITIONS if at.platform.component("nvidia-dra-driver") else ()
        own = tuple(each for each in super().served_by(at) if each not in theirs)
        return (*own, *nfd_v1alpha1.CRDS) if DISCOVERY in at.config.own else own

    @classmethod
    def offers(cls, at: Setting[GpuOperatorConfig]) -> Offers:
        """What its own programs do, the RuntimeClass that it makes, and labels that it reads."""
        own = at.config.own
        work = [_work(name, at) for name in own]
        clients = [
            GpuClient(labels={"app": each.app}, namespace=at.config.namespace) for each in own.values() if each.app
        ]
        cards = (
            [Devices(resources=[WHOLE_GPU, SHARED_GPU, "nvidia.com/mig-*"])] if "nvidia-device-plugin" in own else []
        )
        made = RuntimeClass(name=RUNTIME_CLASS, made="runtime")
        labels = NodeLabels(pools=labels_of(at.platform.node_pools, own))
        return Offers(capabilities=(*cards, *work, *clients, made, labels))

    @classmethod
    def needs_of(cls, at: Setting[GpuOperatorConfig]) -> tuple[Need[NodeWork], ...]:
        """A provider for all work that it leaves out; features of nodes it waits for."""
        left = [program.work for name, program in PROGRAMS.items() if name in at.config.beside]
        return tuple(need(NodeWork, work=work, order="before" if work == "features" else "any") for work in left)

    @classmethod
    def problems(cls, at: Setting[GpuOperatorConfig]) -> Iterator[Problem]:
        """Pools that one policy cannot hold, and nodes that it cannot serve."""
        yield from problems_of(at)

    @classmethod
    def runtime_images(cls, at: Setting[GpuOperatorConfig]) -> tuple[str, ...]:
        """Its operands, and drivers for the systems that the stack names."""
        tags = [f"{version}-{system}" for version in at.config.driver_versions for system in at.config.node_systems]
        return (*super().runtime_images(at), *(f"{DRIVER}:{tag}" for tag in tags))

    def build(self) -> None:
        """Everything that makes the operator run, and its settings."""
        Crds(self)
        Operator(
            self,
            NAME,
            container=self.container(),
            rules=CLUSTER_RULES,
            own_rules=OWN_RULES,
            ha_replicas=2,
            health=Health(),
            pod=PodSettings(self.pod(), mesh="namespace"),
        )
        if DISCOVERY in self.config.own:
            Resource(self, NODE_FEATURE_RULE, "nvidia-devices", spec={"rules": [*DEVICES]})
            labels = wanted_labels(self.platform, labels_of(self.platform.node_pools, self.config.own))
            Discovery(self, DISCOVERY_NAMES, image=self.release.images[DISCOVERY], labels=labels)
        plugin = self.plugin_files()
        layouts = {"config.yaml": yaml_file(mig_file(self.platform.node_pools, {}))}
        config_map(self, PLUGIN_FILES, plugin)
        config_map(self, MIG_FILE, layouts)
        self.makes("RuntimeClass", RUNTIME_CLASS, group="node.k8s.io", namespace="")
        spec = policy(self, plugin=plugin, layouts=layouts)
        Resource(self, CLUSTER_POLICY, "cluster-policy", spec=spec, part="after")
        if self.config.driver == "container":
            self.drivers()

    def pod(self) -> PodSpec:
        """Where it runs: best on a control plane."""
        linux = {"kubernetes.io/os": "linux"}
        return prefer_control_plane(cast(PodSpec, {"priorityClassName": PRIORITY, "nodeSelector": linux}))

    def container(self) -> Container:
        """The operator."""
        images = {"DRIVER_MANAGER_IMAGE": OPERANDS["driverManager"], "VALIDATOR_IMAGE": self.release.image}
        return {
            "name": NAME,
            "image": self.release.image,
            "command": [NAME],
            "args": ["--leader-elect", "--zap-time-encoding=epoch", "--zap-log-level=info"],
            "env": env(
                {
                    "WATCH_NAMESPACE": "",
                    "OPERATOR_NAMESPACE": from_field("metadata.namespace"),
                    **{name: self.image(image) for name, image in images.items()},
                }
            ),
            "ports": [{"name": "metrics", "containerPort": 8080}],
            "resources": {
                "requests": {"cpu": "200m", "memory": "100Mi"},
                "limits": {"cpu": "500m", "memory": "350Mi"},
            },
        }

    def plugin_files(self) -> dict[str, str]:
        """Files of the device plugin by what a Node's label says; the default shares nothing."""
        ways = configurations([pool for pool in self.platform.node_pools if not virtual(pool)])
        gpus = {DEFAULT: None, **{way.name: way.gpu for way in ways if way.name}}
        return {
            name: yaml_file(plugin_config(gpu, flags={}, imex={}, one_share_a_request=True))
            for name, gpu in gpus.items()
        }

    def drivers(self) -> None:
        """A driver for every pool that wants its own, and one for all other nodes."""
        Resource(self, NVIDIA_DRIVER, "default", spec=driver(self, self.config.driver_version, None), part="after")
        for pool in self.platform.node_pools:
            if pool.gpu and pool.name in self.config.drivers:
                spec = driver(self, self.config.drivers[pool.name], pool)
                Resource(self, NVIDIA_DRIVER, f"pool-{pool.name}", spec=spec, part="after")


def _work(name: str, at: Setting[GpuOperatorConfig]) -> NodeWork:
    """What one of its programs does; for the cluster's own operator it cannot be left out here."""
    work, left = PROGRAMS[name].work, f"`beside: [{name}]`"
    if work != "devices":
        return NodeWork(work=work, without="" if at.provided else left)
    apart = (
        "keep one of the two" if at.provided else f"let {name} serve the other pools, and write {left} under {at.name}"
    )
    return NodeWork(work=work, nodes=WHOLE, everywhere=apart, without="" if at.provided else left)
