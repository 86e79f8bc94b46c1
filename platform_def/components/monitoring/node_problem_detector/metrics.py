"""What node problem detector says of nodes, and what is to be made of it."""

from __future__ import annotations

from platform_def.constructs import Alert, Dashboard, MetricTable, counter, gauge, graph, table, target_missing

METRICS = MetricTable(
    "pkg/problemmetrics of node-problem-detector v1.36.0",
    counter("problem_counter", "reason", late=False),
    gauge("problem_gauge", "type reason"),
    labels="node",
)
GPU = "GpuFatalError|GpuDriverMissing|GpuMissing"
EVENTS = "GpuXid|NvlinkError|RdmaLinkDown|CperHardwareError.*|MemoryReadError|IOError|Ext4Error"

ALERTS = (
    target_missing("node-problem-detector", name="NodeProblemDetector"),
    Alert(
        "NodeGpuUnhealthy",
        f'max by (node, type, reason) (problem_gauge{{type=~"{GPU}"}}) > 0',
        summary="Node {{ $labels.node }} has the condition {{ $labels.type }} ({{ $labels.reason }})",
        action="Drain the node and look at its cards: `nvidia-smi`, the kernel's log.",
        severity="critical",
        lasting="2m",
    ),
    Alert(
        "NodeRdmaUnhealthy",
        'max by (node, reason) (problem_gauge{type="RdmaPortDown"}) > 0',
        summary="An RDMA port of node {{ $labels.node }} is down that worked before",
        action="Look at the cable and the switch port. Jobs over several nodes hang there.",
        lasting="5m",
    ),
    Alert(
        "NodeUnhealthy",
        f'max by (node, type, reason) (problem_gauge{{type!~"{GPU}|RdmaPortDown"}}) > 0',
        summary="Node {{ $labels.node }} has the condition {{ $labels.type }} ({{ $labels.reason }})",
        action="Drain the node, read the kernel's log, and restart it.",
        severity="critical",
        lasting="5m",
    ),
    Alert(
        "NodeHardwareEvents",
        f'sum by (node, reason) (increase(problem_counter{{reason=~"{EVENTS}"}}[1h])) > 3',
        summary="Node {{ $labels.node }} reported {{ $labels.reason }} several times within an hour",
        action="Read the kernel's log: a component of the node begins to fail.",
        lasting="0s",
    ),
)

DASHBOARD = Dashboard(
    "Nodes: health",
    [
        table(
            "Conditions that hold",
            "max by (node, type, reason) (problem_gauge) > 0",
            columns={"node": "Node", "type": "Condition", "reason": "Reason", "Value": "Holds"},
        ),
        graph("Events in an hour", "sum by (reason) (increase(problem_counter[1h])) > 0", unit="none"),
        graph("Events in an hour by node", "sum by (node) (increase(problem_counter[1h])) > 0", unit="none"),
    ],
    tags=["nodes"],
    hours=24,
)
