"""Prometheus operator: what it is told, and how its metrics are read."""

from __future__ import annotations

from platform_def.capabilities import Metrics
from platform_def.components.monitoring.prometheus_operator.component import PrometheusOperator
from platform_def.config.capability import Provision
from tests.unit.built import built, platform

NAME = "prometheus-operator"


def test_its_helper_comes_from_the_mirror() -> None:
    made = built(PrometheusOperator, platform(registry="mirror.example.com"))
    helper = "mirror.example.com/quay.io/prometheus-operator/prometheus-config-reloader:v0.93.1"

    assert f"--prometheus-config-reloader={helper}" in made.arguments("Deployment", NAME)


def test_the_service_of_kubelets_is_kept_unless_another_operator_does() -> None:
    own, other = built(PrometheusOperator), built(PrometheusOperator, kubelets=False)

    assert "--kubelet-service=kube-system/kubelet" in own.arguments("Deployment", NAME)
    assert [(each.kind, each.namespace, each.name) for each in own.build.makes] == [
        ("Service", "kube-system", "kubelet")
    ]
    assert "--kubelet-endpointslice=false" in other.arguments("Deployment", NAME)
    assert not other.build.makes


def test_its_metrics_are_read_through_the_proxy_with_a_token() -> None:
    made = built(PrometheusOperator, platform(provisions=(Provision.of(Metrics(), "prometheus"),)))
    (endpoint,) = made.one("ServiceMonitor")["spec"]["endpoints"]

    assert (endpoint["port"], endpoint["scheme"]) == ("https", "https")
    assert "bearerTokenFile" in endpoint


def test_it_awaits_the_kinds_that_it_looks_for_once_and_not_those_that_it_waits_for_itself() -> None:
    kinds = {each.partition(".")[0] for each in built(PrometheusOperator).build.awaits}

    assert kinds == {"Alertmanager", "Prometheus", "PrometheusAgent", "ScrapeConfig", "ThanosRuler"}
