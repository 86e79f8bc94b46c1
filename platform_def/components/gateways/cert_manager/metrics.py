"""What cert-manager's controller says of certificates, with labels that its monitor honours, and alerts over it."""

from __future__ import annotations

from platform_def.constructs import HONORED_TARGET, Alert, MetricTable, gauge, target_missing

_ISSUED = "name namespace issuer_name issuer_kind issuer_group"
EXPORTED = MetricTable(
    "internal/collectors/certificate_collector.go of cert-manager v1.19.5 and v1.21.2",
    gauge("certmanager_certificate_ready_status", f"{_ISSUED} condition"),
    gauge("certmanager_certificate_expiration_timestamp_seconds", _ISSUED),
    gauge("certmanager_certificate_renewal_timestamp_seconds", _ISSUED),
    target=HONORED_TARGET,
)
_WHICH = "Certificate {{ $labels.name }} in namespace {{ $labels.namespace }}"
_ACTION = "Describe it, its CertificateRequest and its issuer: their conditions say what is refused."


def alerts(controller: str) -> tuple[Alert, ...]:
    """Alerts of the controller that Prometheus reads by this Service."""
    return (
        target_missing(controller, name="CertManager"),
        Alert(
            "CertificateNotReady",
            'max by (namespace, name) (certmanager_certificate_ready_status{condition!="True"}) > 0',
            summary=f"{_WHICH} is not ready",
            action=_ACTION,
            lasting="15m",
        ),
        # A certificate that was never issued has the time 0.
        Alert(
            "CertificateNotRenewed",
            "min by (namespace, name) (certmanager_certificate_renewal_timestamp_seconds > 0) - time() < 0",
            summary=f"{_WHICH} should have been renewed hours ago",
            action=_ACTION,
            lasting="3h",
        ),
        Alert(
            "CertificateExpired",
            "min by (namespace, name) (certmanager_certificate_expiration_timestamp_seconds > 0) - time() < 0",
            summary=f"{_WHICH} has expired: what serves it is refused by its clients",
            action=_ACTION,
            severity="critical",
            lasting="0s",
        ),
    )
