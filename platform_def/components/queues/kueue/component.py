"""Kueue: jobs wait in queues until their team's quota, or what others leave idle, has room for all of their pods."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, cast

from platform_def.apis.core.apiregistration_v1 import API_SERVICE, APIServiceSpec
from platform_def.apis.core.core_v1 import Container, ContainerPort, PodSpec, Volume, VolumeMount
from platform_def.apis.core.meta_v1 import LabelSelector
from platform_def.apis.core.rbac_v1 import CLUSTER_ROLE
from platform_def.capabilities import CertificateIssuer, JobQueue
from platform_def.components.queues.kueue import configuration as settings
from platform_def.components.queues.kueue import metrics, rules, webhooks
from platform_def.components.queues.kueue.config import KueueConfig
from platform_def.components.queues.kueue.frameworks import FRAMEWORKS, Framework, queued
from platform_def.components.queues.kueue.neighbours import taken_in
from platform_def.components.queues.kueue.queues import Queues, levels_of, managed
from platform_def.config.pools import common, offered
from platform_def.constructs import (
    KUBERNETES,
    RESTRICTED,
    RESTRICTED_LEVEL,
    Account,
    Admission,
    AdmissionServer,
    Alerts,
    Component,
    Crds,
    Dashboards,
    Definition,
    Deployment,
    Drift,
    Health,
    LeaderElection,
    Need,
    NetworkPolicy,
    Offers,
    Problem,
    Release,
    Resource,
    Service,
    ServingCertificate,
    Setting,
    aggregated,
    allow_urls,
    config_map,
    from_cluster,
    from_everywhere,
    need,
    port,
    restart_on_change,
    yaml_file,
)
from platform_def.constructs.certificate import INJECT

MANAGER = "kueue-controller-manager"
CONFIG = "kueue-manager-config"
METRICS_SERVICE, VISIBILITY_SERVICE, WEBHOOK_SERVICE = (
    "kueue-controller-manager-metrics-service",
    "kueue-visibility-server",
    "kueue-webhook-service",
)
WEBHOOK_SECRET = "kueue-webhook-server-cert"  # noqa: S105 - the name of a Secret that Kueue, or cert-manager, writes
METRICS_SECRET, VISIBILITY_SECRET = "kueue-metrics-server-cert", "kueue-visibility-server-cert"
CONFIGURATIONS = "kueue-{}-webhook-configuration"
"""Names of the webhook configurations; Kueue derives them from the Service's, so that it finds them itself."""
SERVING, METRICS_CERTS, VISIBILITY_CERTS = (
    "/tmp/k8s-webhook-server/serving-certs",  # noqa: S108 - in the container
    "/etc/kueue/metrics/certs",
    "/visibility",
)
"""Folders that are compiled into it."""
VISIBILITY_VERSIONS = ("v1beta1", "v1beta2")
QUEUE_LABEL, PRIORITY_LABEL = "kueue.x-k8s.io/queue-name", "kueue.x-k8s.io/priority-class"
"""By which an API server behind another learns whom to trust; every cluster has it."""


class Kueue(Component[KueueConfig, Release]):
    """CRDs, controller with webhooks and visibility server, and the queues of the stack's teams."""

    pod_security = RESTRICTED_LEVEL
    gives = (JobQueue,)

    @classmethod
    def needs_of(cls, at: Setting[KueueConfig]) -> tuple[Need[Any], ...]:
        """cert-manager, where it is to make the certificates."""
        return (need(CertificateIssuer),) if at.config.certificates == "cert-manager" else ()

    @classmethod
    def offers(cls, at: Setting[KueueConfig]) -> Offers:
        """The queues of teams, and the priorities that jobs may have there."""
        known = queued(at.config.integrations, at.platform) if at.config.integrations else FRAMEWORKS
        given = JobQueue(
            implementation="kueue",
            label=QUEUE_LABEL,
            kinds=sorted(f"{each.kind}.{each.group}" for each in known if each.group not in ("", "apps")),
            priority_label=PRIORITY_LABEL,
            priorities=sorted(each.name for each in at.config.priorities),
        )
        return Offers(capabilities=(given,))

    @classmethod
    def problems(cls, at: Setting[KueueConfig]) -> Iterator[Problem]:
        """Pools that Kueue cannot tell apart, or cannot place pods in."""
        pools = [pool for pool in common(at.platform.node_pools) if offered(pool)]
        for pool in pools:
            rivals = [each.name for each in pools if each is not pool and offered(each).keys() & offered(pool).keys()]
            if not pool.selector and rivals:
                text = f"pool {pool.name} has no labels of its own, and {rivals[0]} has the same devices: "
                hint = f"give pool {pool.name} a `selector:`"
                yield Problem(f"{text}jobs that wait for the one would run on the other", hint=hint)
            if levels_of(pool, pools) and not pool.selector and not rivals:
                text = f"pool {pool.name} has no labels of its own, which Kueue asks for where pools have a topology"
                yield Problem(text, hint=f"give pool {pool.name} a `selector:`")
        yield from taken_in(at)
        queues = {team.queue for team in at.platform.teams if team.queue}
        for name in sorted(at.config.weights.keys() - queues):
            yield Problem(
                f"weights: no team has the queue '{name}'", hint=f"queues are: {', '.join(sorted(queues)) or 'none'}"
            )

    def build(self) -> None:
        """Everything that queues jobs."""
        self._definitions()
        account = self._account()
        self._remote()
        self._people()
        self._manager(account)
        self._services()
        self._admission()
        if self.config.visibility:
            self._visibility(account)
        self._network_policies()
        Queues(self, self.config)
        self._observed()

    @property
    def frameworks(self) -> tuple[Framework, ...]:
        """Kinds that wait."""
        return queued(self.config.integrations, self.platform)

    @property
    def managed(self) -> LabelSelector:
        """Namespaces whose jobs wait: of teams with a queue; without any, all but the platform's own."""
        homes = {team.home for team in self.platform.teams if team.queue} | {*self.config.namespaces}
        others = dict.fromkeys([*(each.name for each in self.platform.namespaces if not homes), "kube-system"])
        return cast(LabelSelector, managed(sorted(homes), {**others, self.namespace: None}))

    def _definitions(self) -> None:
        """CRDs; five of them convert between versions through the webhook, whose authority is written into them."""
        Crds(self, [self._converted(each) for each in self.served])
        for each in self.served:
            if each.conversion:
                pointer = "/spec/conversion/webhook/clientConfig/caBundle"
                self.mutated(Drift("apiextensions.k8s.io/v1", "CustomResourceDefinition", each.name, (pointer,)))

    def _converted(self, definition: Definition) -> Definition:
        """The definition with the webhook where this stack has it."""
        if definition.conversion is None:
            return definition
        inject = self._injected("kueue-serving-cert") if self._cert_manager else {}
        moved = replace(definition.conversion, namespace=self.namespace)
        return replace(definition, conversion=moved, annotations={**definition.annotations, **inject})

    def _account(self) -> Account:
        own = not self._cert_manager
        converted = [each.name for each in self.served if each.conversion]
        account = Account(self, MANAGER).allow(
            [
                *rules.CONTROLLER,
                *(rule for each in self.frameworks for rule in each.rules()),
                *(rules.VISIBILITY if self.config.visibility else ()),
                *(rules.certificates(CONFIGURATIONS, converted) if own else ()),
            ],
            role="kueue-manager-role",
        )
        account.allow(rules.ACCESS, role="kueue-metrics-auth-role")
        account.allow_in(self.namespace, rules.SECRETS, role="kueue-manager-secrets-role")
        account.allow_in(self.namespace, rules.PROFILES, role="kueue-manager-clusterprofiles-role")
        election = LeaderElection(flag="", lease=settings.LEASE, always=True)
        return account.allow_in(self.namespace, election.rules(), role="kueue-leader-election-role")

    def _remote(self) -> None:
        """The account of another cluster's Kueue; who runs that one makes its token and its kubeconfig."""
        if self.config.worker_account:
            account = Account(self, self.config.worker_account)
            account.allow(rules.remote(self.frameworks), role=f"kueue-{self.config.worker_account}-role")

    def _people(self) -> None:
        aggregated(self, "kueue-batch-user-role", rules.users(self.frameworks), KUBERNETES, "edit", "admin")
        Resource(self, CLUSTER_ROLE, "kueue-batch-admin-role", fields={"rules": [*rules.ADMINS]})
        Resource(self, CLUSTER_ROLE, "kueue-metrics-reader", fields={"rules": [allow_urls("/metrics", verbs="get")]})

    def _manager(self, account: Account) -> None:
        file = yaml_file(
            settings.configuration(
                self.config,
                namespace=self.namespace,
                frameworks=self.frameworks,
                managed=self.managed,
                unnamed=self.config.takes_unnamed(self.platform.node_pools),
                service=WEBHOOK_SERVICE,
                secret=WEBHOOK_SECRET,
            )
        )
        config_map(self, CONFIG, {settings.FILE: file})
        volumes, mounts = [*self._volumes()], [*self._mounts()]
        pod: PodSpec = {
            "serviceAccountName": account.name,
            "terminationGracePeriodSeconds": 10,
            "containers": [container(self.release.image, mounts)],
            "volumes": volumes,
        }
        Deployment(self, MANAGER, pod=pod, ha_replicas=2, pod_annotations=restart_on_change(file))

    def _volumes(self) -> Iterator[Volume]:
        yield {"name": "manager-config", "configMap": {"name": CONFIG}}
        yield {"name": "cert", "secret": {"secretName": WEBHOOK_SECRET, "defaultMode": 0o644}}
        if self._cert_manager:
            yield {"name": "metrics-certs", "secret": {"secretName": METRICS_SECRET, "defaultMode": 0o644}}
            yield {"name": "visibility", "secret": {"secretName": VISIBILITY_SECRET, "defaultMode": 0o644}}
        else:
            yield {"name": "visibility", "emptyDir": {}}

    def _mounts(self) -> Iterator[VolumeMount]:
        yield {"name": "manager-config", "mountPath": f"/{settings.FILE}", "subPath": settings.FILE}
        yield {"name": "cert", "mountPath": SERVING, "readOnly": True}
        if self._cert_manager:
            yield {"name": "metrics-certs", "mountPath": METRICS_CERTS, "readOnly": True}
            yield {"name": "visibility", "mountPath": VISIBILITY_CERTS, "readOnly": True}
        else:
            yield {"name": "visibility", "mountPath": VISIBILITY_CERTS}

    def _services(self) -> None:
        measured = Service(self, METRICS_SERVICE, ports=[port("https", settings.METRICS)], workload=MANAGER)
        measured.monitor("https", scheme="https", token=True, honor_labels=True)
        Service(self, WEBHOOK_SERVICE, ports=[port("https", 443, settings.WEBHOOK)], workload=MANAGER)
        if self.config.visibility:
            Service(self, VISIBILITY_SERVICE, ports=[port("https", 443, settings.VISIBILITY)], workload=MANAGER)

    def _observed(self) -> None:
        """Alerts and dashboards; the quota and use of queues has a switch of its own."""
        quotas = self.config.queue_metrics
        tables = [metrics.QUEUE_METRICS] if quotas else []
        Alerts(self, [*metrics.alerts(METRICS_SERVICE, quotas=quotas)], tables=tables)
        Dashboards(self, [*metrics.dashboards(quotas=quotas)], tables=tables)

    def _admission(self) -> None:
        """The admission server, and the certificates of the other two where Kueue does not make them."""
        server = AdmissionServer(
            validating=webhooks.validating(self.frameworks, self.managed),
            mutating=webhooks.mutating(self.frameworks, self.managed),
            secret=WEBHOOK_SECRET,
            trust="cert-manager" if self._cert_manager else "own",
            certificate="kueue-serving-cert",
            configuration=(CONFIGURATIONS.format("validating"), CONFIGURATIONS.format("mutating")),
        )
        Admission(self, MANAGER, server, service=WEBHOOK_SERVICE)
        if self._cert_manager:
            ServingCertificate(self, "kueue-metrics-cert", services=[METRICS_SERVICE], secret=METRICS_SECRET)
            ServingCertificate(self, "kueue-visibility-cert", services=[VISIBILITY_SERVICE], secret=VISIBILITY_SECRET)

    def _visibility(self, account: Account) -> None:
        """The API of places in a queue, behind the cluster's API server."""
        annotations = self._injected("kueue-visibility-cert") if self._cert_manager else None
        for version in VISIBILITY_VERSIONS:
            name = f"{version}.visibility.kueue.x-k8s.io"
            spec: APIServiceSpec = {
                "group": "visibility.kueue.x-k8s.io",
                "version": version,
                "groupPriorityMinimum": 100,
                "versionPriority": 100,
                "service": {"name": VISIBILITY_SERVICE, "namespace": self.namespace},
            }
            if not self._cert_manager:
                # Kueue signs this server's certificate again at each start and publishes no CA.
                spec["insecureSkipTLSVerify"] = True
            Resource(self, API_SERVICE, name, spec=spec, annotations=annotations, part="after")
            if self._cert_manager:
                self.mutated(Drift("apiregistration.k8s.io/v1", "APIService", name, ("/spec/caBundle",)))
        account.read_authentication(binding="kueue-visibility-server-auth-reader")

    def _network_policies(self) -> None:
        """The API server's ways are open to all, for policies cannot name it; metrics to the cluster."""
        if self.platform.network_policies:
            servers = [settings.WEBHOOK, *([settings.VISIBILITY] if self.config.visibility else [])]
            NetworkPolicy(self, MANAGER, openings=[from_cluster(settings.METRICS), from_everywhere(*servers)])

    @property
    def _cert_manager(self) -> bool:
        return self.config.certificates == "cert-manager"

    def _injected(self, certificate: str) -> dict[str, str]:
        return {INJECT: f"{self.namespace}/{certificate}"}


def container(image: str, mounts: list[VolumeMount]) -> Container:
    """The controller. Memory grows with workloads and, with topologies, with nodes; upstream limits the CPU to two."""
    ports = {"metrics": settings.METRICS, "visibility": settings.VISIBILITY, "webhook-server": settings.WEBHOOK}
    numbered: list[ContainerPort] = [
        {"name": name, "containerPort": number, "protocol": "TCP"} for name, number in ports.items()
    ]
    return {
        "name": "manager",
        "image": image,
        "command": ["/manager"],
        "args": [f"--config=/{settings.FILE}", "--zap-log-level=2"],
        "ports": numbered,
        **Health(settings.HEALTH).probes(),  # type: ignore[typeddict-item]
        "resources": {"requests": {"cpu": "500m", "memory": "512Mi"}, "limits": {"memory": "512Mi"}},
        "securityContext": RESTRICTED,  # upstream's own
        "volumeMounts": mounts,
    }
