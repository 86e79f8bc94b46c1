"""Pods that a component runs: Deployments, StatefulSets, DaemonSets and Jobs with what every one of them gets.

Authors write the pod in Kubernetes' own spelling; the construct adds the mirror's images, placement, resources, proxy
and authorities, labels and selectors, and what high availability asks for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from platform_def.apis.core.apps_v1 import (
    DAEMON_SET,
    DEPLOYMENT,
    STATEFUL_SET,
    DaemonSetSpec,
    DeploymentSpec,
    StatefulSetSpec,
)
from platform_def.apis.core.core_v1 import (
    Container,
    EnvVar,
    PodSpec,
    PodTemplateSpec,
    ResourceRequirements,
    SecurityContext,
    Toleration,
    TopologySpreadConstraint,
)
from platform_def.apis.core.policy_v1 import POD_DISRUPTION_BUDGET
from platform_def.config.component import ComponentConfig
from platform_def.config.pools import NodePool
from platform_def.constructs.component import Component, Piece, Scope, merged_labels
from platform_def.constructs.resource import Resource

RESTRICTED: SecurityContext = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "readOnlyRootFilesystem": True,
    "runAsNonRoot": True,
    "seccompProfile": {"type": "RuntimeDefault"},
}
"""For images that are known to bear it: the `restricted` Pod Security level and a read-only root."""

CA_MOUNT = "/etc/platform-def/ca"


class Deployment(Piece):
    """A Deployment; with `ha_replicas` and availability `ha` also more replicas, a budget and a spread over nodes."""

    def __init__(
        self,
        scope: Scope,
        name: str,
        *,
        pod: PodSpec,
        replicas: int = 1,
        ha_replicas: int = 0,
        pod_labels: Mapping[str, str] | None = None,
        pod_annotations: Mapping[str, str] | None = None,
        more: Mapping[str, object] | None = None,
    ):
        """`more` holds further fields of the Deployment's spec, such as `strategy`."""
        super().__init__(scope, name)
        available = self.component.highly_available and ha_replicas > 0
        count = max(replicas, ha_replicas) if available else replicas
        template = pod_template(self.component, name, pod, labels=pod_labels, annotations=pod_annotations)
        if count > 1 and (available or ha_replicas):
            template["spec"].setdefault("topologySpreadConstraints", [_spread(self.component, name)])
        spec = {
            "replicas": count,
            "selector": {"matchLabels": self.component.selector(name)},
            "template": template,
            **(more or {}),
        }
        Resource(self, DEPLOYMENT, name, spec=cast(DeploymentSpec, spec), labels=self.component.labels(name))
        if count > 1:
            disruption_budget(self, name)


class StatefulSet(Piece):
    """A StatefulSet of one or more replicas; `more` holds `volumeClaimTemplates` and the like."""

    def __init__(
        self,
        scope: Scope,
        name: str,
        *,
        pod: PodSpec,
        service: str,
        replicas: int = 1,
        more: Mapping[str, object] | None = None,
    ):
        super().__init__(scope, name)
        spec = {
            "replicas": replicas,
            "serviceName": service,
            "selector": {"matchLabels": self.component.selector(name)},
            "template": pod_template(self.component, name, pod),
            **(more or {}),
        }
        Resource(self, STATEFUL_SET, name, spec=cast(StatefulSetSpec, spec), labels=self.component.labels(name))
        if replicas > 1:
            disruption_budget(self, name)


class DaemonSet(Piece):
    """A DaemonSet, on every node or on the nodes of some pools."""

    def __init__(
        self,
        scope: Scope,
        name: str,
        *,
        pod: PodSpec,
        pod_labels: Mapping[str, str] | None = None,
        pod_annotations: Mapping[str, str] | None = None,
        every_node: bool = False,
        more: Mapping[str, object] | None = None,
    ):
        """`every_node`: other pods need it beside them (a CSI node plugin), so `placement.nodeSelector` is not its."""
        super().__init__(scope, name)
        template = pod_template(self.component, name, pod, labels=pod_labels, annotations=pod_annotations)
        if every_node:
            template["spec"].pop("nodeSelector", None)
        spec = {"selector": {"matchLabels": self.component.selector(name)}, "template": template, **(more or {})}
        Resource(self, DAEMON_SET, name, spec=cast(DaemonSetSpec, spec), labels=self.component.labels(name))


def pod_template(
    component: Component[ComponentConfig],
    name: str,
    pod: PodSpec,
    *,
    labels: Mapping[str, str] | None = None,
    annotations: Mapping[str, str] | None = None,
) -> PodTemplateSpec:
    """A pod template with what the stack asks of every pod; `pod` wins where it says something itself."""
    config = component.config
    made = cast(PodSpec, dict(pod))
    made["containers"] = [_container(component, item) for item in pod["containers"]]
    if "initContainers" in pod:
        made["initContainers"] = [_container(component, item) for item in pod["initContainers"]]
    if config.placement.node_selector:
        made["nodeSelector"] = {**config.placement.node_selector, **pod.get("nodeSelector", {})}
    if config.placement.tolerations:
        chosen: list[Toleration] = [
            toleration(item.key, item.value, item.effect) for item in config.placement.tolerations
        ]
        made["tolerations"] = [*pod.get("tolerations", []), *chosen]
    if config.ca_bundle:
        made["volumes"] = [*pod.get("volumes", []), {"name": "private-ca", "configMap": {"name": config.ca_bundle}}]
    metadata = {"labels": merged_labels(component.selector(name), labels)}
    if annotations:
        metadata["annotations"] = dict(sorted(annotations.items()))
    return {"metadata": metadata, "spec": made}  # type: ignore[typeddict-item]


def _container(component: Component[ComponentConfig], container: Container) -> Container:
    made = cast(Container, dict(container))
    component.containers.add(made["name"])
    if "image" in made:
        made["image"] = component.image(made["image"])
        made.setdefault("imagePullPolicy", "IfNotPresent")
    chosen = component.config.resources.get(made["name"])
    if chosen is not None:
        given = made.get("resources", {})
        requests = {**given.get("requests", {}), **chosen.requests.plain()}
        limits = {**given.get("limits", {}), **chosen.limits.plain()}
        made["resources"] = cast(
            ResourceRequirements, {k: v for k, v in (("limits", limits), ("requests", requests)) if v}
        )
    env = [*made.get("env", []), *_outside(component)]
    if env:
        made["env"] = env
    if component.config.ca_bundle:
        made["volumeMounts"] = [
            *made.get("volumeMounts", []),
            {"name": "private-ca", "mountPath": CA_MOUNT, "readOnly": True},
        ]
    return made


def _outside(component: Component[ComponentConfig]) -> list[EnvVar]:
    """Variables for the way out of the cluster: proxy and private authorities."""
    env: list[EnvVar] = []
    proxy = component.config.proxy
    if proxy:
        inside = [*proxy.no_proxy, "localhost", "127.0.0.1", ".svc", f".{component.platform.dns_domain}"]
        values = {"HTTP_PROXY": proxy.http, "HTTPS_PROXY": proxy.https, "NO_PROXY": ",".join(inside)}
        env += [{"name": name, "value": value} for name, value in values.items() if value]
    if component.config.ca_bundle:
        env.append({"name": "SSL_CERT_DIR", "value": f"{CA_MOUNT}:/etc/ssl/certs"})
    return env


def _spread(component: Component[ComponentConfig], name: str) -> TopologySpreadConstraint:
    return {
        "maxSkew": 1,
        "topologyKey": "kubernetes.io/hostname",
        "whenUnsatisfiable": "ScheduleAnyway",
        "labelSelector": {"matchLabels": component.selector(name)},
    }


def disruption_budget(scope: Piece, name: str) -> None:
    """A budget that lets nodes be drained one pod at a time."""
    Resource(
        scope,
        POD_DISRUPTION_BUDGET,
        name,
        spec={"maxUnavailable": 1, "selector": {"matchLabels": scope.component.selector(name)}},
        labels=scope.component.labels(name),
    )


def toleration(key: str, value: str, effect: str) -> Toleration:
    """A toleration for one taint."""
    if value:
        return {"key": key, "operator": "Equal", "value": value, "effect": effect}
    return {"key": key, "operator": "Exists", "effect": effect}


def tolerations_of(pool: NodePool) -> list[Toleration]:
    """Tolerations for all taints of a pool."""
    return [toleration(taint.key, taint.value, taint.effect) for taint in pool.taints]
