"""Rules that Prometheus does not load, and monitors that prometheus-operator leaves out."""

from __future__ import annotations

import pytest

from platform_def.checks.rules.operators.value_refused import VALUE_REFUSED
from tests.unit.checks.operators.judged import findings, told

RULE = "apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata: {name: a, namespace: b}\n"
HERE = "spec.groups[0].rules[0]"
IGNORED = "prometheus-operator loads no rule of the object"
GOOD = [
    "{alert: A, expr: up == 0, for: 5m, annotations: {text: '{{ $value | printf \"%.2f\" }} of {{ $labels.pod }}'}}",
    "{record: 'namespace:gpus:sum', expr: 'sum by (namespace) (DCGM_FI_DEV_GPU_UTIL)', labels: {team: a}}",
    "{record: a, expr: 'histogram_quantile(0.9, sum by (le) (rate(b_bucket[5m])))'}",
    "{record: a, expr: 1}",
    # Loki's ruler and newer releases of Prometheus read these.
    '{alert: A, expr: \'sum(rate({app="a"} |= "error" [5m])) > 1\'}',
    "{record: a, expr: 'rate(b[5m] anchored)'}",
    "{record: a, expr: 'rate(b[5m + 5m])'}",
]


def rule(written: str) -> str:
    return f"{RULE}spec: {{groups: [{{name: g, rules: [{written}]}}]}}\n"


def monitor(kind: str, spec: str) -> str:
    return f"apiVersion: monitoring.coreos.com/v1\nkind: {kind}\nmetadata: {{name: a, namespace: b}}\nspec: {spec}\n"


@pytest.mark.parametrize("written", GOOD)
def test_what_prometheus_loads_passes(written: str) -> None:
    assert told(VALUE_REFUSED, rule(written)) == []


@pytest.mark.parametrize(
    ("written", "path", "text"),
    [
        ("{alert: A, expr: 'sum(rate(a[5m]) by (b)'}", ".expr", "is no PromQL: unclosed left parenthesis"),
        ("{alert: A, expr: 'rate(a)'}", ".expr", "expected type matrix"),
        ("{alert: A, expr: ' '}", ".expr", "is empty"),
        ("{alert: A, record: b, expr: up}", ".record", "a rule alerts or records, not both"),
        ("{expr: up}", "", "has neither alert nor record"),
        ("{record: a, expr: up, for: 5m}", ".for", "is for alerts, and this rule records"),
        ("{record: 'a{b=\"c\"}', expr: up}", ".record", "has braces"),
        ("{alert: A, expr: up, annotations: {text: '{{ $value'}}", ".annotations.text", "has '{{' without '}}'"),
        ("{alert: A, expr: up, labels: {text: '{{ \"}}\" '}}", ".labels.text", "has '{{' without '}}'"),
    ],
)
def test_what_prometheus_does_not_load_is_an_error_at_its_field(written: str, path: str, text: str) -> None:
    (finding,) = findings(VALUE_REFUSED, rule(written))

    assert (finding.severity, finding.path) == ("error", HERE + path)
    assert text in finding.text
    assert finding.text.endswith(IGNORED)


def test_a_function_that_another_program_may_have_is_a_warning() -> None:
    ((severity, path, text),) = told(VALUE_REFUSED, rule("{alert: A, expr: 'rollup_rate(a[5m]) > 1'}"))

    assert (severity, path) == ("warning", f"{HERE}.expr")
    assert "rollup_rate" in text


@pytest.mark.parametrize(
    ("kind", "spec", "path"),
    [
        (
            "ServiceMonitor",
            "{selector: {}, endpoints: [{port: m}, {interval: 15s, scrapeTimeout: 25s}]}",
            "endpoints[1].",
        ),
        (
            "PodMonitor",
            "{selector: {}, podMetricsEndpoints: [{interval: 1m, scrapeTimeout: 1m1s}]}",
            "podMetricsEndpoints[0].",
        ),
        ("Probe", "{interval: 500ms, scrapeTimeout: 1s}", ""),
        ("ScrapeConfig", "{scrapeInterval: 30s, scrapeTimeout: 1h}", ""),
    ],
)
def test_a_timeout_above_the_interval_is_an_error(kind: str, spec: str, path: str) -> None:
    ((severity, where, text),) = told(VALUE_REFUSED, monitor(kind, spec))

    assert (severity, where) == ("error", f"spec.{path}scrapeTimeout")
    assert text.endswith(f"prometheus-operator leaves the {kind} out")


@pytest.mark.parametrize(
    "endpoint",
    [
        "{interval: 30s, scrapeTimeout: 30s}",
        "{scrapeTimeout: 25s}",
        "{interval: 1m, scrapeTimeout: 59s}",
        "{interval: 1x}",
    ],
)
def test_a_timeout_within_the_interval_and_one_under_prometheus_own_interval_pass(endpoint: str) -> None:
    assert told(VALUE_REFUSED, monitor("ServiceMonitor", f"{{selector: {{}}, endpoints: [{endpoint}]}}")) == []
