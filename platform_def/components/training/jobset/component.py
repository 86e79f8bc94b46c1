"""JobSet: groups of Jobs that start, fail and end together, and whose pods find each other by name."""

from __future__ import annotations

from typing import Any, Literal

from platform_def.apis.core.core_v1 import Container
from platform_def.apis.core.meta_v1 import LabelSelector
from platform_def.config.model import Name
from platform_def.constructs import (
    APACHE,
    READ,
    RESTRICTED,
    RESTRICTED_LEVEL,
    WRITE,
    AccountNames,
    AdmissionServer,
    CertificateChoice,
    Component,
    ConfigFile,
    Crds,
    Health,
    Hook,
    LeaderElection,
    MetricsEndpoint,
    Need,
    Operator,
    PeopleRoles,
    PodSettings,
    Release,
    Setting,
    Support,
    Upkeep,
    Withdrawn,
    allow,
    port,
    releases,
    rule,
)
from platform_def.constructs.endpoints import MountedCertificate

# Upstream asks for one of the three newest minor versions, which were 1.34 to 1.36. Trainer, which needs it, tests with
# it on 1.32 to 1.35; later servers still have the APIs that it calls.
RELEASES = releases(
    Release(
        "0.12.0",
        kubernetes="1.32-1.37",
        image="registry.k8s.io/jobset/jobset:v0.12.0",
        upkeep=Upkeep(Support.CURRENT),
    ),
    license=APACHE,
)
WITHDRAWN = (
    Withdrawn(
        "0.11.0",
        instead="0.12.0",
        changes="events are written by events.k8s.io, and Trainer must be 2.3",
        upkeep=Upkeep(Support.ENDED),
    ),
)

MANAGER = "jobset-controller-manager"
METRICS_SERVICE, WEBHOOK_SERVICE = "jobset-controller-manager-metrics-service", "jobset-webhook-service"
WEBHOOK_SECRET = "jobset-webhook-server-cert"  # noqa: S105 - the name of a Secret that JobSet, or cert-manager, writes
METRICS_CERTIFICATE = MountedCertificate(
    name="jobset-metrics-cert",
    secret="jobset-metrics-server-cert",  # noqa: S106 - a name
    folder="/tmp/k8s-metrics-server/serving-certs",  # noqa: S108 - in the container
    volume="metrics-certs",
)
LEASE = "6d4f6a47.jobset.x-k8s.io"
"""Names of the webhook configurations and both folders are compiled into it, the Lease's is its default."""
HEALTH, METRICS, WEBHOOK = 8081, 8443, 9443
OF_JOBSETS: LabelSelector = {"matchExpressions": [{"key": "jobset.sigs.k8s.io/jobset-name", "operator": "Exists"}]}
"""Pods of a JobSet: the controller labels them."""

RULES = (
    allow("", "events", verbs="create patch update watch"),
    allow("events.k8s.io", "events", verbs="create patch update watch"),
    allow("", "nodes", verbs=READ),  # for Jobs that have a rack, or another domain of nodes, to themselves
    allow("", "persistentvolumeclaims", verbs=f"create {READ}"),
    allow("", "pods", verbs=f"delete {READ} patch update"),
    allow("", "services", verbs=WRITE),
    allow("batch", "jobs", verbs=WRITE),
    allow("batch", "jobs/status", verbs="get patch update"),
    allow("jobset.x-k8s.io", "jobsets", verbs=WRITE),
    allow("jobset.x-k8s.io", "jobsets/finalizers", verbs="update"),
    allow("jobset.x-k8s.io", "jobsets/status", verbs="get patch update"),
)
TRUST = (
    allow(
        "admissionregistration.k8s.io",
        "mutatingwebhookconfigurations validatingwebhookconfigurations",
        verbs=f"{READ} update",
    ),
)
"""It writes the authority of its own certificate into its webhooks."""
SECRETS = (allow("", "secrets", verbs=f"{READ} update"),)


class JobsetConfig(CertificateChoice):
    """What a stack may choose about JobSet."""

    releases = RELEASES
    withdrawn = WITHDRAWN

    namespace: Name = "jobset-system"
    """Namespace of the controller, upstream's."""
    in_place_restart: bool = False
    """Feature gate InPlaceRestart, alpha: sets that ask for it restart containers and keep their pods."""
    restart_job: bool = False
    """Feature gate RestartJob, alpha: rules of a failure policy may start one failed Job again and leave the others."""
    elastic: bool = False
    """Feature gate ElasticJobSet, alpha: the number of pods of a group may change while the set runs."""


class Jobset(Component[JobsetConfig, Release]):
    """CRD, controller with its webhooks, and roles for people who write JobSets."""

    pod_security = RESTRICTED_LEVEL

    @classmethod
    def needs_of(cls, at: Setting[JobsetConfig]) -> tuple[Need[Any], ...]:
        """cert-manager, where it makes the certificates."""
        return at.config.certificate_needs

    def build(self) -> None:
        """Everything that runs JobSets."""
        Crds(self)
        own = self.config.certificates == "own"
        Operator(
            self,
            MANAGER,
            container=container(self.release.image),
            rules=[*RULES, *(TRUST if own else ())],
            names=AccountNames(role="jobset-manager-role", own_role="jobset-manager-secrets-role"),
            own_rules=SECRETS if own else (),
            leader_election=LeaderElection(flag="", lease=LEASE, always=True, role="jobset-leader-election-role"),
            health=Health(HEALTH),
            metrics=MetricsEndpoint(
                port=port("https", METRICS),
                service=METRICS_SERVICE,
                role="jobset-proxy-role",
                reader="jobset-metrics-reader",
                certificate=None if own else METRICS_CERTIFICATE,
            ),
            config_file=ConfigFile(name="jobset-manager-config", content=self.configuration()),
            webhook=self._webhook(),
            pod=PodSettings({"containers": [], "terminationGracePeriodSeconds": 10}),
        )
        PeopleRoles(self)

    def configuration(self) -> dict[str, Any]:
        """`config.jobset.x-k8s.io/v1alpha1`; the program refuses a field that it does not know."""
        own = self.config.certificates == "own"
        names = {"webhookServiceName": WEBHOOK_SERVICE, "webhookSecretName": WEBHOOK_SECRET} if own else {}
        made: dict[str, Any] = {
            "apiVersion": "config.jobset.x-k8s.io/v1alpha1",
            "kind": "Configuration",
            "health": {"healthProbeBindAddress": f":{HEALTH}"},
            "metrics": {"bindAddress": f":{METRICS}"},
            "webhook": {"port": WEBHOOK},
            "leaderElection": {"leaderElect": True, "resourceName": LEASE},
            "internalCertManagement": {"enable": own, **names},
        }
        gates = self.feature_gates()
        return {**made, **({"featureGates": gates} if gates else {})}

    def feature_gates(self) -> dict[str, bool]:
        """Those that the stack turns on; all are off by default."""
        config = self.config
        chosen = {
            "InPlaceRestart": config.in_place_restart,
            "RestartJob": config.restart_job,
            "ElasticJobSet": config.elastic,
        }
        return {gate: True for gate, wanted in chosen.items() if wanted}

    def _webhook(self) -> AdmissionServer:
        return AdmissionServer(
            validating=hooks("validate", "CREATE UPDATE"),
            mutating=hooks("mutate", "CREATE"),
            secret=WEBHOOK_SECRET,
            trust=self.config.certificates,
            certificate="jobset-serving-cert",
            configuration=("jobset-validating-webhook-configuration", "jobset-mutating-webhook-configuration"),
            port=port("https", 443, WEBHOOK),
            service=WEBHOOK_SERVICE,
        )


def hooks(verb: Literal["mutate", "validate"], operations: str) -> list[Hook]:
    """Webhooks for JobSets, and for pods of JobSets alone, so that no other pod waits for this program."""
    return [
        Hook(
            name=f"{verb[0]}jobset.kb.io",
            path=f"/{verb}-jobset-x-k8s-io-v1alpha2-jobset",
            rules=[rule("jobset.x-k8s.io", "v1alpha2", "jobsets", operations)],
        ),
        Hook(
            name=f"{verb[0]}pod.kb.io",
            path=f"/{verb}--v1-pod",
            rules=[rule("", "v1", "pods", "CREATE")],
            object_selector=OF_JOBSETS,
        ),
    ]


def container(image: str) -> Container:
    """The controller, as upstream sizes it."""
    return {
        "name": "manager",
        "image": image,
        "command": ["/manager"],
        "args": ["--config=/controller_manager_config.yaml", "--zap-log-level=2"],
        "ports": [
            {"name": "metrics", "containerPort": METRICS, "protocol": "TCP"},
            {"name": "webhook-server", "containerPort": WEBHOOK, "protocol": "TCP"},
        ],
        "resources": {"requests": {"cpu": "500m", "memory": "128Mi"}, "limits": {"memory": "4Gi"}},
        "securityContext": RESTRICTED,  # upstream's own, and the level's
    }
