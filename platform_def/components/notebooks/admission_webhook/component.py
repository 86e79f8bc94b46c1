"""PodDefaults webhook: gives pods of teams what the PodDefaults of their namespace say, when these are made.

Each team has PodDefaults that follow from the stack; people choose them by a label of the pod, notebooks in their form.
"""

from __future__ import annotations

from typing import Any, cast

from platform_def.apis.core.core_v1 import Container, PodSpec
from platform_def.capabilities import CertificateIssuer, ObjectStore
from platform_def.components.notebooks.admission_webhook.config import AdmissionWebhookConfig
from platform_def.components.notebooks.admission_webhook.defaults import defaults
from platform_def.constructs import (
    READ,
    RESTRICTED_LEVEL,
    AccountNames,
    AdmissionServer,
    Component,
    Crds,
    Hook,
    ImageFacts,
    NamespaceNeed,
    Need,
    Offers,
    Operator,
    PeopleRoles,
    PodSettings,
    Setting,
    allow,
    need,
    port,
    rule,
    tcp_probe,
)

NAME, SERVICE, PORT = "poddefaults-webhook-deployment", "poddefaults-webhook-service", 4443
FOLDER = "/etc/webhook/certs"
LABEL = ("app.kubernetes.io/part-of", "kubeflow-profile")
"""Namespaces whose pods it is asked about: those of teams, and those of Profiles."""
FACTS = ImageFacts(user=65532, read_only=True, source="Dockerfile at v2.0.0: distroless, one static program")


class AdmissionWebhook(Component[AdmissionWebhookConfig]):
    """CRD, webhook, PodDefaults of teams, and roles for people who write them."""

    pod_security = RESTRICTED_LEVEL

    @classmethod
    def needs_of(cls, at: Setting[AdmissionWebhookConfig]) -> tuple[Need[Any], ...]:
        """Who signs its certificate; an object store where teams are offered it."""
        store = (need(ObjectStore, order="any"),) if at.config.object_store else ()
        return (need(CertificateIssuer), *store)

    @classmethod
    def offers(cls, at: Setting[AdmissionWebhookConfig]) -> Offers:
        """The label of namespaces whose pods it is asked about."""
        # No level of its own: the highest that a component needs there counts.
        homes = (home for team in at.platform.teams for home in team.homes)
        return Offers(namespaces=tuple(NamespaceNeed(home, "restricted", (LABEL,)) for home in homes))

    def build(self) -> None:
        """Everything that gives pods their defaults."""
        Crds(self)
        Operator(
            self,
            NAME,
            container=self._container(),
            names=AccountNames(account="poddefaults-webhook-service-account", role="poddefaults-webhook-cluster-role"),
            rules=[allow("kubeflow.org", "poddefaults", verbs=READ)],
            replicas=2,  # pods of teams wait for it
            ha_replicas=2,
            webhook=self._webhook(),
            facts=FACTS,
            pod=PodSettings(cast(PodSpec, {"enableServiceLinks": False})),
        )
        PeopleRoles(self, name="poddefaults", status=False)
        defaults(self)

    def _webhook(self) -> AdmissionServer:
        hook = Hook(
            name="poddefaults-webhook-deployment.kubeflow.org",
            path="/apply-poddefault",
            rules=[rule("", "v1", "pods", "CREATE")],
            namespace_selector={"matchLabels": {LABEL[0]: LABEL[1]}},
            failure_policy=self.config.injection_failure,
        )
        return AdmissionServer(
            mutating=[hook],
            secret="poddefaults-webhook-certs",  # noqa: S106 - its name
            trust="cert-manager",
            certificate="poddefaults-webhook-cert",
            configuration="poddefaults-webhook-mutating-webhook-configuration",
            folder=FOLDER,
            volume="webhook-cert",
            service=SERVICE,
            port=port("https-webhook", 443, PORT),
        )

    def _container(self) -> Container:
        return {
            "name": "poddefaults-webhook",
            "image": self.release.image,
            "args": [f"--tlsCertFile={FOLDER}/tls.crt", f"--tlsKeyFile={FOLDER}/tls.key", f"--webhookPort={PORT}"],
            "ports": [{"name": "https-webhook", "containerPort": PORT, "protocol": "TCP"}],
            # It serves no path for probes; upstream has none.
            "readinessProbe": tcp_probe("https-webhook"),
            "livenessProbe": tcp_probe("https-webhook", delay=10, period=30),
            "resources": {"requests": {"cpu": "20m", "memory": "64Mi"}, "limits": {"memory": "256Mi"}},
        }
