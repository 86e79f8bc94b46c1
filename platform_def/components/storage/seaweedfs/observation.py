"""Metrics of SeaweedFS, and what they say: alerts and a dashboard."""

from __future__ import annotations

from platform_def.constructs import (
    Alert,
    Dashboard,
    MetricTable,
    Query,
    counter,
    gauge,
    graph,
    histogram,
    stat,
)

METRICS = MetricTable(
    "weed/stats/metrics.go at 4.34",
    counter("SeaweedFS_s3_request_total", "type code bucket"),
    histogram("SeaweedFS_s3_request_seconds", "type bucket"),
    gauge("SeaweedFS_s3_bucket_size_bytes", "bucket"),
    gauge("SeaweedFS_s3_bucket_object_count", "bucket"),
    gauge("SeaweedFS_volumeServer_resource", "name type"),
    gauge("SeaweedFS_volumeServer_read_only_volumes", "collection type"),
    gauge("SeaweedFS_volumeServer_disk_error_status", "name type"),
    gauge("SeaweedFS_master_is_leader"),
)
_FREE = (
    'min by (pod) (SeaweedFS_volumeServer_resource{type="free"}) '
    '/ min by (pod) (SeaweedFS_volumeServer_resource{type="all"})'
)
ALERTS = (
    Alert(
        "ObjectStoreFull",
        f"{_FREE} < 0.1",
        summary="The disk of {{ $labels.pod }} has less than a tenth left; below one per cent it takes no more objects",
        action="Enlarge its claim, or delete old objects and wait for the vacuum.",
        lasting="15m",
    ),
    Alert(
        "ObjectStoreDiskFails",
        "max by (pod) (SeaweedFS_volumeServer_disk_error_status) > 0",
        summary="The object store cannot write to a disk of {{ $labels.pod }}",
        action="Read the log of the pod, and look at its node's disk.",
    ),
    Alert(
        "ObjectStoreFailsRequests",
        'sum(rate(SeaweedFS_s3_request_total{code=~"5.."}[10m])) > 0.1',
        summary="The object store answers requests with errors of its own",
        action="Read the log of the pod that serves S3.",
        lasting="10m",
    ),
)
BOARD = Dashboard(
    "SeaweedFS",
    [
        stat("Free space", 'sum(SeaweedFS_volumeServer_resource{type="free"})', unit="bytes"),
        stat("Read-only volumes", "sum(SeaweedFS_volumeServer_read_only_volumes)"),
        graph("Requests", Query("sum by (type, code) (rate(SeaweedFS_s3_request_total[5m]))", "{{type}} {{code}}")),
        graph("Size of buckets", Query("max by (bucket) (SeaweedFS_s3_bucket_size_bytes)", "{{bucket}}"), unit="bytes"),
        graph("Objects", Query("max by (bucket) (SeaweedFS_s3_bucket_object_count)", "{{bucket}}")),
    ],
)
