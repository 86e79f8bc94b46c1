"""Reads a PromQL expression against tables of metrics: which series it selects, and which labels its result has.

What Prometheus takes without a word and answers with nothing is a fault here: a metric or label that the exporter does
not have, the rate of a gauge, two sides that no labels match.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, NamedTuple

from platform_def.constructs.observation.events import bare as _bare
from platform_def.constructs.observation.events import windows
from platform_def.constructs.observation.tables import MetricTable, Series
from platform_def.errors import nearest

Labels = frozenset[str]
Known = Mapping[str, Sequence[Series]]


class ExpressionFault(NamedTuple):
    """What is wrong with an expression, and what to write instead."""

    text: str
    hint: str = ""


@dataclass
class ExpressionReading:
    """What an expression comes to."""

    labels: Labels | None = None
    """Labels of its result; None for a number."""
    exporters: set[str] = field(default_factory=set)
    """Exporters of other components whose series it selects."""
    selected: list[tuple[str, Mapping[str, str]]] = field(default_factory=list)
    """The series that it selects, each with the labels that must have one value."""
    faults: list[ExpressionFault] = field(default_factory=list)
    unseen: list[str] = field(default_factory=list)
    """Counters whose growth it takes without what their series begin with."""
    events: list[timedelta] = field(default_factory=list)
    """For how long one event keeps each comparison of a counter's growth true."""


def known_series(tables: Iterable[MetricTable]) -> Known:
    """All series by name; several exporters may have one of the same name."""
    found: dict[str, list[Series]] = {}
    for table in tables:
        for name, series in table.series.items():
            found.setdefault(name, []).append(series)
    return found


def read(expression: str, known: Known) -> ExpressionReading:
    """What an expression selects and comes to; Grafana's variables may be in it."""
    import promql_parser  # native code, not needed where a build is kept

    made = ExpressionReading()
    try:
        tree = promql_parser.parse(_without_variables(expression))
    except ValueError as error:
        made.faults.append(ExpressionFault(f"is no PromQL: {error}"))
        return made
    made.labels = _Walk(known, made).labels(tree)
    made.events = [*windows(tree)]
    return made


_DURATION_VARIABLES = re.compile(r"\$__(rate_interval|interval|range)\b")
_VARIABLES = re.compile(r"\$\{(\w+)(?::\w+)?\}|\$(\w+)")


def variables_of(expression: str) -> set[str]:
    """Grafana's variables in an expression, without those that Grafana has itself."""
    names = {braced or plain for braced, plain in _VARIABLES.findall(expression)}
    return {name for name in names if not name.startswith("__")}


def _without_variables(expression: str) -> str:
    return _VARIABLES.sub("1", _DURATION_VARIABLES.sub("5m", expression))


def has(labels: Labels, name: str) -> bool:
    """Whether a label is among these; `label_*` holds all with that prefix."""
    return name in labels or any(each.endswith("*") and name.startswith(each[:-1]) for each in labels)


_OF_COUNTERS = frozenset({"rate", "irate", "increase"})
_OF_GAUGES = frozenset({"delta", "idelta", "deriv", "predict_linear"})
_KEEPING = frozenset({"topk", "bottomk", "limitk", "limit_ratio"})
_SETS = frozenset({"and", "unless"})
_ANY: Labels = frozenset({"*"})
"""Labels of a metric that is not known: its fault is enough."""


class _Walk:
    """One pass over the tree of an expression; each method answers with the labels that its part has."""

    def __init__(self, known: Known, made: ExpressionReading) -> None:
        self.known, self.made = known, made
        self.begun = ""
        """The counter of which the part that is read adds up what its series begin with."""

    def fault(self, text: str, hint: str = "") -> None:
        self.made.faults.append(ExpressionFault(text, hint))

    def labels(self, node: Any) -> Labels | None:
        """Of any node; None for numbers and text."""
        return getattr(self, f"_{type(node).__name__.lower()}")(node)  # type: ignore[no-any-return]

    def _numberliteral(self, node: Any) -> None: ...

    def _stringliteral(self, node: Any) -> None: ...

    def _parenexpr(self, node: Any) -> Labels | None:
        return self.labels(node.expr)

    def _unaryexpr(self, node: Any) -> Labels | None:
        return self.labels(node.expr)

    def _subqueryexpr(self, node: Any) -> Labels | None:
        return self.labels(node.expr)

    def _matrixselector(self, node: Any) -> Labels:
        return self._vectorselector(node.vector_selector)

    def _vectorselector(self, node: Any) -> Labels:
        matchers = [*node.matchers.matchers, *(each for group in node.matchers.or_matchers for each in group)]
        fixed = {each.name: each.value for each in matchers if _is_equal(each)}
        name = node.name or fixed.pop("__name__", "")
        found = self._series(name)
        if not found:
            return _ANY
        labels = frozenset[str]().union(*(each.labels for each in found))
        for each in matchers:
            self._need(labels, each.name, f"metric '{name}'")
        self.made.selected.append((name, fixed))
        return labels

    def _series(self, name: str) -> Sequence[Series]:
        found = self.known.get(name, ())
        if not name:
            self.fault("selects series without naming a metric", "write the metric's name before the braces")
        elif not found:
            self.fault(f"there is no metric '{name}'", nearest(name, self.known))
        elif all(each.exporter for each in found):
            self.made.exporters.add(found[0].exporter)
        return found

    def _need(self, labels: Labels, name: str, whose: str) -> None:
        if name != "__name__" and not has(labels, name):
            self.fault(f"{whose} has no label '{name}'", nearest(name, labels))

    def _aggregateexpr(self, node: Any) -> Labels:
        inner = self.labels(node.expr) or frozenset()
        operator, modifier = str(node.op), node.modifier
        if node.param is not None:
            self.labels(node.param)
        if operator in _KEEPING:
            return inner
        added = {node.param.val} if operator == "count_values" else set()
        if modifier is None:
            return frozenset(added)
        for name in modifier.labels:
            self._need(inner, name, f"what {operator} adds up" if operator == "sum" else f"what {operator} takes")
        by = _word(modifier.type) == "By"
        return frozenset({*modifier.labels, *added} if by else inner - {*modifier.labels} | added)

    def _call(self, node: Any) -> Labels | None:
        name, arguments = node.func.name, node.args
        every = [self.labels(each) for each in arguments]
        inner = next((each for each in every if each is not None), frozenset[str]())
        texts = [each.val for each in arguments if type(each).__name__ == "StringLiteral"]
        self._counted(name, arguments)
        if _word(node.func.return_type) == "Scalar":
            return None
        if name in ("absent", "absent_over_time"):
            plain = type(arguments[0]).__name__ in ("VectorSelector", "MatrixSelector")
            return frozenset(self.made.selected[-1][1] if plain and self.made.selected else ())
        if name == "vector":
            return frozenset()
        if name == "histogram_quantile":
            self._need(inner, "le", "what histogram_quantile takes")
            return inner - {"le"}
        return self._relabelled(name, inner, texts)

    def _relabelled(self, name: str, inner: Labels, texts: Sequence[str]) -> Labels:
        sources = {"label_replace": texts[2:3], "label_join": texts[2:]}.get(name, [])
        if name in ("sort_by_label", "sort_by_label_desc"):
            sources = texts
        for each in filter(None, sources):
            self._need(inner, each, f"what {name} takes")
        return inner | {texts[0]} if name in ("label_replace", "label_join") else inner

    def _counted(self, function: str, arguments: Sequence[Any]) -> None:
        for each in arguments:
            if type(each).__name__ != "MatrixSelector":
                continue
            name = each.vector_selector.name or ""
            types = {series.type for series in self.known.get(name, ())}
            late = any(series.late for series in self.known.get(name, ()))
            if function == "increase" and late and name != self.begun:
                self.made.unseen.append(name)
            if function in _OF_COUNTERS and types == {"gauge"}:
                self.fault(f"{function}() of '{name}', which is a gauge", "write delta(), or an average over time")
            if function in _OF_GAUGES and types == {"counter"}:
                self.fault(f"{function}() of '{name}', which is a counter", "write rate() or increase()")

    def _binaryexpr(self, node: Any) -> Labels | None:
        left = self.labels(node.lhs)
        self.begun = _begun(node)
        right = self.labels(node.rhs)
        self.begun = ""
        if _is_zero(node):
            self.made.unseen += [
                name for name in _rated(node.lhs) if any(each.late for each in self.known.get(name, ()))
            ]
        if left is None or right is None:
            return right if left is None else left
        operator = str(node.op)
        if operator == "or":
            return left | right
        matching = node.modifier.matching if node.modifier else None
        named: list[str] = list(matching.labels) if matching else []
        on = matching is not None and _word(matching.type) == "Include"
        self._matched(left, right, named, on=on)
        if operator in _SETS:
            return left
        return self._joined(node.modifier, left, right, named, on=on)

    def _matched(self, left: Labels, right: Labels, named: Sequence[str], *, on: bool) -> None:
        """Both sides must have what they are matched by; without `on` that is every label."""
        if on:
            for name in named:
                self._need(left, name, "the left side")
                self._need(right, name, "the right side")
            return
        differing = sorted((left ^ right) - {*named})
        if left and right and differing and _ANY.isdisjoint(left | right):
            text = f"no series match: only one side has {', '.join(differing[:4])}"
            self.fault(text, "write on(…) with labels that both sides have, or ignoring(…)")

    def _joined(self, modifier: Any, left: Labels, right: Labels, named: Sequence[str], *, on: bool) -> Labels:
        kind = _word(modifier.card) if modifier else "OneToOne"
        if kind == "OneToOne":
            return frozenset(named) if on else left - {*named}
        many, one = (left, right) if kind == "ManyToOne" else (right, left)
        brought = list(modifier.group_labels or [])
        for name in brought:
            self._need(one, name, "the side that group_left or group_right takes labels from")
        return many | {*brought}


def _begun(node: Any) -> str:
    """The counter whose new series stand on the left of an `or`, as `growth.increased` writes it; empty elsewhere."""
    left, right = _bare(node.lhs), _bare(node.rhs)
    if str(node.op) != "or" or type(left).__name__ != "BinaryExpr" or type(right).__name__ != "Call":
        return ""
    whole, fewer = _bare(left.lhs), _bare(left.rhs)
    if str(left.op) != "and" or type(whole).__name__ != "VectorSelector" or type(fewer).__name__ != "BinaryExpr":
        return ""
    counted = _bare(fewer.lhs)
    if type(counted).__name__ != "Call" or counted.func.name != "count_over_time":
        return ""
    names = {whole.name, counted.args[0].vector_selector.name}
    return str(whole.name) if len(names) == 1 else ""


def _rated(node: Any) -> list[str]:
    """The counter of which a side of a comparison is the rate, or a sum of such."""
    node = _bare(node)
    if type(node).__name__ == "AggregateExpr":
        return _rated(node.expr)
    if type(node).__name__ == "Call" and node.func.name in ("rate", "irate"):
        return [str(node.args[0].vector_selector.name)]
    return []


def _is_zero(node: Any) -> bool:
    """Whether it asks for more than nothing."""
    right = _bare(node.rhs)
    return str(node.op) in (">", "!=") and type(right).__name__ == "NumberLiteral" and right.val == 0


def _is_equal(matcher: Any) -> bool:
    return _word(matcher.op) == "Equal"


def _word(value: object) -> str:
    """`By` of `AggModifierType.By`: the parser's enumerations compare with nothing else."""
    return str(value).rpartition(".")[2]


_TEMPLATES = re.compile(r"\{\{.*?\}\}", re.DOTALL)
_TEMPLATE_LABELS = re.compile(r"\$labels\.(\w+)")
_LEGEND_LABELS = re.compile(r"\{\{\s*(\w+)\s*\}\}")


def template_labels(text: str) -> Iterator[str]:
    """Labels that a text of an alert shows: `{{ $labels.namespace }}`."""
    for part in _TEMPLATES.findall(text):
        yield from _TEMPLATE_LABELS.findall(part)


def legend_labels(text: str) -> list[str]:
    """Labels that a legend of Grafana shows: `{{namespace}}`."""
    return _LEGEND_LABELS.findall(text)
