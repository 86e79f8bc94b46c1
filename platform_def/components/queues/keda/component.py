"""KEDA: Jobs and pods by the length of queues and other measures, down to none where there is no work."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from platform_def.apis.core.apiregistration_v1 import API_SERVICE, APIServiceSpec
from platform_def.apis.core.core_v1 import Container, EnvVarSource, PodSpec, ServicePort, Volume, VolumeMount
from platform_def.apis.core.rbac_v1 import CLUSTER_ROLE, CLUSTER_ROLE_BINDING
from platform_def.capabilities import CertificateIssuer
from platform_def.components.queues.keda import rules, webhooks
from platform_def.components.queues.keda.config import KedaConfig
from platform_def.constructs import (
    KUBERNETES,
    RESTRICTED_LEVEL,
    Account,
    Component,
    Crds,
    Deployment,
    Drift,
    Health,
    ImageFacts,
    LeaderElection,
    Need,
    NetworkPolicy,
    Opening,
    PeopleRoles,
    Release,
    Resource,
    Service,
    ServingCertificate,
    Setting,
    Webhooks,
    env,
    from_cluster,
    from_everywhere,
    from_field,
    from_pods,
    http_probe,
    need,
    port,
    secured,
)
from platform_def.constructs.rbac import RBAC_GROUP

OPERATOR, METRICS, ADMISSION = "keda-operator", "keda-metrics-apiserver", "keda-admission"
ADMISSION_SERVICE = "keda-admission-webhooks"
SERVICES = (OPERATOR, METRICS, ADMISSION_SERVICE)
"""Names that the certificate is good for."""
SCRAPED, HEALTH, MEASURES, SECURE, HOOKS = 8080, 8081, 9666, 6443, 9443
CERTIFICATES = "/certs"
"""By which an API server behind another learns whom to trust; every cluster has it."""
AUTOSCALER = "horizontal-pod-autoscaler"
"""Account of Kubernetes' own controller of autoscalers."""
FACTS = ImageFacts(user=65532, read_only=True, source="the three Dockerfiles at v2.21.0: distroless, USER 65532:65532")
LOGS = ("--zap-log-level=info", "--zap-encoder=console", "--zap-time-encoding=rfc3339")


class Keda(Component[KedaConfig, Release]):
    """CRDs, operator, server of measures and admission webhooks."""

    pod_security = RESTRICTED_LEVEL

    @classmethod
    def needs_of(cls, at: Setting[KedaConfig]) -> tuple[Need[Any], ...]:
        """cert-manager, where it is to make the certificate."""
        return (need(CertificateIssuer),) if at.config.certificates == "cert-manager" else ()

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
        return self.config.certificates == "keda"

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
        account = Account(self, OPERATOR)
        account.allow([*rules.OPERATOR, *everywhere, *rules.scaled(config.scales), *rotation])
        account.allow_in(self.namespace, rules.own(rotates=self.rotates))
        election = LeaderElection(lease="operator.keda.sh", always=True)
        account.allow_in(self.namespace, election.rules(), role=f"{OPERATOR}-leader-election")
        container: Container = {
            "name": OPERATOR,
            "image": self.release.image,
            "command": ["/keda"],
            "args": [
                election.flag,
                *LOGS,
                f"--enable-cert-rotation={str(self.rotates).lower()}",
                f"--enable-apiservice-patching={str(config.external_metrics).lower()}",
                f"--k8s-cluster-domain={self.platform.dns_domain}",
            ],
            "env": [
                *env(self._settings()),
                *env({"KEDA_RESTRICT_SECRET_ACCESS": "true"} if config.secrets == "own" else {}),
            ],
            **Health(HEALTH).probes(),  # type: ignore[typeddict-item]
        }
        ports = [port("metrics", SCRAPED), port("metricsservice", MEASURES)]
        # Without the file yet it must start, for it makes it.
        self._program(container, OPERATOR, ports=ports, optional=self.rotates, openings=self._operator_openings())

    def _operator_openings(self) -> Iterator[Opening]:
        yield from_cluster(SCRAPED)
        yield from_pods(self.selector(METRICS), MEASURES)

    def _admission(self, ca_from: str) -> None:
        Account(self, ADMISSION).allow(rules.WEBHOOKS)
        container: Container = {
            "name": ADMISSION_SERVICE,
            "image": self.release.images["webhooks"],
            "command": ["/keda-admission-webhooks"],
            "args": [*LOGS],
            "env": env(self._settings()),
            **Health(HEALTH).probes(),  # type: ignore[typeddict-item]
        }
        ports = [port("https", 443, HOOKS), port("metrics", SCRAPED)]
        openings = [from_cluster(SCRAPED), from_everywhere(HOOKS)]
        self._program(container, ADMISSION, ports=ports, service=ADMISSION_SERVICE, openings=openings)
        Webhooks(
            self,
            rules.CONFIGURATION,
            kind="validating",
            service=ADMISSION_SERVICE,
            hooks=webhooks.hooks(),
            ca_from=ca_from,
        )

    def _measures(self, ca_from: str) -> None:
        """The API by which Kubernetes' autoscalers read what the operator measured."""
        account = Account(self, METRICS)
        account.bind("system:auth-delegator", binding="keda-system-auth-delegator")
        account.read_authentication(binding="keda-auth-reader")
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
            "env": env(self._settings()),
            "livenessProbe": http_probe("/healthz", SECURE, scheme="HTTPS", delay=5),
            "readinessProbe": http_probe("/readyz", SECURE, scheme="HTTPS", delay=5),
            "volumeMounts": [{"name": "temp-vol", "mountPath": "/tmp"}],  # noqa: S108 - in the container
        }
        ports = [port("https", 443, SECURE), port("metrics", SCRAPED)]
        openings = [from_cluster(SCRAPED), from_everywhere(SECURE)]
        volumes: list[Volume] = [{"name": "temp-vol", "emptyDir": {}}]
        self._program(container, METRICS, ports=ports, openings=openings, volumes=volumes)
        spec: APIServiceSpec = {
            "group": "external.metrics.k8s.io",
            "version": "v1beta1",
            "groupPriorityMinimum": 100,
            "versionPriority": 100,
            "service": {"name": METRICS, "namespace": self.namespace},
        }
        key, _, value = ca_from.partition("=")
        annotations = {key: value} if value else None
        Resource(self, API_SERVICE, rules.METRICS_API, spec=spec, annotations=annotations, part="after")
        self.mutated(Drift("apiregistration.k8s.io/v1", "APIService", rules.METRICS_API, ("/spec/caBundle",)))

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

    def _program(
        self,
        container: Container,
        name: str,
        *,
        ports: list[ServicePort],
        service: str = "",
        optional: bool = False,
        openings: Iterator[Opening] | list[Opening],
        volumes: list[Volume] | None = None,
    ) -> None:
        """Pods with the certificate, the Service in front of them, its monitor, and who may connect."""
        mount: VolumeMount = {"name": "certificates", "mountPath": CERTIFICATES, "readOnly": True}
        made: Container = {
            **container,
            "ports": [
                {"name": each["name"], "containerPort": int(each["targetPort"]), "protocol": "TCP"} for each in ports
            ],
            "volumeMounts": [*container.get("volumeMounts", []), mount],
            "resources": {"requests": {"cpu": "100m", "memory": "100Mi"}, "limits": {"memory": "1000Mi"}},
            "securityContext": secured(FACTS),
        }
        secret: Volume = {"name": "certificates", "secret": {"secretName": rules.CERTIFICATE, "defaultMode": 0o644}}
        if optional:
            secret["secret"]["optional"] = True
        pod: PodSpec = {
            "serviceAccountName": name,
            "terminationGracePeriodSeconds": 10,
            "containers": [made],
            "volumes": [secret, *(volumes or [])],
        }
        Deployment(self, name, pod=pod, ha_replicas=2)
        Service(self, service or name, ports=ports, workload=name).monitor("metrics")
        if self.platform.network_policies:
            NetworkPolicy(self, name, openings=[*openings])
