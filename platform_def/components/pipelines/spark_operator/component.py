"""Spark operator 2: runs SparkApplications, each a driver that makes its executors, in the namespaces of teams."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

from pydantic import Field

from platform_def.apis.core.core_v1 import SERVICE_ACCOUNT, Container, PodSpec
from platform_def.apis.core.rbac_v1 import ROLE, ROLE_BINDING, PolicyRule, RoleRef, Subject
from platform_def.components.pipelines.spark_driver import DRIVER_RULES
from platform_def.components.pipelines.spark_operator import rules
from platform_def.components.pipelines.spark_operator.releases import (
    BOARD,
    CONTROLLER,
    FACTS,
    RELEASES,
    RULES,
    WEBHOOK,
)
from platform_def.config.model import Name
from platform_def.constructs import (
    RESTRICTED_LEVEL,
    AdmissionServer,
    Alerts,
    CertificateChoice,
    Component,
    Crds,
    Dashboards,
    Health,
    Hook,
    LeaderElection,
    Need,
    Operator,
    PeopleRoles,
    PodSettings,
    Release,
    Resource,
    Setting,
    allow,
    mounts,
    port,
    rule,
    scratch,
)

DRIVER = "spark-operator-spark"
"""Account under which drivers run, and its role."""
SECRET, FOLDER = "spark-operator-webhook-certs", "/etc/k8s-webhook-server/serving-certs"
VOLCANO = "PodGroup.scheduling.volcano.sh"


class SparkOperatorConfig(CertificateChoice):
    """What a stack may choose about the Spark operator."""

    releases = RELEASES

    namespace: Name = "spark-operator"
    """Namespace of the operator, upstream's."""
    program_namespaces: list[Name] | None = None
    """Namespaces in which programs run; by default those of all teams. The operator has rights there only; in a stack
    without either it has them everywhere."""
    threads: Annotated[int, Field(ge=1, le=100)] = 10
    """Programs that are submitted at once; each submission is a Java process for some seconds."""
    ui_service: bool = True
    """Make a Service for the pages of each program's driver."""
    quotas: bool = False
    """Refuse a program that its namespace's ResourceQuota has no room for when it is made."""


class SparkOperator(Component[SparkOperatorConfig, Release]):
    """CRDs, controller, webhook, accounts of drivers, and roles for people who write programs."""

    pod_security = RESTRICTED_LEVEL

    @classmethod
    def needs_of(cls, at: Setting[SparkOperatorConfig]) -> tuple[Need[Any], ...]:
        """cert-manager, where it makes the certificate."""
        return at.config.certificate_needs

    @property
    def homes(self) -> list[str]:
        """Namespaces in which programs run; none: all."""
        chosen = self.config.program_namespaces
        return [team.home for team in self.platform.teams] if chosen is None else chosen

    def build(self) -> None:
        """Everything that runs programs."""
        Crds(self)
        self._controller()
        self._webhook()
        for home in self.homes:
            self._driver(home)
        PeopleRoles(self, name="spark")
        Dashboards(self, [BOARD], tables=Alerts(self, RULES).tables)

    def _controller(self) -> None:
        volcano = self.platform.serves(VOLCANO)
        if volcano:
            self.awaits(VOLCANO)
        granted = [*rules.PROGRAMS, *rules.INGRESS, *(rules.VOLCANO if volcano else ())]
        arguments = [
            "controller",
            "start",
            *self._common(CONTROLLER),
            f"--controller-threads={self.config.threads}",
            f"--enable-ui-service={str(self.config.ui_service).lower()}",
            "--workqueue-ratelimiter-bucket-qps=50",
            "--workqueue-ratelimiter-bucket-size=500",
            "--workqueue-ratelimiter-max-delay=6h",
            *(["--enable-batch-scheduler=true"] if volcano else []),
        ]
        container: Container = {
            "name": CONTROLLER,
            "image": self.release.image,
            "args": arguments,
            # Each submission is a Java process of some 200 MiB.
            "resources": {"requests": {"cpu": "200m", "memory": "512Mi"}, "limits": {"memory": "4Gi"}},
            "volumeMounts": mounts({"tmp": "/tmp"}),  # noqa: S108 - in the container
        }
        pod: PodSpec = {"securityContext": {"fsGroup": 185}, "volumes": scratch("tmp"), "containers": []}
        operator = Operator(
            self,
            CONTROLLER,
            container=container,
            rules=rules.EVERYWHERE if self.homes else [*rules.EVERYWHERE, *granted],
            own_rules=(allow("", "events", verbs="create patch update"),),
            leader_election=election(CONTROLLER),
            health=Health(8081),
            metrics=port("metrics", 8080),
            facts=FACTS,
            pod=PodSettings(pod),
        )
        self._where_programs_run(operator.name, granted)

    def _webhook(self) -> None:
        own = self.config.certificates == "own"
        container: Container = {
            "name": WEBHOOK,
            "image": self.release.image,
            "args": [
                "webhook",
                "start",
                *self._common(WEBHOOK),
                f"--webhook-cert-dir={FOLDER}",
                f"--webhook-secret-name={SECRET}",
                f"--webhook-secret-namespace={self.namespace}",
                f"--webhook-svc-name={WEBHOOK}-svc",
                f"--webhook-svc-namespace={self.namespace}",
                "--webhook-port=9443",
                f"--mutating-webhook-name={WEBHOOK}",
                f"--validating-webhook-name={WEBHOOK}",
                *([] if own else ["--enable-cert-manager=true"]),
                *(["--enable-resource-quota-enforcement=true"] if self.config.quotas else []),
            ],
            "resources": {"requests": {"cpu": "20m", "memory": "64Mi"}, "limits": {"memory": "512Mi"}},
            # It reads the Secret itself and writes what it serves into a folder of its own.
            "volumeMounts": mounts({"serving-certs": FOLDER}),
        }
        pod: PodSpec = {"securityContext": {"fsGroup": 185}, "volumes": scratch("serving-certs"), "containers": []}
        configurations = rules.CONFIGURATIONS if own else ()
        operator = Operator(
            self,
            WEBHOOK,
            container=container,
            rules=[*configurations, *(() if self.homes else rules.ADMITTED)],
            own_rules=(
                allow("", "events", verbs="create patch update"),
                *((allow("", "secrets", verbs="create"),) if own else ()),
                allow("", "secrets", verbs="get update" if own else "get", names=SECRET),
            ),
            leader_election=election(WEBHOOK),
            health=Health(8081),
            metrics=port("metrics", 8080),
            webhook=self._admission(),
            facts=FACTS,
            pod=PodSettings(pod),
        )
        self._where_programs_run(operator.name, rules.ADMITTED)

    def _common(self, name: str) -> Iterator[str]:
        """Flags that both programs have."""
        if self.homes:
            yield f"--namespaces={','.join(self.homes)}"
        yield "--zap-log-level=info"
        yield "--enable-metrics=true"
        yield "--metrics-bind-address=:8080"
        yield "--metrics-labels=app_type"
        yield f"--leader-election-lock-name={name}-lock"
        yield f"--leader-election-lock-namespace={self.namespace}"

    def _admission(self) -> AdmissionServer:
        return AdmissionServer(
            mutating=[
                Hook(
                    name="mutate--v1-pod.sparkoperator.k8s.io",
                    path="/mutate--v1-pod",
                    rules=[rule("", "v1", "pods", "CREATE")],
                    object_selector={"matchLabels": {"sparkoperator.k8s.io/launched-by-spark-operator": "true"}},
                ),
                *hooks("mutate"),
            ],
            validating=hooks("validate"),
            secret=SECRET,
            trust=self.config.certificates,
            certificate="spark-operator-serving",
            configuration=WEBHOOK,
            folder="/etc/k8s-webhook-server/secret",
            port=port("webhook", 9443),
            service=f"{WEBHOOK}-svc",
        )

    def _where_programs_run(self, account: str, granted: Sequence[PolicyRule]) -> None:
        """A role for each program in each namespace with programs."""
        for home in self.homes:
            self._granted(f"{account}-programs", account, self.namespace, home, granted)

    def _driver(self, home: str) -> None:
        """The account of drivers in a namespace."""
        Resource(self, SERVICE_ACCOUNT, DRIVER, namespace=home, fields={})
        self._granted(DRIVER, DRIVER, home, home, DRIVER_RULES)

    def _granted(self, role: str, account: str, of: str, home: str, granted: Sequence[PolicyRule]) -> None:
        Resource(self, ROLE, role, namespace=home, fields={"rules": [*granted]})
        reference: RoleRef = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": role}
        subject: Subject = {"kind": "ServiceAccount", "name": account, "namespace": of}
        Resource(self, ROLE_BINDING, role, namespace=home, fields={"roleRef": reference, "subjects": [subject]})


def election(name: str) -> LeaderElection:
    """How pods of one of the two programs agree who works."""
    return LeaderElection(flag="--leader-election=true", lease=f"{name}-lock")


def hooks(verb: str) -> list[Hook]:
    """The webhooks for programs."""
    kinds = (("v1beta2", "sparkapplication"), ("v1beta2", "scheduledsparkapplication"), ("v1alpha1", "sparkconnect"))
    return [
        Hook(
            name=f"{verb}-sparkoperator-k8s-io-{version}-{kind}.sparkoperator.k8s.io",
            path=f"/{verb}-sparkoperator-k8s-io-{version}-{kind}",
            rules=[rule(rules.GROUP, version, f"{kind}s", "CREATE UPDATE")],
        )
        for version, kind in kinds
    ]
