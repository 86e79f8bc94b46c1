"""KAI: a scheduler that starts jobs whole or not at all, finds their pods itself, and shares GPUs fairly among queues.

An operator runs its programs, from one object that says how; it makes their accounts, Services and webhooks, and the
certificates of these.
"""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.apis.core.core_v1 import Container
from platform_def.apis.core.rbac_v1 import (
    CLUSTER_ROLE,
    CLUSTER_ROLE_BINDING,
    ROLE,
    ROLE_BINDING,
    PolicyRule,
    RoleRef,
    Subject,
)
from platform_def.apis.core.scheduling_v1 import PRIORITY_CLASS
from platform_def.apis.kai.config_v1 import CONFIG
from platform_def.apis.kai.shard_v1 import SCHEDULING_SHARD
from platform_def.capabilities import BinPacker, GangScheduler, JobQueue
from platform_def.components.queues.kai_scheduler import configuration, metrics, rules
from platform_def.components.queues.kai_scheduler.config import KaiSchedulerConfig
from platform_def.components.queues.kai_scheduler.partition import labels, lease, own, partition_problems
from platform_def.components.queues.kai_scheduler.queues import KaiQueues, queue_problems
from platform_def.components.queues.kai_scheduler.releases import FACTS
from platform_def.config.platform import NamespaceNeed
from platform_def.constructs import (
    KUBERNETES,
    RESTRICTED_LEVEL,
    Alerts,
    Component,
    Crds,
    Dashboards,
    Health,
    LeaderElection,
    NetworkPolicy,
    Offers,
    Operator,
    Problem,
    Resource,
    Setting,
    aggregated,
    env,
    from_cluster,
    from_everywhere,
    from_field,
)

NAME, OPERATOR = configuration.NAME, "kai-operator"
SCHEDULER = f"{NAME}-{configuration.SHARD}"
"""Deployment and Service of the scheduler, and the ConfigMap with its configuration."""
RESERVATION = "kai-resource-reservation"
"""Account of the pods that hold cards."""
GANGS = (
    "JAXJob.kubeflow.org",
    "Job.batch",
    "JobSet.jobset.x-k8s.io",
    "MPIJob.kubeflow.org",
    "PyTorchJob.kubeflow.org",
    "RayCluster.ray.io",
    "RayJob.ray.io",
    "TFJob.kubeflow.org",
    "TrainJob.trainer.kubeflow.org",
    "XGBoostJob.kubeflow.org",
)
"""Kinds whose pods the pod grouper makes gangs of (hub.go at v0.17.0); all other pods it starts one by one."""
PRIORITIES = {"train": 50, "build-preemptible": 75, "build": 100, "inference": 125}
METRICS = 8080
WEBHOOKS = {"admission": 9443, "podgroup-controller": 9443, "queue-controller": 9443}
SECRETS = ("kai-admission-webhook-tls-secret", "podgroup-webhook-tls-secret", "queue-webhook-tls-secret")
"""Certificates, which the operator makes once and for ten years."""


class KaiScheduler(Component[KaiSchedulerConfig]):
    """CRDs, the operator, its settings, and the queues of the stack's teams."""

    pod_security = RESTRICTED_LEVEL
    gives = (GangScheduler, BinPacker, JobQueue)

    @classmethod
    def offers(cls, at: Setting[KaiSchedulerConfig]) -> Offers:
        """The scheduler, the queues of teams, which a label of pods names, and a namespace for pods that hold cards."""
        label, pools = configuration.QUEUE_LABEL, [pool.name for pool in own(at.platform.node_pools)]
        seen = labels(at.config, at.platform)
        gangs = GangScheduler(implementation="kai", scheduler=NAME, kinds=[*GANGS], pools=pools, labels=seen)
        # It counts cards of all its nodes as one number: of one pool's, that is the pool's.
        alone = len(pools) == 1
        queues = JobQueue(implementation="kai", pod_label=label, scheduler=NAME, by_pool=alone, pools=pools)
        packer = (BinPacker(scheduler=NAME, pools=pools),) if at.config.bin_packing else ()
        reserved = NamespaceNeed(at.config.reservation_namespace, "restricted")
        return Offers(capabilities=(gangs, queues, *packer), namespaces=(reserved,))

    @classmethod
    def problems(cls, at: Setting[KaiSchedulerConfig]) -> Iterator[Problem]:
        """Nodes that it cannot know, another scheduler that has them too, and quotas of what it does not count."""
        yield from partition_problems(at)
        if not own(at.platform.node_pools):
            yield from _rivals(at)
        yield from queue_problems(at.name, at.platform)

    def build(self) -> None:
        """Everything that starts gangs."""
        Crds(self)
        self._operator()
        for account, granted in rules.OPERANDS.items():
            self._grant(account, granted)
        self._reservation()
        self._people()
        if self.config.priority_classes:
            for name, value in PRIORITIES.items():
                Resource(self, PRIORITY_CLASS, name, fields={"value": value}, part="classes")
        Resource(self, CONFIG, configuration.CONFIG, spec=configuration.config_spec(self), part="after")
        partition = next(iter(labels(self.config, self.platform).values()), "")
        shard = configuration.shard_spec(self.config, partition)
        Resource(self, SCHEDULING_SHARD, configuration.SHARD, spec=shard, part="after")
        KaiQueues(self, labels(self.config, self.platform))
        self._made()
        metrics.monitor(self, SCHEDULER)
        watched = Alerts(self, [*metrics.alerts(OPERATOR, SCHEDULER)])
        Dashboards(self, [metrics.BOARD], tables=watched.tables)

    def _operator(self) -> None:
        image = self.release.image
        container: Container = {
            "name": "operator",
            "image": image,
            "args": [
                f"--metrics-bind-address=:{METRICS}",
                "--health-probe-bind-address=:8081",
                f"--namespace={self.namespace}",
                "--zap-devel=false",
            ],
            "env": env({"WATCH_NAMESPACE": self.namespace, "POD_NAME": from_field("metadata.name")}),
            "resources": {"requests": {"cpu": "50m", "memory": "128Mi"}, "limits": {"memory": "1Gi"}},
        }
        operator = Operator(
            self,
            OPERATOR,
            container=container,
            rules=rules.OPERATOR,
            own_rules=rules.OPERATOR_HERE,
            leader_election=LeaderElection(lease="41fce092.run.ai"),
            health=Health(8081),
            metrics=METRICS,
            facts=FACTS,
        )
        operator.account.allow_in(self.config.reservation_namespace, rules.OPERATOR_RESERVATION)

    def _grant(self, account: str, granted: tuple[PolicyRule, ...]) -> None:
        """Rights of a program, whose account the operator makes."""
        role, subject = rules.ROLES[account], _subject(account, self.namespace)
        self.makes("ServiceAccount", account)
        Resource(self, CLUSTER_ROLE, role, fields={"rules": [*granted]})
        Resource(
            self, CLUSTER_ROLE_BINDING, role, fields={"roleRef": _role("ClusterRole", role), "subjects": [subject]}
        )
        election = f"{role}-leader-election"
        elects = rules.election(account, lease(self.config, self.platform))
        Resource(self, ROLE, election, fields={"rules": [*elects]})
        Resource(self, ROLE_BINDING, election, fields={"roleRef": _role("Role", election), "subjects": [subject]})

    def _reservation(self) -> None:
        home = self.config.reservation_namespace
        subject = _subject(RESERVATION, home)
        self.makes("ServiceAccount", RESERVATION, namespace=home)
        Resource(self, ROLE, RESERVATION, fields={"rules": [*rules.RESERVATION]}, namespace=home)
        bound = {"roleRef": _role("Role", RESERVATION), "subjects": [subject]}
        Resource(self, ROLE_BINDING, RESERVATION, fields=bound, namespace=home)  # type: ignore[arg-type]

    def _people(self) -> None:
        aggregated(self, "kai-scheduler-editor-role", rules.EDITORS, KUBERNETES, "edit", "admin")
        aggregated(self, "kai-scheduler-viewer-role", rules.VIEWERS, KUBERNETES, "view", "edit", "admin")

    def _made(self) -> None:
        """What the operator makes, as far as others name it or it names others; and who may reach its pods."""
        for name in (*rules.OPERANDS, SCHEDULER):
            if name != "scheduler":
                self.makes("Deployment", name, group="apps")
        for name in SECRETS:
            self.makes("Secret", name)
        if self.platform.network_policies:
            for name in (*(each for each in rules.OPERANDS if each != "scheduler"), SCHEDULER):
                openings = [from_cluster(METRICS)]
                if name in WEBHOOKS:
                    openings.append(from_everywhere(WEBHOOKS[name]))
                NetworkPolicy(self, name, openings=openings, pods={"app": name})


def _rivals(at: Setting[KaiSchedulerConfig]) -> Iterator[Problem]:
    """Another scheduler for all pools."""
    hint = f"keep one of the two, or give KAI some node pools alone: `scheduler: {NAME}`"
    for given in at.platform.all(GangScheduler):
        if given.by != at.name:
            text = f"components.{at.name}: {given.by} starts jobs whole too, and a pod has one scheduler"
            yield Problem(text, hint=hint)
    for queues in at.platform.all(JobQueue):
        if queues.by != at.name and queues.value.implementation != "volcano":
            text = f"components.{at.name}: {queues.by} keeps the queues of teams too, and no pod starts without KAI's"
            yield Problem(text, hint=hint)


def _subject(account: str, namespace: str) -> Subject:
    return {"kind": "ServiceAccount", "name": account, "namespace": namespace}


def _role(kind: str, name: str) -> RoleRef:
    return {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": name}
