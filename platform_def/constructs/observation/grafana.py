"""Grafana's JSON model of a dashboard, schema version 41: what Grafana 12 and newer read, and migrate as they need.

Every panel asks the data source that its reader chose, so that a dashboard works in any Grafana.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from platform_def.constructs.observation.panels import Choice, Dashboard, Panel, Query

SCHEMA = 41
SOURCE = {"type": "prometheus", "uid": "${datasource}"}
COLUMNS = 24
_TYPES = {"stat": "stat", "graph": "timeseries", "table": "table", "bars": "bargauge"}
_SIZES = {"stat": (4, 4), "graph": (12, 8), "table": (24, 8), "bars": (12, 8), "row": (24, 1)}
"""Width and height."""


def model(dashboard: Dashboard, *, uid: str, tags: Sequence[str]) -> str:
    """The dashboard as JSON text; `uid` is what links to it name."""
    content = {
        "uid": uid,
        "title": dashboard.title,
        "tags": [*tags],
        "schemaVersion": SCHEMA,
        "editable": False,
        "graphTooltip": 1,
        "refresh": "1m",
        "time": {"from": f"now-{dashboard.hours}h", "to": "now"},
        "timezone": "browser",
        "templating": {"list": [_source_variable(), *map(_variable, dashboard.choices)]},
        "annotations": {"list": []},
        "panels": [*_panels(dashboard.panels)],
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


_DEFAULT = {"current": {"text": "default", "value": "default"}}
"""Of the kind that a variable lists: what Grafana itself takes first."""


def _source_variable() -> dict[str, Any]:
    return {"name": "datasource", "label": "Data source", "type": "datasource", "query": "prometheus", **_DEFAULT}


def _variable(choice: Choice) -> dict[str, Any]:
    query = f"label_values({choice.metric}, {choice.label})"
    return {
        "name": choice.label,
        "label": choice.title or choice.label,
        "type": "query",
        "datasource": SOURCE,
        "definition": query,
        "query": {"query": query, "refId": choice.label},
        "refresh": 2,
        "sort": 1,
        "multi": True,
        "includeAll": True,
        "allValue": ".*",
        "current": {"text": ["All"], "value": ["$__all"]},
    }


def _panels(panels: Sequence[Panel]) -> Iterator[dict[str, Any]]:
    """Each with its place: from left to right, then below the highest panel of the row."""
    left = top = tallest = 0
    for number, panel in enumerate(panels, start=1):
        width, height = panel.width or _SIZES[panel.kind][0], _SIZES[panel.kind][1]
        if left + width > COLUMNS:
            left, top, tallest = 0, top + tallest, 0
        place = {"x": left, "y": top, "w": width, "h": height}
        left, tallest = left + width, max(tallest, height)
        yield {"id": number, "title": panel.title, "gridPos": place, **_body(panel)}


def _body(panel: Panel) -> dict[str, Any]:
    if panel.kind == "row":
        return {"type": "row", "collapsed": False, "panels": []}
    instant = panel.kind != "graph"
    made = {
        "type": _TYPES[panel.kind],
        "datasource": SOURCE,
        "targets": [_target(panel, each, index, instant=instant) for index, each in enumerate(panel.queries)],
        "fieldConfig": {"defaults": _defaults(panel), "overrides": []},
        "options": _options(panel),
    }
    if panel.text:
        made["description"] = panel.text
    if panel.kind == "table":
        made["transformations"] = [*_transformations(panel)]
    return made


def _target(panel: Panel, query: Query, index: int, *, instant: bool) -> dict[str, Any]:
    return {
        "refId": chr(ord("A") + index),
        "datasource": SOURCE,
        "expr": query.expr,
        "legendFormat": query.legend or "__auto",
        "instant": instant,
        "range": not instant,
        "format": "table" if panel.kind == "table" else "time_series",
    }


def _defaults(panel: Panel) -> dict[str, Any]:
    steps: list[dict[str, Any]] = [{"color": "green", "value": None}]
    if panel.alarm is not None:
        steps.append({"color": "red", "value": panel.alarm})
    made: dict[str, Any] = {"unit": panel.unit, "thresholds": {"mode": "absolute", "steps": steps}}
    if panel.low is not None:
        made["min"] = panel.low
    if panel.high is not None:
        made["max"] = panel.high
    if panel.kind == "graph":
        made["custom"] = {"fillOpacity": 10, "lineWidth": 1, "showPoints": "never"}
    return made


def _options(panel: Panel) -> dict[str, Any]:
    if panel.kind == "graph":
        legend = {"displayMode": "table", "placement": "bottom", "showLegend": True, "calcs": ["mean", "lastNotNull"]}
        return {"legend": legend, "tooltip": {"mode": "multi", "sort": "desc"}}
    if panel.kind == "table":
        return {"showHeader": True, "frameIndex": 0}
    calculated = {"calcs": ["lastNotNull"], "fields": "", "values": False}
    return {"reduceOptions": calculated, **(_BARS if panel.kind == "bars" else _STAT)}


# All that Grafana's types ask for, as its editor sets them.
_STAT = {
    "colorMode": "value",
    "graphMode": "area",
    "justifyMode": "auto",
    "orientation": "auto",
    "percentChangeColorMode": "standard",
    "showPercentChange": False,
    "textMode": "auto",
    "wideLayout": True,
}
_BARS = {
    "displayMode": "gradient",
    "legend": {"calcs": [], "displayMode": "list", "placement": "bottom", "showLegend": False},
    "maxVizHeight": 300,
    "minVizHeight": 16,
    "minVizWidth": 8,
    "namePlacement": "auto",
    "orientation": "horizontal",
    "showUnfilled": True,
    "sizing": "auto",
    "valueMode": "color",
}


def _transformations(panel: Panel) -> Iterator[dict[str, Any]]:
    if len(panel.queries) > 1:
        yield {"id": "merge", "options": {}}
    yield {"id": "organize", "options": {"excludeByName": {"Time": True}, "renameByName": {**(panel.columns or {})}}}
