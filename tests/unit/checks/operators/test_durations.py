"""Durations that operators read as Go does."""

from __future__ import annotations

import pytest

from platform_def.checks.rules.operators.refusals.durations import seconds
from platform_def.checks.rules.operators.value_refused import VALUE_REFUSED
from tests.unit.checks.operators.judged import findings, told

_KINDS = {
    "ExternalSecret": ("v1", "{refreshInterval: %s, secretStoreRef: {name: a}}", "spec.refreshInterval"),
    "PushSecret": ("v1alpha1", "{refreshInterval: %s}", "spec.refreshInterval"),
    "ClusterExternalSecret": ("v1", "{refreshTime: %s}", "spec.refreshTime"),
}


def written(kind: str, duration: str) -> str:
    version, spec, _ = _KINDS[kind]
    head = f"apiVersion: external-secrets.io/{version}\nkind: {kind}\nmetadata: {{name: a, namespace: b}}\n"
    return f"{head}spec: {spec % duration}\n"


@pytest.mark.parametrize("kind", _KINDS)
@pytest.mark.parametrize("duration", ["1 hour", "1d", "h"])
def test_what_go_cannot_read_is_refused(kind: str, duration: str) -> None:
    said = f"{duration!r} is no duration: the webhook of External Secrets refuses it"

    assert told(VALUE_REFUSED, written(kind, duration)) == [("error", _KINDS[kind][2], said)]
    assert told(VALUE_REFUSED, written(kind, "1h30m")) == []
    assert told(VALUE_REFUSED, written(kind, '"0"')) == []


def test_certificates_have_such_fields_too() -> None:
    certificate = (
        "apiVersion: cert-manager.io/v1\nkind: Certificate\nmetadata: {name: a, namespace: b}\n"
        "spec: {secretName: a, duration: 90d, issuerRef: {name: a}, dnsNames: [a.example.com]}\n"
    )
    (finding,) = findings(VALUE_REFUSED, certificate)

    assert finding.path == "spec.duration"
    assert finding.text == "'90d' is no duration: the webhook of cert-manager refuses it"
    assert finding.hint == "write hours, minutes and seconds, such as 24h or 1h30m; there are no days"


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("1h30m", 5400.0),
        ("1.5h", 5400.0),
        ("90s", 90.0),
        ("+90s", 90.0),
        ("-90s", -90.0),
        ("2000ms", 2.0),
        ("3us", 3e-6),
        ("3ns", 3e-9),
        ("0", 0.0),
        ("", None),
        ("1d", None),
        (5, None),
    ],
)
def test_durations_are_read_as_go_does(text: object, length: float | None) -> None:
    assert seconds(text) == (pytest.approx(length) if length else length)
