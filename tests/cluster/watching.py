"""A stack that is watched: Prometheus, Alertmanager and their reloaders run as the operator's StatefulSets say.

Real: the operator, both servers and their reloaders, with the accounts and rights of the stack. Played: kubelets,
kube-rbac-proxy, controllers of pods and endpoints, and exporters, by `pages`. Waiting times are cut, nothing else.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from tests.cluster import monitors
from tests.cluster.client import Manifest
from tests.cluster.control_plane import ControlPlane
from tests.cluster.door import Door, give_pods_addresses
from tests.cluster.endpoints import NODES, Pod, endpoint_slice, pods_of, report, report_nodes
from tests.cluster.exporters import Exporters
from tests.cluster.servers import SERVERS, start_server

HOOK = Path(__file__).with_name("hook.py")
QUICK = "5s"
"""How often everything is done here that a stack has done each half minute or less often."""
HOOK_HOST, HOOK_PORT = "hook.example.com", 8090
API_PORT = 6443
OPERATOR_ADDRESS = "127.0.0.1:8080"


def hurried(objects: Sequence[Manifest]) -> list[Manifest]:
    """The objects with shorter waiting times: of scrapes, rules, alerts, and messages."""
    made = deepcopy([*objects])
    for each in made:
        spec = each.get("spec", {})
        if each["kind"] == "ServiceMonitor":
            for endpoint in spec["endpoints"]:
                endpoint["interval"] = QUICK
        elif each["kind"] == "PrometheusRule":
            for group in spec["groups"]:
                group.pop("interval", None)
                for rule in group["rules"]:
                    rule.pop("for", None)
        elif each["kind"] == "Prometheus":
            spec |= {"scrapeInterval": QUICK, "evaluationInterval": QUICK}
        elif each["kind"] == "AlertmanagerConfig" and "route" in spec:
            spec["route"] |= {"groupWait": QUICK, "groupInterval": QUICK}
    return made


@dataclass(frozen=True)
class Watched:
    """What runs."""

    operator: monitors.Operator
    pods: Sequence[Pod]
    exporters: Exporters
    doors: Mapping[str, Door]
    """Prometheus and Alertmanager."""
    told: Path
    """What the webhook was sent."""

    def prometheus(self, path: str, **asked: object) -> Any:
        """What Prometheus answers."""
        answer = self.doors["prometheus"].get(f"/api/v1/{path}?{urlencode(asked)}")
        assert answer.status == 200, answer.text
        return answer.asked["data"]

    def values(self, query: str) -> dict[str, float]:
        """The numbers that a query comes to, by the values of their labels."""
        found = self.prometheus("query", query=query)["result"]
        return {
            " ".join(value for _, value in sorted(each["metric"].items())): float(each["value"][1]) for each in found
        }

    def targets(self) -> dict[str, str]:
        """What is wrong with each target; `up` where it is up."""
        found = self.prometheus("targets", state="active")["activeTargets"]
        return {f"{each['scrapePool']} {each['scrapeUrl']}": each["lastError"] or each["health"] for each in found}

    def firing(self) -> set[str]:
        """Names of the alerts that fire in Prometheus."""
        found = self.prometheus("alerts")["alerts"]
        return {each["labels"]["alertname"] for each in found if each["state"] == "firing"}

    def messages(self) -> list[Manifest]:
        """What the webhook was told, in order."""
        return [json.loads(each) for each in self.told.read_text().splitlines()] if self.told.is_file() else []

    def plug(self, component: str) -> None:
        """Start the exporters of a component."""
        for pod in self.pods_of(component):
            workload = pod.workload["metadata"]["name"]
            self.exporters.plug(pod, replace(self.operator, deployment=workload, kind=pod.workload["kind"]))

    def unplug(self, component: str) -> None:
        """Stop them."""
        for pod in self.pods_of(component):
            self.exporters.unplug(pod)

    def pods_of(self, component: str) -> Iterator[Pod]:
        """The pods of a component."""
        return (each for each in self.pods if each.component == component)


def watched(control_plane: ControlPlane, programs: Mapping[str, Path], objects: Sequence[Manifest]) -> Watched:
    """Start everything that watches the objects, and everything that is watched."""
    sandbox, folder = control_plane.sandbox, control_plane.folder
    give_pods_addresses(sandbox, folder)
    report_nodes(control_plane.api)
    operator = monitors.start_operator(
        control_plane, programs, objects, more=[f"--web.listen-address={OPERATOR_ADDRESS}"]
    )
    every = [*objects, *operator.stateful_sets(SERVERS)]
    pods = pods_of(every)
    report(control_plane.api, pods, [each for each in objects if each["kind"] == "Service"])
    report_api_server(control_plane)
    told = folder / "told.jsonl"
    sandbox.start("hook", [sys.executable, "-I", str(HOOK), str(HOOK_PORT), str(told)], log=folder / "hook.log")
    exporters = Exporters(control_plane, {monitors.OPERATOR: f"http://{OPERATOR_ADDRESS}"})
    found = Watched(operator, pods, exporters, {}, told)
    for node in NODES:
        exporters.plug_kubelet(node)
    addresses = {each.workload["metadata"]["name"]: each.address for each in pods}
    for component in {each.component for each in pods if each.workload["metadata"]["name"] not in SERVERS}:
        found.plug(component)
    doors = {
        program: start_server(control_plane, programs, every, name, address=addresses[name], hosts=(HOOK_HOST,))
        for name, program in SERVERS.items()
    }
    return replace(found, doors=doors)


def report_api_server(control_plane: ControlPlane) -> None:
    """Give the API server's own Service an address that leads to it."""
    address = next(iter(NODES.values()))
    control_plane.sandbox.relay(address, API_PORT, target=control_plane.port)
    api = control_plane.api
    service = api.get("/api/v1/namespaces/default/services/kubernetes").body
    ports = [{"name": each["name"], "port": API_PORT, "protocol": "TCP"} for each in service["spec"]["ports"]]
    endpoints = [{"addresses": [address], "conditions": {"ready": True}}]
    labels = service["metadata"]["labels"]
    api.store(endpoint_slice("kubernetes", "default", labels, ports, endpoints))
