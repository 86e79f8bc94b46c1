"""Whether the pages of a real program feed the panels and alerts of its component, as Prometheus' own engine sees it.

Series get the labels that the component's own monitor adds. `fed.yaml` names the test of each program, and what gets nothing
there with the reason; what is named there and gets something is a fault too.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any, cast

from platform_def.constructs.observation.promql import known_series, read
from platform_def.constructs.observation.tables import SCRAPED, Series
from platform_def.yaml import dump, load
from tests.cluster.client import Manifest
from tests.cluster.observed import Observed, queries_of, shows
from tests.cluster.readers import ask
from tests.cluster.scrape import Page
from tests.cluster.targets import kept
from tests.cluster.whole import whole

_OFFSET = re.compile(r" offset \w+")
LISTED = Path(__file__).with_name("fed.yaml")


@dataclass(frozen=True)
class Source:
    """A program whose metrics panels and alerts show."""

    name: str
    component: str
    """Whose panels and alerts these are, where the program has another name."""
    proof: str
    """The file of cluster tests that reads its pages; empty where it is only played."""
    empty: Mapping[str, str] = field(default_factory=dict)
    """Panels and alerts that get nothing in that test, with the reason."""
    played: Mapping[str, str] = field(default_factory=dict)
    """Metrics that no test reads from a program, as patterns, with the reason."""
    others: Mapping[str, str] = field(default_factory=dict)
    """Metrics that further programs of the component have, as patterns, with the file of tests that reads those."""

    @property
    def proofs(self) -> Mapping[str, str]:
        """The files that read its pages, by the pattern of the metrics; that of most has none."""
        return {**({"": self.proof} if self.proof else {}), **self.others}

    def is_played(self, metric: str) -> bool:
        """Whether a metric is only played."""
        return any(fnmatchcase(metric, each) for each in self.played)


@cache
def sources() -> Mapping[str, Source]:
    """The programs by name."""
    listed = cast("dict[str, dict[str, Any]]", load(LISTED.read_bytes(), file=LISTED.name))
    return {
        name: Source(
            name,
            said.get("component", name),
            said.get("proof", ""),
            said.get("empty", {}),
            said.get("played", {}),
            said.get("others", {}),
        )
        for name, said in listed.items()
    }


@dataclass(frozen=True)
class Shown:
    """A query of a panel or an alert, with the programs that its metrics are of: none where Prometheus makes them."""

    title: str
    expr: str
    metrics: frozenset[str]
    programs: frozenset[str]
    alert: bool = False

    def of(self, source: Source) -> str:
        """Which program of a component has its metrics: their pattern; empty for the one that has most."""
        patterns = {each for each in source.others for metric in self.metrics if fnmatchcase(metric, each)}
        assert len(patterns) < 2, f"{self.title} is of several programs: {sorted(patterns)}"
        return next(iter(patterns), "")

    @property
    def played(self) -> Mapping[str, str]:
        """Why it is only played, by program."""
        return {
            name: next(why for pattern, why in sources()[name].played.items() if fnmatchcase(metric, pattern))
            for metric, name in ((metric, name) for metric in sorted(self.metrics) for name in sorted(self.programs))
            if name in sources() and sources()[name].is_played(metric)
        }


def shown(found: Observed) -> Iterator[Shown]:
    """All that a component shows and warns of. What it records is looked through."""
    recorded = {each["record"]: each["expr"] for each in found.rules if "record" in each}
    kept_series = {name: [Series(name, "gauge", frozenset({"*"}))] for name in recorded}
    known = {**known_series(found.tables), **kept_series}
    owners: dict[str, set[str]] = {}
    for table in found.tables:
        for name in table.series if table is not SCRAPED else ():
            owners.setdefault(name, set()).add(table.exporter or found.name)

    def metrics(expr: str) -> Iterator[str]:
        for name, _ in read(expr, known).selected:
            if name in recorded:
                yield from metrics(recorded[name])
            else:
                yield name

    def made(title: str, expr: str, *, alert: bool) -> Shown:
        names = frozenset(metrics(expr))
        programs = frozenset(min(owners[each]) for each in names if each in owners)
        return Shown(title, expr, names, programs, alert)

    for board in found.dashboards:
        yield from (made(each.title, each.expr, alert=False) for each in queries_of(board))
    for name, rule in found.alerts.items():
        yield made(name, rule["expr"], alert=True)


def unfed(
    name: str,
    pages: Sequence[Page] | Mapping[str, Sequence[Page]],
    *,
    engine: Path,
    found: Observed | None = None,
    others: str = "",
) -> list[str]:
    """What the pages of a program, read one after the other, leave empty, and what is said to be empty and is not.

    The last one is read twice: then nothing more happens. Where a component has several monitors, the pages are by the
    names of these. `engine` is the program `prometheus-engine`; `others` the pattern of metrics of a further program.
    """
    source = sources()[name]
    found = found or whole(source.component)
    monitors = {each["metadata"]["name"]: each for each in found.monitors}
    given = pages if isinstance(pages, Mapping) else {_only(monitors): pages}
    given = {each: [*every, every[-1]] for each, every in given.items()}
    own = [each for each in shown(found) if each.programs == {name} and not each.played]
    asked = [each for each in own if each.of(source) == others]
    assert asked, f"{LISTED.name} says that everything about {name} is played"
    rules = [each for each in found.rules if "record" in each]
    last = max(map(len, given.values())) - 1
    wanted = {"up", *(metric for each in asked for metric in each.metrics)}
    series: dict[str, list[str]] = {}
    for monitor, read_pages in given.items():
        for minute, page in enumerate(read_pages):
            _add(series, page, monitors[monitor], minute, wanted)
    queries = [(each, query) for each in asked for query in _queries(each, found)]
    question = {
        "rules": dump({"groups": [{"name": "recorded", "rules": rules}]}) if rules else "",
        "series": [(key, " ".join(values)) for key, values in series.items()],
        "minutes": last,
        "queries": [{"expr": query, "from": 0, "until": last, "open": each.alert} for each, query in queries],
    }
    (answer,) = ask(engine, [question])
    assert "refused" not in answer, answer["refused"]
    empty: dict[str, str] = {}
    for (each, query), got in zip(queries, answer["results"], strict=True):
        if not shows(got):
            empty.setdefault(each.title, query)
    unknown = source.empty.keys() - {each.title for each in own}
    return [
        *(f"{title} gets nothing: {query}" for title, query in empty.items() if title not in source.empty),
        *(
            f"{title} is fed, and {LISTED.name} says it is not"
            for title in source.empty.keys() & {each.title for each in asked} - empty.keys()
        ),
        *(f"{LISTED.name} names {title}, which {source.component} does not show" for title in sorted(unknown)),
    ]


def _queries(each: Shown, found: Observed) -> Iterator[str]:
    """The query, and each selection of series in it: one that finds nothing may hide behind another.

    Pages are read minutes apart, so what a query asks of an hour ago is asked of now too.
    """
    now = _OFFSET.sub("", each.expr)
    yield each.expr if now == each.expr else f"({each.expr}) or ({now})"
    recorded = {rule["record"] for rule in found.rules if "record" in rule}
    for selector in dict.fromkeys(_selectors(_parsed(each.expr))):
        if selector.partition("{")[0] not in recorded:
            yield f"count({selector.partition(' offset ')[0]})"


def _parsed(expr: str) -> Any:
    import promql_parser

    return promql_parser.parse(expr)


def _selectors(node: Any) -> Iterator[str]:
    if type(node).__name__ == "VectorSelector":
        yield node.prettify()
        return
    children = [getattr(node, each, None) for each in ("expr", "lhs", "rhs", "param", "vector_selector")]
    for child in (*children, *getattr(node, "args", ())):
        if child is not None:
            yield from _selectors(child)


def _add(series: dict[str, list[str]], page: Page, monitor: Manifest, minute: int, wanted: Container[str]) -> None:
    """The samples of a page; of what was there before and is gone, the mark that Prometheus writes."""
    for name, labels, value in kept(page, monitor):
        if name in wanted:
            pairs = ",".join(f'{key}="{text}"' for key, text in sorted(labels.items()))
            values = series.setdefault(f"{name}{{{pairs}}}", [])
            values += [*_gap(values, minute), _number(value)]


def _gap(values: Sequence[str], minute: int) -> list[str]:
    missing = ["_"] * (minute - len(values))
    return ["stale", *missing[1:]] if missing and values else missing


def _number(value: str) -> str:
    plain = value.lstrip("+")
    return plain if plain in ("NaN", "Inf", "-Inf") else format(Decimal(plain), "f")


def _only(monitors: Mapping[str, Any]) -> str:
    (name,) = monitors
    return name
