"""KEDA: Jobs and pods by the length of queues and other measures, down to none where there is no work."""

from __future__ import annotations

from typing import Any

from platform_def.apis.core.core_v1 import Container, EnvVarSource, ResourceRequirements
from platform_def.apis.core.rbac_v1 import CLUSTER_ROLE, CLUSTER_ROLE_BINDING
from platform_def.components.queues.keda import rules, webhooks
from platform_def.components.queues.keda.config import KedaConfig
from platform_def.constructs import (
    KUBERNETES,
    RESTRICTED_LEVEL,
    AdmissionServer,
    Component,
    Crds,
    Health,
    ImageFacts,
    LeaderElection,
    MetricsEndpoint,
    Need,
    Operator,
    PeopleRoles,
    PodSettings,
    Release,
    Resource,
    ServingCertificate,
    Setting,
    env,
    from_field,
    from_pods,
    http_probe,
    port,
)
from platform_def.constructs.aggregated_api import AggregatedApi
from platform_def.constructs.rbac import RBAC_GROUP
from platform_def.constructs.volumes import mounted

OPERATOR, METRICS, ADMISSION = "keda-operator", "keda-metrics-apiserver", "keda-admission"
ADMISSION_SERVICE = "keda-admission-webhooks"
SERVICES = (OPERATOR, METRICS, ADMISSION_SERVICE)
"""Names that the certificate is good for."""
SCRAPED, HEALTH, MEASURES, SECURE, HOOKS = 8080, 8081, 9666, 6443, 9443
CERTIFICATES = "/certs"
RESOURCES: ResourceRequirements = {"requests": {"cpu": "100m", "memory": "100Mi"}, "limits": {"memory": "1000Mi"}}
AUTOSCALER = "horizontal-pod-autoscaler"
"""Account of Kubernetes' own controller of autoscalers."""
FACTS = ImageFacts(user=65532, read_only=True, source="the three Dockerfiles at v2.21.0: distroless, USER 65532:65532")
LOGS = ("--zap-log-level=info", "--zap-encoder=console", "--zap-time-encoding=rfc3339")


class Keda(Component[KedaConfig, Release]):
    """CRDs, operator, metrics server and admission webhooks."""

    pod_security = RESTRICTED_LEVEL

    @classmethod
    def needs_of(cls, at: Setting[KedaConfig]) -> tuple[Need[Any], ...]:
        """cert-manager, where it makes the certificate."""
        return at.config.certificate_needs

    def build(self) -> None:
        """Everything that scales."""
        Crds(self)
        ca_from = self._certificate()
        self._operator()
        self._admission(ca_from)
        if self.config.external_metrics:
            self._measures(ca_from)
        PeopleRoles(self, name="keda", aggregate=KUBERNETES)

    @property
    def rotates(self) -> bool:
        """Whether KEDA makes its own certificate."""
        return self.config.certificates == "own"

    def _certificate(self) -> str:
        """One for all three, who know each other by it; its pods wait until there is one."""
        if self.rotates:
            self.makes("Secret", rules.CERTIFICATE)
            return ""
        return ServingCertificate(self, "keda-serving", services=SERVICES, secret=rules.CERTIFICATE).ca_from

    def _operator(self) -> None:
        config = self.config
        everywhere = [*rules.SECRETS] if config.secrets == "everywhere" else []
        rotation = rules.rotation(external_metrics=config.external_metrics) if self.rotates else ()
        container: Container = {
            "name": OPERATOR,
            "image": self.release.image,
            "command": ["/keda"],
            "args": [
                "--leader-elect",
                *LOGS,
                f"--enable-cert-rotation={str(self.rotates).lower()}",
                f"--enable-apiservice-patching={str(config.external_metrics).lower()}",
                f"--k8s-cluster-domain={self.platform.dns_domain}",
            ],
            "env": [
                *env(self._settings()),
                *env({"KEDA_RESTRICT_SECRET_ACCESS": "true"} if config.secrets == "own" else {}),
            ],
            "resources": RESOURCES,
        }
        Operator(
            self,
            OPERATOR,
            container=container,
            rules=[*rules.OPERATOR, *everywhere, *rules.scaled(config.scales), *rotation],
            own_rules=rules.own(rotates=self.rotates),
            leader_election=LeaderElection(flag="", lease="operator.keda.sh", always=True),
            health=Health(HEALTH),
            metrics=SCRAPED,
            ports=[port("metricsservice", MEASURES)],
            openings=[from_pods(self.selector(METRICS), MEASURES)],
            facts=FACTS,
            pod=PodSettings({"containers": [], "terminationGracePeriodSeconds": 10}, mesh="namespace"),
            # It must start before the Secret exists, which it makes.
            mounted=[mounted("certificates", CERTIFICATES, secret=rules.CERTIFICATE, optional=self.rotates)],
        )

    def _admission(self, ca_from: str) -> None:
        container: Container = {
            "name": ADMISSION_SERVICE,
            "image": self.release.images["webhooks"],
            "command": ["/keda-admission-webhooks"],
            "args": [*LOGS],
            "ports": [{"name": "https", "containerPort": HOOKS, "protocol": "TCP"}],
            "env": env(self._settings()),
            "resources": RESOURCES,
        }
        Operator(
            self,
            ADMISSION,
            container=container,
            rules=rules.WEBHOOKS,
            ha_replicas=2,
            health=Health(HEALTH),
            metrics=MetricsEndpoint(port=port("metrics", SCRAPED), service=ADMISSION_SERVICE, protected=False),
            webhook=AdmissionServer(
                validating=webhooks.hooks(),
                secret=rules.CERTIFICATE,
                trust="given",
                ca_from=ca_from,
                folder=CERTIFICATES,
                volume="certificates",
                port=port("https", 443, HOOKS),
                service=ADMISSION_SERVICE,
            ),
            facts=FACTS,
            pod=PodSettings({"containers": [], "terminationGracePeriodSeconds": 10}, mesh="namespace"),
        )

    def _measures(self, ca_from: str) -> None:
        """The API by which Kubernetes' autoscalers read what the operator measured."""
        self._let_autoscaler_read()
        container: Container = {
            "name": METRICS,
            "image": self.release.images["metrics"],
            "command": ["/keda-adapter"],
            "args": [
                f"--secure-port={SECURE}",
                "--zap-log-level=error",
                f"--client-ca-file={CERTIFICATES}/ca.crt",
                f"--tls-cert-file={CERTIFICATES}/tls.crt",
                f"--tls-private-key-file={CERTIFICATES}/tls.key",
                f"--cert-dir={CERTIFICATES}",
                f"--metrics-service-address={self.service_host(OPERATOR)}:{MEASURES}",
            ],
            "ports": [{"name": "https", "containerPort": SECURE, "protocol": "TCP"}],
            "env": env(self._settings()),
            "resources": RESOURCES,
            "livenessProbe": http_probe("/healthz", SECURE, scheme="HTTPS", delay=5),
            "readinessProbe": http_probe("/readyz", SECURE, scheme="HTTPS", delay=5),
        }
        made = Operator(
            self,
            METRICS,
            container=container,
            ha_replicas=2,
            metrics=MetricsEndpoint(port=port("metrics", SCRAPED), service=METRICS, protected=False),
            api=AggregatedApi(
                group="external.metrics.k8s.io",
                versions=("v1beta1",),
                port=port("https", 443, SECURE),
                service=METRICS,
                binding="keda-auth-reader",
                ca_from=ca_from,
                writes_ca=True,
            ),
            facts=FACTS,
            pod=PodSettings({"containers": [], "terminationGracePeriodSeconds": 10}, mesh="namespace"),
            mounted=[
                mounted("certificates", CERTIFICATES, secret=rules.CERTIFICATE),
                mounted("temp-vol", "/tmp"),  # noqa: S108 - in the container
            ],
        )
        made.account.bind("system:auth-delegator", binding="keda-system-auth-delegator")

    def _let_autoscaler_read(self) -> None:
        reader = "keda-external-metrics-reader"
        Resource(self, CLUSTER_ROLE, reader, fields={"rules": [*rules.READERS]})
        Resource(
            self,
            CLUSTER_ROLE_BINDING,
            "keda-hpa-controller-external-metrics",
            fields={
                "roleRef": {"apiGroup": RBAC_GROUP, "kind": "ClusterRole", "name": reader},
                "subjects": [{"kind": "ServiceAccount", "name": AUTOSCALER, "namespace": "kube-system"}],
            },
        )

    def _settings(self) -> dict[str, str | EnvVarSource]:
        return {
            "POD_NAMESPACE": from_field("metadata.namespace"),
            "WATCH_NAMESPACE": "",
            "KEDA_HTTP_DEFAULT_TIMEOUT": str(self.config.http_timeout_seconds * 1000),
        }
