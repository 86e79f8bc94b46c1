"""A controller with all that stands around it: the account and its rights, pods, Service, monitor, webhook, policy.

It is made of public pieces (Account, LeaderElection, Deployment, Service, Admission, NetworkPolicy); who needs another
mixture takes some of them and no more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, cast

from platform_def.apis.core.core_v1 import Container, ContainerPort, PodSpec, ServicePort
from platform_def.apis.core.rbac_v1 import PolicyRule
from platform_def.constructs.admission import Admission, AdmissionServer
from platform_def.constructs.aggregated_api import AggregatedApi
from platform_def.constructs.component import Piece, Scope, merged_labels
from platform_def.constructs.endpoints import ConfigFile, MetricsEndpoint
from platform_def.constructs.leader import LeaderElection
from platform_def.constructs.mesh import PROXY_METRICS, in_mesh
from platform_def.constructs.network_policy import NetworkPolicy, Opening, from_cluster, from_everywhere
from platform_def.constructs.probes import Health
from platform_def.constructs.rbac import Account
from platform_def.constructs.security import ImageFacts, secured
from platform_def.constructs.service import Service, port
from platform_def.constructs.volumes import Mounted
from platform_def.constructs.workloads.jobs import OUT_OF_MESH
from platform_def.constructs.workloads.scaling import scale
from platform_def.constructs.workloads.services import Deployment

Stance = Literal["out", "in", "namespace"]
"""Of pods to a service mesh: no proxy beside them, one beside each, or as their namespace has it."""

IDLE: Mapping[str, Mapping[str, str]] = {"requests": {"cpu": "10m", "memory": "64Mi"}}
"""What a controller made with kubebuilder asks for; without a request it is the first to be evicted."""


@dataclass(frozen=True, kw_only=True)
class AccountNames:
    """What the account is called, if not as the controller, and its roles, if not as the account."""

    account: str = ""
    role: str = ""
    """Of the rights everywhere."""
    own_role: str = ""
    """Of those in the component's namespace."""


@dataclass(frozen=True)
class PodSettings:
    """What a controller's pods have beside its container."""

    spec: PodSpec | None = None
    """Further fields, with other containers."""
    labels: Mapping[str, str] | None = None
    annotations: Mapping[str, str] | None = None
    mesh: Stance = "out"


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
        mounted: Sequence[Mounted] = (),
        names: AccountNames = AccountNames(),
        ports: Sequence[ServicePort] = (),
        openings: Sequence[Opening] | None = None,
        webhook: AdmissionServer | None = None,
        api: AggregatedApi | None = None,
        facts: ImageFacts | None = None,
        pod: PodSettings = PodSettings(),
    ):
        """`rules` are granted everywhere, `own_rules` in the component's namespace.

        `ha_replicas` is 2 with leader election and 0 without: a program that cannot elect a leader supports one pod
        only. `metrics` is the port that is scraped, a number or a Service's port, or an endpoint with more to say;
        `ports` are further ones of the Service. All pods of the cluster may connect to these, unless `openings` says
        who may connect to `ports`. The API server calls `webhook` and `api`. Each of `metrics`, `webhook` and `api` may
        have a Service of its own; those that name the same one share it. `config_file` is mounted, and restarts the
        pods when it changes; `mounted` are further volumes of the controller's container. `facts` of the image say what
        the container needs; without them it has the securityContext that it brings, upstream's.
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
        self.called = [each for each in (webhook, api) if each]
        shared = [endpoint.port] if endpoint and not endpoint.service else []
        apart = [endpoint.port] if endpoint and endpoint.service else []
        self.scraped = [*([self.metrics] if self.metrics else []), *shared, *apart]
        both = [*([self.metrics] if self.metrics else []), *shared, *ports]
        self.ports = [*both, *(each.port for each in self.called if not each.service)]
        self.served = [*both, *apart, *(each.port for each in self.called)]

        self.account = Account(self, self.component.named(names.account) if names.account else self.name)
        if rules:
            self.account.allow(rules, role=names.role)
        if endpoint:
            endpoint.grant(self, self.account)
        if own_rules:
            self.account.allow_in(self.component.namespace, own_rules, role=names.own_role)
        if election and (several or election.always):
            lease = self.component.named(election.role) if election.role else f"{self.name}-leader-election"
            self.account.allow_in(self.component.namespace, election.rules(), role=lease)
        services = self._services(endpoint)
        self.service = services.get(self.name)
        if self.service and self.metrics:
            self.service.monitor(self.metrics["name"])
        if endpoint:
            endpoint.serve(self, services[endpoint.service or self.name])
        self.admission = Admission(self, name, webhook, service=webhook.service or self.name) if webhook else None
        if api:
            api.serve(self, self.account, service=api.service or self.name)
        served = [each.certificate for each in (endpoint, api) if each]
        files = [each.mounted for each in (config_file, self.admission, *served) if each]
        self.mounted = [*files, *mounted]
        restarts = config_file.make(self) if config_file else {}
        made = self._container(container, health, facts)
        if election and election.flag and several:
            made["args"] = [*made.get("args", []), election.flag]
        Deployment(
            self,
            self.name,
            pod=self._pod(made, pod.spec),
            replicas=replicas,
            ha_replicas=most,
            pod_labels=merged_labels(pod.labels, in_mesh(self.component) if pod.mesh == "in" else None),
            pod_annotations=merged_labels(
                OUT_OF_MESH if pod.mesh == "out" else None, {**restarts, **(pod.annotations or {})}
            ),
        )
        if self.component.platform.network_policies:
            proxy = [from_cluster(PROXY_METRICS[1])] if pod.mesh == "in" else []
            NetworkPolicy(self, self.name, openings=[*self._openings(ports, openings), *proxy])

    def _services(self, endpoint: MetricsEndpoint | None) -> dict[str, Service]:
        """The controller's Service, and those of single servers, by name."""
        ports = {self.name: [*self.ports]}
        for each in (endpoint, *self.called):
            if each and each.service:
                ports.setdefault(each.service, [])
        for each in (*self.called, endpoint):
            if each and each.service:
                ports[each.service].append(each.port)
        return {name: Service(self, name, ports=each, workload=self.name) for name, each in ports.items() if each}

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
        if self.mounted:
            made["volumeMounts"] = [*container.get("volumeMounts", []), *(each.mount for each in self.mounted)]
        return made

    def _pod(self, container: Container, pod: PodSpec | None) -> PodSpec:
        given = pod or cast(PodSpec, {})
        made: PodSpec = {
            "serviceAccountName": self.account.name,
            **given,
            "containers": [container, *given.get("containers", [])],
        }
        if self.mounted:
            made["volumes"] = [*given.get("volumes", []), *(each.volume for each in self.mounted)]
        return made

    def _openings(self, ports: Sequence[ServicePort], chosen: Sequence[Opening] | None) -> Iterator[Opening]:
        """What the API server calls is open to all, for policies cannot name it; all others to pods of the cluster."""
        inside = [each["targetPort"] for each in [*self.scraped, *(ports if chosen is None else ())]]
        if inside:
            yield from_cluster(*inside)
        yield from chosen or ()
        if self.called:
            yield from_everywhere(*(each.port["targetPort"] for each in self.called))
