"""What Prometheus keeps of a target: the series of its page with the labels that its monitor adds, renames and drops.

The monitor is the stack's own; pod, container and node have names of the test's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tests.cluster.client import Manifest
from tests.cluster.scrape import Page

Labels = Mapping[str, str]
Kept = tuple[str, Labels, str]
"""Name, labels and value of a series."""

META = {
    "__meta_kubernetes_pod_node_name": "node-1",
    "__metrics_path__": "/metrics",
    "__meta_kubernetes_pod_ip": "10.0.0.1",
    # A pod of a model, and one of a language model, as KServe makes them.
    "__meta_kubernetes_pod_annotation_prometheus_kserve_io_port": "8080",
    "__meta_kubernetes_pod_annotation_prometheus_kserve_io_path": "/metrics",
    "__meta_kubernetes_pod_label_serving_kserve_io_inferenceservice": "flowers",
    "__meta_kubernetes_pod_label_app_kubernetes_io_part_of": "llminferenceservice",
    "__meta_kubernetes_pod_label_app_kubernetes_io_name": "assistant",
    "__meta_kubernetes_pod_label_kserve_io_component": "workload",
}
"""What Prometheus knows of a pod that it has found, of which monitors make labels."""


def labels_of(monitor: Manifest) -> Labels:
    """Labels of a target that the monitor finds."""
    name, home, spec = monitor["metadata"]["name"], monitor["metadata"]["namespace"], monitor["spec"]
    home = spec.get("namespaceSelector", {}).get("matchNames", [home])[0]
    found = {"namespace": home, "pod": f"{name}-0", "instance": "10.0.0.1:8080"}
    if monitor["kind"] == "PodMonitor":
        found |= {"job": f"{monitor['metadata']['namespace']}/{name}"}
        if "port" in _endpoint(monitor):
            found |= {"container": "main", "endpoint": _endpoint(monitor)["port"]}
    else:
        job = spec["selector"]["matchLabels"][spec["jobLabel"]] if "jobLabel" in spec else name
        found |= {"job": job, "service": job, "container": "main", "endpoint": _endpoint(monitor)["port"]}
    made = relabelled({**META, **found}, _endpoint(monitor).get("relabelings", ()))
    assert made, f"{name} drops the target"
    return {key: value for key, value in made.items() if not key.startswith("__")}


def kept(page: Page, monitor: Manifest) -> Iterator[Kept]:
    """What is kept of a page; a label of the page that the target has too is the target's, unless it is honored."""
    target, end = labels_of(monitor), _endpoint(monitor)
    for name, every in page.samples.items():
        for own, value in zip(every, page.values[name], strict=True):
            if end.get("honorLabels"):
                labels = {**target, **own}
            else:
                labels = {**{f"exported_{key}" if key in target else key: text for key, text in own.items()}, **target}
            made = relabelled({"__name__": name, **labels}, end.get("metricRelabelings", ()))
            if made:
                yield made["__name__"], {key: text for key, text in made.items() if key != "__name__" and text}, value
    yield "up", target, "1"


def relabelled(labels: Labels, rules: Iterable[Manifest]) -> Labels | None:
    """Labels after some rules, as Prometheus applies them; None of what they drop."""
    made = dict(labels)
    for rule in rules:
        action, regex = rule.get("action", "replace").lower(), rule.get("regex", "(.*)")
        text = rule.get("separator", ";").join(made.get(each, "") for each in rule.get("sourceLabels", ()))
        found = re.fullmatch(regex, text)
        if action in ("keep", "drop"):
            if bool(found) != (action == "keep"):
                return None
        elif action in ("labeldrop", "labelkeep"):
            dropped = action == "labeldrop"
            made = {key: value for key, value in made.items() if bool(re.fullmatch(regex, key)) != dropped}
        else:
            assert action == "replace", f"no test of relabelling knows {action}"
            if found:
                made[rule["targetLabel"]] = found.expand(
                    re.sub(r"\$\{?(\w+)\}?", r"\\g<\1>", rule.get("replacement", "$1"))
                )
    return made


def _endpoint(monitor: Manifest) -> Manifest:
    ends: Sequence[Manifest] = monitor["spec"].get("endpoints") or monitor["spec"]["podMetricsEndpoints"]
    return ends[0]
