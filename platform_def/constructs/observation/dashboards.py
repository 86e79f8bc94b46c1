"""Dashboards of a component: ConfigMaps where the stack has a Grafana that reads them.

`Dashboards(self, [Dashboard("Widgets", [graph("Made", "sum by (size) (rate(widgets_made_total[5m]))")])])`
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from platform_def.capabilities import DashboardReader
from platform_def.constructs.component import Piece, Scope
from platform_def.constructs.config_map import config_map
from platform_def.constructs.observation.exporters import given_exporters
from platform_def.constructs.observation.grafana import model
from platform_def.constructs.observation.panels import Choice, Dashboard, Panel, Query
from platform_def.constructs.observation.promql import (
    ExpressionReading,
    Known,
    has,
    known_series,
    legend_labels,
    read,
    variables_of,
)
from platform_def.constructs.observation.tables import SCRAPED, MetricTable
from platform_def.errors import ConfigError, Problem, nearest

UID_LENGTH = 40
"""What Grafana takes."""


class Dashboards(Piece):
    """Dashboards, each a ConfigMap."""

    def __init__(
        self,
        scope: Scope,
        dashboards: Sequence[Dashboard],
        *,
        name: str = "",
        tables: Sequence[MetricTable] = (),
    ):
        """`tables` are metrics beside those of the component's release: `Alerts(…).tables` has what these record.

        A panel over metrics of another exporter is left out where nothing in the stack exports them, and a dashboard
        without panels too. An unknown metric or label is an error, whatever the stack has.
        """
        super().__init__(scope, name or "all")
        self.tables: tuple[MetricTable, ...] = (*self.component.release.exports, *tables)
        known = known_series([SCRAPED, *self.tables])
        present = given_exporters(self.component)
        problems: list[Problem] = []
        made = [_shown(each, known, present, f"{self.component.name}: {each.title}", problems) for each in dashboards]
        if problems:
            raise ConfigError(problems)
        reader = self.component.maybe(DashboardReader)
        for each in made if reader else ():
            assert reader is not None
            if any(panel.kind != "row" for panel in each.panels):
                self._config_map(each, reader.value)

    def _config_map(self, dashboard: Dashboard, reader: DashboardReader) -> None:
        slug = slug_of(dashboard.title)
        name = self.component.named(f"{self.component.slug}-dashboard-{slug}")
        tags = [*dict.fromkeys([self.component.slug, *dashboard.tags])]
        content = model(dashboard, uid=_uid(f"{self.component.name}-{slug}"), tags=tags)
        config_map(self, name, {f"{slug}.json": content}, namespace=reader.namespace, labels=reader.labels)


def _uid(name: str) -> str:
    if len(name) <= UID_LENGTH:
        return name
    return f"{name[: UID_LENGTH - 9]}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def slug_of(title: str) -> str:
    """`Cluster: GPUs and nodes` as `cluster-gpus-and-nodes`."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def _shown(
    dashboard: Dashboard, known: Known, present: frozenset[str], what: str, problems: list[Problem]
) -> Dashboard:
    """What of a dashboard the stack has series for; adds what is wrong to the problems."""
    choices, panels = [], []
    for choice in dashboard.choices:
        reading = read(choice.metric, known)
        problems += _choice_problems(choice, reading, what)
        if reading.exporters <= present:
            choices.append(choice)
    left = {each.label for each in choices}
    for panel in dashboard.panels:
        readings = [read(each.expr, known) for each in panel.queries]
        problems += _panel_problems(panel, readings, {each.label for each in dashboard.choices}, what)
        asked = {name for each in panel.queries for name in variables_of(each.expr)}
        if asked <= left and all(each.exporters <= present for each in readings):
            legends = [_with_legend(*pair) for pair in zip(panel.queries, readings, strict=True)]
            panels.append(replace(panel, queries=tuple(legends)))
    return replace(dashboard, panels=[*_headed(panels)], choices=choices)


def _headed(panels: Sequence[Panel]) -> Iterator[Panel]:
    """Panels without headings that nothing follows."""
    for index, panel in enumerate(panels):
        if panel.kind != "row" or any(each.kind != "row" for each in panels[index + 1 : index + 2]):
            yield panel


def _with_legend(query: Query, reading: ExpressionReading) -> Query:
    """A legend of all labels, where these are few and known."""
    labels = sorted(reading.labels or ())
    if query.legend or not 0 < len(labels) <= 3 or any(each.endswith("*") for each in labels):
        return query
    return replace(query, legend=" ".join(f"{{{{{each}}}}}" for each in labels))


def _choice_problems(choice: Choice, reading: ExpressionReading, what: str) -> Iterator[Problem]:
    for fault in reading.faults:
        yield Problem(f"{what}: choice {choice.label}: {fault.text}", hint=fault.hint)
    if not reading.faults and not has(reading.labels or frozenset(), choice.label):
        text = f"{what}: choice {choice.label}: metric '{choice.metric}' has no label '{choice.label}'"
        yield Problem(text, hint=nearest(choice.label, reading.labels or ()))


def _panel_problems(
    panel: Panel, readings: Sequence[ExpressionReading], choices: set[str], what: str
) -> Iterator[Problem]:
    where = f"{what}: panel {panel.title}"
    for query, reading in zip(panel.queries, readings, strict=True):
        for fault in reading.faults:
            yield Problem(f"{where}: {fault.text}", hint=fault.hint)
        for name in sorted(variables_of(query.expr) - choices):
            yield Problem(f"{where}: the dashboard has no choice '{name}'", hint=nearest(name, choices))
        for metric in dict.fromkeys(reading.unseen):
            text = f"{where}: '{metric}' has no series before its first event, so its growth leaves that one out"
            yield Problem(text, hint=f"write increased('{metric}{{…}}', '1h'), or give its table `late=False`")
        labels = reading.labels or frozenset()
        for name in [] if reading.faults else legend_labels(query.legend):
            if not has(labels, name):
                text = f"{where}: its legend shows the label '{name}', which the result does not have"
                yield Problem(text, hint=nearest(name, labels))
