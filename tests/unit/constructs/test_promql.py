import pytest

from platform_def.constructs.observation.promql import known_series, read, variables_of
from platform_def.constructs.observation.tables import (
    HONORED_TARGET,
    SCRAPED,
    MetricTable,
    counter,
    gauge,
    histogram,
    summary,
)

OWN = MetricTable(
    "widgets.go",
    counter("made_total", "team size"),
    gauge("waiting", "team"),
    histogram("wait_seconds", "team"),
    summary("age_seconds", "team"),
)
OTHER = MetricTable("pods.go", gauge("pod_labels", "label_*"), exporter="pods")
KNOWN = known_series([OWN, OTHER, SCRAPED])


def labels(expression: str) -> set[str]:
    made = read(expression, KNOWN)
    assert not made.faults
    return set(made.labels or ())


def fault(expression: str) -> str:
    (made,) = read(expression, KNOWN).faults
    return f"{made.text} | {made.hint}"


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("sum(made_total)", set()),
        ("sum by (team) (rate(made_total[5m]))", {"team"}),
        ("sum by (team) (waiting) > 3", {"team"}),
        ("sum by (team) (waiting) == bool 3", {"team"}),
        ("-sum by (team) (waiting)", {"team"}),
        ("time() - max by (job) (waiting)", {"job"}),
        ('absent(up{job="x"})', {"job"}),
        ('absent(up{job="x"} == 1)', set()),
        ('count by (kind) (count_values("kind", waiting))', {"kind"}),
        ("histogram_quantile(0.9, sum by (le, team) (rate(wait_seconds_bucket[5m])))", {"team"}),
        ("sum by (team) (rate(wait_seconds_sum[5m])) / sum by (team) (rate(wait_seconds_count[5m]))", {"team"}),
        ("max by (quantile) (age_seconds)", {"quantile"}),
        ("max_over_time(sum by (team) (waiting)[1h:5m])", {"team"}),
        ("topk(3, sum by (team) (waiting))", {"team"}),
        ('label_replace(sum by (team) (waiting), "who", "$1", "team", "(.*)")', {"team", "who"}),
        ("sum by (team, size) (made_total) * on (team) group_left (job) max by (team, job) (waiting)", {"team", "size", "job"}),
        ("sum by (team) (waiting) / on (team) sum by (team, size) (made_total)", {"team"}),
        ("sum by (team, size) (made_total) - ignoring (size) sum by (team) (waiting)", {"team"}),
        ("sum by (team, size) (made_total) and on (team) sum by (team) (waiting)", {"team", "size"}),
        ("sum by (team) (waiting) or sum by (team) (made_total)", {"team"}),
        ("sum(waiting) or vector(0)", set()),
        ("sum by (team) (increase(made_total[$__range]))", {"team"}),
        ("max by (label_user) (pod_labels)", {"label_user"}),
    ],
)  # fmt: skip
def test_the_labels_of_a_result_are_known(expression: str, expected: set[str]) -> None:
    assert labels(expression) == expected


def test_series_have_their_own_labels_and_those_of_the_target() -> None:
    assert labels("waiting") == {"team", "job", "instance", "namespace", "pod", "container", "service", "endpoint"}


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("sum(made_totl)", "there is no metric 'made_totl' | did you mean 'made_total'?"),
        ("sum(wait_seconds)", "there is no metric 'wait_seconds' | did you mean 'wait_seconds_sum'?"),
        ('waiting{taem="a"}', "metric 'waiting' has no label 'taem' | did you mean 'team'?"),
        ("sum by (tem) (waiting)", "what sum adds up has no label 'tem' | did you mean 'team'?"),
        ("max without (tem) (waiting)", "what max takes has no label 'tem' | did you mean 'team'?"),
        ("sum by (team) (sum(waiting))", "what sum adds up has no label 'team' | "),
        ("rate(waiting[5m])", "rate() of 'waiting', which is a gauge | write delta(), or an average over time"),
        ("delta(made_total[5m])", "delta() of 'made_total', which is a counter | write rate() or increase()"),
        (
            "histogram_quantile(0.9, sum by (team) (rate(wait_seconds_bucket[5m])))",
            "what histogram_quantile takes has no label 'le' | known: team",
        ),
        (
            "made_total / waiting",
            "no series match: only one side has size | write on(…) with labels that both sides have, or ignoring(…)",
        ),
        ("sum(waiting) / on (team) waiting", "the left side has no label 'team' | "),
        (
            "waiting * on (team) group_left (size) sum by (team) (made_total)",
            "the side that group_left or group_right takes labels from has no label 'size' | known: team",
        ),
        ('label_replace(waiting, "a", "$1", "tem", "(.*)")', "what label_replace takes has no label 'tem' | did you mean 'team'?"),
        ('{job="x"}', "selects series without naming a metric | write the metric's name before the braces"),
        ("sum(waiting", "is no PromQL: unclosed left parenthesis | "),
    ],
)  # fmt: skip
def test_a_query_that_prometheus_would_answer_with_nothing_is_an_error(expression: str, expected: str) -> None:
    assert fault(expression) == expected


def test_one_unknown_metric_is_one_fault() -> None:
    assert fault("sum by (team) (rate(mde_total[5m])) / sum by (team) (waiting)").startswith("there is no metric")


def test_series_of_another_exporter_are_noted() -> None:
    assert read("pod_labels", KNOWN).exporters == {"pods"}
    assert not read("waiting", KNOWN).exporters


def test_grafanas_own_variables_are_none_of_the_dashboards() -> None:
    assert variables_of('a{b=~"$team", c=~"${size:regex}"}[$__rate_interval]') == {"team", "size"}


def test_a_label_that_the_target_has_too_needs_honor_labels() -> None:
    with pytest.raises(ValueError, match=r"'namespace' is a label of the target.*exported_namespace"):
        MetricTable("x.go", gauge("x", "namespace"))

    honored = MetricTable("x.go", gauge("x", "namespace"), target=HONORED_TARGET)

    assert honored.series["x"].labels == {"namespace", "job", "instance"}
