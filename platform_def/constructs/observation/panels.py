"""Panels of a dashboard, as typed values: `graph("Use", "avg by (team) (widgets_used)", unit="percent")`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal["row", "stat", "graph", "table", "bars"]
Unit = Literal[
    "short",
    "none",
    "percent",
    "percentunit",
    "bool_yes_no",
    "bytes",
    "mbytes",
    "Bps",
    "binBps",
    "s",
    "ms",
    "h",
    "reqps",
    "ops",
    "watt",
    "joule",
    "celsius",
    "rotmhz",
    "currencyUSD",
]
"""Grafana's names of units: `percent` is 0 to 100, `percentunit` 0 to 1, `mbytes` MiB, `rotmhz` MHz."""


@dataclass(frozen=True)
class Query:
    """A query with its legend; `{{team}}` shows a label, and by default all labels of the result are shown."""

    expr: str
    legend: str = ""


@dataclass(frozen=True)
class Panel:
    """One panel, or the heading of a row of panels."""

    kind: Kind
    title: str
    queries: tuple[Query, ...] = ()
    unit: Unit = "short"
    text: str = ""
    """What it shows and how to read it, behind the panel's information sign."""
    low: float | None = None
    high: float | None = None
    alarm: float | None = None
    """From this value on it is red."""
    columns: Mapping[str, str] | None = None
    """Titles of a table's columns, by label; `Value` is the value, or `Value #A`, `Value #B` of several queries."""
    width: int = 0
    """Of Grafana's 24 columns; 0 is the usual width of its kind."""


@dataclass(frozen=True)
class Choice:
    """A list at the top of a dashboard from which its reader chooses values of a label: `team=~"$team"`."""

    label: str
    """The label; the variable has its name."""
    metric: str
    """The series of which the label's values are taken."""
    title: str = ""


@dataclass(frozen=True)
class Dashboard:
    """A dashboard: its panels in reading order, which fill rows from left to right."""

    title: str
    panels: Sequence[Panel]
    choices: Sequence[Choice] = ()
    tags: Sequence[str] = ()
    hours: int = 6
    """How far back it looks when it is opened."""


Queries = str | Query | Sequence[str | Query]


def row(title: str) -> Panel:
    """The heading of the panels below it."""
    return Panel("row", title)


def stat(title: str, query: str, *, unit: Unit = "short", text: str = "", alarm: float | None = None) -> Panel:
    """One number."""
    return Panel("stat", title, _queries(query), unit, text, alarm=alarm)


def graph(
    title: str,
    queries: Queries,
    *,
    unit: Unit = "short",
    text: str = "",
    low: float | None = 0,
    high: float | None = None,
    width: int = 0,
) -> Panel:
    """Lines over time."""
    return Panel("graph", title, _queries(queries), unit, text, low=low, high=high, width=width)


def bars(
    title: str,
    query: str | Query,
    *,
    unit: Unit = "short",
    text: str = "",
    high: float | None = None,
    alarm: float | None = None,
) -> Panel:
    """A bar for each series, as it is now."""
    return Panel("bars", title, _queries(query), unit, text, low=0, high=high, alarm=alarm)


def table(
    title: str, queries: Queries, *, columns: Mapping[str, str] | None = None, unit: Unit = "short", text: str = ""
) -> Panel:
    """A line for each series, as it is now; several queries are joined by their labels."""
    return Panel("table", title, _queries(queries), unit, text, columns=columns, width=24)


def _queries(given: Queries) -> tuple[Query, ...]:
    every = [given] if isinstance(given, str | Query) else given
    return tuple(Query(each) if isinstance(each, str) else each for each in every)
