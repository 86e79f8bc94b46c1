"""Ports of the nodes, and who has them."""

from __future__ import annotations

from typing import Any

from platform_def.checks.rules.server.node_port import NODE_PORT
from platform_def.manifests.rendered import Manifest
from tests.unit.checks.samples import found, rendered


def service(name: str, *ports: int, **spec: Any) -> Manifest:
    listed = [{"name": f"p{port}", "port": port, "nodePort": port} for port in ports]
    spec = {"type": "NodePort", "selector": {"app": name}, "ports": listed, **spec}
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name, "namespace": "default"}, "spec": spec}


def test_a_second_service_with_a_port_is_named_with_the_first() -> None:
    stack = rendered(service("a", 30080), service("b", 30081, 30080))

    (one,) = found(NODE_PORT, stack)

    assert one.object == "Service default/b"
    assert one.path == "spec.ports[1].nodePort"
    assert one.severity == "error"
    assert one.text == "30080 is a port of Service default/a as well: the API server takes one of the two"


def test_the_port_for_health_checks_is_one_of_them() -> None:
    balanced = service("b", type="LoadBalancer", healthCheckNodePort=30080)

    assert [one.path for one in found(NODE_PORT, rendered(service("a", 30080), balanced))] == [
        "spec.healthCheckNodePort"
    ]


def test_a_port_outside_the_range_is_a_warning_for_the_range_is_the_cluster_s_own() -> None:
    (one,) = found(NODE_PORT, rendered(service("a", 80, 30000, 32767)))

    assert (one.path, one.severity) == ("spec.ports[0].nodePort", "warning")
    assert "30000-32767" in one.text


def test_two_protocols_of_one_service_share_a_port() -> None:
    ports = [{"name": name, "port": 53, "protocol": name.upper(), "nodePort": 30053} for name in ("tcp", "udp")]

    assert found(NODE_PORT, rendered(service("dns", ports=ports))) == []
