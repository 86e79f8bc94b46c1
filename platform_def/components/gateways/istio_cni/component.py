"""Istio's CNI plugin: leads the traffic of pods in the mesh to their proxies, from the node instead of from each pod.

Without it every such pod starts with a container that has NET_ADMIN, which namespaces below `privileged` refuse.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from platform_def.apis.core.core_v1 import Container, PodSpec
from platform_def.capabilities import MeshRedirection
from platform_def.components.gateways.istio_proxies.releases import KUBERNETES, UPKEEP, image, withdrawn
from platform_def.config.model import Name
from platform_def.constructs import (
    APACHE,
    READ,
    Account,
    Component,
    ComponentConfig,
    DaemonSet,
    Offers,
    PodSecurityNeed,
    Problem,
    Release,
    Setting,
    allow,
    config_map,
    env,
    from_field,
    host_paths,
    http_probe,
    mounts,
    node_paths,
    releases,
)
from platform_def.constructs.cni import CONFIG_MOUNT, EVERYWHERE

NAME, NODE, CONFIG = "istio-cni", "istio-cni-node", "istio-cni-config"
SOCKETS = "/var/run/istio-cni"
"""Where the plugin talks to the agent; the plugin's own path, on the node and in the pod."""


def _release(version: str, control_plane: str) -> Release:
    return Release(
        version,
        kubernetes=KUBERNETES,
        kubernetes_by="upstream",
        image=image("install-cni", version),
        needs={"istio": control_plane},
        # What is published against Istio is in its control plane and its proxies.
        upkeep=replace(UPKEEP[version], vulnerabilities=()),
    )


# Upstream allows one minor version between the plugin and the control plane, either way.
RELEASES = releases(_release("1.31.1", ">=1.30,<1.33"), _release("1.30.4", ">=1.29,<1.32"), license=APACHE)


class IstioCniConfig(ComponentConfig):
    """What a stack may choose about the CNI plugin."""

    releases = RELEASES
    withdrawn = withdrawn("the agent has no AppArmor profile")

    namespace: Name = "istio-cni"
    """Namespace of the agents, at the privileged Pod Security level."""


class IstioCni(Component[IstioCniConfig]):
    """An agent on every node, which installs the plugin behind the node's own and mends pods that came before it."""

    gives = (MeshRedirection,)
    pod_security = PodSecurityNeed(
        "privileged", "it writes CNI plugins and their configuration to the node, and enters the networks of pods"
    )

    @classmethod
    def offers(cls, at: Setting[IstioCniConfig]) -> Offers:  # noqa: ARG003 - the same everywhere
        """Redirection on every node."""
        return Offers(capabilities=(MeshRedirection(api="istio"),))

    @classmethod
    def problems(cls, at: Setting[IstioCniConfig]) -> Iterator[Problem]:
        """A distribution whose plugins are Multus': each pod would need a network of its own there."""
        if at.platform.distribution == "openshift":
            text = f"components.{at.name}: OpenShift's nodes take further CNI plugins through Multus alone"
            yield Problem(text, hint="leave it out, or let OpenShift's own operator install the mesh")

    def build(self) -> None:
        """The agents with their rights and settings."""
        account = Account(self, NAME).allow([allow("", "namespaces nodes pods", verbs=READ)])
        repair = (allow("", "events", verbs="create patch"), allow("", "pods", verbs=READ))
        account.allow(repair, role="istio-cni-repair-role")
        config_map(self, CONFIG, self._settings())
        paths = node_paths(self.platform.distribution)
        folders = {
            "cni-bin-dir": paths.cni_plugins,
            "cni-net-dir": paths.cni_config,
        }
        pod: PodSpec = {
            "serviceAccountName": NAME,
            "priorityClassName": "system-node-critical",
            "nodeSelector": {"kubernetes.io/os": "linux"},
            "tolerations": [*EVERYWHERE, {"key": "CriticalAddonsOnly", "operator": "Exists"}],
            "containers": [self._container()],
            "volumes": [
                *host_paths(folders),
                *host_paths({"cni-host-procfs": "/proc"}, "Directory"),
                *host_paths({"cni-socket-dir": SOCKETS}, "DirectoryOrCreate"),
            ],
        }
        DaemonSet(
            self,
            NODE,
            pod=pod,
            pod_labels={"sidecar.istio.io/inject": "false", "istio.io/dataplane-mode": "none"},
            pod_annotations={"prometheus.io/scrape": "true", "prometheus.io/port": "15014"},
            extra_spec={"updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1}}},
        )

    def _settings(self) -> dict[str, str]:
        """Variables of the agent: chained behind the node's plugin, repairing pods by itself, no ambient mode."""
        return {
            "CURRENT_AGENT_VERSION": self.release.version,
            "CHAINED_CNI_PLUGIN": "true",
            "ISTIO_OWNED_CNI_CONFIG": "false",
            "EXCLUDE_NAMESPACES": f"kube-system,{self.namespace}",
            "REPAIR_ENABLED": "true",
            "REPAIR_REPAIR_PODS": "true",
            "REPAIR_LABEL_PODS": "false",
            "REPAIR_DELETE_PODS": "false",
            "REPAIR_INIT_CONTAINER_NAME": "istio-validation",
            "REPAIR_BROKEN_POD_LABEL_KEY": "cni.istio.io/uninitialized",
            "REPAIR_BROKEN_POD_LABEL_VALUE": "true",
            "NATIVE_NFTABLES": "false",
            "AMBIENT_ENABLED": "false",
        }

    def _container(self) -> Container:
        fields = {
            "REPAIR_NODE_NAME": from_field("spec.nodeName"),
            "NODE_NAME": from_field("spec.nodeName"),
            "POD_NAME": from_field("metadata.name"),
            "POD_NAMESPACE": from_field("metadata.namespace"),
        }
        settings = {
            "REPAIR_RUN_AS_DAEMON": "true",
            "REPAIR_SIDECAR_ANNOTATION": "sidecar.istio.io/status",
            "ALLOW_SWITCH_TO_HOST_NS": "true",
        }
        # Upstream's: no privileged container, but what entering the network of a pod and writing to the node takes.
        capabilities: Any = {
            "drop": ["ALL"],
            "add": ["NET_ADMIN", "NET_RAW", "SYS_PTRACE", "SYS_ADMIN", "DAC_OVERRIDE"],
        }
        return {
            "name": "install-cni",
            "image": self.release.image,
            "command": ["install-cni"],
            "args": ["--log_output_level=default:info"],
            "envFrom": [{"configMapRef": {"name": CONFIG}}],
            "env": [*env(fields), *env(settings)],
            "ports": [{"name": "metrics", "containerPort": 15014, "protocol": "TCP"}],
            "readinessProbe": http_probe("/readyz", 8000),
            "resources": {"requests": {"cpu": "100m", "memory": "100Mi"}, "limits": {"memory": "512Mi"}},
            "securityContext": {
                "privileged": False,
                "runAsUser": 0,
                "runAsGroup": 0,
                "runAsNonRoot": False,
                "capabilities": capabilities,
                # The profile of the node's container runtime refuses what these capabilities are for (Ubuntu's nodes).
                "appArmorProfile": {"type": "Unconfined"},
            },
            "volumeMounts": [
                *mounts({"cni-bin-dir": "/host/opt/cni/bin", "cni-net-dir": CONFIG_MOUNT, "cni-socket-dir": SOCKETS}),
                *mounts({"cni-host-procfs": "/host/proc"}, read_only=True),
            ],
        }
