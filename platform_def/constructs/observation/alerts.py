"""Alerts and recorded series of a component: a PrometheusRule where the stack has a Prometheus that evaluates rules.

`Alerts(self, [Alert("WidgetsStuck", "widgets_waiting > 10", summary="…", action="…")])`
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Literal, cast

from platform_def.capabilities import Metrics
from platform_def.constructs.component import AnyComponent, Piece, Scope
from platform_def.constructs.observation import events
from platform_def.constructs.observation.exporters import given_exporters
from platform_def.constructs.observation.promql import ExpressionReading, has, known_series, read, template_labels
from platform_def.constructs.observation.tables import SCRAPED, MetricTable, gauge
from platform_def.constructs.resource import Resource
from platform_def.errors import ConfigError, Problem, nearest

if TYPE_CHECKING:
    from platform_def.apis.prometheus_operator.v1 import Group, PrometheusRuleSpec, Rule

Severity = Literal["critical", "warning", "info"]

_NAME = re.compile(r"[A-Z][A-Za-z0-9]*")
_RECORDED = re.compile(r"[a-z_][a-z0-9_]*(:[a-z0-9_]+)+")
_DURATION = re.compile(r"(\d+d)?(\d+h)?(\d+m)?(\d+s)?")


@dataclass(frozen=True, kw_only=True)
class Alert:
    """An alert, by what makes it fire: every result of the expression is one alert."""

    name: str = field(kw_only=False)
    """In CamelCase, with the component first: `KueueQueueStuck`."""
    expr: str = field(kw_only=False)
    """PromQL."""
    summary: str
    """What is wrong, in a sentence; `{{ $labels.namespace }}` shows a label of the result."""
    action: str
    """What to look at, or to do."""
    severity: Severity = "warning"
    """`critical` wakes people up; `info` only explains other alerts."""
    lasting: str = "10m"
    """How long the expression must hold before the alert fires; `0s` is at once."""
    repeats: str = ""
    """Why the events that it counts repeat as long as the fault lasts, where `lasting` is no shorter than their window:
    a single event then fires nothing."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """Further labels of the alert, for routes of Alertmanager."""


@dataclass(frozen=True, kw_only=True)
class Record:
    """A series that Prometheus computes and keeps; alerts below it and dashboards may query it."""

    name: str = field(kw_only=False)
    """Prometheus' convention, `level:metric:operation`: `team:gpu_hours:sum`."""
    expr: str = field(kw_only=False)
    labels: Mapping[str, str] = field(default_factory=dict)
    """Labels added to the series."""


class Alerts(Piece):
    """Alerts and recorded series, evaluated in this order; made after the Services whose `job` they name."""

    def __init__(
        self,
        scope: Scope,
        rules: Sequence[Alert | Record],
        *,
        name: str = "",
        tables: Sequence[MetricTable] = (),
        interval: str = "",
    ):
        """`tables` are metrics beside those of the component's release; `interval` is how often rules are evaluated.

        A rule over metrics of another exporter is left out where nothing in the stack exports them. An unknown metric
        or label is an error, whatever the stack has.
        """
        super().__init__(scope, name or "all")
        self.tables: tuple[MetricTable, ...] = (*self.component.release.exports, *tables)
        present = given_exporters(self.component)
        problems: list[Problem] = []
        made: list[Rule] = []
        for each in rules:
            reading = read(each.expr, known_series([SCRAPED, *self.tables]))
            problems += _problems(each, reading, self.component)
            if reading.exporters <= present:
                made.append(_rule(each))
            if isinstance(each, Record):
                self.tables = (*self.tables, _recorded(each, reading, present))
        problems += _twice(rules, self.component)
        if problems:
            raise ConfigError(problems)
        if made and self.component.alerted:
            self._rule_object(self.component.named(name or self.component.slug), made, interval)

    def _rule_object(self, name: str, rules: list[Rule], interval: str) -> None:
        from platform_def.apis.prometheus_operator.v1 import PROMETHEUS_RULE  # large, and rarely needed

        group = cast("Group", {"name": name, **({"interval": interval} if interval else {}), "rules": rules})
        spec: PrometheusRuleSpec = {"groups": [group]}
        given = self.component.maybe(Metrics)
        Resource(self, PROMETHEUS_RULE, name, spec=spec, labels=given.value.labels if given else None)


def target_missing(service: str, *, name: str = "", severity: Severity = "warning", lasting: str = "15m") -> Alert:
    """The alert that Prometheus cannot read a monitored Service: without it no other alert can fire.

    Its name begins with `name`, by default the Service's in CamelCase.
    """
    return Alert(
        f"{name or camel(service)}MetricsMissing",
        f'absent(up{{job="{service}"}} == 1)',
        summary=f"Prometheus reads no metrics of {service}",
        action=f"Look at the pods behind Service {service}, at its ServiceMonitor, and at Prometheus' targets page.",
        severity=severity,
        lasting=lasting,
    )


def camel(name: str) -> str:
    """`kueue-controller` as `KueueController`."""
    return "".join(word[:1].upper() + word[1:] for word in re.split(r"[-_.]", name))


def _rule(each: Alert | Record) -> Rule:
    if isinstance(each, Record):
        kept: Rule = {"record": each.name, "expr": each.expr}
        return {**kept, "labels": {**each.labels}} if each.labels else kept
    made: Rule = {
        "alert": each.name,
        "annotations": {"summary": each.summary, "description": each.action},
        "expr": each.expr,
        "labels": {**each.labels, "severity": each.severity},
    }
    return {**made, "for": each.lasting} if each.lasting != "0s" else made


def _recorded(each: Record, reading: ExpressionReading, present: Container[str]) -> MetricTable:
    """A recorded series as a table: it has the labels of its expression, and is there where what it is made of is."""
    labels = " ".join(sorted({*(reading.labels or ()), *each.labels}))
    absent = next((name for name in sorted(reading.exporters) if name not in present), "")
    return MetricTable(f"recorded as {each.name}", gauge(each.name, labels), exporter=absent, target=())


def _problems(each: Alert | Record, reading: ExpressionReading, component: AnyComponent) -> Iterator[Problem]:
    what = f"{component.name}: {'alert' if isinstance(each, Alert) else 'record'} {each.name}"
    for fault in reading.faults:
        yield Problem(f"{what}: {fault.text}", hint=fault.hint)
    if reading.labels is None and not reading.faults:
        yield Problem(f"{what}: its expression is a number, not series", hint="compare series with the number")
    yield from _unwatched(what, reading, component)
    for metric in dict.fromkeys(reading.unseen):
        text = f"{what}: '{metric}' has no series before its first event, so its growth leaves that one out"
        yield Problem(text, hint=f"write increased('{metric}{{…}}', '10m'), or give its table `late=False`")
    if isinstance(each, Record):
        if not _RECORDED.fullmatch(each.name):
            yield Problem(f"{what}: name it as `level:metric:operation`")
        return
    if not _NAME.fullmatch(each.name):
        yield Problem(f"{what}: names of alerts are in CamelCase")
    if not each.lasting or not (lasting := _DURATION.fullmatch(each.lasting)):
        yield Problem(f"{what}: '{each.lasting}' is no duration", hint="write 90s, 15m, 1h30m or 2d")
    elif not reading.unseen:
        yield from _never(what, each, reading, _span(lasting))
    if reading.labels is not None and not reading.faults:
        for label in dict.fromkeys([*template_labels(each.summary), *template_labels(each.action)]):
            if not has(reading.labels, label) and label not in each.labels:
                hint = nearest(label, reading.labels) or "its expression adds all labels up: write `by (…)`"
                yield Problem(f"{what}: its text shows the label '{label}', which its result does not have", hint=hint)


def _never(what: str, each: Alert, reading: ExpressionReading, lasting: timedelta) -> Iterator[Problem]:
    """An event is over for Prometheus when its window is."""
    window = min((event for event in reading.events if event <= lasting), default=None)
    if window and not each.repeats:
        seen = f"it is seen for {events.text(window)}, and the alert waits {each.lasting}"
        hint = "give it a longer window or a shorter `lasting`, or say in `repeats` why events go on"
        yield Problem(f"{what}: a single event fires nothing: {seen}", hint=hint)
    if each.repeats and not window:
        yield Problem(f"{what}: `repeats` says why events go on, and a single one fires it", hint="leave it out")


def _span(lasting: re.Match[str]) -> timedelta:
    days, hours, minutes, seconds = (int(each[:-1]) if each else 0 for each in lasting.groups())
    return timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)


def _unwatched(what: str, reading: ExpressionReading, component: AnyComponent) -> Iterator[Problem]:
    """`up` of a job that no monitor of the component makes is never there."""
    for name, fixed in reading.selected:
        job = fixed.get("job")
        if name == "up" and job and job not in component.scraped:
            hint = nearest(job, component.scraped) or "make the Service, with its monitor, before the alerts"
            yield Problem(f"{what}: no monitor of the component has the job '{job}'", hint=hint)


def _twice(rules: Iterable[Alert | Record], component: AnyComponent) -> Iterator[Problem]:
    seen: set[str] = set()
    for each in rules:
        if isinstance(each, Alert) and each.name in seen:
            yield Problem(f"{component.name}: two alerts are called {each.name}")
        seen.add(each.name)
