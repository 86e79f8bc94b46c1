"""The Prometheus operator, as a stack renders it, makes of the stack's monitors, rules and routes what both servers read.

Real: the operator with the rendered flags, account and rights, promtool and amtool. Nothing runs the servers that it makes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from platform_def.yaml import load
from tests.cluster import monitors, rights
from tests.cluster.client import Manifest
from tests.cluster.conftest import show_logs
from tests.cluster.control_plane import ControlPlane
from tests.cluster.monitors import Operator
from tests.cluster.snapshots import snapshot
from tests.cluster.stacks import crds_of, rendered_stack

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

STACK = """\
apiVersion: platform-def/v1
cluster:
  kubernetes: "1.36"
  existing: [Secret monitoring/slack, Secret monitoring/hook, Secret monitoring/mail, Secret monitoring/pager, Secret monitoring/central]
networkPolicies: true
nodePools:
  - {name: train, nodes: 2, selector: {pool: train}, gpu: {model: a100-80gb, perNode: 8}, rdma: roce}
components:
  prometheus-operator: {}
  prometheus:
    select: {platform: "true"}
    remoteWrite:
      - {name: central, url: "https://metrics.example.com/api/v1/push", basic: {existing: central}, keep: ["DCGM_.*"]}
  alertmanager:
    receivers:
      - {name: team, slack: [{channel: "#platform", url: {existing: slack}}]}
      - {name: hooks, webhooks: [{url: "https://hooks.example.com/alerts"}, {secret: {existing: hook}}]}
      - {name: mail, email: [{to: [platform@example.com], sender: alerts@example.com, smarthost: "mail.example.com:587", username: alerts, password: {existing: mail}}]}
      - {name: night, pagerduty: [{routingKey: {existing: pager}}]}
    routes:
      - {receiver: night, match: {severity: critical}, goOn: true, repeat: 1h}
      - {receiver: team, match: {severity: critical}}
      - {receiver: hooks, match: {alertname: Watchdog}}
      - {receiver: mail, match: {severity: info}}
    teams: true
  kube-state-metrics: {}
  node-exporter: {}
  node-problem-detector: {}
  nvidia-device-plugin: {}
  dcgm-exporter: {}
  training-operator: {}
teams:
  - {name: vision, quota: {gpus: 8}}
"""
NEEDED = (
    ("", "secrets", "*"),
    ("", "configmaps", "*"),
    ("apps", "statefulsets", "*"),
    ("monitoring.coreos.com", "servicemonitors", "*"),
    ("monitoring.coreos.com", "prometheusrules", "*"),
    ("monitoring.coreos.com", "alertmanagerconfigs", "*"),
)
"""Rights of the operator without which it is refused something; without the kinds of servers it does not manage these."""


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> Sequence[Manifest]:
    """The stack's, rendered without an error."""
    rendered = rendered_stack(tmp_path_factory.mktemp("monitoring"), STACK, name="monitored")
    return [item.manifest for each in rendered.components.values() for item in each.objects]


@pytest.fixture(scope="module")
def running(
    objects: Sequence[Manifest], binaries: Mapping[str, Path], programs: Mapping[str, Path]
) -> Iterator[Operator]:
    """The operator, which has made all that it makes."""
    wanted = {"prometheus-operator": programs["prometheus-operator"]}
    with ControlPlane(binaries, data=snapshot(binaries, crds_of(objects))) as control_plane:
        with control_plane.explaining():
            operator = monitors.start_operator(control_plane, wanted, objects)
        yield operator


@pytest.fixture
def operator(running: Operator, request: pytest.FixtureRequest) -> Operator:
    """The shared operator; its logs are shown when the test fails."""
    show_logs(request, running.control_plane)
    return running


def names(objects: Sequence[Manifest], kind: str) -> set[str]:
    """Namespace and name of the objects of a kind."""
    return {f"{each['metadata']['namespace']}/{each['metadata']['name']}" for each in objects if each["kind"] == kind}


def test_every_monitor_of_the_stack_becomes_a_job_of_prometheus(
    operator: Operator, objects: Sequence[Manifest]
) -> None:
    wanted = {
        *(f"serviceMonitor/{each}" for each in names(objects, "ServiceMonitor")),
        *(f"podMonitor/{each}" for each in names(objects, "PodMonitor")),
    }

    assert monitors.scraped(operator.prometheus()) == wanted


def test_every_rule_of_the_stack_is_evaluated(operator: Operator, objects: Sequence[Manifest]) -> None:
    read = [cast("dict[str, Any]", load(text.encode(), file=name)) for name, text in operator.rules().items()]
    written = [group for each in objects if each["kind"] == "PrometheusRule" for group in each["spec"]["groups"]]

    def said(groups: Sequence[Manifest]) -> list[str]:
        return sorted(rule.get("alert", rule.get("record")) for group in groups for rule in group["rules"])

    assert said([group for each in read for group in each["groups"]]) == said(written)


def test_promtool_takes_what_the_operator_has_made(
    operator: Operator, programs: Mapping[str, Path], tmp_path: Path
) -> None:
    said = monitors.checked(programs["promtool"], operator, tmp_path)

    assert f"SUCCESS: {len(operator.rules())} rule files found" in said
    assert "is valid prometheus config file syntax" in said


def test_amtool_sends_alerts_where_the_stack_says(
    operator: Operator, programs: Mapping[str, Path], tmp_path: Path
) -> None:
    config, amtool = tmp_path / "alertmanager.yaml", programs["amtool"]
    config.write_text(operator.alertmanager())

    assert "SUCCESS" in monitors.read_by_alertmanager(amtool, config)
    assert monitors.receivers(
        amtool, config, alertname="GpuFatalXid", severity="critical", namespace="team-vision"
    ) == {"night", "team"}
    assert monitors.receivers(
        amtool, config, alertname="KubeJobFailed", severity="warning", namespace="team-vision"
    ) == {"team"}
    assert monitors.receivers(amtool, config, alertname="Watchdog", severity="info") == {"hooks"}
    assert monitors.receivers(amtool, config, alertname="GpuHeldIdle", severity="info", namespace="team-vision") == {
        "mail"
    }


def test_the_operator_makes_both_servers_and_is_refused_nothing(operator: Operator) -> None:
    api = operator.control_plane.api
    made = {
        each["metadata"]["name"] for each in api.get("/apis/apps/v1/namespaces/monitoring/statefulsets").body["items"]
    }

    assert made == {"alertmanager-main", "prometheus-k8s"}
    assert operator.forbidden() == []


@pytest.mark.parametrize("right", NEEDED, ids=lambda right: right[1])
def test_without_a_right_the_operator_is_refused(
    operator: Operator, programs: Mapping[str, Path], right: tuple[str, str, str]
) -> None:
    with rights.withheld(operator, right):
        operator.control_plane.sandbox.stop(operator.name)
        operator.log.write_text("")
        operator.start(programs["prometheus-operator"], operator.spec["args"])

        assert right[1] in operator.refusal()
