"""Certificates that cert-manager's webhook refuses.

Facts: cert-manager 1.21 (internal/apis/certmanager/validation/certificate.go; the bounds are those of
pkg/apis/certmanager/v1/types.go).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from platform_def.checks.fault import Fault
from platform_def.checks.rules.operators.refusals.durations import of_durations, seconds
from platform_def.errors import nearest
from platform_def.manifests.loose import mapping, text
from platform_def.manifests.rendered import Manifest

GROUP = "cert-manager.io"
_REFUSED = "cert-manager's webhook refuses it"
_NAMES = ("commonName", "dnsNames", "emailAddresses", "ipAddresses", "literalSubject", "otherNames", "uris")
_LONGEST = 64
_RSA = (2048, 8192)
_ECDSA = (256, 384, 521)
_HOUR = 3600.0
_DEFAULT = 90 * 24 * _HOUR
_LEAST_BEFORE = 300.0


def of_certificate(manifest: Manifest) -> Iterator[Fault]:
    """A Certificate."""
    spec = mapping(manifest.get("spec"))
    if not any(spec.get(name) for name in _NAMES):
        yield Fault("spec", f"names nothing that it is for: {_REFUSED}", "add dnsNames")
    common = text(spec.get("commonName"))
    if len(common.encode()) > _LONGEST:
        said = f"is {len(common.encode())} bytes long, and {_LONGEST} are the most: {_REFUSED}"
        yield Fault("spec.commonName", said, "put the name into dnsNames, and leave commonName out")
    yield from _issuer(mapping(spec.get("issuerRef")))
    yield from _key(mapping(spec.get("privateKey")))
    yield from of_durations(manifest)
    yield from _times(spec)


def _key(key: Mapping[str, Any]) -> Iterator[Fault]:
    algorithm, size = key.get("algorithm") or "RSA", key.get("size")
    if not isinstance(size, int) or not size:
        return
    if algorithm == "RSA" and not _RSA[0] <= size <= _RSA[1]:
        said = f"{size} bits are not within {_RSA[0]} and {_RSA[1]}: {_REFUSED}"
        yield Fault("spec.privateKey.size", said, "write 2048 or 4096")
    elif algorithm == "ECDSA" and size not in _ECDSA:
        said = f"no curve of ECDSA has {size} bits: {_REFUSED}"
        yield Fault("spec.privateKey.size", said, f"write {', '.join(map(str, _ECDSA))}")


def _issuer(issuer: Mapping[str, Any]) -> Iterator[Fault]:
    known = ("ClusterIssuer", "Issuer")
    kind = text(issuer.get("kind"))
    if kind and kind not in known and issuer.get("group", GROUP) in ("", GROUP):
        hint = nearest(kind, known) or "write Issuer or ClusterIssuer, or the group of another issuer"
        yield Fault("spec.issuerRef.kind", f"'{kind}' is neither Issuer nor ClusterIssuer: {_REFUSED}", hint)


def _times(spec: Mapping[str, Any]) -> Iterator[Fault]:
    lasts = _DEFAULT if spec.get("duration") is None else seconds(spec["duration"])
    if lasts is not None and lasts < _HOUR:
        yield Fault("spec.duration", f"{spec['duration']} is less than an hour: {_REFUSED}", "write at least 1h")
    before = seconds(spec.get("renewBefore"))
    if before is not None and spec.get("renewBeforePercentage") is not None:
        yield Fault("spec.renewBeforePercentage", f"does not go with renewBefore: {_REFUSED}", "leave one of them out")
    if before is None:
        return
    if before < _LEAST_BEFORE:
        yield Fault("spec.renewBefore", f"{spec['renewBefore']} is less than 5m: {_REFUSED}", "write at least 5m")
    if lasts is not None and before >= lasts:
        known = spec.get("duration") or "2160h, the default"
        said = f"{spec['renewBefore']} is not less than the duration, {known}: {_REFUSED}"
        yield Fault("spec.renewBefore", said, "write less, about a third of the duration")
