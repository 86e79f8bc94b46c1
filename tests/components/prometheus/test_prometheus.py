"""Prometheus: what its server is told, what it reads, and what an agent does not do."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from platform_def.capabilities import AlertRouter, Metrics
from platform_def.components.monitoring.prometheus.component import Prometheus
from platform_def.config.capability import Provision
from tests.unit.built import Objects, built, platform, stack_of, told

WRITE = {"name": "central", "url": "https://metrics.example.com/push"}
OWN = (Provision.of(Metrics(exporters=["kubelet", "cadvisor", "apiserver"]), "prometheus"),)


def build(*given: Provision, **config: Any) -> Objects:
    return built(Prometheus, platform(provisions=(*OWN, *given)), **config)


def spec(*given: Provision, **config: Any) -> dict[str, Any]:
    found: dict[str, Any] = build(*given, **config).one("Prometheus")["spec"]
    return found


def alerts(made: Objects) -> set[str]:
    groups = [group for each in made.of("PrometheusRule") for group in each["spec"]["groups"]]
    return {rule["alert"] for group in groups for rule in group["rules"]}


def test_it_reads_monitors_and_rules_of_all_namespaces() -> None:
    made = spec()

    for kind in ("serviceMonitor", "podMonitor", "probe", "scrapeConfig", "rule"):
        assert made[f"{kind}Selector"] == made[f"{kind}NamespaceSelector"] == {}


def test_chosen_labels_are_asked_for_and_offered_to_others() -> None:
    made = spec(select={"platform": "true"})
    facts = stack_of({"prometheus-operator": {}, "prometheus": {"select": {"platform": "true"}}})

    assert made["serviceMonitorSelector"] == made["ruleSelector"] == {"matchLabels": {"platform": "true"}}
    assert facts.maybe(Metrics).value.labels == {"platform": "true"}  # type: ignore[union-attr]


def test_its_own_monitors_have_the_labels_that_it_asks_for() -> None:
    made = built(
        Prometheus,
        stack_of({"prometheus-operator": {}, "prometheus": {"select": {"platform": "true"}}}),
        select={"platform": "true"},
    )

    assert all(each["metadata"]["labels"]["platform"] == "true" for each in made.of("ServiceMonitor"))
    assert all(each["metadata"]["labels"]["platform"] == "true" for each in made.of("PrometheusRule"))


def test_alerts_go_to_the_alertmanager_of_the_stack() -> None:
    router = Provision.of(AlertRouter(service="alertmanager-main", namespace="alerts"), "alertmanager")

    (known,) = spec(router)["alerting"]["alertmanagers"]
    assert (known["namespace"], known["name"], known["port"]) == ("alerts", "alertmanager-main", "web")
    assert "alerting" not in spec()
    assert "PrometheusWithoutAlertmanager" in alerts(build(router))
    assert "PrometheusWithoutAlertmanager" not in alerts(build())


def test_an_agent_forwards_and_evaluates_nothing() -> None:
    made = build(agent=True, remote_write=[WRITE])

    assert made.one("PrometheusAgent")["spec"]["remoteWrite"] == [WRITE]
    assert "ruleSelector" not in made.one("PrometheusAgent")["spec"]
    assert not made.of("Prometheus")


def test_an_agent_offers_no_rules_and_no_address() -> None:
    facts = stack_of({"prometheus-operator": {}, "prometheus": {"agent": True, "remoteWrite": [WRITE]}})
    given = facts.maybe(Metrics)

    assert given is not None
    assert (given.value.rules, given.value.address) == (False, None)


def test_an_agent_that_sends_nowhere_is_refused() -> None:
    with pytest.raises(ValidationError, match="an agent keeps nothing"):
        build(agent=True)


def test_credentials_of_other_servers_are_references() -> None:
    (write,) = spec(remote_write=[{**WRITE, "basic": {"existing": "central"}}])["remoteWrite"]
    (token,) = spec(remote_write=[{**WRITE, "token": {"existing": "central", "keys": {"token": "key"}}}])["remoteWrite"]

    assert write["basicAuth"]["password"] == {"name": "central", "key": "password"}
    assert token["authorization"]["credentials"] == {"name": "central", "key": "key"}


def test_only_named_metrics_are_sent() -> None:
    (write,) = spec(remote_write=[{**WRITE, "keep": ["DCGM_.*", "up"]}])["remoteWrite"]

    assert write["writeRelabelConfigs"][0]["regex"] == "DCGM_.*|up"


def test_a_volume_is_as_large_as_the_stack_says_and_replicas_follow_availability() -> None:
    sized = {"prometheus": {"volumes": {"data": {"size": "200Gi"}}}}
    claim = spec(workloads=sized)["storage"]["volumeClaimTemplate"]["spec"]

    assert claim["resources"]["requests"]["storage"] == "200Gi"
    assert spec()["replicas"] == 1
    assert spec(availability="ha")["replicas"] == 2
    assert spec(availability="ha", workloads={"prometheus": {"replicas": 3}})["replicas"] == 3


def test_several_pods_have_a_budget() -> None:
    assert build(availability="ha").names("PodDisruptionBudget") == ["prometheus-k8s"]
    assert not build().of("PodDisruptionBudget")


def test_kubelets_and_the_api_server_are_read_as_asked() -> None:
    assert {"kubelet", "kube-apiserver"} <= {*build().names("ServiceMonitor")}
    fewer = build(kubernetes=["kubelet"])
    assert "kube-apiserver" not in fewer.names("ServiceMonitor")
    assert "AdmissionWebhookFails" not in alerts(fewer)
    assert "VolumeNearlyFull" in alerts(fewer)


def test_volumes_keep_the_namespace_of_their_claim() -> None:
    kubelet, cadvisor = build().one("ServiceMonitor", "kubelet")["spec"]["endpoints"]

    assert kubelet["honorLabels"]
    assert cadvisor["honorLabels"]
    assert cadvisor["path"] == "/metrics/cadvisor"
    assert "kubelet_volume_stats_available_bytes" in kubelet["metricRelabelings"][0]["regex"]


def test_without_the_operator_it_says_what_is_missing() -> None:
    (found,) = told(Prometheus)

    assert "nothing in the stack runs servers of the kind Prometheus" in found
    assert not told(Prometheus, beside={"prometheus-operator": {}})
