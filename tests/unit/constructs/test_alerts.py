from collections.abc import Callable
from typing import Any

import pytest

from platform_def.capabilities import Exporter, Metrics
from platform_def.config.capability import Capability, Provision
from platform_def.config.platform import Platform
from platform_def.constructs import (
    Alert,
    Alerts,
    MetricTable,
    Record,
    Service,
    controller_alerts,
    counter,
    gauge,
    histogram,
    increased,
    port,
    target_missing,
)
from platform_def.constructs.observation.controllers import CONTROLLER_RUNTIME
from platform_def.errors import ConfigError
from tests.unit.constructs.samples import objects

TABLE = MetricTable("widgets.go", counter("made_total", "team"), gauge("waiting", "team"))
PODS = MetricTable("pods.go", gauge("pod_owner", "owner"), exporter="pods")


def platform(*given: Capability) -> Platform:
    return Platform(provisions=tuple(Provision.of(each, "elsewhere") for each in given))


def alert(expr: str = "waiting > 3", **more: Any) -> Alert:
    return Alert(more.pop("name", "WidgetsWait"), expr, **{"summary": "Widgets wait", "action": "Look", **more})


def made(*rules: Alert | Record, given: tuple[Capability, ...] = (Metrics(),), tables: Any = (TABLE,)) -> Any:
    return objects(lambda scope: Alerts(scope, rules, tables=tables), platform=platform(*given))


def rules(*given: Alert | Record, **options: Any) -> list[dict[str, Any]]:
    (group,) = made(*given, **options)["PrometheusRule", "sample"]["spec"]["groups"]
    found: list[dict[str, Any]] = group["rules"]
    return found


def problem(*given: Alert | Record, **options: Any) -> str:
    with pytest.raises(ConfigError) as caught:
        made(*given, **options)
    (found,) = caught.value.problems
    return f"{found.text} | {found.hint}"


def test_an_alert_becomes_a_rule() -> None:
    (rule,) = rules(
        alert('waiting{team="a"} > 3', summary="{{ $labels.team }} waits", severity="critical", labels={"area": "w"})
    )

    assert rule == {
        "alert": "WidgetsWait",
        "expr": 'waiting{team="a"} > 3',
        "for": "10m",
        "labels": {"area": "w", "severity": "critical"},
        "annotations": {"summary": "{{ $labels.team }} waits", "description": "Look"},
    }


def test_an_alert_at_once_has_no_time() -> None:
    assert "for" not in rules(alert(lasting="0s"))[0]


def test_a_recorded_series_may_be_asked_by_later_rules() -> None:
    first, second = rules(Record("team:made:rate", "sum by (team) (rate(made_total[5m]))"), alert("team:made:rate > 1"))

    assert (first["record"], second["expr"]) == ("team:made:rate", "team:made:rate > 1")


def test_without_a_prometheus_there_is_no_rule_and_a_misspelt_metric_is_an_error_all_the_same() -> None:
    assert not made(alert(), given=())
    assert "no metric 'wating'" in problem(alert("wating > 3"), given=())


def test_an_agent_gets_no_rules() -> None:
    assert not made(alert(), given=(Metrics(rules=False),))


def test_rules_have_the_labels_that_prometheus_asks_for() -> None:
    labels = made(alert(), given=(Metrics(labels={"release": "kps"}),))["PrometheusRule", "sample"]["metadata"][
        "labels"
    ]

    assert labels["release"] == "kps"


def test_a_rule_over_an_exporter_that_the_stack_lacks_is_left_out() -> None:
    joined = alert("waiting > 0 and on (pod) pod_owner", name="WidgetsOfPods")

    def given(*more: Capability) -> list[str]:
        return [each["alert"] for each in rules(alert(), joined, given=more, tables=(TABLE, PODS))]

    assert given(Metrics()) == ["WidgetsWait"]
    assert given(Metrics(), Exporter(name="pods")) == ["WidgetsWait", "WidgetsOfPods"]
    assert given(Metrics(exporters=["pods"])) == ["WidgetsWait", "WidgetsOfPods"]


def test_what_is_recorded_from_an_absent_exporter_is_absent_too() -> None:
    recorded = Record("pod:owners:count", "count by (owner) (pod_owner)")
    over = alert("pod:owners:count > 1", name="ManyOwners")

    assert [each["alert"] for each in rules(alert(), recorded, over, tables=(TABLE, PODS))] == ["WidgetsWait"]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (alert("wating > 3"), "sample: alert WidgetsWait: there is no metric 'wating' | did you mean 'waiting'?"),
        (
            alert("sum(waiting) > 3", summary="{{ $labels.team }}"),
            "sample: alert WidgetsWait: its text shows the label 'team', which its result does not have | its expression adds all labels up: write `by (…)`",
        ),
        (
            alert("waiting > 3", action="{{ printf `%s` $labels.tem }}"),
            "sample: alert WidgetsWait: its text shows the label 'tem', which its result does not have | did you mean 'team'?",
        ),
        (
            alert("3 > bool 2"),
            "sample: alert WidgetsWait: its expression is a number, not series | compare series with the number",
        ),
        (alert(name="widgets-wait"), "sample: alert widgets-wait: names of alerts are in CamelCase | "),
        (
            alert(lasting="10 min"),
            "sample: alert WidgetsWait: '10 min' is no duration | write 90s, 15m, 1h30m or 2d",
        ),
        (Record("made", "sum(made_total)"), "sample: record made: name it as `level:metric:operation` | "),
    ],
)  # fmt: skip
def test_a_wrong_rule_is_an_error(rule: Alert | Record, expected: str) -> None:
    assert problem(rule) == expected


LATE = "sample: alert WidgetsWait: 'made_total' has no series before its first event, so its growth leaves that one out"
HINT = "write increased('made_total{…}', '10m'), or give its table `late=False`"


@pytest.mark.parametrize(
    "expr",
    [
        "sum(increase(made_total[1h])) > 0",
        "increase(made_total[1h]) > 3",
        "waiting > 0 unless on (team) increase(made_total[1h]) > 0",
        "sum by (team) (rate(made_total[5m])) > 0",
        "waiting or increase(made_total[1h]) > 0",
        "waiting and count_over_time(made_total[1h]) < 9 or increase(made_total[1h]) > 0",
    ],
)
def test_growth_without_the_first_event_is_refused(expr: str) -> None:
    assert problem(alert(expr)) == f"{LATE} | {HINT}"


@pytest.mark.parametrize(
    "expr",
    [
        f"sum({increased('made_total', '1h')}) > 0",
        f"sum by (team) ({increased('made_total', '1h')}) > 0 and on (team) waiting > 0",
        "sum(rate(made_total[5m])) > 0.1",
        "sum(rate(made_total[5m])) / sum(waiting) > 0.5",
        "increase(ended_total[1h]) > 0",
        "increase(kept_total[1h]) > 0",
        "sum(rate(spent_seconds_count[1h])) > 0",
    ],
)
def test_growth_with_the_first_event_is_taken(expr: str) -> None:
    from_start = MetricTable(
        "other.go",
        counter("ended_total"),
        counter("kept_total", "team", late=False),
        histogram("spent_seconds", "team", late=False),
    )

    assert [each["expr"] for each in rules(alert(expr), tables=(TABLE, from_start))] == [expr]


def test_a_counter_without_labels_may_begin_late_too() -> None:
    late = MetricTable("other.go", counter("ended_total", late=True))

    assert "'ended_total' has no series before its first event" in problem(
        alert("increase(ended_total[1h]) > 0"), tables=(late,)
    )


NEVER = "sample: alert WidgetsWait: a single event fires nothing: it is seen for {}, and the alert waits {}"


@pytest.mark.parametrize(
    ("expr", "lasting", "seen"),
    [
        ("increase(ended_total[10m]) > 0", "10m", "10m"),
        ("sum(rate(ended_total[5m])) > 0", "15m", "5m"),
        ("sum(increase(ended_total[1h30m])) >= 3", "2h", "1h30m"),
        (f"sum by (team) ({increased('made_total', '10m')}) > 0", "10m", "10m"),
        ("sum(increase(ended_total[10m])) > 0 unless sum(waiting) > 0", "1h", "10m"),
        ("increase(ended_total[1h]) > 0 or increase(ended_total[30s]) > 0", "5m", "30s"),
    ],
)
def test_an_alert_that_no_single_event_fires_says_why_events_repeat(expr: str, lasting: str, seen: str) -> None:
    tables = (TABLE, MetricTable("other.go", counter("ended_total")))
    (rule,) = rules(alert(expr, lasting=lasting, repeats="it is tried again every minute"), tables=tables)

    assert "repeats" not in rule
    assert problem(alert(expr, lasting=lasting), tables=tables).startswith(NEVER.format(seen, lasting))


@pytest.mark.parametrize(
    ("expr", "lasting"),
    [
        ("increase(ended_total[10m]) > 0", "9m59s"),
        ("sum(rate(ended_total[10m])) > 0.1", "10m"),
        ("sum(rate(ended_total[10m])) / sum(waiting) > 0.5", "1h"),
        ("max_over_time(waiting[5m]) > 0", "10m"),
        ("increase(ended_total[10m]) == 0", "1h"),
    ],
)
def test_what_a_single_event_fires_and_what_lasts_need_no_reason(expr: str, lasting: str) -> None:
    tables = (TABLE, MetricTable("other.go", counter("ended_total")))

    assert rules(alert(expr, lasting=lasting), tables=tables)[0]["expr"] == expr
    assert problem(alert(expr, lasting=lasting, repeats="it does"), tables=tables) == (
        "sample: alert WidgetsWait: `repeats` says why events go on, and a single one fires it | leave it out"
    )


def test_two_alerts_of_one_name_are_refused() -> None:
    assert problem(alert(), alert()) == "sample: two alerts are called WidgetsWait | "


def test_all_problems_are_reported_at_once() -> None:
    with pytest.raises(ConfigError) as caught:
        made(alert("wating > 3"), alert("sum(mde_total)", name="Other"))

    assert len(caught.value.problems) == 2


def watched(build: Callable[[Any], object]) -> Any:
    def both(scope: Any) -> None:
        Service(scope, "widgets", ports=[port("metrics", 8080)]).monitor("metrics")
        build(scope)

    return objects(both, platform=platform(Metrics()))


def test_a_missing_target_is_named_by_its_service() -> None:
    (group,) = watched(lambda scope: Alerts(scope, [target_missing("widgets")]))["PrometheusRule", "sample"]["spec"][
        "groups"
    ]

    assert group["rules"][0]["alert"] == "WidgetsMetricsMissing"
    assert group["rules"][0]["expr"] == 'absent(up{job="widgets"} == 1)'


def test_a_job_that_no_monitor_makes_is_refused() -> None:
    with pytest.raises(ConfigError, match="no monitor of the component has the job 'widget'") as caught:
        watched(lambda scope: Alerts(scope, [target_missing("widget")]))

    assert caught.value.problems[0].hint == "did you mean 'widgets'?"


def test_every_controller_has_alerts_in_one_line() -> None:
    made = watched(
        lambda scope: Alerts(scope, controller_alerts("widgets", name="Widgets"), tables=[CONTROLLER_RUNTIME])
    )
    (group,) = made["PrometheusRule", "sample"]["spec"]["groups"]

    assert [each["alert"] for each in group["rules"]] == [
        "WidgetsMetricsMissing",
        "WidgetsReconcileErrors",
        "WidgetsReconcileStuck",
    ]


def test_a_monitor_reads_its_own_service_alone() -> None:
    def build(scope: Any) -> None:
        Service(scope, "widgets-metrics", ports=[port("https", 8443)], workload="widgets").monitor("https")
        Service(scope, "widgets-webhook", ports=[port("https", 443)], workload="widgets")

    made = objects(build, platform=platform(Metrics()))
    chosen = made["ServiceMonitor", "widgets-metrics"]["spec"]["selector"]["matchLabels"]

    assert chosen.items() <= made["Service", "widgets-metrics"]["metadata"]["labels"].items()
    assert not chosen.items() <= made["Service", "widgets-webhook"]["metadata"]["labels"].items()


def test_series_that_name_their_pod_keep_it_and_get_the_node() -> None:
    def build(scope: Any) -> None:
        Service(scope, "cards", ports=[port("metrics", 9400)]).monitor("metrics", honor_labels=True, node=True)

    (endpoint,) = objects(build, platform=platform(Metrics()))["ServiceMonitor", "cards"]["spec"]["endpoints"]

    assert endpoint["honorLabels"] is True
    assert endpoint["relabelings"] == [
        {"action": "labeldrop", "regex": "^(container|endpoint|namespace|pod|service)$"},
        {"sourceLabels": ["__meta_kubernetes_pod_node_name"], "targetLabel": "node"},
    ]
