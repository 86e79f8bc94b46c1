"""Exporters that are played: series made of tables of metrics, with every label that an exporter writes and no other.

Nothing here knows a query. A label that a query joins by and no exporter writes is on no series, and the query is empty.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

from platform_def.constructs.observation.promql import has
from platform_def.constructs.observation.tables import Metric, MetricTable, Series
from platform_def.yaml import load

SeriesText = tuple[str, str]
"""A series and its samples, one a minute, as Prometheus' own tests write them."""

Values = Mapping[str, Mapping[str, list[str]]]
"""Values of labels, by metric."""

_LISTED = Path(__file__).parent / "label_values.yaml"
_VALUES = cast("dict[str, dict[str, list[str]]]", load(_LISTED.read_bytes(), file=_LISTED.name))
_SELECTOR = re.compile(r"([a-zA-Z_:][\w:]*)(?:\{(.*)\})?")
_PAIR = re.compile(r'(\w+)="([^"]*)"')


def everything(
    tables: Sequence[MetricTable], jobs: Sequence[str], *, minutes: int, values: Values | None = None
) -> list[SeriesText]:
    """Series of all metrics of some exporters, each label with each value that it may have. Half of the targets are up.

    `values` are those of a stack, by metric or `any` and label, where they are others than those that are listed.
    """
    made: dict[str, str] = {}
    for table in tables:
        for job in (table.exporter,) if table.exporter else jobs:
            for metric in table.metrics:
                for number, (name, labels) in enumerate(series_of(table, metric, job, values)):
                    made.setdefault(_text(name, labels), _samples(metric, labels, number, minutes))
    return [*made.items()]


def listed_values(metric: str) -> Mapping[str, list[str]]:
    """The values that labels of a metric, or of `any`, are known to have."""
    return _VALUES.get(metric, {})


def series_of(
    table: MetricTable, metric: Metric, job: str, values: Values | None = None
) -> Iterator[tuple[str, dict[str, str]]]:
    """Name and labels of each series that a metric is played with; an empty job is of no target."""
    for name, series in table.series.items():
        if (
            name == metric.name
            or name.removesuffix("_bucket").removesuffix("_sum").removesuffix("_count") == metric.name
        ):
            own_values = {**_VALUES.get(metric.name, {}), **(values or {}).get(metric.name, {})}
            known = {**_VALUES["any"], **(values or {}).get("any", {}), **own_values}
            # Of a wildcard's labels an exporter writes those that its objects have: what is listed for the metric.
            wild = [each for each in own_values if each not in series.labels and has(series.labels, each)]
            labels = [*(each for each in sorted(series.labels) if not each.endswith("*")), *wild]
            own = [each for each in labels if each in known and not of_target(each, table)]
            for picked in itertools.product(*(known[each] for each in own)):
                for index in (1, 2):
                    chosen = dict(zip(own, picked, strict=True))
                    yield name, {each: chosen.get(each) or _made(each, job, index, table) for each in labels}


def of_target(label: str, table: MetricTable) -> bool:
    """Whether the label says from where Prometheus reads the series, and not what it is about."""
    return label in table.target


def _made(label: str, job: str, index: int, table: MetricTable) -> str:
    if label == "job":
        return job
    return f"{'target-' if of_target(label, table) else ''}{label}-{index}"


def _samples(metric: Metric, labels: Mapping[str, str], number: int, minutes: int) -> str:
    bounds = _VALUES["any"]["le"]
    step = 1 + (bounds.index(labels["le"]) if "le" in labels else number % 2)
    if metric.name == "up":  # of two targets one is down
        step = number % 2
    if metric.type == "gauge":
        return " ".join([str(step)] * (minutes + 1))
    return " ".join(str(step * minute) for minute in range(1, minutes + 2))


def _text(name: str, labels: Mapping[str, str]) -> str:
    pairs = ", ".join(f'{key}="{value}"' for key, value in sorted(labels.items()) if value)
    return f"{name}{{{pairs}}}"


def completed(selector: str, tables: Sequence[MetricTable], jobs: Sequence[str]) -> str:
    """A series of which a few labels are said, with all the others that its exporter writes.

    AssertionError where no exporter has the metric, or not that label.
    """
    found = _SELECTOR.fullmatch(selector)
    assert found, f"no series: {selector}"
    name, said = found[1], dict(_PAIR.findall(found[2] or ""))
    tables_of = [each for each in tables if name in each.series]
    assert tables_of, f"no exporter has the metric {name}"
    table = tables_of[0]
    series: Series = table.series[name]
    for label in said:
        assert has(series.labels, label), f"no exporter writes the label {label} of {name}"
    first = {"job": table.exporter or jobs[0]}
    labels = {each: first.get(each, f"{each}-1") for each in series.labels if not each.endswith("*")}
    return _text(name, {**labels, **said})


_GONE = ("stale", "_")


def timeline(*phases: tuple[object, int]) -> str:
    """Samples of one series: in each phase a number, `N/m` for what changes by N a minute, or None for no sample.

    Prometheus marks a series that its target no longer has.
    """
    samples: list[str] = []
    now = 0.0
    for value, minutes in phases:
        for _ in range(minutes):
            if isinstance(value, str):
                now += float(value.removesuffix("/m"))
            elif value is not None:
                now = float(cast("float", value))
            if value is None:
                samples.append("stale" if samples and samples[-1] not in _GONE else "_")
            else:
                samples.append(f"{now:.6g}" if abs(now) < 100_000 else f"{now:.0f}")
    return " ".join(samples)
