"""Prometheus adapter: it asks the Prometheus of the stack, which must have what it asks for."""

from __future__ import annotations

from typing import Any

import yaml

from platform_def.components.monitoring.prometheus_adapter.component import PrometheusAdapter
from tests.unit.built import built, stack_of, told

NAME = "prometheus-adapter"
BESIDE: dict[str, dict[str, Any]] = {"prometheus-operator": {}, "prometheus": {}, "node-exporter": {}}
WRITE = [{"name": "central", "url": "https://metrics.example.com/push"}]


def test_it_asks_the_prometheus_of_the_stack_or_the_one_that_is_named() -> None:
    own = built(PrometheusAdapter, stack_of(BESIDE)).arguments("Deployment", NAME)
    named = built(PrometheusAdapter, prometheus="https://p.example.com").arguments("Deployment", NAME)

    assert "--prometheus-url=http://prometheus-k8s.monitoring.svc.cluster.local:9090/" in own
    assert "--prometheus-url=https://p.example.com/" in named


def test_its_queries_name_what_it_is_asked_about() -> None:
    file = built(PrometheusAdapter, stack_of(BESIDE)).one("ConfigMap")["data"]["config.yaml"]
    rules = yaml.safe_load(file)["resourceRules"]

    for rule in (rules["cpu"], rules["memory"]):
        for query in (rule["containerQuery"], rule["nodeQuery"]):
            assert "<<.LabelMatchers>>" in query
            assert "<<.GroupBy>>" in query


def test_a_prometheus_without_what_it_asks_for_is_reported() -> None:
    without = {"prometheus-operator": {}, "prometheus": {"kubernetes": ["apiserver"]}}
    found = told(PrometheusAdapter, beside=without)

    assert [each for each in found if "does not read cadvisor" in each]
    assert [each for each in found if "does not read node-exporter" in each]
    assert not told(PrometheusAdapter, beside=BESIDE)


def test_an_agent_answers_no_queries() -> None:
    agent = {**BESIDE, "prometheus": {"agent": True, "remoteWrite": WRITE}}

    assert "prometheus answers no queries" in told(PrometheusAdapter, beside=agent)[0]
