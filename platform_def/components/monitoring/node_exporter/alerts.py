"""Alerts and a dashboard over machines."""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.components.monitoring.exporters.node_exporter import NAME
from platform_def.constructs import Alert, Choice, Dashboard, Query, graph, row, target_missing
from platform_def.constructs.observation.panels import Panel

DISK = 'fstype!~"tmpfs|overlay|squashfs|nsfs|fuse.*|nfs.*|ceph"'
FREE = f"node_filesystem_avail_bytes{{{DISK}}} / node_filesystem_size_bytes{{{DISK}}}"
BY_MOUNT, BY_DEVICE = "min by (node, mountpoint)", "sum by (node, device)"
WHERE = "{{ $labels.mountpoint }} of node {{ $labels.node }}"

ALERTS = (
    target_missing(NAME, name="NodeExporter"),
    Alert(
        "NodeDiskNearlyFull",
        f"{BY_MOUNT} ({FREE}) < 0.1 and {BY_MOUNT} (node_filesystem_readonly{{{DISK}}}) == 0",
        summary=f"The file system at {WHERE} has less than 10% free",
        action="Remove images and logs; the kubelet evicts pods when too little is left.",
        lasting="30m",
    ),
    Alert(
        "NodeDiskFillsUp",
        f"{BY_MOUNT} ({FREE}) < 0.4"
        f" and {BY_MOUNT} (predict_linear(node_filesystem_avail_bytes{{{DISK}}}[6h], 86400)) < 0",
        summary=f"The file system at {WHERE} will be full within a day",
        action="Look at what writes there.",
        lasting="1h",
    ),
    Alert(
        "NodeDiskReadOnly",
        f'max by (node, mountpoint) (node_filesystem_readonly{{{DISK}, mountpoint=~"/|/var.*"}}) > 0',
        summary=f"The kernel has made the file system at {WHERE} read-only",
        action="Its disk fails. Drain the node and replace the disk.",
        severity="critical",
        lasting="5m",
    ),
    Alert(
        "NodeMemoryErrors",
        "sum by (node) (increase(node_edac_uncorrectable_errors_total[1h])) > 0",
        summary="Node {{ $labels.node }} had memory errors that ECC could not correct",
        action="Drain the node and replace the memory module.",
        severity="critical",
        lasting="0s",
    ),
    Alert(
        "NodeClockOff",
        "max by (node) (abs(node_timex_offset_seconds)) > 0.05 or min by (node) (node_timex_sync_status) == 0",
        summary="The clock of node {{ $labels.node }} is not right",
        action="Look at its time daemon: certificates, etcd and logs of distributed jobs depend on it.",
        lasting="30m",
    ),
    Alert(
        "NodeNetworkErrors",
        f"{BY_DEVICE} (rate(node_network_receive_errs_total[10m])) / {BY_DEVICE}"
        " (rate(node_network_receive_packets_total[10m])) > 0.01",
        summary="More than 1% of the packets that arrive at {{ $labels.device }} of {{ $labels.node }} are broken",
        action="Look at the cable, the transceiver and the switch port: jobs over several nodes are slow.",
        lasting="1h",
    ),
    Alert(
        "NodeRdmaLinkDown",
        "sum by (node, device, port) (increase(node_infiniband_link_downed_total[1h])) > 0",
        summary="The RDMA link {{ $labels.device }}/{{ $labels.port }} of node {{ $labels.node }} went down",
        action="Look at the cable and the switch port. Jobs that used it hang or fail.",
        lasting="0s",
    ),
    Alert(
        "NodeOutOfMemoryKills",
        "sum by (node) (increase(node_vmstat_oom_kill[15m])) > 0",
        summary="The kernel of node {{ $labels.node }} killed programs for lack of memory",
        action="Look at the pods there: one has too high a memory limit, or none.",
        severity="info",
        lasting="0s",
    ),
)


def _panels() -> Iterator[Panel]:
    picked, rate = 'node=~"$node"', "[$__rate_interval]"
    yield row("CPU and memory")
    yield graph(
        "CPU in use",
        f'1 - avg by (node) (rate(node_cpu_seconds_total{{mode="idle", {picked}}}{rate}))',
        unit="percentunit",
        high=1,
    )
    yield graph(
        "Memory in use",
        f"1 - sum by (node) (node_memory_MemAvailable_bytes{{{picked}}})"
        f" / sum by (node) (node_memory_MemTotal_bytes{{{picked}}})",
        unit="percentunit",
        high=1,
    )
    yield graph(
        "Load by CPU",
        f'max by (node) (node_load5{{{picked}}}) / count by (node) (node_cpu_seconds_total{{mode="idle", {picked}}})',
    )
    yield graph(
        "Waiting for memory or disks",
        [
            Query(
                f"max by (node) (rate(node_pressure_memory_waiting_seconds_total{{{picked}}}{rate}))", "{{node}} memory"
            ),
            Query(f"max by (node) (rate(node_pressure_io_waiting_seconds_total{{{picked}}}{rate}))", "{{node}} disks"),
        ],
        unit="percentunit",
    )
    yield row("Disks")
    free = f"node_filesystem_avail_bytes{{{DISK}, {picked}}} / node_filesystem_size_bytes{{{DISK}, {picked}}}"
    yield graph("Free space", f"{BY_MOUNT} ({free})", unit="percentunit", high=1)
    yield graph("Bytes read", f"sum by (node) (rate(node_disk_read_bytes_total{{{picked}}}{rate}))", unit="Bps")
    yield graph("Bytes written", f"sum by (node) (rate(node_disk_written_bytes_total{{{picked}}}{rate}))", unit="Bps")
    yield graph(
        "Disk busy",
        f"max by (node, device) (rate(node_disk_io_time_seconds_total{{{picked}}}{rate}))",
        unit="percentunit",
    )
    yield row("Network")
    yield graph(
        "Received",
        f'sum by (node) (rate(node_network_receive_bytes_total{{device!="lo", {picked}}}{rate}))',
        unit="Bps",
    )
    yield graph(
        "Sent", f'sum by (node) (rate(node_network_transmit_bytes_total{{device!="lo", {picked}}}{rate}))', unit="Bps"
    )
    yield graph(
        "RDMA received",
        f"sum by (node, device) (rate(node_infiniband_port_data_received_bytes_total{{{picked}}}{rate}))",
        unit="Bps",
    )
    yield graph(
        "RDMA sent",
        f"sum by (node, device) (rate(node_infiniband_port_data_transmitted_bytes_total{{{picked}}}{rate}))",
        unit="Bps",
    )


DASHBOARD = Dashboard("Nodes", [*_panels()], choices=[Choice("node", "node_uname_info", "Node")], tags=["nodes"])
