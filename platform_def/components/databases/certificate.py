"""The certificate of a SQL server: signed by cert-manager, read by the server from a volume when it starts."""

from __future__ import annotations

from typing import Any

from platform_def.apis.cert_manager.v1 import CERTIFICATE
from platform_def.apis.core.core_v1 import Volume, VolumeMount
from platform_def.capabilities import CertificateIssuer
from platform_def.config.model import Model, Name
from platform_def.constructs import AnyComponent, ExistingObject, Need, Resource, ServingCertificate, mounts, need

FOLDER = "/run/secrets/certificate"
CERTIFICATE_FILE, KEY_FILE = f"{FOLDER}/tls.crt", f"{FOLDER}/tls.key"
_HOURS = 10 * 365 * 24
"""A server reads it when it starts, and never again."""


class ServerCertificate(Model):
    """Who signs the certificate of a server."""

    issuer: Name | None = None
    """ClusterIssuer that signs it, which the cluster has; by default an Issuer of the server's own, which signs nothing
    else."""


def needs_of(certificate: ServerCertificate | None) -> tuple[Need[Any], ...]:
    """cert-manager, where it makes the server's certificate."""
    return (need(CertificateIssuer),) if certificate else ()


def existing(certificate: ServerCertificate | None) -> tuple[ExistingObject, ...]:
    """The issuer, which the cluster has."""
    if certificate is None or certificate.issuer is None:
        return ()
    return (ExistingObject("ClusterIssuer", certificate.issuer, group="cert-manager.io"),)


def mounted() -> list[VolumeMount]:
    """Where the server reads it."""
    return mounts({"certificate": FOLDER}, read_only=True)


def certified(component: AnyComponent, name: str, certificate: ServerCertificate) -> Volume:
    """The certificate for the Service `name`, as the volume `certificate`, whose key the server's group reads."""
    secret = f"{name}-certificate"
    if certificate.issuer is None:
        ServingCertificate(component, secret, services=[name], valid_hours=_HOURS)
    else:
        Resource(
            component,
            CERTIFICATE,
            secret,
            spec={
                "secretName": secret,
                "dnsNames": [f"{name}.{component.namespace}.svc", component.service_host(name)],
                "issuerRef": {"kind": "ClusterIssuer", "name": certificate.issuer},
                "duration": f"{_HOURS}h",
            },
        )
    # PostgreSQL starts with no key that others than its owner root and one group may read.
    return {"name": "certificate", "secret": {"secretName": secret, "defaultMode": 0o640}}
