"""A stack's monitoring runs: Prometheus reads every target, panels show data, alerts reach a webhook once and clear.

Real: Prometheus, Alertmanager and their reloaders, as the operator has configured them from the stack's objects, with the
stack's accounts. Exporters are played from tables of metrics, and waiting times are cut.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from platform_def.components.monitoring.alertmanager.metrics import METRICS as ALERTMANAGER
from platform_def.components.monitoring.prometheus.metrics import METRICS as PROMETHEUS
from platform_def.components.monitoring.prometheus_operator.metrics import METRICS as OPERATOR
from tests.cluster.client import Manifest
from tests.cluster.conftest import show_logs
from tests.cluster.control_plane import ControlPlane, until
from tests.cluster.endpoints import NODES
from tests.cluster.fed import unfed
from tests.cluster.observed import ASKED, Asked, dashboards_of, queries_of, shows
from tests.cluster.pages import cards_of
from tests.cluster.scrape import bounds, faults, page_at, read
from tests.cluster.snapshots import snapshot
from tests.cluster.stacks import crds_of, rendered_stack
from tests.cluster.watching import HOOK_HOST, HOOK_PORT, Watched, hurried, watched
from tests.cluster.whole import whole

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

STACK = f"""\
apiVersion: platform-def/v1
cluster: {{kubernetes: "1.36"}}
networkPolicies: true
nodePools:
  - name: train
    nodes: 2
    pricePerHour: 16
    selector: {{pool: train}}
    gpu: {{model: a100-80gb, perNode: 8}}
    rdma: roce
components:
  prometheus-operator: {{}}
  prometheus: {{}}
  alertmanager:
    receivers:
      - {{name: hook, webhooks: [{{url: "http://{HOOK_HOST}:{HOOK_PORT}/alerts"}}]}}
    routes:
      - {{receiver: hook, match: {{alertname: Watchdog}}}}
      - {{receiver: hook, match: {{severity: info}}}}
  grafana: {{}}
  kube-state-metrics: {{}}
  node-exporter: {{}}
  node-problem-detector: {{}}
  nvidia-device-plugin: {{}}
  dcgm-exporter: {{}}
  training-operator: {{}}
teams:
  - {{name: vision, quota: {{gpus: 8}}}}
  - {{name: speech, quota: {{gpus: 8}}}}
"""
SECONDS = 120.0
MISSING = "DcgmExporterMetricsMissing"


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> Sequence[Manifest]:
    """The stack's, with shorter waiting times."""
    rendered = rendered_stack(tmp_path_factory.mktemp("monitoring"), STACK, name="watched")
    return hurried([item.manifest for each in rendered.components.values() for item in each.objects])


@pytest.fixture(scope="module")
def running(
    objects: Sequence[Manifest], binaries: Mapping[str, Path], programs: Mapping[str, Path]
) -> Iterator[Watched]:
    """All of it, each target read at least twice."""
    with ControlPlane(binaries, data=snapshot(binaries, crds_of(objects))) as control_plane:
        with control_plane.explaining():
            found = watched(control_plane, programs, objects)
            until(lambda: ready(found), seconds=SECONDS, every=1.0, what="all targets are read twice")
        yield found


def ready(found: Watched) -> bool:
    """Whether each target that was found has been read twice."""
    return found.values("min(count_over_time(up[1h]))").get("", 0) > 2


@pytest.fixture
def monitoring(running: Watched, request: pytest.FixtureRequest) -> Watched:
    """The shared stack; its logs are shown when a test fails."""
    show_logs(request, running.operator.control_plane)
    return running


def test_every_target_of_every_monitor_is_up(monitoring: Watched, objects: Sequence[Manifest]) -> None:
    wanted = {
        f"serviceMonitor/{each['metadata']['namespace']}/{each['metadata']['name']}/{number}"
        for each in objects
        if each["kind"] == "ServiceMonitor"
        for number, _ in enumerate(each["spec"]["endpoints"])
    }
    found = monitoring.targets()

    assert {target.partition(" ")[0] for target in found} == wanted
    assert {target: state for target, state in found.items() if state != "up"} == {}


def test_every_panel_of_every_dashboard_shows_something(monitoring: Watched, objects: Sequence[Manifest]) -> None:
    asked = [query for board in dashboards_of(objects) for query in queries_of(board)]

    assert len(asked) > 60
    until(lambda: shown(monitoring, asked[-1]), seconds=SECONDS, what="recorded series are there")
    assert [f"{each.title}: {each.expr}" for each in asked if not shown(monitoring, each)] == []


def shown(monitoring: Watched, asked: Asked) -> bool:
    """Whether Prometheus has a number for it."""
    if asked.instant:
        found = monitoring.prometheus("query", query=asked.expr)
        values = [found["result"]] if found["resultType"] == "scalar" else [each["value"] for each in found["result"]]
        return shows([{"values": [value[1]]} for value in values])
    now = float(monitoring.prometheus("query", query="time()")["result"][1])
    found = monitoring.prometheus("query_range", query=asked.expr, start=now - 60, end=now, step=5)
    return shows([{"values": [value[1] for value in each["values"]]} for each in found["result"]])


def test_servers_and_operator_count_as_their_tables_say(monitoring: Watched, programs: Mapping[str, Path]) -> None:
    until(lambda: bool(monitoring.messages()), seconds=SECONDS, what="the webhook is told of an alert")
    pages = {name: read(door.get("/metrics").text) for name, door in monitoring.doors.items()}
    pages["prometheus-operator"] = page_at(monitoring.operator.control_plane, 8080)
    tables = {"prometheus": PROMETHEUS, "alertmanager": ALERTMANAGER, "prometheus-operator": OPERATOR}
    # Nothing is sent to a further server, and Alertmanager runs without a cluster.
    silent = {"prometheus": "prometheus_remote_storage_*", "alertmanager": "alertmanager_cluster_*"}

    assert {
        name: faults(pages[name], [table], program=programs[name], silent=silent.get(name, ""))
        for name, table in tables.items()
    } == {name: [] for name in tables}
    monitors = {"prometheus": "prometheus-k8s", "alertmanager": "alertmanager-main"}
    assert {
        name: unfed(name, {monitors.get(name, name): [page]}, engine=programs["prometheus-engine"])
        for name, page in pages.items()
    } == {name: [] for name in pages}


def test_a_card_makes_no_more_series_than_the_page_about_prometheus_says(monitoring: Watched) -> None:
    found = monitoring.values('count by (node, UUID, GPU_I_ID, pod) ({job="dcgm-exporter", UUID!=""})')

    assert len(found) == sum(1 for node in NODES for _ in cards_of(node))
    assert max(found.values()) <= bounds()["card, MIG device, or pod on a shared card"]


def test_alerts_reach_the_webhook_once_and_clear(monitoring: Watched) -> None:
    until(
        lambda: told(monitoring) >= monitoring.firing() != set(),
        seconds=SECONDS,
        what="all alerts that fire have been told",
    )
    assert MISSING not in monitoring.firing()
    # It may have fired before the exporters were read for the first time.
    until(lambda: said(monitoring, MISSING)[-1:] != ["firing"], seconds=SECONDS, what="nothing is said to be missing")
    before = said(monitoring, MISSING)

    monitoring.unplug("dcgm-exporter")
    missing = [*before, "firing"]
    until(lambda: said(monitoring, MISSING) == missing, seconds=SECONDS, what="the missing exporter is told")
    monitoring.plug("dcgm-exporter")
    until(lambda: said(monitoring, MISSING) == [*missing, "resolved"], seconds=SECONDS, what="that it is back is told")

    assert [message for message, times in Counter(map(content, monitoring.messages())).items() if times > 1] == []


def test_each_alert_of_the_catalogue_reaches_the_webhook_once_and_clears(monitoring: Watched) -> None:
    """All are sent to Alertmanager as Prometheus sends what fires, each about a namespace of its own."""
    found = [(component, name, rule) for component in ASKED for name, rule in whole(component).alerts.items()]
    homes = {
        f"{component}-{name}".lower(): {**rule.get("labels", {}), "alertname": name} for component, name, rule in found
    }
    begun = datetime.now(UTC)

    def send(ends: datetime) -> None:
        moments = {"startsAt": begun.isoformat(), "endsAt": ends.isoformat()}
        sent = [{"labels": {**labels, "namespace": home}, **moments} for home, labels in homes.items()]
        headers = {"content-type": "application/json"}
        door = monitoring.doors["alertmanager"]
        answer = door.get("/api/v2/alerts", method="POST", headers=headers, body=json.dumps(sent).encode())
        assert answer.status == 200, answer.text

    def came(status: str) -> Counter[str]:
        return Counter(
            str(alert["labels"]["namespace"])
            for each in monitoring.messages()
            for alert in each["alerts"]
            if alert["status"] == status and alert["labels"].get("namespace") in homes
        )

    assert len(homes) == len(found)
    send(begun + timedelta(hours=1))
    until(lambda: came("firing").keys() == homes.keys(), seconds=SECONDS, what="the webhook is told of each alert")
    send(datetime.now(UTC))
    until(lambda: came("resolved").keys() == homes.keys(), seconds=SECONDS, what="and that each is over")

    assert {home: times for home, times in (came("firing") + came("resolved")).items() if times != 2} == {}
    assert {home: times for home, times in came("firing").items() if times != 1} == {}


def content(message: Manifest) -> tuple[str, ...]:
    """What a message says: the alerts of a group, each with its state."""
    alerts = [f"{each['fingerprint']} {each['status']} {each['startsAt']}" for each in message["alerts"]]
    return (message["groupKey"], *sorted(alerts))


def told(monitoring: Watched) -> set[str]:
    """Names of the alerts of which the webhook was told."""
    return {alert["labels"]["alertname"] for each in monitoring.messages() for alert in each["alerts"]}


def said(monitoring: Watched, name: str) -> list[str]:
    """What the webhook was told of an alert, in order."""
    return [
        alert["status"]
        for each in monitoring.messages()
        for alert in each["alerts"]
        if alert["labels"]["alertname"] == name
    ]
