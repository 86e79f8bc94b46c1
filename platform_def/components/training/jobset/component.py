"""JobSet: groups of Jobs that start, fail and end together, and whose pods find each other by name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from platform_def.apis.core.core_v1 import Container, PodSpec, Volume, VolumeMount
from platform_def.apis.core.meta_v1 import LabelSelector
from platform_def.apis.core.rbac_v1 import CLUSTER_ROLE
from platform_def.capabilities import CertificateIssuer
from platform_def.config.model import Name
from platform_def.constructs import (
    APACHE,
    RESTRICTED,
    RESTRICTED_LEVEL,
    Account,
    Admission,
    AdmissionServer,
    Component,
    ComponentConfig,
    Crds,
    Deployment,
    Health,
    Hook,
    LeaderElection,
    Need,
    NetworkPolicy,
    PeopleRoles,
    Release,
    Resource,
    Service,
    ServingCertificate,
    Setting,
    Support,
    Upkeep,
    Withdrawn,
    allow,
    allow_urls,
    config_map,
    from_cluster,
    from_everywhere,
    need,
    port,
    releases,
    restart_on_change,
    rule,
    yaml_file,
)
from platform_def.constructs.workload import OUT_OF_MESH

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

MANAGER, CONFIG = "jobset-controller-manager", "jobset-manager-config"
METRICS_SERVICE, WEBHOOK_SERVICE = "jobset-controller-manager-metrics-service", "jobset-webhook-service"
WEBHOOK_SECRET = "jobset-webhook-server-cert"  # noqa: S105 - the name of a Secret that JobSet, or cert-manager, writes
METRICS_SECRET = "jobset-metrics-server-cert"  # noqa: S105 - the same
CONFIGURATIONS = ("jobset-validating-webhook-configuration", "jobset-mutating-webhook-configuration")
LEASE = "6d4f6a47.jobset.x-k8s.io"
FILE = "controller_manager_config.yaml"
SERVING, METRICS_CERTS = (
    "/tmp/k8s-webhook-server/serving-certs",  # noqa: S108 - in the container
    "/tmp/k8s-metrics-server/serving-certs",  # noqa: S108 - in the container
)
"""Names of the webhook configurations and of both folders are compiled into it, the Lease's is its default."""
HEALTH, METRICS, WEBHOOK = 8081, 8443, 9443
OF_JOBSETS: LabelSelector = {"matchExpressions": [{"key": "jobset.sigs.k8s.io/jobset-name", "operator": "Exists"}]}
"""Pods of a JobSet: the controller labels them."""

READ = "get list watch"
WRITE = f"create delete {READ} patch update"
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
ACCESS = (
    allow("authentication.k8s.io", "tokenreviews", verbs="create"),
    allow("authorization.k8s.io", "subjectaccessreviews", verbs="create"),
)
"""By which it asks who reads its metrics."""
SCRAPE = allow_urls("/metrics", verbs="get")


class JobsetConfig(ComponentConfig):
    """What a stack may choose about JobSet."""

    releases = RELEASES
    withdrawn = WITHDRAWN

    namespace: Name = "jobset-system"
    """Namespace of the controller, upstream's."""
    certificates: Literal["jobset", "cert-manager"] = "jobset"
    """Who makes the certificates of its servers: JobSet itself, or cert-manager."""
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
        """cert-manager, where it is to make the certificates."""
        return (need(CertificateIssuer),) if at.config.certificates == "cert-manager" else ()

    def build(self) -> None:
        """Everything that runs JobSets."""
        Crds(self)
        self._manager(self._account())
        metrics = Service(self, METRICS_SERVICE, ports=[port("https", METRICS)], workload=MANAGER)
        metrics.monitor("https", scheme="https", token=True)
        Service(self, WEBHOOK_SERVICE, ports=[port("https", 443, WEBHOOK)], workload=MANAGER)
        self._admission()
        if self.platform.network_policies:
            NetworkPolicy(self, MANAGER, openings=[from_cluster(METRICS), from_everywhere(WEBHOOK)])
        PeopleRoles(self)

    def _account(self) -> Account:
        own = not self._cert_manager
        account = Account(self, MANAGER).allow([*RULES, *(TRUST if own else ())], role="jobset-manager-role")
        account.allow(ACCESS, role="jobset-proxy-role")
        Resource(self, CLUSTER_ROLE, "jobset-metrics-reader", fields={"rules": [SCRAPE]})
        if own:
            account.allow_in(self.namespace, SECRETS, role="jobset-manager-secrets-role")
        election = LeaderElection(flag="", lease=LEASE, always=True)
        return account.allow_in(self.namespace, election.rules(), role="jobset-leader-election-role")

    def _manager(self, account: Account) -> None:
        file = yaml_file(self.configuration())
        config_map(self, CONFIG, {FILE: file})
        pod: PodSpec = {
            "serviceAccountName": account.name,
            "terminationGracePeriodSeconds": 10,
            "containers": [container(self.release.image, [*self._mounts()])],
            "volumes": [*self._volumes()],
        }
        Deployment(self, MANAGER, pod=pod, ha_replicas=2, pod_annotations={**OUT_OF_MESH, **restart_on_change(file)})

    def configuration(self) -> dict[str, Any]:
        """`config.jobset.x-k8s.io/v1alpha1`; the program refuses a field that it does not know."""
        internal: dict[str, Any] = {"enable": not self._cert_manager}
        if not self._cert_manager:
            internal |= {"webhookServiceName": WEBHOOK_SERVICE, "webhookSecretName": WEBHOOK_SECRET}
        made: dict[str, Any] = {
            "apiVersion": "config.jobset.x-k8s.io/v1alpha1",
            "kind": "Configuration",
            "health": {"healthProbeBindAddress": f":{HEALTH}"},
            "metrics": {"bindAddress": f":{METRICS}"},
            "webhook": {"port": WEBHOOK},
            "leaderElection": {"leaderElect": True, "resourceName": LEASE},
            "internalCertManagement": internal,
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

    def _volumes(self) -> Iterator[Volume]:
        yield {"name": "manager-config", "configMap": {"name": CONFIG}}
        yield {"name": "cert", "secret": {"secretName": WEBHOOK_SECRET, "defaultMode": 0o644}}
        if self._cert_manager:
            yield {"name": "metrics-certs", "secret": {"secretName": METRICS_SECRET, "defaultMode": 0o644}}

    def _mounts(self) -> Iterator[VolumeMount]:
        yield {"name": "manager-config", "mountPath": f"/{FILE}", "subPath": FILE, "readOnly": True}
        yield {"name": "cert", "mountPath": SERVING, "readOnly": True}
        if self._cert_manager:
            yield {"name": "metrics-certs", "mountPath": METRICS_CERTS, "readOnly": True}

    def _admission(self) -> None:
        """The admission server, and a certificate of the metrics where JobSet does not make its own."""
        server = AdmissionServer(
            validating=hooks("validate", "CREATE UPDATE"),
            mutating=hooks("mutate", "CREATE"),
            secret=WEBHOOK_SECRET,
            trust="cert-manager" if self._cert_manager else "own",
            certificate="jobset-serving-cert",
            configuration=CONFIGURATIONS,
        )
        Admission(self, MANAGER, server, service=WEBHOOK_SERVICE)
        if self._cert_manager:
            ServingCertificate(self, "jobset-metrics-cert", services=[METRICS_SERVICE], secret=METRICS_SECRET)

    @property
    def _cert_manager(self) -> bool:
        return self.config.certificates == "cert-manager"


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


def container(image: str, mounts: list[VolumeMount]) -> Container:
    """The controller, as upstream sizes it."""
    return {
        "name": "manager",
        "image": image,
        "command": ["/manager"],
        "args": [f"--config=/{FILE}", "--zap-log-level=2"],
        "ports": [
            {"name": "metrics", "containerPort": METRICS, "protocol": "TCP"},
            {"name": "webhook-server", "containerPort": WEBHOOK, "protocol": "TCP"},
        ],
        **Health(HEALTH).probes(),  # type: ignore[typeddict-item]
        "resources": {"requests": {"cpu": "500m", "memory": "128Mi"}, "limits": {"memory": "4Gi"}},
        "securityContext": RESTRICTED,  # upstream's own, and the level's
        "volumeMounts": mounts,
    }
