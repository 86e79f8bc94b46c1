"""whereabouts gives the interfaces of pods addresses that are unique in the whole cluster, from ranges of networks.

It remembers them in the API server, so that any node may give out any address; a controller takes back those of pods
that went without saying so.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from platform_def.apis.core.core_v1 import (
    Container,
    EnvVar,
    KeyToPath,
    PodSpec,
    ResourceRequirements,
    SecurityContext,
    VolumeMount,
)
from platform_def.capabilities import Fabric
from platform_def.config.model import Name
from platform_def.constructs import (
    APACHE,
    READ,
    WRITE,
    Account,
    Component,
    ComponentConfig,
    Crds,
    DaemonSet,
    Deployment,
    NodePaths,
    Offers,
    PodSecurityNeed,
    Problem,
    Release,
    Setting,
    allow,
    config_map,
    need,
    node_paths,
    releases,
)
from platform_def.constructs.cni import CONFIG_MOUNT, EVERYWHERE, PLUGINS_MOUNT, config_volume, plugins_volume
from platform_def.constructs.fabrics import functions_of
from platform_def.constructs.gpu_nodes import rdma_affinity

RELEASES = releases(
    # Upstream says 1.16 and newer; it calls stable APIs alone.
    Release("0.9.4", image="ghcr.io/k8snetworkplumbingwg/whereabouts:v0.9.4", kubernetes="1.25-1.37"),
    license=APACHE,
)

NAME = "whereabouts"
ROLE = "whereabouts-cni"
RECONCILER = "whereabouts-reconciler"
CONFIG = "whereabouts-config"
PRIVILEGED = "whereabouts is privileged, in the host's network, and writes into the node's CNI folders"
GROUP = "whereabouts.cni.cncf.io"

# What it reads of the whole cluster (0.9). Reservations are found in all namespaces and written in its own alone.
RULES = (
    allow(GROUP, "ippools overlappingrangeipreservations", verbs=READ),
    allow("", "pods nodes", verbs=READ),
    allow("k8s.cni.cncf.io", "network-attachment-definitions", verbs=READ),
    allow("", "events", verbs="create patch update get"),
    allow("events.k8s.io", "events", verbs="create patch update get"),
)
OWN_RULES = (
    allow(
        GROUP,
        "ippools overlappingrangeipreservations nodeslicepools",
        verbs=WRITE,
    ),
    # One pod at a time gets its address: they elect a leader for that. Upstream grants every verb, everywhere.
    allow("coordination.k8s.io", "leases", verbs="get create update"),
)

# Upstream's.
RESOURCES: ResourceRequirements = {
    "requests": {"cpu": "100m", "memory": "100Mi"},
    "limits": {"cpu": "100m", "memory": "200Mi"},
}
RECONCILER_RESOURCES: ResourceRequirements = {
    "requests": {"cpu": "100m", "memory": "50Mi"},
    "limits": {"cpu": "100m", "memory": "50Mi"},
}
# The reconciler reads its schedule and calls the API; upstream has no security context for it.
RECONCILER_SECURITY: SecurityContext = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "readOnlyRootFilesystem": True,
    "seccompProfile": {"type": "RuntimeDefault"},
}

INSTALL = """SLEEP=false source /install-cni.sh
/token-watcher.sh &
exec /ip-control-loop -log-level {level}
"""
"""Upstream's three steps: the plugin and its kubeconfig on the node, new tokens in that, and what pods leave behind."""


class WhereaboutsConfig(ComponentConfig):
    """What a stack may choose about whereabouts; ranges are said in `nodePools`."""

    releases = RELEASES

    namespace: Name = NAME
    """Namespace of its pods and of the addresses that are taken, at the privileged Pod Security level; upstream uses
    kube-system, which others share."""
    schedule: Annotated[str, Field(pattern=r"^\S+( \S+){4}$")] = "30 4 * * *"
    """When addresses of lost pods are looked for, as cron writes it, in UTC; upstream's time."""
    log_level: Literal["debug", "verbose", "error", "panic"] = "verbose"
    """Upstream logs at `debug`, which writes several lines for every pod that ends."""
    every_node: bool = False
    """Run on all nodes, for networks of your own. By default on those of pools whose pods get virtual functions."""


class Whereabouts(Component[WhereaboutsConfig]):
    """CRDs, the plugin on the nodes, and the controller that takes lost addresses back."""

    pod_security = PodSecurityNeed("privileged", PRIVILEGED)
    gives = (Fabric,)
    needs = (need(Fabric, part="attach"),)
    """Its control loop watches Multus' networks, and does not start without that API."""

    @classmethod
    def offers(cls, at: Setting[WhereaboutsConfig]) -> Offers:
        """Addresses for networks."""
        return Offers(capabilities=(Fabric(part="addresses", namespace=at.config.namespace),))

    @classmethod
    def problems(cls, at: Setting[WhereaboutsConfig]) -> Iterator[Problem]:
        """A second one."""
        if at.platform.distribution == "openshift":
            yield Problem(
                f"components.{NAME}: OpenShift brings whereabouts",
                hint=f"write `{NAME}: {{provided: true}}`",
            )

    def build(self) -> None:
        """APIs, account, the plugin on the nodes, the reconciler."""
        Crds(self)
        account = Account(self, NAME).allow(RULES, role=ROLE)
        account.allow_in(self.namespace, OWN_RULES, role=ROLE)
        config_map(self, CONFIG, {"cron-expression": self.config.schedule})
        DaemonSet(self, NAME, pod=self.node_pod())
        # Two of them would both reconcile: they elect no leader.
        Deployment(self, RECONCILER, pod=self.reconciler_pod(), extra_spec={"strategy": {"type": "Recreate"}})

    def node_pod(self) -> PodSpec:
        """The plugin's pod: as upstream has it, privileged and in the host's network."""
        distribution = self.platform.distribution
        folder = node_paths(distribution).cni_config
        mounts: list[VolumeMount] = [PLUGINS_MOUNT, {"name": "cni-net-dir", "mountPath": CONFIG_MOUNT}]
        env: list[EnvVar] = [
            {"name": "NODENAME", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "spec.nodeName"}}},
            _NAMESPACE,
        ]
        if folder != NodePaths().cni_config:
            # It writes the path of its kubeconfig as it sees it, less /host; its control loop knows the usual one.
            mounts.append({"name": "cni-net-dir", "mountPath": f"/host{folder}"})
            env.append({"name": "CNI_CONF_DIR", "value": f"/host{folder}"})
        container: Container = {
            "name": NAME,
            "image": self.release.image,
            "command": ["/bin/sh"],
            "args": ["-c", INSTALL.format(level=self.config.log_level)],
            "env": env,
            "resources": RESOURCES,
            "securityContext": {"privileged": True},
            "volumeMounts": mounts,
        }
        pod: PodSpec = {
            "hostNetwork": True,
            "serviceAccountName": NAME,
            "priorityClassName": "system-node-critical",
            "tolerations": [*EVERYWHERE],
            "containers": [container],
            "volumes": [plugins_volume(distribution), config_volume(distribution, "cni-net-dir")],
        }
        pools = functions_of(self.platform)
        if pools and not self.config.every_node:
            pod["affinity"] = {"nodeAffinity": rdma_affinity(pools)}
        return pod

    def reconciler_pod(self) -> PodSpec:
        """The controller that compares addresses with the pods there are."""
        container: Container = {
            "name": RECONCILER,
            "image": self.release.image,
            "command": ["/ip-reconciler"],
            "args": ["-log-level", self.config.log_level],
            "env": [_NAMESPACE],
            "resources": RECONCILER_RESOURCES,
            "securityContext": RECONCILER_SECURITY,
            "volumeMounts": [{"name": "cron-scheduler-configmap", "mountPath": "/cron-schedule"}],
        }
        items: list[KeyToPath] = [{"key": "cron-expression", "path": "config"}]
        return {
            "serviceAccountName": NAME,
            "containers": [container],
            "volumes": [{"name": "cron-scheduler-configmap", "configMap": {"name": CONFIG, "items": items}}],
        }


_NAMESPACE: EnvVar = {
    "name": "WHEREABOUTS_NAMESPACE",
    "valueFrom": {"fieldRef": {"fieldPath": "metadata.namespace"}},
}
