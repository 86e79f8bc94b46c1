"""A sample stack's targets: what each of its monitors finds, and one exporter that answers for all of its pods.

Real: the operator, Prometheus, Alertmanager and their reloaders, as in `watching.py`; who reads over HTTPS is judged by the API server,
asked with the pod's own account. Played: pages, made from the tables of metrics, and pods that people's objects become.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tests.cluster import monitors, pages
from tests.cluster.client import Manifest
from tests.cluster.committed import in_catalogue, of_components
from tests.cluster.control_plane import ControlPlane
from tests.cluster.door import give_pods_addresses
from tests.cluster.endpoints import NODES, Pod, pods_of, report, report_nodes
from tests.cluster.exporters import CARDS, Exporters
from tests.cluster.servers import SERVERS, start_server
from tests.cluster.watching import OPERATOR_ADDRESS, Watched, hurried, report_api_server
from tests.cluster.waves import is_built_in
from tests.proofs.rendering import noted

GROUP = "monitoring.coreos.com"
KINDS = {"Prometheus": "prometheus-k8s", "Alertmanager": "alertmanager-main"}
"""Servers, by the kind that the operator makes them of."""
ELSEWHERE = ("kube-apiserver", "kubelet")
"""Monitors of what is no pod of the stack."""


MADE: Mapping[str, Manifest] = {
    "kserve-models": {
        "metadata": {
            "labels": {"serving.kserve.io/inferenceservice": "cats"},
            "annotations": {"prometheus.kserve.io/port": "8080", "prometheus.kserve.io/path": "/metrics"},
        },
        "spec": {
            "initContainers": [{"name": "storage-initializer", "image": "fetcher:1"}],
            "containers": [
                {"name": "kserve-container", "image": "server:1", "ports": [{"containerPort": 8080}]},
                {
                    "name": "queue-proxy",
                    "image": "queue:1",
                    "ports": [{"name": "http-queueadm", "containerPort": 8022}],
                },
            ],
        },
    },
    "kserve-llms": {
        "metadata": {
            "labels": {
                "app.kubernetes.io/name": "chat",
                "app.kubernetes.io/part-of": "llminferenceservice",
                "kserve.io/component": "workload",
            }
        },
        "spec": {
            "initContainers": [{"name": "storage-initializer", "image": "fetcher:1"}],
            "containers": [{"name": "main", "image": "vllm:1", "ports": [{"containerPort": 8000}]}],
        },
    },
    # What the injector makes of a team's pod: its proxy is an init container that goes on.
    "istio-proxies": {
        "metadata": {"labels": {"service.istio.io/canonical-name": "shop"}},
        "spec": {
            "initContainers": [
                {
                    "name": "istio-proxy",
                    "image": "proxy:1",
                    "restartPolicy": "Always",
                    "ports": [{"name": "http-envoy-prom", "containerPort": 15090}],
                }
            ],
            "containers": [{"name": "shop", "image": "shop:1", "ports": [{"name": "http", "containerPort": 8080}]}],
        },
    },
    "seldon-models": {
        "metadata": {"labels": {"seldon-deployment-id": "cats"}},
        "spec": {
            "containers": [
                {"name": "cats", "image": "server:1", "ports": [{"name": "http", "containerPort": 9000}]},
                {"name": "engine", "image": "engine:1", "ports": [{"name": "metrics", "containerPort": 8000}]},
            ]
        },
    },
}
"""Pods that operators make of people's objects, in short, by the monitor that reads them."""
UNNAMED = {"kserve-models": 8080, "kserve-llms": 8000}
"""Ports that a monitor finds otherwise than by name."""


def made_for(objects: Sequence[Manifest]) -> Iterator[Manifest]:
    """Deployments with these pods, for the monitors that a stack has."""
    for each in objects:
        name = each["metadata"]["name"]
        if each["kind"] == "PodMonitor" and name in MADE:
            labels = {"app.kubernetes.io/instance": each["metadata"]["labels"]["app.kubernetes.io/instance"]}
            metadata = {"name": f"made-{name}", "namespace": "default", "labels": labels}
            yield {"kind": "Deployment", "metadata": metadata, "spec": {"template": MADE[name]}}


def watched_objects(objects: Sequence[Manifest]) -> list[Manifest]:
    """What of a stack is needed to find and read its targets, hurried: of other projects neither kinds nor objects."""
    kept = []
    for each in objects:
        defined = each["spec"]["group"] if each["kind"] == "CustomResourceDefinition" else ""
        group = defined or each["apiVersion"].rpartition("/")[0]
        if group == GROUP or (not defined and is_built_in(group) and each["kind"] != "APIService"):
            kept.append(each)
    homes = {each["metadata"]["name"] for each in kept if each["kind"] == "Namespace"} | {"default", "kube-system"}
    return hurried([each for each in kept if each["metadata"].get("namespace", "default") in homes])


@noted
def watched_in(stack: str) -> list[Manifest]:
    """That of a stack of dist/."""
    return watched_objects(of_components(stack))


@dataclass(frozen=True)
class Target:
    """What a monitor reads: an address, and how."""

    monitor: str
    """`serviceMonitor/NAMESPACE/NAME/NUMBER`, as Prometheus calls it."""
    pod: Pod
    port: int
    path: str
    https: bool
    asks: bool = False
    """Whether who reads shows a token, and the program asks the API server about it."""

    @property
    def url(self) -> str:
        """As Prometheus shows it."""
        return f"{'https' if self.https else 'http'}://{self.pod.address}:{self.port}{self.path}"


def targets_of(objects: Sequence[Manifest], pods: Sequence[Pod]) -> Iterator[Target]:
    """What each monitor reads of the pods."""
    services = [each for each in objects if each["kind"] == "Service"]
    for monitor in objects:
        name = f"{monitor['metadata'].get('namespace')}/{monitor['metadata']['name']}"
        if monitor["kind"] == "ServiceMonitor" and monitor["metadata"]["name"] not in ELSEWHERE:
            for service in (each for each in services if _selected(monitor, each)):
                ports = {each.get("name", ""): each for each in service["spec"]["ports"]}
                for number, end in enumerate(monitor["spec"]["endpoints"]):
                    wanted = ports.get(end["port"])
                    if not wanted:
                        continue
                    for pod in (each for each in pods if each.chosen_by(service)):
                        chosen = wanted.get("targetPort", wanted["port"])
                        port = pod.ports.get(str(chosen), chosen)
                        yield _target(f"serviceMonitor/{name}/{number}", pod, port, end)
        if monitor["metadata"]["name"] in UNNAMED:
            (pod,) = (
                each for each in pods if each.workload["metadata"]["name"] == f"made-{monitor['metadata']['name']}"
            )
            yield Target(f"podMonitor/{name}/0", pod, UNNAMED[monitor["metadata"]["name"]], "/metrics", https=False)
        elif monitor["kind"] == "PodMonitor":
            for number, end in enumerate(monitor["spec"]["podMetricsEndpoints"]):
                for pod in (each for each in pods if _selects(monitor, each) and end.get("port") in each.ports):
                    yield _target(f"podMonitor/{name}/{number}", pod, pod.ports[end["port"]], end)


def given(objects: Sequence[Manifest]) -> Iterator[Manifest]:
    """The Secrets that monitors and servers name, with values that are no one's."""
    keys: dict[tuple[str, str], set[str]] = {}

    def look(value: Any, home: str) -> None:
        if isinstance(value, dict):
            if isinstance(value.get("name"), str) and isinstance(value.get("key"), str):
                keys.setdefault((home, value["name"]), set()).add(value["key"])
            value = [*value.values()]
        for each in value if isinstance(value, list) else ():
            look(each, home)

    for item in objects:
        if item["apiVersion"].partition("/")[0] == GROUP:
            look(item["spec"], item["metadata"]["namespace"])
    for (home, name), found in keys.items():
        data = dict.fromkeys(sorted(found), "https://hooks.example.com/any")
        metadata = {"name": name, "namespace": home}
        yield {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "stringData": data}


def _target(monitor: str, pod: Pod, port: int, end: Manifest) -> Target:
    https, asks = end.get("scheme", "http") == "https", "bearerTokenFile" in end
    return Target(monitor, pod, port, end.get("path", "/metrics"), https, asks)


def _selected(monitor: Manifest, service: Manifest) -> bool:
    home = monitor["metadata"]["namespace"] == service["metadata"]["namespace"]
    return (
        bool(home)
        and monitor["spec"]["selector"]["matchLabels"].items() <= service["metadata"].get("labels", {}).items()
    )


def _selects(monitor: Manifest, pod: Pod) -> bool:
    labels = pod.workload["spec"]["template"]["metadata"].get("labels", {})
    selector = monitor["spec"]["selector"]
    wide = monitor["spec"].get("namespaceSelector", {}).get("any", False)
    named = all(each["key"] in labels for each in selector.get("matchExpressions", []))
    here = wide or monitor["metadata"]["namespace"] == pod.namespace
    return here and named and selector.get("matchLabels", {}).items() <= labels.items()


def watch(
    control_plane: ControlPlane, programs: Mapping[str, Path], objects: Sequence[Manifest]
) -> tuple[Watched, list[Target]]:
    """Start what reads, and what answers; the targets of pods that must be found."""
    give_pods_addresses(control_plane.sandbox, control_plane.folder)
    report_nodes(control_plane.api)
    flags = [f"--web.listen-address={OPERATOR_ADDRESS}"]
    operator = monitors.start_operator(control_plane, programs, [*objects, *given(objects)], more=flags)
    servers = [name for kind, name in KINDS.items() if any(each["kind"] == kind for each in objects)]
    every = [*objects, *operator.stateful_sets(servers), *made_for(objects)]
    targets = [*targets_of(every, pods_of(every))]
    pods = [*{each.pod.name: each.pod for each in targets}.values()]
    for home in {each.namespace for each in pods}:
        account: Manifest = {
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": {"name": "default", "namespace": home},
        }
        assert not control_plane.api.apply(account).refusal
    report(control_plane.api, pods, [each for each in objects if each["kind"] == "Service"])
    report_api_server(control_plane)
    exporters = Exporters(control_plane, {monitors.OPERATOR: f"http://{OPERATOR_ADDRESS}"})
    found = Watched(operator, pods, exporters, {}, control_plane.folder / "told.jsonl")
    for node in NODES:
        exporters.plug_kubelet(node)
    answer([each for each in targets if each.pod.workload["metadata"]["name"] not in SERVERS], found)
    addresses = {each.workload["metadata"]["name"]: each.address for each in pods}
    doors = {
        SERVERS[name]: start_server(control_plane, programs, every, name, address=addresses[name], hosts=())
        for name in servers
    }
    return replace(found, doors=doors), targets


def answer(targets: Sequence[Target], found: Watched) -> None:
    """Start one exporter that answers for all of these."""
    said: dict[str, Any] = {}
    tokens: dict[str, str] = {}
    listens: dict[tuple[str, int], dict[str, Any]] = {}
    for each in targets:
        workload = each.pod.workload["metadata"]["name"]
        told = listens.setdefault((each.pod.address, each.port), {"host": each.pod.address, "port": each.port})
        if each.https:
            account = replace(found.operator, deployment=workload, kind=each.pod.workload["kind"])
            tokens.setdefault(workload, account.token())
            secure = found.exporters.proxy(tokens[workload])
            told |= secure if each.asks else {key: secure[key] for key in ("certificate", "key")}
        if each.pod.component in found.exporters.real:
            told["upstream"] = found.exporters.real[each.pod.component]
        else:
            told.setdefault("pages", {})[each.path] = page_of(each.pod, said)
    found.exporters.start("all", [*listens.values()])


def page_of(pod: Pod, said: dict[str, Any]) -> Any:
    """What a pod says; pages are kept in `said`. Where nothing of a component is known, it says nothing."""
    key = f"{pod.component} {pod.node if pod.component == CARDS else ''}"
    if key not in said:
        tables = pages.tables_of(pod.component) if in_catalogue(pod.component) else []
        said[key] = pages.cards_page(tables[0], pod.node) if pod.component == CARDS else pages.page(tables)
    return said[key]
