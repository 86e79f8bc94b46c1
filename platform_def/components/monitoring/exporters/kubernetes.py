"""What kubelets, cAdvisor inside them and the API server say of themselves; Prometheus' component monitors them."""

from __future__ import annotations

from platform_def.constructs import HONORED_TARGET, MetricTable, counter, gauge, histogram

KUBELET = MetricTable(
    "pkg/kubelet/metrics and pkg/kubelet/metrics/collectors of Kubernetes 1.36",
    gauge(
        "kubelet_volume_stats_capacity_bytes kubelet_volume_stats_available_bytes kubelet_volume_stats_used_bytes "
        "kubelet_volume_stats_inodes kubelet_volume_stats_inodes_free kubelet_volume_stats_inodes_used",
        "namespace persistentvolumeclaim",
    ),
    gauge("kubelet_node_name", "node"),
    gauge("kubelet_running_pods kubelet_certificate_manager_client_ttl_seconds"),
    counter("kubelet_evictions", "eviction_signal"),
    histogram("kubelet_pleg_relist_duration_seconds"),
    histogram("kubelet_pod_start_duration_seconds"),
    labels="node",
    exporter="kubelet",
    target=HONORED_TARGET,
)

CADVISOR = MetricTable(
    "metrics/prometheus.go of google/cadvisor v0.56, as the kubelet serves it at /metrics/cadvisor",
    counter("container_cpu_usage_seconds_total", "cpu"),
    counter("container_cpu_cfs_periods_total container_cpu_cfs_throttled_periods_total"),
    gauge("container_memory_working_set_bytes container_memory_rss container_memory_usage_bytes"),
    gauge("container_spec_memory_limit_bytes"),
    counter("container_oom_events_total"),
    counter("container_fs_reads_bytes_total container_fs_writes_bytes_total", "device"),
    counter(
        "container_network_receive_bytes_total container_network_transmit_bytes_total"
        " container_network_receive_errors_total container_network_transmit_errors_total",
        "interface",
    ),
    labels="namespace pod container image id name node",
    exporter="cadvisor",
    target=HONORED_TARGET,
)

APISERVER = MetricTable(
    "staging/src/k8s.io/apiserver/pkg/endpoints/metrics and pkg/admission/metrics of Kubernetes 1.36",
    counter("apiserver_request_total", "verb dry_run group version resource subresource scope component code"),
    histogram("apiserver_request_duration_seconds", "verb dry_run group version resource subresource scope component"),
    gauge("apiserver_current_inflight_requests", "request_kind"),
    histogram("apiserver_admission_webhook_admission_duration_seconds", "name type operation rejected"),
    counter("apiserver_admission_webhook_rejection_count", "name type operation error_type rejection_code"),
    counter("apiserver_admission_webhook_fail_open_count", "name type"),
    gauge("aggregator_unavailable_apiservice", "name"),
    histogram("apiserver_client_certificate_expiration_seconds"),
    gauge("apiserver_storage_objects", "resource"),
    exporter="apiserver",
)
