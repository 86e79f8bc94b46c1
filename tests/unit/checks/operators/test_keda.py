"""Triggers that KEDA builds no scaler of."""

from __future__ import annotations

import pytest

from platform_def.checks.rules.operators.value_refused import VALUE_REFUSED
from tests.unit.checks.operators.judged import findings, told

FAILS = "KEDA builds no scaler of it, and nothing is scaled"
CRON = "timezone: Europe/Berlin, start: 0 8 * * *, end: 0 18 * * *, desiredReplicas: '2'"
GOOD = [
    "{type: kafka, metadata: {topic: a}}",
    "{type: cpu, metricType: Utilization, metadata: {value: '60'}}",
    "{type: memory, metricType: AverageValue, metadata: {value: 2Gi}}",
    "{type: prometheus, metadata: {serverAddress: 'http://p:9090', query: up, threshold: '1'}}",
    f"{{type: cron, metadata: {{{CRON}}}}}",
]


def written(trigger: str, kind: str = "ScaledObject") -> str:
    target = "scaleTargetRef: {name: a}" if kind == "ScaledObject" else "jobTargetRef: {}"
    head = f"apiVersion: keda.sh/v1alpha1\nkind: {kind}\nmetadata: {{name: a, namespace: b}}\n"
    return f"{head}spec: {{{target}, triggers: [{trigger}]}}\n"


@pytest.mark.parametrize("trigger", GOOD)
def test_what_keda_understands_passes(trigger: str) -> None:
    assert told(VALUE_REFUSED, written(trigger)) == []


@pytest.mark.parametrize("kind", ["ScaledObject", "ScaledJob"])
def test_a_type_that_keda_does_not_have_is_an_error(kind: str) -> None:
    (finding,) = findings(VALUE_REFUSED, written("{type: promethus, metadata: {}}", kind))

    assert (finding.severity, finding.path) == ("error", "spec.triggers[0].type")
    assert finding.text == f"'promethus' is no type of trigger: {FAILS}"
    assert finding.hint == "did you mean 'prometheus'?"


@pytest.mark.parametrize(
    ("trigger", "path", "said"),
    [
        ("{type: prometheus, metadata: {serverAddress: a, query: up}}", "metadata", "threshold is missing"),
        ("{type: cpu, metricType: Utilization, metadata: {}}", "metadata", "value is missing"),
        ("{type: cpu, metadata: {value: '60', type: Utilization}}", "metricType", "is missing"),
        ("{type: memory, metricType: Value, metadata: {value: '6'}}", "metricType", "'Value' is none for a resource"),
        (
            "{type: cpu, metricType: Utilization, metadata: {value: 60%}}",
            "metadata.value",
            "'60%' is no whole number of percent",
        ),
        (
            f"{{type: cron, metadata: {{{CRON.replace('0 8 * * *', '8 * * *')}}}}}",
            "metadata.start",
            "'8 * * *' has 4 fields, where minute, hour, day, month and weekday are expected",
        ),
        (
            f"""{{type: cron, metadata: {{{CRON.replace("0 18 * * *", "'@daily'")}}}}}""",
            "metadata.end",
            "'@daily' is no schedule of five fields",
        ),
        (
            f"{{type: cron, metadata: {{{CRON.replace('0 18 * * *', '0 8 * * *')}}}}}",
            "metadata.end",
            "is the same as start",
        ),
        (
            f"{{type: cron, metadata: {{{CRON.replace('Europe/Berlin', 'Berlin time')}}}}}",
            "metadata.timezone",
            "'Berlin time' is no time zone, as Europe/Berlin",
        ),
        (
            f"""{{type: cron, metadata: {{{CRON.replace("'2'", "'0'")}}}}}""",
            "metadata.desiredReplicas",
            "'0' is no number of pods",
        ),
    ],
)
def test_a_trigger_lacks_what_its_type_needs(trigger: str, path: str, said: str) -> None:
    assert told(VALUE_REFUSED, written(trigger)) == [("error", f"spec.triggers[0].{path}", f"{said}: {FAILS}")]


def test_idle_replicas_are_judged_beside_the_triggers() -> None:
    both = written("{type: nothing, metadata: {}}").replace("spec: {", "spec: {idleReplicaCount: 3, ")

    assert [path for _, path, _ in told(VALUE_REFUSED, both)] == ["spec.idleReplicaCount", "spec.triggers[0].type"]
