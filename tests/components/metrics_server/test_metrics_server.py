"""Metrics server: one API of resource metrics in a cluster."""

from __future__ import annotations

from platform_def.components.monitoring.metrics_server.component import MetricsServer
from tests.unit.built import built, told

NAME = "metrics-server"


def test_certificates_of_kubelets_are_checked_on_demand() -> None:
    assert "--kubelet-insecure-tls" in built(MetricsServer).arguments("Deployment", NAME)
    assert "--kubelet-insecure-tls" not in built(MetricsServer, verify_kubelets=True).arguments("Deployment", NAME)


def test_the_api_leads_to_its_service() -> None:
    made = built(MetricsServer)
    spec = made.one("APIService")["spec"]

    assert spec["service"] == {"name": NAME, "namespace": "kube-system"}
    assert made.part("APIService") == "after"


def test_a_second_server_of_the_api_is_refused() -> None:
    beside: dict[str, dict[str, object]] = {
        "prometheus-operator": {},
        "prometheus": {},
        "node-exporter": {},
        "prometheus-adapter": {},
    }
    (found,) = told(MetricsServer, beside=beside)

    assert "prometheus-adapter serves v1beta1.metrics.k8s.io as well" in found
    assert "remove prometheus-adapter" in found
    assert not told(MetricsServer)


def test_a_distribution_that_brings_one_keeps_it() -> None:
    assert "GKE brings a server" in told(MetricsServer, distribution="gke")[0]
