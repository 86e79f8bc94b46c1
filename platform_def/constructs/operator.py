"""A controller with all that stands around it: the account and its rights, pods, Service, monitor, webhook, policy.

It is made of public pieces (Account, LeaderElection, Deployment, Service, Admission, NetworkPolicy); who needs another
mixture takes some of them and no more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, cast

from platform_def.apis.core.core_v1 import Container, ContainerPort, PodSpec, ServicePort, Volume, VolumeMount
from platform_def.apis.core.rbac_v1 import PolicyRule
from platform_def.constructs.admission import Admission, AdmissionServer
from platform_def.constructs.component import Piece, Scope, merged_labels
from platform_def.constructs.endpoints import ConfigFile, MetricsEndpoint
from platform_def.constructs.leader import LeaderElection
from platform_def.constructs.mesh import in_mesh
from platform_def.constructs.network_policy import NetworkPolicy, Opening, from_cluster, from_everywhere
from platform_def.constructs.probes import Health
from platform_def.constructs.rbac import Account
from platform_def.constructs.security import ImageFacts, secured
from platform_def.constructs.service import Service, port
from platform_def.constructs.workload import OUT_OF_MESH, Deployment, scale

Stance = Literal["out", "in", "namespace"]
"""Of pods to a service mesh: no proxy beside them, one beside each, or as their namespace has it."""

IDLE: Mapping[str, Mapping[str, str]] = {"requests": {"cpu": "10m", "memory": "64Mi"}}
"""What a controller made with kubebuilder asks for; without a request it is the first to be evicted."""


class Operator(Piece):
    """A controller: `container` is written as Kubernetes spells it, and what it leaves out is filled in."""

    def __init__(
        self,
        scope: Scope,
        name: str,
        *,
        container: Container,
        rules: Sequence[PolicyRule] = (),
        own_rules: Sequence[PolicyRule] = (),
        leader_election: LeaderElection | None = None,
        replicas: int = 1,
        ha_replicas: int | None = None,
        health: Health | None = None,
        metrics: int | ServicePort | MetricsEndpoint | None = None,
        config_file: ConfigFile | None = None,
        account: str = "",
        role: str = "",
        own_role: str = "",
        ports: Sequence[ServicePort] = (),
        webhook: AdmissionServer | None = None,
        facts: ImageFacts | None = None,
        mesh: Stance = "out",
        pod: PodSpec | None = None,
        pod_labels: Mapping[str, str] | None = None,
        pod_annotations: Mapping[str, str] | None = None,
        more: Mapping[str, object] | None = None,
    ):
        """`rules` are granted everywhere, `own_rules` in the component's namespace.

        `ha_replicas` is 2 with leader election and 0 without, since only a leader allows several pods. `metrics` is
        the port that is scraped, a number or a Service's port, or an endpoint that asks who reads; `ports` are further
        ones of the Service, and `webhook` may have a Service of its own. `config_file` is mounted, and restarts the
        pods when it changes. `account` is called as the controller, and `role` and `own_role` as the account, unless
        they say otherwise. `facts` of
        the image say what the container needs; without them it has the securityContext that it brings, upstream's.
        `pod` holds further fields of the pod, with its other containers; `more` those of the Deployment's spec.
        """
        super().__init__(scope, name)
        self.name = self.component.named(name)
        self.webhook = webhook
        election = leader_election
        most = (2 if election else 0) if ha_replicas is None else ha_replicas
        several = scale(self.component, self.name, replicas=replicas, ha_replicas=most).several
        endpoint = metrics if isinstance(metrics, MetricsEndpoint) else None
        plain = None if isinstance(metrics, MetricsEndpoint) else metrics
        self.metrics = port("metrics", plain) if isinstance(plain, int) else plain
        shared = [endpoint.port] if endpoint and not endpoint.service else []
        apart = [endpoint.port] if endpoint and endpoint.service else []
        hook = [webhook.port] if webhook else []
        both = [*([self.metrics] if self.metrics else []), *shared, *ports]
        self.ports = [*both, *(hook if webhook and not webhook.service else [])]
        self.served = [*both, *apart, *hook]

        self.account = Account(self, self.component.named(account) if account else self.name)
        if rules:
            self.account.allow(rules, role=role)
        if endpoint:
            endpoint.grant(self, self.account)
        if own_rules:
            self.account.allow_in(self.component.namespace, own_rules, role=own_role)
        if election and (several or election.always):
            lease = self.component.named(election.role) if election.role else f"{self.name}-leader-election"
            self.account.allow_in(self.component.namespace, election.rules(), role=lease)
        self.service = self._service()
        if endpoint:
            endpoint.serve(self, name=self.name, shared=self.service)
        if webhook and webhook.service:
            Service(self, webhook.service, ports=hook, workload=self.name)
        called = (webhook.service if webhook else "") or self.name
        self.admission = Admission(self, name, webhook, service=called) if webhook else None
        self.files = [each for each in (config_file, endpoint.certificate if endpoint else None) if each]
        restarts = config_file.make(self) if config_file else {}
        made = self._container(container, health, facts)
        if election and election.flag and several:
            made["args"] = [*made.get("args", []), election.flag]
        Deployment(
            self,
            self.name,
            pod=self._pod(made, pod),
            replicas=replicas,
            ha_replicas=most,
            pod_labels=merged_labels(pod_labels, in_mesh(self.component) if mesh == "in" else None),
            pod_annotations=merged_labels(
                OUT_OF_MESH if mesh == "out" else None, {**restarts, **(pod_annotations or {})}
            ),
            more=more,
        )
        openings = list(self._openings())
        if self.component.platform.network_policies:
            NetworkPolicy(self, self.name, openings=openings)

    def _service(self) -> Service | None:
        if not self.ports:
            return None
        service = Service(self, self.name, ports=self.ports)
        return service.monitor(self.metrics["name"]) if self.metrics else service

    def _container(self, container: Container, health: Health | None, facts: ImageFacts | None) -> Container:
        made = cast(Container, {**(health.probes() if health else {}), **container})
        made.setdefault("resources", cast("dict[str, object]", IDLE))  # type: ignore[typeddict-item]
        context = secured(facts, container.get("securityContext"))
        if context:
            made["securityContext"] = context
        known = {each["containerPort"] for each in container.get("ports", [])}
        missing: list[ContainerPort] = [
            {"name": each["name"], "containerPort": target, "protocol": "TCP"}
            for each in self.served
            if isinstance(target := each["targetPort"], int) and target not in known
        ]
        if missing:
            made["ports"] = [*container.get("ports", []), *missing]
        read: list[VolumeMount] = [mount for each in self.files for mount in each.mounts()]
        if self.webhook:
            read += self.webhook.mounts()
        if read:
            made["volumeMounts"] = [*container.get("volumeMounts", []), *read]
        return made

    def _pod(self, container: Container, pod: PodSpec | None) -> PodSpec:
        given = pod or cast(PodSpec, {})
        made: PodSpec = {
            "serviceAccountName": self.account.name,
            **given,
            "containers": [container, *given.get("containers", [])],
        }
        read: list[Volume] = [volume for each in self.files for volume in each.volumes()]
        if self.webhook and self.admission:
            read += self.webhook.volumes(self.admission.secret)
        if read:
            made["volumes"] = [*given.get("volumes", []), *read]
        return made

    def _openings(self) -> Iterator[Opening]:
        """The webhook's port for the API server, all others of the Service for the pods of the cluster."""
        hook = self.webhook.port if self.webhook else None
        inside = [each["targetPort"] for each in self.served if each is not hook]
        if inside:
            yield from_cluster(*inside)
        if hook:
            yield from_everywhere(hook["targetPort"])
