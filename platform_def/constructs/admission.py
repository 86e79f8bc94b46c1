"""The admission server of an operator: its certificate, and the configurations that lead the API server to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from platform_def.apis.core.core_v1 import SECRET, ServicePort
from platform_def.config.objects import Drift
from platform_def.constructs.certificate import ServingCertificate
from platform_def.constructs.component import Piece, Scope
from platform_def.constructs.resource import Resource
from platform_def.constructs.service import port
from platform_def.constructs.volumes import Mounted, mounted
from platform_def.constructs.webhook import Hook, Webhooks


@dataclass(frozen=True, kw_only=True)
class AdmissionServer:
    """What an operator's webhook calls for, and how the API server comes to trust it."""

    validating: Sequence[Hook] = ()
    mutating: Sequence[Hook] = ()
    secret: str
    """Secret with the certificate that the pod mounts."""
    trust: Literal["own", "cert-manager", "given"] = "own"
    """`own`: the operator writes the Secret and the CA itself, under names that are compiled into it; `cert-manager`:
    it signs and injects, and the component needs a CertificateIssuer; `given`: the component makes the Secret, or
    another program of it does."""
    ca_from: str = ""
    """With `given`, the annotation `key=value` for cert-manager's injector; empty: a program writes the CA."""
    certificate: str = ""
    """Name of the Certificate that cert-manager signs; by default the operator's with `-serving`."""
    configuration: str | tuple[str, str] = ""
    """Name of the webhook configurations, or those of the validating and of the mutating one; by default the
    operator's."""
    folder: str = "/tmp/k8s-webhook-server/serving-certs"  # noqa: S108 - in the container
    """Where the server reads the certificate; by default as controller-runtime does."""
    volume: str = "cert"
    port: ServicePort = field(default_factory=lambda: port("webhook", 443, 9443))
    """Port of the Service."""
    service: str = ""
    """A Service of its own; by default the operator's."""


class Admission(Piece):
    """Secret or certificate, and webhook configurations, of an admission server behind the Service `service`."""

    def __init__(self, scope: Scope, name: str, server: AdmissionServer, *, service: str):
        super().__init__(scope, name)
        named = self.component.named
        self.server = server
        self.secret = named(server.secret)
        self.annotations: Mapping[str, str] = {}
        """For CRDs with a conversion webhook at the same server."""
        self.ca_from = server.ca_from
        """For further webhook configurations of the same server."""
        if server.trust == "cert-manager":
            certificate = ServingCertificate(
                self, named(server.certificate or f"{name}-serving"), services=[service], secret=self.secret
            )
            self.ca_from, self.annotations = certificate.ca_from, certificate.annotations
        elif server.trust == "own":
            Resource(self, SECRET, self.secret, fields={"type": "Opaque"})
            self.component.mutated(Drift("v1", "Secret", self.secret, ("/data",)))
        configuration = server.configuration or name
        validating, mutating = (configuration,) * 2 if isinstance(configuration, str) else configuration
        both: tuple[tuple[Literal["validating", "mutating"], str, Sequence[Hook]], ...] = (
            ("mutating", mutating, server.mutating),
            ("validating", validating, server.validating),
        )
        to, at = service, server.port["port"]
        for kind, called, hooks in both:
            if hooks:
                Webhooks(self, named(called), kind=kind, service=to, hooks=hooks, ca_from=self.ca_from, port=at)

    @property
    def mounted(self) -> Mounted:
        """The certificate, where the server reads it."""
        return mounted(self.server.volume, self.server.folder, secret=self.secret)
