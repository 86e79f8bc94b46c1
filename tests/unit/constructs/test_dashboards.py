import json
from typing import Any

import pytest

from platform_def.capabilities import DashboardReader, Exporter
from platform_def.config.capability import Capability, Provision
from platform_def.config.platform import Platform
from platform_def.constructs import (
    Choice,
    Dashboard,
    Dashboards,
    MetricTable,
    Query,
    counter,
    gauge,
    graph,
    row,
    stat,
    table,
)
from platform_def.constructs.observation.panels import bars
from platform_def.errors import ConfigError
from tests.unit.constructs.samples import objects

TABLE = MetricTable("widgets.go", counter("made_total", "team size"), gauge("waiting", "team"))
PODS = MetricTable("pods.go", gauge("pod_owner", "owner"), exporter="pods")
MADE = "sum by (team) (rate(made_total[$__rate_interval]))"


def made(*dashboards: Dashboard, given: tuple[Capability, ...] = (DashboardReader(),), name: str = "") -> Any:
    platform = Platform(provisions=tuple(Provision.of(each, "elsewhere") for each in given))
    return objects(lambda scope: Dashboards(scope, dashboards, tables=[TABLE, PODS]), platform=platform, name=name)


def shown(dashboard: Dashboard, **options: Any) -> dict[str, Any]:
    ((_, config_map),) = made(dashboard, **options).items()
    (content,) = config_map["data"].values()
    loaded: dict[str, Any] = json.loads(content)
    return loaded


def problem(dashboard: Dashboard) -> str:
    with pytest.raises(ConfigError) as caught:
        made(dashboard, given=())
    (found,) = caught.value.problems
    return f"{found.text} | {found.hint}"


def test_a_dashboard_is_a_config_map_with_the_readers_label() -> None:
    found = made(Dashboard("Widgets: all", [graph("Made", MADE)]))["ConfigMap", "sample-dashboard-widgets-all"]

    assert found["metadata"]["labels"]["grafana_dashboard"] == "1"
    assert found["metadata"]["namespace"] == "here"
    assert [*found["data"]] == ["widgets-all.json"]


def test_a_component_knows_the_tables_that_its_dashboards_are_held_against() -> None:
    found: list[MetricTable] = []
    objects(lambda scope: found.extend(Dashboards(scope, [], tables=[TABLE, PODS]).tables))

    assert found == [TABLE, PODS]


def test_it_is_in_the_namespace_that_the_reader_searches() -> None:
    found = made(Dashboard("Widgets", [graph("Made", MADE)]), given=(DashboardReader(namespace="boards"),))

    assert found["ConfigMap", "sample-dashboard-widgets"]["metadata"]["namespace"] == "boards"


def test_without_a_reader_there_is_no_config_map() -> None:
    assert not made(Dashboard("Widgets", [graph("Made", MADE)]), given=())


def test_panels_fill_rows_from_left_to_right() -> None:
    content = shown(
        Dashboard(
            "Widgets",
            [
                stat("a", "sum(waiting)"),
                stat("b", "sum(waiting)"),
                graph("c", MADE),
                row("More"),
                graph("d", MADE),
                bars("e", "waiting"),
            ],
        )
    )
    places = [(each["gridPos"]["x"], each["gridPos"]["y"]) for each in content["panels"]]

    assert places == [(0, 0), (4, 0), (8, 0), (0, 8), (0, 9), (12, 9)]
    assert [each["id"] for each in content["panels"]] == [1, 2, 3, 4, 5, 6]


def test_every_panel_asks_the_chosen_source() -> None:
    content = shown(Dashboard("Widgets", [graph("Made", MADE)], choices=[Choice("team", "waiting", "Team")]))

    assert content["templating"]["list"][0]["type"] == "datasource"
    assert content["templating"]["list"][1]["query"]["query"] == "label_values(waiting, team)"
    assert content["panels"][0]["targets"][0]["datasource"]["uid"] == "${datasource}"
    assert content["uid"] == "sample-widgets"


def test_a_legend_shows_the_labels_of_the_result() -> None:
    content = shown(Dashboard("Widgets", [graph("Made", [MADE, Query(MADE, "of {{team}}"), "waiting"])]))

    assert [each["legendFormat"] for each in content["panels"][0]["targets"]] == ["{{team}}", "of {{team}}", "__auto"]


STAT = {
    "colorMode": "value",
    "graphMode": "area",
    "justifyMode": "auto",
    "orientation": "auto",
    "percentChangeColorMode": "standard",
    "showPercentChange": False,
    "textMode": "auto",
    "wideLayout": True,
}
BARS = {
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


def test_each_kind_of_panel_has_the_options_that_grafana_reads() -> None:
    panels = [stat("One", MADE), graph("Two", MADE), bars("Three", MADE), table("Four", [MADE])]
    found = [(each["type"], each["options"]) for each in shown(Dashboard("Widgets", panels))["panels"]]
    last = {"reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": False}}

    assert found == [
        ("stat", {**last, **STAT}),
        (
            "timeseries",
            {
                "legend": {
                    "displayMode": "table",
                    "placement": "bottom",
                    "showLegend": True,
                    "calcs": ["mean", "lastNotNull"],
                },
                "tooltip": {"mode": "multi", "sort": "desc"},
            },
        ),
        ("bargauge", {**last, **BARS}),
        ("table", {"showHeader": True, "frameIndex": 0}),
    ]


def test_a_table_names_its_columns() -> None:
    content = shown(Dashboard("Widgets", [table("All", ["sum by (team) (waiting)", MADE], columns={"team": "Team"})]))
    (panel,) = content["panels"]

    assert [each["id"] for each in panel["transformations"]] == ["merge", "organize"]
    assert all(each["instant"] and each["format"] == "table" for each in panel["targets"])


def test_panels_over_an_absent_exporter_are_left_out_with_their_heading() -> None:
    board = Dashboard("Widgets", [graph("Made", MADE), row("Pods"), graph("Owners", "count by (owner) (pod_owner)")])

    def titles(*more: Capability) -> list[str]:
        return [each["title"] for each in shown(board, given=(DashboardReader(), *more))["panels"]]

    assert titles() == ["Made"]
    assert titles(Exporter(name="pods")) == ["Made", "Pods", "Owners"]


def test_a_dashboard_without_panels_is_left_out() -> None:
    assert not made(Dashboard("Pods", [row("Pods"), graph("Owners", "count by (owner) (pod_owner)")]))


def test_a_panel_whose_choice_is_left_out_is_left_out_too() -> None:
    asking = graph("Made", 'made_total{team=~"$owner"}')
    board = Dashboard("Widgets", [asking, stat("b", "sum(waiting)")], choices=[Choice("owner", "pod_owner")])

    assert [each["title"] for each in shown(board)["panels"]] == ["b"]


LATE = "sample: W: panel Made: 'made_total' has no series before its first event, so its growth leaves that one out"


@pytest.mark.parametrize(
    ("dashboard", "expected"),
    [
        (Dashboard("W", [graph("Made", "sum(mde_total)")]), "sample: W: panel Made: there is no metric 'mde_total' | did you mean 'made_total'?"),
        (
            Dashboard("W", [graph("Made", Query(MADE, "{{tem}}"))]),
            "sample: W: panel Made: its legend shows the label 'tem', which the result does not have | did you mean 'team'?",
        ),
        (
            Dashboard("W", [graph("Made", 'waiting{team=~"$tem"}')], choices=[Choice("team", "waiting")]),
            "sample: W: panel Made: the dashboard has no choice 'tem' | did you mean 'team'?",
        ),
        (
            Dashboard("W", [], choices=[Choice("tem", "waiting")]),
            "sample: W: choice tem: metric 'waiting' has no label 'tem' | did you mean 'team'?",
        ),
        (
            Dashboard("W", [graph("Made", "sum(increase(made_total[1h]))")]),
            f"{LATE} | write increased('made_total{{…}}', '1h'), or give its table `late=False`",
        ),
    ],
)  # fmt: skip
def test_a_panel_that_would_stay_empty_is_an_error(dashboard: Dashboard, expected: str) -> None:
    assert problem(dashboard) == expected


def test_a_long_title_has_an_id_that_grafana_takes() -> None:
    content = shown(Dashboard("All widgets of all teams in all namespaces of the cluster", [graph("Made", MADE)]))

    assert len(content["uid"]) <= 40
