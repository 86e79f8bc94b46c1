"""node-exporter: on every node, behind a proxy that asks who reads."""

from __future__ import annotations

from typing import Any

from platform_def.capabilities import Metrics
from platform_def.components.monitoring.node_exporter.component import NodeExporter
from platform_def.config.capability import Provision
from tests.unit.built import Objects, built, platform

NAME = "node-exporter"


def build(**config: Any) -> Objects:
    return built(NodeExporter, platform(provisions=(Provision.of(Metrics(), "prometheus"),)), **config)


def test_it_runs_on_tainted_nodes_too() -> None:
    assert build().pod("DaemonSet")["tolerations"] == [{"operator": "Exists"}]


def test_only_the_proxy_is_reached_from_other_machines() -> None:
    made = build()

    assert "--web.listen-address=127.0.0.1:9101" in made.arguments("DaemonSet", NAME, NAME)
    proxy = made.arguments("DaemonSet", NAME, "kube-rbac-proxy")
    assert "--secure-listen-address=[$(IP)]:9100" in proxy
    assert "--upstream=http://127.0.0.1:9101/" in proxy


def test_collectors_are_switched() -> None:
    arguments = build(collectors={"systemd": True, "wifi": True, "nfs": False}).arguments("DaemonSet", NAME, NAME)

    assert {"--collector.systemd", "--collector.wifi", "--no-collector.nfs", "--no-collector.hwmon"} <= {*arguments}
    assert "--no-collector.wifi" not in arguments


def test_series_have_the_name_of_their_node() -> None:
    (endpoint,) = build().one("ServiceMonitor")["spec"]["endpoints"]

    assert endpoint["relabelings"][-1]["targetLabel"] == "node"
    assert endpoint["scheme"] == "https"
    assert "bearerTokenFile" in endpoint
