"""Alerts and a dashboard over the objects of a cluster."""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.components.monitoring.exporters.kube_state_metrics import NAME
from platform_def.constructs import Alert, Choice, Dashboard, graph, row, stat, table, target_missing
from platform_def.constructs.observation.panels import Panel

POD = "{{ $labels.pod }} in namespace {{ $labels.namespace }}"
IMAGELESS = "ImagePullBackOff|ErrImagePull|InvalidImageName"
BY_POD = "max by (namespace, pod, container)"


def _behind(kind: str, wanted: str, ready: str) -> Alert:
    """An alert about workloads that lack pods for long."""
    label = kind.lower()
    by = f"max by (namespace, {label})"
    return Alert(
        f"Kube{kind}Incomplete",
        f"{by} ({wanted}) > {by} ({ready})",
        summary=f"{kind} {{{{ $labels.{label} }}}} in namespace {{{{ $labels.namespace }}}} has too few ready pods",
        action="Read the events of its pods: nodes are full, an image is missing, or a probe fails.",
        lasting="15m",
    )


ALERTS = (
    target_missing(NAME, name="KubeStateMetrics", severity="critical"),
    Alert(
        "KubePodCrashLooping",
        f'{BY_POD} (max_over_time(kube_pod_container_status_waiting_reason{{reason="CrashLoopBackOff"}}[5m])) >= 1',
        summary=f"Container {{{{ $labels.container }}}} of pod {POD} crashes again and again",
        action="Read its log with `kubectl logs --previous`.",
        lasting="15m",
    ),
    Alert(
        "KubePodImageMissing",
        f'{BY_POD} (kube_pod_container_status_waiting_reason{{reason=~"{IMAGELESS}"}}) >= 1',
        summary=f"Pod {POD} cannot pull the image of {{{{ $labels.container }}}}",
        action="Look at its name, the registry mirror and the pull secret.",
    ),
    Alert(
        "KubePodNotReady",
        'max by (namespace, pod) (kube_pod_status_phase{phase=~"Pending|Unknown"}) * on (namespace, pod)'
        ' group_left () max by (namespace, pod) (kube_pod_owner{owner_kind!="Job"}) > 0'
        ' unless on (namespace, pod) kube_pod_status_reason{reason="SchedulingGated"}',
        summary=f"Pod {POD} has not started for half an hour",
        action="Read its events: it waits for a node, a volume or an image.",
        lasting="30m",
    ),
    _behind("Deployment", "kube_deployment_spec_replicas", "kube_deployment_status_replicas_available"),
    _behind("StatefulSet", "kube_statefulset_replicas", "kube_statefulset_status_replicas_ready"),
    _behind("DaemonSet", "kube_daemonset_status_desired_number_scheduled", "kube_daemonset_status_number_ready"),
    Alert(
        "KubeJobFailed",
        "max by (namespace, job_name) (kube_job_failed) > 0",
        summary="Job {{ $labels.job_name }} in namespace {{ $labels.namespace }} has failed",
        action="Read the log of its pods; the alert ends when the Job is deleted.",
        severity="info",
    ),
    Alert(
        "KubeQuotaNearlyGone",
        'max by (namespace, resource) (kube_resourcequota{type="used"})'
        ' / (max by (namespace, resource) (kube_resourcequota{type="hard"}) > 0) > 0.9',
        summary="{{ $value | humanizePercentage }} of the {{ $labels.resource }} of {{ $labels.namespace }} is used",
        action="Give the team a larger quota, or end what is not needed: further pods are refused.",
        severity="info",
        lasting="15m",
    ),
    Alert(
        "KubeVolumePending",
        'max by (namespace, persistentvolumeclaim) (kube_persistentvolumeclaim_status_phase{phase="Pending"}) > 0',
        summary="No volume is made for claim {{ $labels.persistentvolumeclaim }} in {{ $labels.namespace }}",
        action="Read the claim's events. With a class that binds late it only waits for a pod.",
        severity="info",
        lasting="1h",
    ),
    Alert(
        "KubeNodeNotReady",
        'max by (node) (kube_node_status_condition{condition="Ready", status="true"}) == 0'
        " and on (node) max by (node) (kube_node_spec_unschedulable) == 0",
        summary="Node {{ $labels.node }} is not ready",
        action="Look at its kubelet and its network; its pods are moved away after five minutes.",
        severity="critical",
        lasting="15m",
    ),
    Alert(
        "KubeNodePressure",
        'max by (node, condition) (kube_node_status_condition{condition=~".*Pressure", status="true"}) > 0',
        summary="Node {{ $labels.node }} has {{ $labels.condition }} and evicts pods",
        action="Look at what fills its disk (images, logs) or its memory.",
    ),
)


def _panels() -> Iterator[Panel]:
    picked = 'namespace=~"$namespace"'
    running = f'kube_pod_status_phase{{phase="Running", {picked}}}'
    yield row("Now")
    yield stat("Nodes", "count(kube_node_info)", unit="none")
    yield stat(
        "Nodes not ready",
        'count(kube_node_status_condition{condition="Ready", status="true"} == 0) or vector(0)',
        alarm=1,
    )
    yield stat("Pods running", f"sum({running})", unit="none")
    yield stat("Pods waiting", f'sum(kube_pod_status_phase{{phase="Pending", {picked}}})', unit="none")
    yield stat("Failed jobs", f"count(kube_job_failed{{{picked}}} > 0) or vector(0)", unit="none")
    yield row("Pods")
    yield graph("Pods by namespace", f"sum by (namespace) ({running})", unit="none")
    yield graph(
        "Restarts in an hour",
        f"sum by (namespace, pod) (increase(kube_pod_container_status_restarts_total{{{picked}}}[1h])) > 0",
        unit="none",
    )
    yield graph(
        "CPU requested, share of what nodes have",
        'sum(kube_pod_container_resource_requests{resource="cpu"}) / sum(kube_node_status_allocatable{resource="cpu"})',
        unit="percentunit",
    )
    yield graph(
        "Memory requested, share of what nodes have",
        'sum(kube_pod_container_resource_requests{resource="memory"})'
        ' / sum(kube_node_status_allocatable{resource="memory"})',
        unit="percentunit",
    )
    yield table(
        "Quotas",
        [
            f'max by (namespace, resource) (kube_resourcequota{{type="used", {picked}}})',
            f'max by (namespace, resource) (kube_resourcequota{{type="hard", {picked}}})',
        ],
        columns={"namespace": "Namespace", "resource": "Resource", "Value #A": "Used", "Value #B": "Quota"},
    )


DASHBOARD = Dashboard(
    "Cluster: nodes and pods",
    [*_panels()],
    choices=[Choice("namespace", "kube_namespace_status_phase", "Namespace")],
    tags=["kubernetes"],
)
