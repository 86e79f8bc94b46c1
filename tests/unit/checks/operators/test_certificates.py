"""Certificates that cert-manager's webhook refuses."""

from __future__ import annotations

import pytest

from platform_def.checks.rules.operators.value_refused import VALUE_REFUSED
from tests.unit.checks.operators.judged import findings, told

_REFUSED = "cert-manager's webhook refuses it"
_CERTIFICATE = """apiVersion: cert-manager.io/v1
kind: Certificate
metadata: {name: door, namespace: a}
spec:
  secretName: door
  duration: 24h
  renewBefore: 8h
  privateKey: {algorithm: ECDSA, size: 256}
  issuerRef: {name: house, kind: ClusterIssuer}
  dnsNames: [ml.example.com]
"""


@pytest.mark.parametrize(
    ("old", "new", "path", "text"),
    [
        ("  dnsNames: [ml.example.com]\n", "", "spec", "names nothing that it is for"),
        (
            "dnsNames",
            f"commonName: {'a' * 65}\n  dnsNames",
            "spec.commonName",
            "is 65 bytes long, and 64 are the most",
        ),
        ("kind: ClusterIssuer", "kind: House", "spec.issuerRef.kind", "'House' is neither Issuer nor ClusterIssuer"),
        ("duration: 24h", "duration: 59m", "spec.duration", "59m is less than an hour"),
        ("renewBefore: 8h", "renewBefore: 4m59s", "spec.renewBefore", "4m59s is less than 5m"),
        ("renewBefore: 8h", "renewBefore: 24h", "spec.renewBefore", "24h is not less than the duration, 24h"),
        (
            "  duration: 24h\n  renewBefore: 8h",
            "  renewBefore: 2160h",
            "spec.renewBefore",
            "2160h is not less than the duration, 2160h, the default",
        ),
        (
            "renewBefore: 8h",
            "renewBefore: 8h\n  renewBeforePercentage: 30",
            "spec.renewBeforePercentage",
            "does not go with renewBefore",
        ),
        ("size: 256", "size: 2048", "spec.privateKey.size", "no curve of ECDSA has 2048 bits"),
        ("algorithm: ECDSA, ", "", "spec.privateKey.size", "256 bits are not within 2048 and 8192"),
    ],
)
def test_a_certificate_that_the_webhook_refuses(old: str, new: str, path: str, text: str) -> None:
    assert old in _CERTIFICATE
    assert ("error", path, f"{text}: {_REFUSED}") in told(VALUE_REFUSED, _CERTIFICATE.replace(old, new, 1))


def test_a_sound_certificate_is_let_be() -> None:
    assert told(VALUE_REFUSED, _CERTIFICATE) == []
    assert told(VALUE_REFUSED, _CERTIFICATE.replace("kind: ClusterIssuer", "kind: House, group: example.com")) == []
    assert told(VALUE_REFUSED, _CERTIFICATE.replace("24h", "1h").replace("8h", "59m59s")) == []
    assert told(VALUE_REFUSED, _CERTIFICATE.replace("dnsNames", f"commonName: {'a' * 64}\n  dnsNames")) == []
    assert told(VALUE_REFUSED, _CERTIFICATE.replace("ECDSA, size: 256", "RSA, size: 8192")) == []
    assert told(VALUE_REFUSED, _CERTIFICATE.replace("renewBefore: 8h", "renewBefore: 5m")) == []


def test_the_nearest_issuer_is_offered() -> None:
    (finding,) = findings(VALUE_REFUSED, _CERTIFICATE.replace("ClusterIssuer", "ClusterIssur"))

    assert finding.hint == "did you mean 'ClusterIssuer'?"
