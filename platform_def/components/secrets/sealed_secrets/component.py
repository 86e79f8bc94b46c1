"""Sealed Secrets: a controller with the keys that open Secrets which lie in the repository as ciphertext."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from platform_def.apis.core.core_v1 import Container
from platform_def.apis.core.rbac_v1 import ROLE, ROLE_BINDING, RoleRef, Subject
from platform_def.config.model import Name
from platform_def.constructs import (
    APACHE,
    HONORED_TARGET,
    READ,
    RESTRICTED_LEVEL,
    AccountNames,
    Alert,
    Alerts,
    Component,
    ComponentConfig,
    Crds,
    Health,
    ImageFacts,
    MetricsEndpoint,
    MetricTable,
    Operator,
    PeopleRoles,
    PodSettings,
    Release,
    Resource,
    Upkeep,
    allow,
    counter,
    increased,
    mounts,
    port,
    releases,
    scratch,
    target_missing,
)

NAME, METRICS_SERVICE = "sealed-secrets", "sealed-secrets-metrics"
METRICS = MetricTable(
    "pkg/controller/metrics.go at v0.36.6",
    counter("sealed_secrets_controller_unseal_requests_total"),
    counter("sealed_secrets_controller_unseal_errors_total", "reason namespace"),
    target=HONORED_TARGET,
)
RELEASES = releases(
    Release(
        "0.36.6",
        upkeep=Upkeep(vulnerabilities=()),  # the last advisory, CVE-2026-22728, was fixed in 0.36.0
        kubernetes="1.25-1.37",
        image="ghcr.io/bitnami-labs/sealed-secrets-controller:0.36.6",
        exports=(METRICS,),
    ),
    license=APACHE,
)
KEY_PREFIX = "sealed-secrets-key"
RULES = (
    allow("bitnami.com", "sealedsecrets", verbs=READ),
    allow("bitnami.com", "sealedsecrets/status", verbs="update"),
    allow("", "secrets", verbs="create delete get list update watch"),
    allow("", "events", verbs="create patch"),
)
KEYS = (
    allow("", "secrets", verbs="create list"),
    allow("", "secrets", verbs="get", names=KEY_PREFIX),
)
PROXIER = "sealed-secrets-service-proxier"
PROXIED = (
    allow("", "services", verbs="get", names=NAME),
    allow("", "services/proxy", verbs="create get", names=f"http:{NAME}: http:{NAME}:http {NAME}"),
)
"""How `kubeseal` asks for the certificate to seal with, through the API server."""
FACTS = ImageFacts(runs_as=1001, read_only=True, source="helm/sealed-secrets at v0.36.6, and docker/Dockerfile")
UNSEAL_ERRORS = Alert(
    "SealedSecretsUnsealErrors",
    f"sum by (namespace, reason) ({increased('sealed_secrets_controller_unseal_errors_total', '15m')}) > 0",
    summary="SealedSecrets in {{ $labels.namespace }} could not be opened: {{ $labels.reason }}",
    action="Read the events of the SealedSecrets; one sealed for another cluster or namespace must be sealed again.",
)


class SealedSecretsConfig(ComponentConfig):
    """What a stack may choose about Sealed Secrets."""

    releases = RELEASES

    namespace: Name = "kube-system"
    """Namespace of the controller and of its keys, upstream's."""
    key_renew_days: Annotated[int, Field(ge=0, le=3650)] = 30
    """Days after which it makes a further key; older ones still open what was sealed with them. 0: it never does."""


class SealedSecrets(Component[SealedSecretsConfig, Release]):
    """CRD and controller; it makes its keys itself, in Secrets that nothing in Git describes."""

    pod_security = RESTRICTED_LEVEL

    def build(self) -> None:
        """Everything that opens SealedSecrets."""
        Crds(self)
        Operator(
            self,
            NAME,
            container=self.container(),
            rules=RULES,
            names=AccountNames(role="secrets-unsealer", own_role="sealed-secrets-key-admin"),
            own_rules=KEYS,
            ha_replicas=0,  # two would each make a key
            health=Health("http", live="/healthz", ready="/healthz"),
            ports=[port("http", 8080)],
            metrics=MetricsEndpoint(
                port=port("metrics", 8081), service=METRICS_SERVICE, protected=False, honor_labels=True
            ),
            facts=FACTS,
            pod=PodSettings({"containers": [], "volumes": scratch("tmp")}),
        )
        self._proxied()
        PeopleRoles(self)
        Alerts(self, [target_missing(METRICS_SERVICE, name="SealedSecrets"), UNSEAL_ERRORS])

    def container(self) -> Container:
        """The controller."""
        return {
            "name": "controller",
            "image": self.release.image,
            "command": ["controller"],
            "args": [
                "--update-status",
                f"--key-prefix={KEY_PREFIX}",
                f"--key-renew-period={self.config.key_renew_days * 24}h",
                "--listen-addr=:8080",
                "--listen-metrics-addr=:8081",
            ],
            "volumeMounts": mounts({"tmp": "/tmp"}),  # noqa: S108 - in the container
            "resources": {"requests": {"cpu": "50m", "memory": "64Mi"}, "limits": {"memory": "256Mi"}},
        }

    def _proxied(self) -> None:
        """Any authenticated user may ask for the public key; sealing needs no right beyond that."""
        Resource(self, ROLE, PROXIER, fields={"rules": [*PROXIED]})
        group: Subject = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "system:authenticated"}
        reference: RoleRef = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": PROXIER}
        Resource(self, ROLE_BINDING, PROXIER, fields={"roleRef": reference, "subjects": [group]})
