"""The pods of a workload, with what the stack asks of every pod."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from platform_def.apis.core.core_v1 import Container, EnvVar, PodSpec, PodTemplateSpec, Toleration
from platform_def.config.workloads import Toleration as ChosenToleration
from platform_def.config.workloads import WorkloadConfig
from platform_def.constructs.component import AnyComponent, merged_labels
from platform_def.constructs.environment import env as variables
from platform_def.constructs.environment import proxied
from platform_def.constructs.knobs import changed
from platform_def.constructs.workloads.tolerations import toleration

CA_MOUNT = "/etc/platform-def/ca"
"""Where containers find the private authorities of the stack."""


def pod_template(
    component: AnyComponent,
    name: str,
    pod: PodSpec,
    *,
    chosen: WorkloadConfig | None,
    role: str,
    labels: Mapping[str, str] | None,
    annotations: Mapping[str, str] | None,
    belongs_to_nodes: bool,
    calls_out: bool,
) -> PodTemplateSpec:
    """A pod template with what the stack asks of every pod; `pod` wins where it says something itself."""
    config = component.config
    where = f"components.{component.name}.workloads.{role}.containers"
    made = cast(PodSpec, dict(pod))
    outside = _outside(component, calls_out=calls_out)
    made["containers"] = [_container(component, item, chosen, where, outside) for item in pod["containers"]]
    if "initContainers" in pod:
        made["initContainers"] = [_container(component, item, chosen, where, outside) for item in pod["initContainers"]]
    own = chosen.placement if chosen else None
    if not belongs_to_nodes:
        selector = {**config.placement.node_selector, **(own.node_selector if own else {})}
        if selector:
            made["nodeSelector"] = {**selector, **pod.get("nodeSelector", {})}
        if component.platform.system_priority:
            made.setdefault("priorityClassName", component.platform.system_priority)
    tolerated = [*([] if belongs_to_nodes else config.placement.tolerations), *(own.tolerations if own else [])]
    if tolerated:
        made["tolerations"] = [*pod.get("tolerations", []), *map(_tolerating, tolerated)]
    if chosen and chosen.priority:
        made["priorityClassName"] = chosen.priority
    if "serviceAccountName" not in pod and (secrets := component.platform.pull_secrets):
        # Accounts of the stack name them; the namespace's default one may not be the stack's.
        made.setdefault("imagePullSecrets", [{"name": each} for each in secrets])
    if config.ca_bundle:
        made["volumes"] = [*pod.get("volumes", []), {"name": "private-ca", "configMap": {"name": config.ca_bundle}}]
    metadata: dict[str, object] = {"labels": merged_labels(component.selector(name), labels)}
    if annotations:
        metadata["annotations"] = dict(sorted(annotations.items()))
    if chosen and chosen.service_account.annotations:
        component.roles.identify(pod.get("serviceAccountName", "default"), chosen.service_account.annotations)
    return cast(PodTemplateSpec, {"metadata": metadata, "spec": made})


def _tolerating(chosen: ChosenToleration) -> Toleration:
    return toleration(chosen.key, chosen.value, chosen.effect)


def _container(
    component: AnyComponent, container: Container, chosen: WorkloadConfig | None, where: str, outside: Sequence[EnvVar]
) -> Container:
    made = cast(Container, dict(container))
    if "image" in made:
        made["image"] = component.image(made["image"])
        made.setdefault("imagePullPolicy", "IfNotPresent")
    wanted = chosen.containers.get(made["name"]) if chosen else None
    made = changed(made, wanted, f"{where}.{made['name']}")
    if "ports" in made:
        # The protocol is part of a port's key. The server fills it in, and Argo CD then takes the port for another one.
        made["ports"] = [{"protocol": "TCP", **each} for each in made["ports"]]
    own = made.get("env", [])
    env = [*own, *(each for each in outside if each["name"] not in {said["name"] for said in own})]
    if env:
        made["env"] = env
    if component.config.ca_bundle:
        made["volumeMounts"] = [
            *made.get("volumeMounts", []),
            {"name": "private-ca", "mountPath": CA_MOUNT, "readOnly": True},
        ]
    return made


def _outside(component: AnyComponent, *, calls_out: bool) -> list[EnvVar]:
    """Variables for the way out of the cluster: proxy and private authorities."""
    env: list[EnvVar] = []
    proxy = component.config.proxy
    if proxy and calls_out:
        env += variables(proxied(proxy, component.platform.dns_domain))
    if component.config.ca_bundle:
        env.append({"name": "SSL_CERT_DIR", "value": f"{CA_MOUNT}:/etc/ssl/certs"})
    return env
