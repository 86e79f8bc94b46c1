"""Certificates and tokens of one test run: made at its start, kept in its folder, worth nothing afterwards."""

from __future__ import annotations

import base64
import ipaddress
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

LIFETIME = timedelta(days=2)
KUBERNETES = "127.64.0.1"
"""Address of the API server's own Service: the first of those that Services have."""


API_SERVER = "kubernetes.default.svc.cluster.local"
"""The name of that Service; Prometheus asks for the shortest, `kubernetes`, and Spark for `kubernetes.default.svc`."""
SHORTER = (".cluster.local", ".svc.cluster.local", ".default.svc.cluster.local")
"""What pods may leave out of it."""


@dataclass(frozen=True)
class Pki:
    """Files of a cluster's identity, and the token of its administrator."""

    folder: Path
    token: str
    """Of a user in system:masters."""

    @property
    def authority(self) -> Path:
        """The authority's certificate, which clients trust."""
        return self.folder / "ca.crt"

    @property
    def certificate(self) -> Path:
        """The API server's certificate, for 127.0.0.1, and the address and the name of its Service."""
        return self.folder / "server.crt"

    @property
    def key(self) -> Path:
        """The key of `certificate`."""
        return self.folder / "server.key"

    @property
    def service_accounts(self) -> Path:
        """The key that signs and verifies the tokens of service accounts."""
        return self.folder / "service-accounts.key"

    @property
    def tokens(self) -> Path:
        """The API server's token file."""
        return self.folder / "tokens.csv"


def create(folder: Path) -> Pki:
    """Make an authority, a server certificate, a service account key and tokens in `folder`."""
    folder.mkdir(mode=0o700, parents=True)
    pki = Pki(folder, secrets.token_urlsafe(32))
    authority_key, server_key = _new_key(), _new_key()
    authority = _certificate(
        "test authority", authority_key, issuer="test authority", signer=authority_key, is_authority=True
    )
    server = _certificate(
        "kube-apiserver",
        server_key,
        issuer="test authority",
        signer=authority_key,
        is_authority=False,
        names=[API_SERVER, *(API_SERVER.removesuffix(tail) for tail in SHORTER)],
    )
    pki.authority.write_bytes(authority.public_bytes(serialization.Encoding.PEM))
    pki.certificate.write_bytes(server.public_bytes(serialization.Encoding.PEM))
    pki.key.write_bytes(_pem(server_key))
    pki.service_accounts.write_bytes(_pem(_new_key()))
    pki.tokens.write_text(f'{pki.token},admin,admin,"system:masters"\n')
    return pki


@dataclass(frozen=True)
class Serving:
    """Files of a server's identity, signed by an authority of its own."""

    authority: Path
    certificate: Path
    key: Path


def serving(folder: Path, names: Sequence[str]) -> Serving:
    """Make the certificate of a server that is known by these names of DNS; `*.` stands for one label."""
    folder.mkdir(mode=0o700, parents=True)
    made = Serving(folder / "ca.crt", folder / "tls.crt", folder / "tls.key")
    authority_key, key = _new_key(), _new_key()
    authority = _certificate("servers", authority_key, issuer="servers", signer=authority_key, is_authority=True)
    own = _certificate("server", key, issuer="servers", signer=authority_key, is_authority=False, names=names)
    made.authority.write_bytes(authority.public_bytes(serialization.Encoding.PEM))
    made.certificate.write_bytes(own.public_bytes(serialization.Encoding.PEM))
    made.key.write_bytes(_pem(key))
    return made


def certificate(made: Serving, home: str, name: str) -> dict[str, Any]:
    """The Secret that a gateway serves from."""
    data = {"tls.crt": made.certificate, "tls.key": made.key}
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "type": "kubernetes.io/tls",
        "metadata": {"name": name, "namespace": home},
        "data": {key: base64.b64encode(file.read_bytes()).decode() for key, file in data.items()},
    }


def _new_key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


def _pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )


def _name(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _certificate(
    subject: str,
    key: ec.EllipticCurvePrivateKey,
    *,
    issuer: str,
    signer: ec.EllipticCurvePrivateKey,
    is_authority: bool,
    names: Sequence[str] = (),
) -> x509.Certificate:
    now = datetime.now(UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(_name(subject))
        .issuer_name(_name(issuer))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + LIFETIME)
        .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), critical=False)
    )
    if is_authority:
        usage = x509.KeyUsage(
            digital_signature=True, key_cert_sign=True, crl_sign=True, content_commitment=False, key_encipherment=False,
            data_encipherment=False, key_agreement=False, encipher_only=False, decipher_only=False,
        )  # fmt: skip
        builder = builder.add_extension(usage, critical=True)
    else:
        addresses = [x509.IPAddress(ipaddress.ip_address(each)) for each in ("127.0.0.1", KUBERNETES)]
        known: list[x509.GeneralName] = [*addresses, *map(x509.DNSName, names)]
        builder = builder.add_extension(x509.SubjectAlternativeName(known), critical=False)
    return builder.sign(signer, hashes.SHA256())
