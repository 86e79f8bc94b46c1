"""Multus attaches pods to further networks beside the cluster's own, as their annotation asks.

The thin plugin: a program on the node, called for each pod, and a pod that writes its configuration. It needs neither
the node's root file system nor its processes, as the daemon of the thick one does, and nothing between the runtime and
the cluster's own network can stop while pods start.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from platform_def.apis.core.core_v1 import Container, PodSpec, ResourceRequirements
from platform_def.capabilities import Fabric
from platform_def.config.model import Name
from platform_def.constructs import (
    APACHE,
    Account,
    Component,
    ComponentConfig,
    Crds,
    DaemonSet,
    Offers,
    PodSecurityNeed,
    Problem,
    Release,
    Setting,
    allow,
    node_paths,
    releases,
)
from platform_def.constructs.cni import CONFIG_MOUNT, EVERYWHERE, PLUGINS_MOUNT, config_volume, plugins_volume
from platform_def.constructs.fabrics import functions_of, networks_namespaces
from platform_def.constructs.gpu_nodes import rdma_affinity

RELEASES = releases(
    # Upstream supports what Kubernetes did at its date, to 1.36; it calls stable APIs alone.
    Release("4.3.0", image="ghcr.io/k8snetworkplumbingwg/multus-cni:v4.3.0", kubernetes="1.33-1.37"),
    license=APACHE,
)

NAME = "multus"
WORKLOAD = "kube-multus-ds"
CONTAINER = "kube-multus"
PRIVILEGED = "Multus is in the host's network and writes into the node's CNI folders"

# What the thin plugin calls (4.3). Upstream grants everything on all of k8s.cni.cncf.io, and updates of whole pods.
RULES = (
    allow("k8s.cni.cncf.io", "network-attachment-definitions", verbs="get"),
    allow("", "pods", verbs="get"),
    # The status holds the addresses that a pod got, in an annotation.
    allow("", "pods/status", verbs="get update"),
    allow("", "events", verbs="create patch update"),
    allow("events.k8s.io", "events", verbs="create patch update"),
)

# Upstream's.
RESOURCES: ResourceRequirements = {
    "requests": {"cpu": "100m", "memory": "50Mi"},
    "limits": {"cpu": "100m", "memory": "50Mi"},
}

FileName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*\.(conf|conflist)$")]


class MultusConfig(ComponentConfig):
    """What a stack may choose about Multus."""

    releases = RELEASES

    namespace: Name = NAME
    """Namespace of its pods, at the privileged Pod Security level; upstream uses kube-system, which others share."""
    every_node: bool = False
    """Run on all nodes. By default on those of pools whose pods get virtual functions: other nodes do not need it, and
    it is between every pod and its network."""
    master_config: FileName | None = None
    """File of the cluster's own network in the node's CNI folder, such as `10-calico.conflist`; by default the first by
    name."""
    isolated: bool = True
    """A pod may name networks of its own namespace alone, and of those in `sharedNamespaces`."""
    shared_namespaces: list[Name] = Field(default_factory=list)
    """Namespaces whose networks every pod may name, beside that of the pools' networks."""


class Multus(Component[MultusConfig]):
    """The CRD of networks, and the plugin on the nodes."""

    gives = (Fabric,)

    pod_security = PodSecurityNeed("privileged", PRIVILEGED)

    @classmethod
    def offers(cls, at: Setting[MultusConfig]) -> Offers:
        """It attaches pods to networks."""
        return Offers(capabilities=(Fabric(part="attach", namespace=at.config.namespace),))

    @classmethod
    def problems(cls, at: Setting[MultusConfig]) -> Iterator[Problem]:
        """A second Multus."""
        if at.platform.distribution == "openshift":
            yield Problem(
                "components.multus: OpenShift brings Multus, and a second would take over its configuration",
                hint="write `multus: {provided: true}`",
            )

    def build(self) -> None:
        """The API, the account that the node's program uses, and the pod that brings both to the node."""
        Crds(self)
        Account(self, NAME).allow(RULES)
        DaemonSet(self, WORKLOAD, pod=self.pod())

    def pod(self) -> PodSpec:
        """The pod writes program, configuration and kubeconfig into the node's folders. In the host's network, since no
        pod has another while its files are missing; privileged, as upstream has it."""
        pools = functions_of(self.platform)
        distribution = self.platform.distribution
        container: Container = {
            "name": CONTAINER,
            "image": self.release.image,
            "command": ["/thin_entrypoint"],
            "args": self.arguments(),
            "resources": RESOURCES,
            "securityContext": {"privileged": True},
            "terminationMessagePolicy": "FallbackToLogsOnError",
            "volumeMounts": [{"name": "cni", "mountPath": CONFIG_MOUNT}, PLUGINS_MOUNT],
        }
        pod: PodSpec = {
            "hostNetwork": True,
            "serviceAccountName": NAME,
            "priorityClassName": "system-node-critical",
            "terminationGracePeriodSeconds": 10,
            "tolerations": [*EVERYWHERE],
            "containers": [container],
            "volumes": [config_volume(distribution, "cni"), plugins_volume(distribution)],
        }
        if pools and not self.config.every_node:
            pod["affinity"] = {"nodeAffinity": rdma_affinity(pools)}
        return pod

    def arguments(self) -> list[str]:
        """Arguments of the pod's program.

        Its file is removed when it ends: without that, upstream's manifest leaves a node on which no pod starts once
        Multus is uninstalled. The same flag makes it write new tokens into the kubeconfig, whose first one expires.
        """
        config = self.config
        folder = node_paths(self.platform.distribution).cni_config
        arguments = [
            "--multus-conf-file=auto",
            f"--multus-autoconfig-dir={CONFIG_MOUNT}",
            f"--cni-conf-dir={CONFIG_MOUNT}",
            f"--multus-kubeconfig-file-host={folder}/multus.d/multus.kubeconfig",
            "--cleanup-config-on-exit=true",
        ]
        if config.master_config:
            arguments.append(f"--multus-master-cni-file-name={config.master_config}")
        if config.isolated:
            arguments.append("--namespace-isolation=true")
            shared = self.shared_namespaces()
            # Without the flag the namespace `default` would be shared.
            arguments.append(f"--global-namespaces={','.join(shared or [self.namespace])}")
        return arguments

    def shared_namespaces(self) -> list[str]:
        """Namespaces whose networks every pod may name."""
        return sorted({*self.config.shared_namespaces, *networks_namespaces(self.platform)})
