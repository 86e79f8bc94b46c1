"""Serving certificates of admission webhooks, signed in the cluster by cert-manager: no key is ever rendered."""

from __future__ import annotations

from collections.abc import Sequence

from platform_def.apis.cert_manager.v1 import CERTIFICATE, ISSUER, CertificateSpec
from platform_def.constructs.component import Piece, Scope
from platform_def.constructs.resource import Resource

INJECT = "cert-manager.io/inject-ca-from"
"""Annotation by which cert-manager's injector finds the authority of a webhook, a CRD or an APIService."""


class ServingCertificate(Piece):
    """A self-signed Issuer, and a Certificate of it for Services of the component.

    The component says `needs = (need(CertificateIssuer),)`; its pods mount the Secret, and wait until it exists.
    """

    def __init__(
        self,
        scope: Scope,
        name: str,
        *,
        services: Sequence[str],
        secret: str = "",
        issuer: str = "",
        valid_hours: int = 0,
    ):
        """`name` is the Certificate's; unless given, the Secret is called the same and the Issuer `<name>-issuer`.

        `valid_hours` is for servers that read their certificate once: cert-manager's own 90 days would end under them.
        """
        super().__init__(scope, name)
        self.name = name
        self.secret = secret or name
        issuer = issuer or f"{name}-issuer"
        Resource(self, ISSUER, issuer, spec={"selfSigned": {}})
        lasting: CertificateSpec = {"duration": f"{valid_hours}h"} if valid_hours else {}  # type: ignore[typeddict-item]
        Resource(
            self,
            CERTIFICATE,
            name,
            spec={
                "secretName": self.secret,
                "dnsNames": [alias for service in services for alias in self._aliases(service)],
                "issuerRef": {"kind": "Issuer", "name": issuer},
                **lasting,
            },
        )

    @property
    def ca_from(self) -> str:
        """What `Webhooks(ca_from=…)` takes: the annotation and its value."""
        return f"{INJECT}={self.owner.namespace}/{self.name}"

    @property
    def annotations(self) -> dict[str, str]:
        """The same, for `Crds(annotations=…)` where a CRD has a conversion webhook."""
        key, _, value = self.ca_from.partition("=")
        return {key: value}

    def _aliases(self, service: str) -> tuple[str, str]:
        """The name that the API server calls, `<service>.<namespace>.svc`, and the full one."""
        return f"{service}.{self.owner.namespace}.svc", self.owner.service_host(service)
