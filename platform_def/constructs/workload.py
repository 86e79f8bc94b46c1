"""Pods that a component runs: Deployments, StatefulSets, DaemonSets, Jobs and CronJobs, with what all of them get.

Authors write the pod in Kubernetes' own spelling; the construct adds the mirror's images, placement, resources, proxy
and authorities, labels and selectors, what high availability asks for, and what the stack says of this workload.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Literal, cast

import orjson

from platform_def.apis.core.apps_v1 import (
    DAEMON_SET,
    DEPLOYMENT,
    STATEFUL_SET,
    DaemonSetSpec,
    DeploymentSpec,
    StatefulSetSpec,
)
from platform_def.apis.core.autoscaling_v2 import HORIZONTAL_POD_AUTOSCALER, MetricSpec
from platform_def.apis.core.batch_v1 import CRON_JOB, JOB, CronJobSpec, JobSpec
from platform_def.apis.core.core_v1 import (
    Container,
    EnvVar,
    PersistentVolumeClaim,
    PersistentVolumeClaimSpec,
    PodSpec,
    PodTemplateSpec,
    Toleration,
    TopologySpreadConstraint,
)
from platform_def.apis.core.policy_v1 import POD_DISRUPTION_BUDGET
from platform_def.config.pools import NodePool
from platform_def.config.storage import StorageKind
from platform_def.config.workloads import Autoscale, WorkloadConfig
from platform_def.config.workloads import Toleration as ChosenToleration
from platform_def.constructs.component import AnyComponent, Piece, Scope, merged_labels
from platform_def.constructs.environment import env as variables
from platform_def.constructs.environment import proxied
from platform_def.constructs.knobs import Role, changed
from platform_def.constructs.resource import Resource
from platform_def.constructs.security import RESTRICTED as RESTRICTED

CA_MOUNT = "/etc/platform-def/ca"

OUT_OF_MESH = {"sidecar.istio.io/inject": "false"}
"""Annotation of pods that no proxy of a mesh may stand beside."""


@dataclass(frozen=True)
class Scale:
    """How many pods a workload has: the one source of that number."""

    count: int
    autoscale: Autoscale | None = None
    _: KW_ONLY
    spread: bool
    """Whether the pods are spread over nodes."""

    @property
    def several(self) -> bool:
        """Whether there may be more than one, so that one of them must lead."""
        return self.count > 1 or (self.autoscale is not None and self.autoscale.max > 1)


def scale(component: AnyComponent, name: str, *, replicas: int = 1, ha_replicas: int = 0) -> Scale:
    """How many pods the workload `name` has: what the stack says, else more with availability `ha`, else `replicas`.

    `ha_replicas` of 0 says that the program supports only one pod.
    """
    chosen = _chosen(component, component.roles.role_of(name))
    if chosen and chosen.autoscale:
        return Scale(chosen.autoscale.min, chosen.autoscale, spread=True)
    count = max(replicas, ha_replicas) if component.highly_available else replicas
    if chosen and chosen.replicas is not None:
        count = chosen.replicas
    return Scale(count, spread=count > 1 and ha_replicas > 0)


class _Workload(Piece):
    """What all kinds of workloads share: their role, the template of their pods, a budget, a number of pods."""

    scales = False
    belongs_to_nodes = False
    calls_out = True

    def __init__(self, scope: Scope, name: str, role: str):
        super().__init__(scope, name)
        self.name = name
        self.role = role or self.component.roles.role_of(name)
        self.chosen = _chosen(self.component, self.role)

    def entry(self, *, scales: bool = False) -> Role:
        """This workload among those that a stack may change."""
        return self.component.roles.add(self.role, scales=scales, belongs_to_nodes=self.belongs_to_nodes)

    def template(
        self,
        pod: PodSpec,
        *,
        labels: Mapping[str, str] | None = None,
        annotations: Mapping[str, str] | None = None,
        scales: bool = False,
    ) -> PodTemplateSpec:
        """The pods of this workload."""
        entry = self.entry(scales=scales)
        entry.containers |= {each["name"] for each in [*pod["containers"], *pod.get("initContainers", [])]}
        return _template(
            self.component,
            self.name,
            pod,
            chosen=self.chosen,
            role=self.role,
            labels=labels,
            annotations=annotations,
            belongs_to_nodes=self.belongs_to_nodes,
            calls_out=self.calls_out,
        )

    def autoscaled(self, kind: Literal["Deployment", "StatefulSet"], autoscale: Autoscale) -> None:
        """An autoscaler; the workload then writes no number of its own."""
        aims: list[MetricSpec] = [
            {
                "type": "Resource",
                "resource": {"name": what, "target": {"type": "Utilization", "averageUtilization": aim}},
            }
            for what, aim in (("cpu", autoscale.cpu), ("memory", autoscale.memory))
            if aim is not None
        ]
        Resource(
            self,
            HORIZONTAL_POD_AUTOSCALER,
            self.name,
            spec={
                "scaleTargetRef": {"apiVersion": "apps/v1", "kind": kind, "name": self.name},
                "minReplicas": autoscale.min,
                "maxReplicas": autoscale.max,
                "metrics": aims,
            },
            labels=self.component.labels(self.name),
        )


class Deployment(_Workload):
    """A Deployment; with `ha_replicas` and availability `ha` also more replicas, a budget and a spread over nodes."""

    def __init__(
        self,
        scope: Scope,
        name: str,
        *,
        pod: PodSpec,
        replicas: int = 1,
        ha_replicas: int = 0,
        role: str = "",
        calls_out: bool = True,
        pod_labels: Mapping[str, str] | None = None,
        pod_annotations: Mapping[str, str] | None = None,
        extra_spec: Mapping[str, object] | None = None,
    ):
        """`ha_replicas` of 0: the program supports only one pod. `extra_spec` holds further fields of the spec, such as
        `strategy`; `role` is what stacks call the workload, by default `name`. A program that never calls out of the
        cluster gets no proxy."""
        super().__init__(scope, name, role)
        self.calls_out = calls_out
        size = scale(self.component, name, replicas=replicas, ha_replicas=ha_replicas)
        template = self.template(pod, labels=pod_labels, annotations=pod_annotations, scales=ha_replicas > 0)
        spec = {
            **_count(self.component, name, template, size),
            "selector": {"matchLabels": self.component.selector(name)},
            "template": template,
            **(extra_spec or {}),
        }
        Resource(self, DEPLOYMENT, name, spec=cast(DeploymentSpec, spec), labels=self.component.labels(name))
        if size.autoscale:
            self.autoscaled("Deployment", size.autoscale)
        if size.several:
            disruption_budget(self, name)


class StatefulSet(_Workload):
    """A StatefulSet with claims of its own, which a stack may size."""

    def __init__(
        self,
        scope: Scope,
        name: str,
        *,
        pod: PodSpec,
        service: str,
        replicas: int = 1,
        ha_replicas: int = 0,
        claims: Sequence[Claim] = (),
        role: str = "",
        pod_labels: Mapping[str, str] | None = None,
        pod_annotations: Mapping[str, str] | None = None,
        extra_spec: Mapping[str, object] | None = None,
    ):
        """`service` is the headless Service that names the pods; `claims` are made for each of them."""
        super().__init__(scope, name, role)
        size = scale(self.component, name, replicas=replicas, ha_replicas=ha_replicas)
        template = self.template(pod, labels=pod_labels, annotations=pod_annotations, scales=ha_replicas > 0)
        spec = {
            **_count(self.component, name, template, size),
            "serviceName": service,
            "selector": {"matchLabels": self.component.selector(name)},
            "template": template,
            **({"volumeClaimTemplates": [self.claim(each) for each in claims]} if claims else {}),
            **(extra_spec or {}),
        }
        Resource(self, STATEFUL_SET, name, spec=cast(StatefulSetSpec, spec), labels=self.component.labels(name))
        if size.autoscale:
            self.autoscaled("StatefulSet", size.autoscale)
        if size.several:
            disruption_budget(self, name)

    def claim(self, claim: Claim) -> PersistentVolumeClaim:
        """The template of one claim, as the stack sizes it."""
        self.entry().volumes.add(claim.name)
        made = {"metadata": {"name": claim.name}, "spec": claim_spec(self.component, claim, self.chosen)}
        return cast(PersistentVolumeClaim, made)


@dataclass(frozen=True)
class Claim:
    """A volume that a workload keeps data on."""

    name: str
    size: str
    mode: Literal["ReadWriteOnce", "ReadWriteMany"] = "ReadWriteOnce"
    kind: StorageKind | None = None
    """What it needs of its storage; None: what the cluster's default class gives. One of many nodes is `shared`."""


def claim_spec(component: AnyComponent, claim: Claim, chosen: WorkloadConfig | None) -> PersistentVolumeClaimSpec:
    """The spec of a claim: the component's size and kind of storage, unless the stack says otherwise."""
    wanted = chosen.volumes.get(claim.name) if chosen else None
    spec: PersistentVolumeClaimSpec = {
        "accessModes": [claim.mode],
        "resources": {"requests": {"storage": (wanted and wanted.size) or claim.size}},
    }
    asked = (wanted and wanted.storage) or claim.kind
    if asked:
        who = f"components.{component.name}.workloads: volume {claim.name}"
        chosen_storage = component.platform.storage_for(asked, mode=claim.mode, who=who)
        if chosen_storage:
            spec["storageClassName"] = chosen_storage.class_name
    return spec


def customized(
    component: AnyComponent,
    role: str,
    container: Container,
    *,
    takes: Sequence[str] = ("resources",),
    claim: Claim | None = None,
) -> tuple[Container, PersistentVolumeClaimSpec | None]:
    """The only container of pods that a controller makes from its settings, as the stack wants it, and its claim.

    `role` is what stacks call these pods; `takes` is what the controller has a place for: resources, env, flags.
    """
    entry = component.roles.add(role)
    entry.containers.add(container["name"])
    entry.takes = frozenset((*takes, "volumes") if claim else takes)
    chosen = _chosen(component, role)
    where = f"components.{component.name}.workloads.{role}.containers.{container['name']}"
    made = changed(container, chosen.containers.get(container["name"]) if chosen else None, where)
    if "image" in made:
        made = cast(Container, {**made, "image": component.image(made["image"])})
    if claim is None:
        return made, None
    entry.volumes.add(claim.name)
    return made, claim_spec(component, claim, chosen)


class DaemonSet(_Workload):
    """A DaemonSet, on every node or on the nodes of some pools; what a stack says of controllers does not move it."""

    belongs_to_nodes = True

    def __init__(
        self,
        scope: Scope,
        name: str,
        *,
        pod: PodSpec,
        role: str = "",
        pod_labels: Mapping[str, str] | None = None,
        pod_annotations: Mapping[str, str] | None = None,
        extra_spec: Mapping[str, object] | None = None,
    ):
        """`role` is one where pools multiply a program into several DaemonSets."""
        super().__init__(scope, name, role)
        template = self.template(pod, labels=pod_labels, annotations=pod_annotations)
        spec = {"selector": {"matchLabels": self.component.selector(name)}, "template": template, **(extra_spec or {})}
        Resource(self, DAEMON_SET, name, spec=cast(DaemonSetSpec, spec), labels=self.component.labels(name))


class Job(_Workload):
    """A Job that prepares something and ends. Its name must change with its content: a Job cannot be edited."""

    def __init__(
        self,
        scope: Scope,
        name: str,
        *,
        pod: PodSpec,
        role: str = "",
        pod_labels: Mapping[str, str] | None = None,
        pod_annotations: Mapping[str, str] | None = None,
        namespace: str = "",
        part: Literal["main", "after"] = "main",
        hashed: bool = False,
        extra_spec: Mapping[str, object] | None = None,
    ):
        """`role` is what stacks call it: its name without the hash. With `hashed` the name gets one of everything that
        cannot be edited, so that a change of image, registry or resources is a Job of its own."""
        super().__init__(scope, name, role)
        template = self.template(
            {"restartPolicy": "OnFailure", **pod},
            labels=pod_labels,
            annotations={**OUT_OF_MESH, **(pod_annotations or {})},  # a proxy beside it would never end
        )
        spec = {"template": template, "backoffLimit": 6, **(extra_spec or {})}
        self.name = f"{name}-{_digest(spec)}" if hashed else name
        Resource(
            self,
            JOB,
            self.name,
            spec=cast(JobSpec, spec),
            labels=self.component.labels(self.role),
            namespace=namespace or None,
            part=part,
        )


class CronJob(_Workload):
    """A Job on a schedule."""

    def __init__(
        self,
        scope: Scope,
        name: str,
        *,
        pod: PodSpec,
        schedule: str,
        role: str = "",
        pod_annotations: Mapping[str, str] | None = None,
        extra_spec: Mapping[str, object] | None = None,
    ):
        """`schedule` is a cron line; `extra_spec` holds further fields of the spec, such as `timeZone`."""
        super().__init__(scope, name, role)
        annotations = {**OUT_OF_MESH, **(pod_annotations or {})}
        template = self.template({"restartPolicy": "OnFailure", **pod}, annotations=annotations)
        spec = {
            "schedule": schedule,
            "concurrencyPolicy": "Forbid",
            "jobTemplate": {"spec": {"template": template}},
            **(extra_spec or {}),
        }
        Resource(self, CRON_JOB, name, spec=cast(CronJobSpec, spec), labels=self.component.labels(name))


def _digest(spec: Mapping[str, object]) -> str:
    return hashlib.sha256(orjson.dumps(spec, option=orjson.OPT_SORT_KEYS)).hexdigest()[:8]


def _chosen(component: AnyComponent, role: str) -> WorkloadConfig | None:
    chosen: WorkloadConfig | None = component.config.workloads.get(role)
    return chosen


def _count(component: AnyComponent, name: str, template: PodTemplateSpec, size: Scale) -> dict[str, object]:
    """The number of pods, unless an autoscaler writes it; several are spread over nodes."""
    if size.spread:
        template["spec"].setdefault("topologySpreadConstraints", [_spread(component, name)])
    return {} if size.autoscale else {"replicas": size.count}


def _template(
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


def _spread(component: AnyComponent, name: str) -> TopologySpreadConstraint:
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
