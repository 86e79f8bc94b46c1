"""LeaderWorkerSet: groups of a leader and its workers as one replica, and DisaggregatedSets made of such groups."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from platform_def.apis.core.core_v1 import Container
from platform_def.apis.core.meta_v1 import LabelSelector
from platform_def.apis.core.rbac_v1 import PolicyRule
from platform_def.capabilities import GangScheduler
from platform_def.components.training.gangs import gang_scheduler, of_others, pod_groups, renamed
from platform_def.config.model import Name
from platform_def.constructs import (
    APACHE,
    CONTROLLER_RUNTIME,
    READ,
    RESTRICTED_LEVEL,
    WRITE,
    AccountNames,
    AdmissionServer,
    Alerts,
    CertificateChoice,
    Component,
    ConfigFile,
    Crds,
    Health,
    Hook,
    ImageFacts,
    LeaderElection,
    MetricsEndpoint,
    Need,
    Operator,
    PeopleRoles,
    Problem,
    Release,
    Setting,
    allow,
    controller_alerts,
    grants,
    port,
    releases,
    rule,
)

# Compiled against Kubernetes 1.36; the APIs that it calls are there since 1.25.
RELEASES = releases(
    Release("0.10.0", kubernetes="1.29-1.37", image="registry.k8s.io/lws/lws:v0.10.0", exports=(CONTROLLER_RUNTIME,)),
    license=APACHE,
)
MANAGER, METRICS_SERVICE = "lws-controller-manager", "lws-controller-manager-metrics-service"
WEBHOOK_SERVICE, WEBHOOK_SECRET = "lws-webhook-service", "lws-webhook-server-cert"
LEASE = "b8b2488c.x-k8s.io"
"""Its default."""
RULES = (
    allow("", "events", verbs="create get list patch update watch"),
    allow("events.k8s.io", "events", verbs="create get list patch update watch"),
    allow("", "nodes", verbs=f"{READ} patch update"),
    allow("", "pods services", verbs=WRITE),
    allow("", "pods/finalizers", verbs="update"),
    allow("apps", "controllerrevisions statefulsets", verbs=WRITE),
    allow("apps", "controllerrevisions/status statefulsets/status", verbs="get patch update"),
    allow("apps", "controllerrevisions/finalizers statefulsets/finalizers", verbs="update"),
)
OWN_CERTIFICATE = (
    allow("", "secrets", verbs=f"{READ} update"),  # it looks for Secrets in all namespaces
    allow(
        "admissionregistration.k8s.io",
        "mutatingwebhookconfigurations validatingwebhookconfigurations",
        verbs=f"{READ} update",
    ),
)
"""It writes its certificate, and the authority of that into its webhooks."""
POD_GROUPS = allow("scheduling.volcano.sh", "podgroups", verbs="create get list watch")
OF_SETS: LabelSelector = {"matchExpressions": [{"key": "leaderworkerset.sigs.k8s.io/name", "operator": "Exists"}]}
"""Pods of a LeaderWorkerSet: the controller labels them."""
FACTS = ImageFacts(runs_as=65532, read_only=True, source="Dockerfile and config/manager at v0.10.0")


class LwsConfig(CertificateChoice):
    """What a stack may choose about LeaderWorkerSet."""

    releases = RELEASES

    namespace: Name = "lws-system"
    """Namespace of the controller, upstream's."""
    gang_scheduler: Literal["none", "volcano"] | None = None
    """Who starts all pods of a group together; by default the stack's Volcano, if it has one."""


class Lws(Component[LwsConfig, Release]):
    """CRDs, controller with its webhooks, and roles for people who write LeaderWorkerSets."""

    pod_security = RESTRICTED_LEVEL

    @classmethod
    def needs_of(cls, at: Setting[LwsConfig]) -> tuple[Need[Any], ...]:
        """cert-manager, where it makes the certificate."""
        return at.config.certificate_needs

    @classmethod
    def problems(cls, at: Setting[LwsConfig]) -> Iterator[Problem]:
        """A Volcano under another name than the groups' pods ask for; pools with a scheduler of their own."""
        gang = gang_scheduler(at, at.config.gang_scheduler, known=("volcano",))
        yield from renamed(at, gang, {})
        yield from of_others(at, gang, takes=())

    @property
    def gang(self) -> GangScheduler | None:
        """Who starts all pods of a group together."""
        return gang_scheduler(self.setting, self.config.gang_scheduler, known=("volcano",))

    def build(self) -> None:
        """Everything that serves LeaderWorkerSets and DisaggregatedSets."""
        Crds(self)
        self.awaits(*pod_groups(self.setting, self.gang))
        Operator(
            self,
            MANAGER,
            container=container(self.release.image),
            rules=[*self._rules()],
            names=AccountNames(role="lws-manager-role"),
            leader_election=LeaderElection(flag="", lease=LEASE, always=True, role="lws-leader-election-role"),
            ha_replicas=2,
            health=Health(8081),
            metrics=MetricsEndpoint(
                port=port("https", 8443), service=METRICS_SERVICE, role="lws-proxy-role", reader="lws-metrics-reader"
            ),
            config_file=ConfigFile(name="lws-manager-config", content=self.configuration()),
            webhook=self._webhook(),
            facts=FACTS,
        )
        PeopleRoles(self)
        Alerts(self, [*controller_alerts(METRICS_SERVICE)])

    def _rules(self) -> Iterator[PolicyRule]:
        yield from RULES
        yield from grants(self.served, WRITE)
        yield from grants(self.served, "get patch update", "status")
        owning = [each for each in self.served if each.api.kind != "DisaggregatedSetRoleScaler"]
        yield from grants(owning, "update", "finalizers")
        if self.config.certificates == "own":
            yield from OWN_CERTIFICATE
        if self.gang:
            yield POD_GROUPS

    def configuration(self) -> dict[str, object]:
        """`config.lws.x-k8s.io/v1alpha1`; what it leaves out is the program's default."""
        own = self.config.certificates == "own"
        names = {"webhookServiceName": WEBHOOK_SERVICE, "webhookSecretName": WEBHOOK_SECRET} if own else {}
        gang = {"gangSchedulingManagement": {"schedulerProvider": self.gang.implementation}} if self.gang else {}
        return {
            "apiVersion": "config.lws.x-k8s.io/v1alpha1",
            "kind": "Configuration",
            "leaderElection": {"leaderElect": True, "resourceName": LEASE},
            "internalCertManagement": {"enable": own, **names},
            **gang,
        }

    def _webhook(self) -> AdmissionServer:
        return AdmissionServer(
            validating=[
                of_sets("v", "validate"),
                of_pods("v", "validate", "CREATE UPDATE"),
                Hook(
                    name="vdisaggregatedset.kb.io",
                    path="/validate-disaggregatedset-x-k8s-io-v1-disaggregatedset",
                    rules=[rule("disaggregatedset.x-k8s.io", "v1", "disaggregatedsets", "CREATE UPDATE")],
                ),
            ],
            mutating=[of_sets("m", "mutate"), of_pods("m", "mutate", "CREATE")],
            secret=WEBHOOK_SECRET,
            trust=self.config.certificates,
            certificate="lws-serving-cert",
            configuration=("lws-validating-webhook-configuration", "lws-mutating-webhook-configuration"),
            port=port("https", 443, 9443),
            service=WEBHOOK_SERVICE,
        )


def of_sets(letter: str, verb: str) -> Hook:
    """The webhook for LeaderWorkerSets."""
    return Hook(
        name=f"{letter}leaderworkerset.kb.io",
        path=f"/{verb}-leaderworkerset-x-k8s-io-v1-leaderworkerset",
        rules=[rule("leaderworkerset.x-k8s.io", "v1", "leaderworkersets", "CREATE UPDATE")],
    )


def of_pods(letter: str, verb: str, operations: str) -> Hook:
    """The webhook for pods of LeaderWorkerSets; no other pod waits for this program."""
    return Hook(
        name=f"{letter}pod.kb.io",
        path=f"/{verb}--v1-pod",
        rules=[rule("", "v1", "pods", operations)],
        object_selector=OF_SETS,
    )


def container(image: str) -> Container:
    """The controller; upstream asks for a whole core and a gigabyte, which it needs with thousands of groups."""
    return {
        "name": "manager",
        "image": image,
        "command": ["/manager"],
        "args": ["--config=/controller_manager_config.yaml", "--zap-log-level=2"],
        "ports": [
            {"name": "metrics", "containerPort": 8443, "protocol": "TCP"},
            {"name": "webhook-server", "containerPort": 9443, "protocol": "TCP"},
        ],
        "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory": "1Gi"}},
    }
