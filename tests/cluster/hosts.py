"""Several hosts of one gateway, each with a certificate of its own, signed by an authority of its own."""

from __future__ import annotations

import base64
import ssl
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from tests.cluster.client import Manifest
from tests.cluster.door import Door
from tests.cluster.pki import Serving, serving

INGRESS = """{kind: cloud, host: any.example.com, tls: {secret: door}, furtherHosts: [\
{host: models.example.com, tls: {secret: models}}, {host: "*.apps.example.com", tls: {secret: apps}}]}"""
NAMES = {"door": "any.example.com", "models": "models.example.com", "apps": "*.apps.example.com"}
"""Which host the certificate in a Secret is for."""
SHOWN = {"any.example.com": "door", "models.example.com": "models", "hub.apps.example.com": "apps"}
"""Whose certificate a client of a host is to see."""
ELSEWHERE = "elsewhere.example.com"

Certificates = Mapping[str, Serving]


def certificates(folder: Path) -> Certificates:
    """Files of each certificate, by its Secret."""
    return {secret: serving(folder / secret, [name]) for secret, name in NAMES.items()}


def secrets(made: Certificates, namespace: str) -> Iterator[Manifest]:
    """The Secrets that a stack names."""
    return (secret(name, namespace, each) for name, each in made.items())


def secret(name: str, namespace: str, made: Serving) -> Manifest:
    """A Secret with the certificate and the key of a server."""
    files = {"tls.crt": made.certificate, "tls.key": made.key}
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "type": "kubernetes.io/tls",
        "metadata": {"name": name, "namespace": namespace},
        "data": {file: base64.b64encode(path.read_bytes()).decode() for file, path in files.items()},
    }


def unverified() -> ssl.SSLContext:
    """Of a client that asks for no certificate."""
    trust = ssl.create_default_context()
    trust.check_hostname, trust.verify_mode = False, ssl.CERT_NONE
    return trust


def served(door: Door, made: Certificates, path: str) -> dict[str, bool]:
    """Whether each host answers a client that trusts the authority of its own certificate alone."""
    found = {}
    for host, secret in SHOWN.items():
        trust = ssl.create_default_context(cafile=str(made[secret].authority))
        found[host] = _answers(replace(door, tls=trust), path, host)
    return {**found, ELSEWHERE: _answers(replace(door, tls=unverified()), path, ELSEWHERE)}


def _answers(door: Door, path: str, host: str) -> bool:
    try:
        return door.get(path, host=host).status == 200
    except OSError:
        return False


ALL = {**dict.fromkeys(SHOWN, True), ELSEWHERE: False}
"""What `served` finds where all is right."""
