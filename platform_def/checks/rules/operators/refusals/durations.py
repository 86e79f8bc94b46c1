"""Durations that no schema describes, and that operators read as Go does: what they cannot read they refuse.

Facts: the fields are `metav1.Duration` in cert-manager 1.21 (pkg/apis/certmanager/v1/types_certificate.go) and External
Secrets 2.x (apis/externalsecrets/v1), and plain text in their CRDs; the webhooks refuse what they cannot decode.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from platform_def.checks.fault import Fault
from platform_def.manifests.loose import at, text
from platform_def.manifests.rendered import Manifest

SECRETS = "external-secrets.io"
_FIELDS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "Certificate": ("cert-manager", ("spec.duration", "spec.renewBefore")),
    "ClusterExternalSecret": ("External Secrets", ("spec.refreshTime", "spec.externalSecretSpec.refreshInterval")),
    "ExternalSecret": ("External Secrets", ("spec.refreshInterval",)),
    "PushSecret": ("External Secrets", ("spec.refreshInterval",)),
}
"""Who reads which fields of a kind."""
_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
_PART = re.compile(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(h|ms|us|µs|ns|m|s)")


def of_durations(manifest: Manifest) -> Iterator[Fault]:
    """What an object says in other words than Go's."""
    who, fields = _FIELDS[text(manifest.get("kind"))]
    for path in fields:
        said = text(at(manifest, path))
        if said and seconds(said) is None:
            text_ = f"{said[:40]!r} is no duration: the webhook of {who} refuses it"
            yield Fault(path, text_, "write hours, minutes and seconds, such as 24h or 1h30m; there are no days")


def seconds(written: object) -> float | None:
    """A duration of Go's, such as 1h30m; None for what is none."""
    value = text(written)
    sign = -1 if value.startswith("-") else 1
    value = value.removeprefix("-" if sign < 0 else "+")
    if value == "0":
        return 0.0
    parts = _PART.findall(value)
    if not parts or "".join(number + unit for number, unit in parts) != value:
        return None
    return sign * sum(float(number) * _UNITS[unit] for number, unit in parts)
