"""What an exporter serves, compared with the table of metrics that a component has of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from platform_def.constructs.observation.promql import has
from platform_def.constructs.observation.tables import MetricTable
from tests.cluster.played import of_target

_SAMPLE = re.compile(r"([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)(?: \d+)?")
_PAIR = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
_TYPE = re.compile(r"# TYPE (\S+) (\S+)")
_BOUNDS = Path(__file__).parents[2] / "docs" / "components" / "prometheus.md"
_BOUND = re.compile(r"^\| (.+?) \| ([\d,]+) \| ", re.MULTILINE)
_ENDINGS = ("_bucket", "_sum", "_count")
PLACED = "node"
"""The label that monitors add."""


@dataclass
class Page:
    """A page of metrics."""

    types: dict[str, str] = field(default_factory=dict)
    """Of each metric, also of those without a series."""
    samples: dict[str, list[Mapping[str, str]]] = field(default_factory=dict)
    """Labels of each series, by its name."""

    @property
    def count(self) -> int:
        """How many series there are."""
        return sum(map(len, self.samples.values()))


def read(text: str) -> Page:
    """A page from its text."""
    made = Page()
    for line in text.splitlines():
        if found := _TYPE.fullmatch(line):
            made.types[found[1]] = found[2]
        elif line and not line.startswith("#"):
            sample = _SAMPLE.fullmatch(line)
            assert sample, line
            made.samples.setdefault(sample[1], []).append(dict(_PAIR.findall(sample[2] or "")))
    return made


def differences(page: Page, tables: Iterable[MetricTable]) -> Iterator[str]:
    """Where series of a page are others than the tables say: labels that only one of both has, other types."""
    for table in tables:
        for metric in table.metrics:
            served = page.types.get(metric.name)
            if served and metric.type != "unknown" and served != metric.type:
                yield f"{metric.name} is a {served}, and no {metric.type}"
        for name, series in table.series.items():
            own = {each for each in series.labels if not of_target(each, table)} - {PLACED, "le", "quantile"}
            written = {label for labels in page.samples.get(name, []) for label in labels} - {PLACED, "le", "quantile"}
            if name not in page.samples:
                continue
            if more := sorted(each for each in written if not has(frozenset(own), each)):
                yield f"{name} has labels that the table does not: {more}"
            if less := sorted(each for each in own - written if not each.endswith("*")):
                yield f"{name} has no labels {less}"


def unserved(page: Page, tables: Iterable[MetricTable]) -> set[str]:
    """Metrics of the tables that a page neither has nor announces."""
    names = {metric.name for table in tables for metric in table.metrics}
    there = page.types.keys() | page.samples.keys()
    return {each for each in names if each not in there and not {f"{each}{end}" for end in _ENDINGS} & there}


def bounds() -> dict[str, int]:
    """How many series there are at most for each thing of a GPU node, as the page about Prometheus says."""
    return {what: int(number.replace(",", "")) for what, number in _BOUND.findall(_BOUNDS.read_text())}
