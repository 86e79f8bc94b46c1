"""Kueue: jobs wait in queues until their team's quota, or what others leave idle, has room for all of their pods."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, cast

from platform_def.apis.core.core_v1 import Container, ContainerPort
from platform_def.apis.core.meta_v1 import LabelSelector
from platform_def.apis.core.rbac_v1 import CLUSTER_ROLE, PolicyRule
from platform_def.apis.kueue import PRIORITY_LABEL, QUEUE_LABEL
from platform_def.capabilities import JobQueue
from platform_def.components.queues.kueue import configuration as settings
from platform_def.components.queues.kueue import metrics, rules, webhooks
from platform_def.components.queues.kueue.config import KueueConfig
from platform_def.components.queues.kueue.frameworks import FRAMEWORKS, Framework, queued
from platform_def.components.queues.kueue.neighbours import taken_in
from platform_def.components.queues.kueue.queues import KueueQueues, levels_of, managed
from platform_def.config.pools import common, offered
from platform_def.config.queues import shares as division
from platform_def.config.teams import with_rooms
from platform_def.constructs import (
    KUBERNETES,
    RESTRICTED,
    RESTRICTED_LEVEL,
    Account,
    AccountNames,
    AdmissionServer,
    Alerts,
    Component,
    ConfigFile,
    Crds,
    Dashboards,
    Definition,
    Drift,
    Health,
    LeaderElection,
    MetricsEndpoint,
    Need,
    Offers,
    Operator,
    PodSettings,
    Problem,
    Release,
    Resource,
    Setting,
    aggregated,
    port,
)
from platform_def.constructs.aggregated_api import AggregatedApi
from platform_def.constructs.certificate import INJECT
from platform_def.constructs.endpoints import MountedCertificate
from platform_def.errors import nearest

MANAGER = "kueue-controller-manager"
METRICS_SERVICE, VISIBILITY_SERVICE, WEBHOOK_SERVICE = (
    "kueue-controller-manager-metrics-service",
    "kueue-visibility-server",
    "kueue-webhook-service",
)
WEBHOOK_SECRET = "kueue-webhook-server-cert"  # noqa: S105 - the name of a Secret that Kueue, or cert-manager, writes
METRICS_CERTIFICATE = MountedCertificate(
    name="kueue-metrics-cert",
    secret="kueue-metrics-server-cert",  # noqa: S106 - a name
    folder="/etc/kueue/metrics/certs",
    volume="metrics-certs",
)
CONFIGURATIONS = "kueue-{}-webhook-configuration"
"""Names of the webhook configurations; Kueue derives them from the Service's, so that it finds them itself."""


class Kueue(Component[KueueConfig, Release]):
    """CRDs, controller with webhooks and visibility server, and the queues of the stack's teams."""

    pod_security = RESTRICTED_LEVEL
    gives = (JobQueue,)

    @classmethod
    def needs_of(cls, at: Setting[KueueConfig]) -> tuple[Need[Any], ...]:
        """cert-manager, where it makes the certificates."""
        return at.config.certificate_needs

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
        for queue in division(at.platform.teams, at.platform.node_pools).queues:
            if queue.below and queue.share == at.config.cohort:
                text = f"cohort: what {queue.name} and its members share is called {queue.share} too"
                yield Problem(text, hint="give the cohort of all teams another name")
        queues = {team.queue for team in with_rooms(at.platform.teams) if team.queue}
        for name in sorted(at.config.weights.keys() - queues):
            hint = nearest(name, queues) or "a team names its queue with `queue:`"
            yield Problem(f"weights: no team has the queue '{name}'", hint=hint)

    def build(self) -> None:
        """Everything that queues jobs."""
        self._definitions()
        self._manager()
        self._remote()
        self._people()
        KueueQueues(self, self.config)
        self._observed()

    @property
    def frameworks(self) -> tuple[Framework, ...]:
        """Kinds that wait."""
        return queued(self.config.integrations, self.platform)

    @property
    def managed(self) -> LabelSelector:
        """Namespaces whose jobs wait: of teams with a queue; without any, all but the platform's own."""
        homes = {team.home for team in with_rooms(self.platform.teams) if team.queue} | {*self.config.namespaces}
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
        inject = {} if self._own_certificates else {INJECT: f"{self.namespace}/kueue-serving-cert"}
        moved = replace(definition.conversion, namespace=self.namespace)
        return replace(definition, conversion=moved, annotations={**definition.annotations, **inject})

    def _manager(self) -> None:
        manager = Operator(
            self,
            MANAGER,
            container=container(self.release.image),
            rules=[*self._rules()],
            names=AccountNames(role="kueue-manager-role", own_role="kueue-manager-secrets-role"),
            own_rules=rules.SECRETS,
            leader_election=LeaderElection(
                flag="", lease=settings.LEASE, always=True, role="kueue-leader-election-role"
            ),
            health=Health(settings.HEALTH),
            metrics=MetricsEndpoint(
                port=port("https", settings.METRICS),
                service=METRICS_SERVICE,
                role="kueue-metrics-auth-role",
                reader="kueue-metrics-reader",
                certificate=None if self._own_certificates else METRICS_CERTIFICATE,
                honor_labels=True,
            ),
            config_file=ConfigFile(name="kueue-manager-config", content=self._configuration()),
            webhook=self._webhook(),
            api=self._visibility() if self.config.visibility else None,
            pod=PodSettings({"containers": [], "terminationGracePeriodSeconds": 10}, mesh="namespace"),
        )
        manager.account.allow_in(self.namespace, rules.PROFILES, role="kueue-manager-clusterprofiles-role")

    def _rules(self) -> Iterator[PolicyRule]:
        yield from rules.CONTROLLER
        for each in self.frameworks:
            yield from each.rules()
        if self.config.visibility:
            yield from rules.VISIBILITY
        if self._own_certificates:
            yield from rules.certificates(CONFIGURATIONS, [each.name for each in self.served if each.conversion])

    def _remote(self) -> None:
        """The account of another cluster's Kueue; who runs that one makes its token and its kubeconfig."""
        if self.config.worker_account:
            account = Account(self, self.config.worker_account)
            account.allow(rules.remote(self.frameworks), role=f"kueue-{self.config.worker_account}-role")

    def _people(self) -> None:
        aggregated(self, "kueue-batch-user-role", rules.users(self.frameworks), KUBERNETES, "edit", "admin")
        Resource(self, CLUSTER_ROLE, "kueue-batch-admin-role", fields={"rules": [*rules.ADMINS]})

    def _configuration(self) -> dict[str, Any]:
        return settings.configuration(
            self.config,
            namespace=self.namespace,
            frameworks=self.frameworks,
            managed=self.managed,
            unnamed=self.config.takes_unnamed(self.platform.node_pools),
            service=WEBHOOK_SERVICE,
            secret=WEBHOOK_SECRET,
        )

    def _observed(self) -> None:
        """Alerts and dashboards; the quota and use of queues has a switch of its own."""
        quotas = self.config.queue_metrics
        tables = [metrics.QUEUE_METRICS] if quotas else []
        divided = division(self.platform.teams, self.platform.node_pools)
        shares = [queue.share for queue in divided.queues if queue.below]
        said = metrics.alerts(METRICS_SERVICE, quotas=quotas, shares=shares)
        Alerts(self, [*said], tables=[*tables, *([metrics.COHORT_METRICS] if shares else [])])
        Dashboards(self, [*metrics.dashboards(quotas=quotas)], tables=tables)

    def _webhook(self) -> AdmissionServer:
        return AdmissionServer(
            validating=webhooks.validating(self.frameworks, self.managed),
            mutating=webhooks.mutating(self.frameworks, self.managed),
            secret=WEBHOOK_SECRET,
            trust=self.config.certificates,
            certificate="kueue-serving-cert",
            configuration=(CONFIGURATIONS.format("validating"), CONFIGURATIONS.format("mutating")),
            port=port("https", 443, settings.WEBHOOK),
            service=WEBHOOK_SERVICE,
        )

    def _visibility(self) -> AggregatedApi:
        """The API of places in a queue; Kueue signs its certificate again at each start and publishes no CA."""
        return AggregatedApi(
            group="visibility.kueue.x-k8s.io",
            versions=("v1beta1", "v1beta2"),
            port=port("https", 443, settings.VISIBILITY),
            service=VISIBILITY_SERVICE,
            binding="kueue-visibility-server-auth-reader",
            certificate=MountedCertificate(
                name="kueue-visibility-cert",
                secret="kueue-visibility-server-cert",  # noqa: S106 - a name
                folder="/visibility",
                volume="visibility",
                signed=not self._own_certificates,
            ),
        )

    @property
    def _own_certificates(self) -> bool:
        return self.config.certificates == "own"


def container(image: str) -> Container:
    """The controller. Memory grows with workloads and, with topologies, with nodes; upstream limits the CPU to two."""
    ports = {"metrics": settings.METRICS, "visibility": settings.VISIBILITY, "webhook-server": settings.WEBHOOK}
    numbered: list[ContainerPort] = [
        {"name": name, "containerPort": number, "protocol": "TCP"} for name, number in ports.items()
    ]
    return {
        "name": "manager",
        "image": image,
        "command": ["/manager"],
        "args": ["--config=/controller_manager_config.yaml", "--zap-log-level=2"],
        "ports": numbered,
        "resources": {"requests": {"cpu": "500m", "memory": "512Mi"}, "limits": {"memory": "512Mi"}},
        "securityContext": RESTRICTED,  # upstream's own
    }
