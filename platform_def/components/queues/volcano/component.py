"""Volcano: a scheduler that starts jobs whole or not at all, fills nodes one by one, and keeps the teams' queues."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from platform_def.apis.core.core_v1 import Container, PodSpec, Probe, Volume
from platform_def.apis.core.rbac_v1 import CLUSTER_ROLE, PolicyRule
from platform_def.capabilities import BinPacker, CertificateIssuer, GangScheduler, JobQueue
from platform_def.components.queues.volcano import rules, scheduling, webhooks, words
from platform_def.components.queues.volcano.config import VolcanoConfig
from platform_def.components.queues.volcano.metrics import BOARD, EXPORTED, alerts
from platform_def.components.queues.volcano.queues import VolcanoQueues, queue_problems
from platform_def.components.queues.volcano.releases import FACTS, SIGNER_FACTS
from platform_def.constructs import (
    KUBERNETES,
    RESTRICTED_LEVEL,
    Account,
    Alerts,
    Component,
    Crds,
    Dashboards,
    Deployment,
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
    Webhooks,
    aggregated,
    config_map,
    env,
    from_cluster,
    from_everywhere,
    http_probe,
    need,
    port,
    secured,
    tcp_probe,
    yaml_file,
)
from platform_def.constructs.workloads.jobs import Job

NAME = words.SCHEDULER.word
"""Name that pods ask for, and that the training operator knows it by."""
SCHEDULER, CONTROLLERS, ADMISSION, SIGNER = (
    "volcano-scheduler",
    "volcano-controllers",
    "volcano-admission",
    "volcano-admission-init",
)
SECRET = "volcano-admission-secret"  # noqa: S105 - the name of a Secret
SCHEDULER_CONFIG, CONTROLLERS_CONFIG = "volcano-scheduler-configmap", "volcano-controller-configmap"
SCHEDULER_FOLDER, SOCKETS, CERTIFICATES = (
    "/volcano.scheduler",
    "/tmp/klog-socks",  # noqa: S108 - in the container
    "/admission.local.config/certificates",
)
CONTROLLERS_FILE = "volcano-controller.conf"
HEALTH, WEBHOOK = 11251, 8443
METRICS = {SCHEDULER: 8080, CONTROLLERS: 8081}
SCHEDULER_SERVICE, CONTROLLERS_SERVICE = "volcano-scheduler-service", "volcano-controllers-service"
LEASES = {SCHEDULER: NAME, CONTROLLERS: "vc-controller-manager"}
"""Leases by program, compiled into each."""
YEARS = 10
"""How long the certificate is good: the server reads it when it starts, and never again."""
QUEUE_ANNOTATION = "scheduling.volcano.sh/queue-name"
ROOT, DEFAULT = "root", "default"
"""Queues that the scheduler makes; the webhook refuses to have them deleted, so no team may use these names."""


class Volcano(Component[VolcanoConfig, Release]):
    """CRDs, scheduler, controllers and admission webhooks, and the queues of the stack's teams."""

    pod_security = RESTRICTED_LEVEL
    gives = (GangScheduler, BinPacker, JobQueue)

    @classmethod
    def needs_of(cls, at: Setting[VolcanoConfig]) -> tuple[Need[Any], ...]:
        """cert-manager, unless a Job makes the certificate."""
        return (need(CertificateIssuer),) if at.config.certificates == "cert-manager" else ()

    @classmethod
    def offers(cls, at: Setting[VolcanoConfig]) -> Offers:
        """The scheduler, and the queues of teams, which a PodGroup or an annotation of pods names."""
        queues = JobQueue(implementation="volcano", annotation=QUEUE_ANNOTATION, scheduler=NAME, by_pool=False)
        gangs = GangScheduler(implementation="volcano", scheduler=NAME)
        packer = (BinPacker(scheduler=NAME),) if at.config.bin_packing.enabled else ()
        return Offers(capabilities=(gangs, queues, *packer))

    @classmethod
    def problems(cls, at: Setting[VolcanoConfig]) -> Iterator[Problem]:
        """Another component that keeps the teams' queues: a job would have to be admitted twice."""
        used = at.platform.uses.get(JobQueue.kind())
        for other in at.platform.all(JobQueue):
            if other.by == at.name or used == other.by or not other.value.of_all_pools:
                continue
            text = f"components.{at.name}: {other.by} keeps the queues of teams too"
            hint = f"say `uses: {{jobQueue: {other.by}}}`: {at.name} starts whole what {other.by} lets in; or keep one"
            yield Problem(text, hint=hint)
        if used in (None, at.name):
            yield from queue_problems(at.name, at.platform, weighed=at.config.quotas == "proportion")

    def build(self) -> None:
        """Everything that starts gangs."""
        Crds(self)
        self._scheduler()
        self._controllers()
        watched = Alerts(self, alerts(SCHEDULER_SERVICE, CONTROLLERS_SERVICE), tables=[EXPORTED])
        Dashboards(self, [BOARD], tables=watched.tables)
        self._admission()
        self._people()
        if self.keeps_queues:
            VolcanoQueues(self, weighed=self.config.quotas == "proportion")

    @property
    def keeps_queues(self) -> bool:
        """Whether the queues of teams are its own."""
        queues = self.maybe(JobQueue)
        return queues is not None and queues.by == self.name

    def _scheduler(self) -> None:
        account = self._account(SCHEDULER, rules.SCHEDULER)
        pools = self.platform.node_pools
        # The scheduler watches its file: a change takes effect without a restart.
        below = self.keeps_queues and any(room.queue for team in self.platform.teams for room in team.rooms)
        said = scheduling.configuration(self.config, pools, below=below)
        config_map(self, SCHEDULER_CONFIG, {scheduling.FILE: yaml_file(said)})
        for name in (ROOT, DEFAULT):
            self.makes("Queue", name, group="scheduling.volcano.sh", namespace="")
        container: Container = {
            "name": SCHEDULER,
            "image": self.release.image,
            "args": [
                f"--scheduler-conf={SCHEDULER_FOLDER}/{scheduling.FILE}",
                # Otherwise a file that it cannot read would mean upstream's defaults: no packing, other quotas.
                "--disable-default-scheduler-config=true",
                f"--schedule-period={self.config.schedule_period_seconds}s",
                f"--cache-dump-dir={SOCKETS}",
                *self._common(SCHEDULER),
            ],
            "env": env({"DEBUG_SOCKET_DIR": SOCKETS}),
            "volumeMounts": [
                {"name": "scheduler-config", "mountPath": SCHEDULER_FOLDER, "readOnly": True},
                {"name": "klog-sock", "mountPath": SOCKETS},
            ],
            # Memory grows with nodes and pods, of which it keeps all in view; upstream sets nothing.
            "resources": {"requests": {"cpu": "200m", "memory": "256Mi"}, "limits": {"memory": "2Gi"}},
        }
        volumes: list[Volume] = [
            {"name": "scheduler-config", "configMap": {"name": SCHEDULER_CONFIG}},
            {"name": "klog-sock", "emptyDir": {}},
        ]
        self._program(account, container, volumes, service=SCHEDULER_SERVICE)

    def _controllers(self) -> None:
        account = self._account(CONTROLLERS, rules.CONTROLLERS)
        config_map(
            self, CONTROLLERS_CONFIG, {CONTROLLERS_FILE: yaml_file(scheduling.discovery(self.platform.node_pools))}
        )
        container: Container = {
            "name": CONTROLLERS,
            "image": self.release.images["controllers"],
            "args": ["--worker-threads-for-gc=5", *self._common(CONTROLLERS)],
            # By these it finds its ConfigMap.
            "env": env({"KUBE_POD_NAMESPACE": self.namespace, "HELM_RELEASE_NAME": NAME}),
            "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory": "1Gi"}},
        }
        self._program(account, container, [], service=CONTROLLERS_SERVICE)

    def _account(self, name: str, granted: tuple[PolicyRule, ...]) -> Account:
        account = Account(self, name)
        Resource(self, CLUSTER_ROLE, name, fields={"rules": [*granted]})
        account.bind(name, binding=f"{name}-role")
        # Always on: during an update two at work would give one device twice.
        election = LeaderElection(lease=LEASES[name], always=True)
        return account.allow_in(self.namespace, election.rules(), role=f"{name}-leader-election")

    def _common(self, name: str) -> list[str]:
        return [
            "--leader-elect=true",
            f"--leader-elect-resource-namespace={self.namespace}",
            "--enable-healthz=true",
            "--enable-metrics=true",
            f"--listen-address=:{METRICS[name]}",
            "-v=3",
        ]

    def _program(self, account: Account, container: Container, volumes: list[Volume], *, service: str) -> None:
        """One of the two that lead: its pods, its metrics."""
        name, number = account.name, METRICS[account.name]
        made: Container = {
            **container,
            "ports": [{"name": "metrics", "containerPort": number}, {"name": "healthz", "containerPort": HEALTH}],
            **_health(HEALTH, "HTTP"),  # type: ignore[typeddict-item]
            "securityContext": secured(FACTS),
        }
        Deployment(self, name, pod=_pod(account.name, made, volumes), ha_replicas=2)
        Service(self, service, ports=[port("metrics", number)], workload=name).monitor("metrics")
        if self.platform.network_policies:
            NetworkPolicy(self, name, openings=[from_cluster(number)])

    def _admission(self) -> None:
        """The webhooks' server, which writes the authority of its certificate into their configurations itself."""
        mutating, validating = [*webhooks.configurations("mutate")], [*webhooks.configurations("validate")]
        account = Account(self, ADMISSION)
        Resource(
            self, CLUSTER_ROLE, ADMISSION, fields={"rules": [*rules.ADMISSION, *rules.trust(mutating, validating)]}
        )
        account.bind(ADMISSION, binding=f"{ADMISSION}-role")
        self._certificate()
        container: Container = {
            "name": "admission",
            "image": self.release.images["admission"],
            "args": [
                f"--enabled-admission={','.join(each.path for each in webhooks.ADMITTED)}",
                f"--tls-cert-file={CERTIFICATES}/tls.crt",
                f"--tls-private-key-file={CERTIFICATES}/tls.key",
                f"--ca-cert-file={CERTIFICATES}/ca.crt",
                f"--webhook-namespace={self.namespace}",
                f"--webhook-service-name={webhooks.SERVICE}",
                f"--port={WEBHOOK}",
                "--enable-healthz=true",
                "-v=3",
            ],
            "ports": [{"name": "webhook", "containerPort": WEBHOOK}],
            **_health(HEALTH, "HTTPS"),  # type: ignore[typeddict-item]
            "readinessProbe": tcp_probe(WEBHOOK, period=5),
            "volumeMounts": [{"name": "admission-certs", "mountPath": CERTIFICATES, "readOnly": True}],
            "resources": {"requests": {"cpu": "50m", "memory": "64Mi"}, "limits": {"memory": "512Mi"}},
            "securityContext": secured(FACTS),
        }
        volumes: list[Volume] = [{"name": "admission-certs", "secret": {"secretName": SECRET, "defaultMode": 0o644}}]
        Deployment(self, ADMISSION, pod=_pod(ADMISSION, container, volumes), ha_replicas=2)
        Service(self, webhooks.SERVICE, ports=[port("webhook", 443, WEBHOOK)], workload=ADMISSION)
        spared = webhooks.beside(self.namespace)
        for each in webhooks.ADMITTED:
            Webhooks(
                self,
                each.configuration,
                kind="mutating" if each.verb == "mutate" else "validating",
                service=webhooks.SERVICE,
                hooks=[each.hook(spared)],
            )
        if self.platform.network_policies:
            NetworkPolicy(self, ADMISSION, openings=[from_everywhere(WEBHOOK)])

    def _certificate(self) -> None:
        if self.config.certificates == "cert-manager":
            ServingCertificate(
                self, "volcano-admission", services=[webhooks.SERVICE], secret=SECRET, valid_hours=YEARS * 365 * 24
            )
            return
        Account(self, SIGNER).allow_in(self.namespace, rules.SIGNER)
        self.makes("Secret", SECRET)
        made = f"./gen-admission-secret.sh --service {webhooks.SERVICE} --namespace {self.namespace} --secret {SECRET}"
        container: Container = {
            "name": "main",
            "image": self.release.images["admission"],
            # Upstream's script would replace a certificate that servers hold in memory: it may run once alone.
            "command": ["sh", "-c", f"kubectl get secret {SECRET} -n {self.namespace} || {made}"],
            "env": env({"HOME": "/tmp"}),  # noqa: S108 - in the container
            "securityContext": secured(SIGNER_FACTS),
            "resources": {"requests": {"cpu": "50m", "memory": "64Mi"}, "limits": {"memory": "256Mi"}},
        }
        pod: PodSpec = {"serviceAccountName": SIGNER, "restartPolicy": "Never", "containers": [container]}
        Job(self, SIGNER, pod=pod, hashed=True, extra_spec={"backoffLimit": 3})

    def _people(self) -> None:
        aggregated(self, "vcjob-editor-role", rules.EDITORS, KUBERNETES, "edit", "admin")
        aggregated(self, "vcjob-viewer-role", rules.VIEWERS, KUBERNETES, "view", "edit", "admin")


def _health(number: int, scheme: str) -> dict[str, Probe]:
    """Where each of the programs says that it lives; it says so before it leads, or has read anything."""
    probe = http_probe("/healthz", number, scheme="HTTPS" if scheme == "HTTPS" else "", delay=15, period=20)
    return {"livenessProbe": probe, "readinessProbe": http_probe("/healthz", number, period=10)}


def _pod(account: str, container: Container, volumes: list[Volume]) -> PodSpec:
    made: PodSpec = {
        "serviceAccountName": account,
        "priorityClassName": "system-cluster-critical",
        "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
        "containers": [container],
    }
    if volumes:
        made["volumes"] = volumes
    return made
