"""What makes each alert fire: series made for it, healthy at first, then faulty, then healthy again.

Alerts that every controller has are made of their names; all others have an entry in the component's file of `alerts`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, cast

import promql_parser

from platform_def.constructs.observation.events import windows
from platform_def.yaml import load
from tests.cluster.observed import Observed
from tests.cluster.played import SeriesText, completed, timeline

FOLDER = Path(__file__).parent / "alerts"
SPARE = 10
"""Minutes that each phase lasts beyond what the alert looks back and waits."""
_WINDOW, _BEFORE = re.compile(r"\[(\w+)\]"), re.compile(r" offset (\w+)")
_SPAN = re.compile(r"(\d+)([smhd])")
_JOB = re.compile(r'job="([^"]+)"')
_MINUTES = {"s": 1 / 60, "m": 1.0, "h": 60.0, "d": 1440.0}


@dataclass(frozen=True)
class Trial:
    """An alert with the series that make it fire, and the labels with which it then does."""

    alert: str
    series: Mapping[str, Any]
    """Values by series: one that stays, or the healthy and the faulty one; see `timeline`."""
    fires: Sequence[Mapping[str, str]]
    recovers: Mapping[str, Any]
    """Values after the fault, where they are others than before it."""
    always: bool = False
    """It never stops: what is missed then is the alert."""


def trials(found: Observed, *, part: bool = False) -> Iterator[Trial]:
    """The trials of all alerts of a component. AssertionError where one has none, or an entry has no alert.

    With `part` the component need not have all alerts that it can have.
    """
    written = entries(found.name)
    unknown = sorted(written.keys() - found.alerts.keys())
    assert part or not unknown, f"alerts/{found.name}.yaml: the component has no such alerts: {unknown}"
    for name, rule in found.alerts.items():
        if name in written:
            said = written[name]
            yield Trial(
                name, said["series"], said["fires"], said.get("recovers", {}), always=bool(said.get("always", False))
            )
            continue
        common = [*_common(name, str(rule["expr"]), found.jobs)]
        assert common, f"write into tests/cluster/alerts/{found.name}.yaml which series make {name} fire"
        yield from common


def entries(component: str) -> dict[str, Any]:
    """What a component's file says, by alert."""
    file = FOLDER / f"{component}.yaml"
    assert file.is_file(), f"write tests/cluster/alerts/{component}.yaml: series that make each of its alerts fire"
    return cast("dict[str, Any]", load(file.read_bytes(), file=file.name))


def _common(name: str, expr: str, jobs: Sequence[str]) -> Iterator[Trial]:
    """Alerts that many have: a target that is gone, a controller that fails or is stuck."""
    found = _JOB.search(expr)
    job = found[1] if found else ""
    of = f'job="{job}"'
    if name.endswith("MetricsMissing"):
        assert job in jobs, f"{name}: no monitor of the component makes the job {job}"
        others = {f'up{{job="{each}"}}': 1 for each in jobs if each != job}
        for gone in (0, None):
            yield Trial(name, {**others, f"up{{{of}}}": [1, gone]}, [{}], {})
    elif name.endswith("ReconcileErrors"):
        series: dict[str, Any] = {
            f'controller_runtime_reconcile_total{{{of}, controller="sick"}}': "10/m",
            f'controller_runtime_reconcile_errors_total{{{of}, controller="sick"}}': ["0/m", "9/m"],
            f'controller_runtime_reconcile_total{{{of}, controller="well"}}': "10/m",
            f'controller_runtime_reconcile_errors_total{{{of}, controller="well"}}': "1/m",
        }
        yield Trial(name, series, [{"controller": "sick"}], {})
    elif name.endswith("ReconcileStuck"):
        series = {
            f'workqueue_longest_running_processor_seconds{{{of}, name="sick"}}': [0, 700],
            f'workqueue_longest_running_processor_seconds{{{of}, name="well"}}': 1,
        }
        yield Trial(name, series, [{"name": "sick"}], {})


_BEGUN = re.compile(r"(\w+)(?:\{[^}]*\})? and count_over_time\(")
_AT_ALL = re.compile(r"\) > 0$")
MANY = 50
"""What a counter begins with where an alert asks for several events."""


def at_first(trial: Trial, found: Observed, *, known: bool) -> Trial | None:
    """The trial of an alert over counters whose series begin with their first event, and then stand still; None of another,
    and of one that waits for events that go on.

    Where the target is not `known`, Prometheus reads it for the first time when it reads these series.
    """
    rule = found.alerts[trial.alert]
    expr, lasting = str(rule["expr"]), minutes(str(rule.get("for", "0s")))
    if any(each <= timedelta(minutes=lasting) for each in windows(promql_parser.parse(expr))):
        return None
    late = {*_BEGUN.findall(expr)}
    faulty = {
        each: [None, 1 if _AT_ALL.search(expr) else MANY]
        for each, said in trial.series.items()
        if each.partition("{")[0] in late and isinstance(said, list)
    }
    jobs = {job for each in faulty for job in _JOB.findall(completed(each, found.tables, found.jobs))}
    read = {f'up{{job="{job}"}}': 1 if known else [None, 1] for job in jobs}
    return Trial(trial.alert, {**trial.series, **faulty, **read}, trial.fires, {}) if faulty else None


@dataclass(frozen=True)
class Course:
    """When a trial's fault begins and ends, and when the trial does, in minutes."""

    fault: int
    mended: int
    end: int


def course_of(rule: Mapping[str, Any]) -> Course:
    """Each phase is as long as the alert looks back and waits. What it compares with an earlier time is there before the
    fault, and forgotten after it."""
    expr, lasting = str(rule["expr"]), minutes(str(rule.get("for", "0s")))
    window = max((minutes(each) for each in _WINDOW.findall(expr)), default=0)
    back = max([window, *map(minutes, _BEFORE.findall(expr))])
    fault = back + SPARE
    mended = fault + window + lasting + SPARE
    return Course(fault, mended, mended + back + SPARE)


def minutes(duration: str) -> int:
    """`1h30m` as 90."""
    return round(sum(float(number) * _MINUTES[unit] for number, unit in _SPAN.findall(duration)))


def series_of(trial: Trial, found: Observed, course: Course) -> list[SeriesText]:
    """The series of a trial as samples, each with all labels that its exporter writes."""
    made = []
    for selector, said in trial.series.items():
        healthy, faulty = said if isinstance(said, list) else (said, said)
        phases = [
            (healthy, course.fault),
            (faulty, course.mended - course.fault),
            (trial.recovers.get(selector, healthy), course.end - course.mended + 1),
        ]
        made.append((completed(selector, found.tables, found.jobs), timeline(*phases)))
    return made
