"""Workloads that run on: Deployments, StatefulSets and DaemonSets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from platform_def.apis.core.apps_v1 import (
    DAEMON_SET,
    DEPLOYMENT,
    STATEFUL_SET,
    DaemonSetSpec,
    DeploymentSpec,
    StatefulSetSpec,
)
from platform_def.apis.core.core_v1 import PersistentVolumeClaim, PodSpec
from platform_def.constructs.component import Scope
from platform_def.constructs.resource import Resource
from platform_def.constructs.workloads.claims import Claim, claim_spec
from platform_def.constructs.workloads.scaling import autoscaler, counted, disruption_budget, scale
from platform_def.constructs.workloads.workload import Workload


class Deployment(Workload):
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
        namespace: str = "",
    ):
        """`ha_replicas` of 0: the program supports only one pod. `extra_spec` holds further fields of the spec, such as
        `strategy`; `role` is what stacks call the workload, by default `name`. A program that never calls out of the
        cluster gets no proxy. `namespace` is another than the component's, for one pod beside what it works with."""
        super().__init__(scope, name, role)
        self.calls_out = calls_out
        size = scale(self.component, name, replicas=replicas, ha_replicas=ha_replicas)
        template = self.template(pod, labels=pod_labels, annotations=pod_annotations, scales=ha_replicas > 0)
        spec = {
            **counted(self.component, name, template, size),
            "selector": {"matchLabels": self.component.selector(name)},
            "template": template,
            **(extra_spec or {}),
        }
        labels, home = self.component.labels(name), namespace or None
        Resource(self, DEPLOYMENT, name, spec=cast(DeploymentSpec, spec), labels=labels, namespace=home)
        if size.autoscale:
            autoscaler(self, name, "Deployment", size.autoscale)
        if size.several:
            disruption_budget(self, name)


class StatefulSet(Workload):
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
            **counted(self.component, name, template, size),
            "serviceName": service,
            "selector": {"matchLabels": self.component.selector(name)},
            "template": template,
            **({"volumeClaimTemplates": [self.claim(each) for each in claims]} if claims else {}),
            **(extra_spec or {}),
        }
        Resource(self, STATEFUL_SET, name, spec=cast(StatefulSetSpec, spec), labels=self.component.labels(name))
        if size.autoscale:
            autoscaler(self, name, "StatefulSet", size.autoscale)
        if size.several:
            disruption_budget(self, name)

    def claim(self, claim: Claim) -> PersistentVolumeClaim:
        """The template of one claim, as the stack sizes it."""
        self.entry().volumes.add(claim.name)
        made = {"metadata": {"name": claim.name}, "spec": claim_spec(self.component, claim, self.chosen)}
        return cast(PersistentVolumeClaim, made)


class DaemonSet(Workload):
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
