"""What kube-state-metrics says of the objects of a cluster; its monitor honours the labels that series bring."""

from __future__ import annotations

from platform_def.constructs import HONORED_TARGET, MetricTable, counter, gauge

NAME = "kube-state-metrics"

KUBE_STATE_METRICS = MetricTable(
    "docs/metrics of kube-state-metrics v2.20.0: what is on by default of the kinds that are asked about",
    gauge("kube_pod_annotations", "pod namespace annotation_* uid"),
    gauge(
        "kube_pod_info",
        "pod namespace host_ip pod_ip node created_by_kind created_by_name uid priority_class host_network",
    ),
    gauge("kube_pod_ips", "pod namespace ip ip_family uid"),
    gauge(
        "kube_pod_start_time kube_pod_completion_time kube_pod_status_initialized_time "
        "kube_pod_status_ready_time kube_pod_status_container_ready_time kube_pod_overhead_cpu_cores "
        "kube_pod_overhead_memory_bytes kube_pod_created "
        "kube_pod_deletion_timestamp kube_pod_status_scheduled_time kube_pod_status_unschedulable "
        "kube_pod_status_unscheduled_time",
        "pod namespace uid",
    ),
    gauge("kube_pod_runtimeclass_name_info", "pod namespace uid runtimeclass_name"),
    gauge("kube_pod_owner", "pod namespace owner_kind owner_name owner_is_controller uid"),
    gauge("kube_pod_labels", "pod namespace label_* uid"),
    gauge("kube_pod_status_phase", "pod namespace phase uid"),
    gauge("kube_pod_status_qos_class", "pod namespace qos_class uid"),
    gauge("kube_pod_status_ready kube_pod_status_scheduled", "pod namespace condition uid"),
    gauge("kube_pod_container_info", "container pod namespace image image_id image_spec container_id uid"),
    gauge(
        "kube_pod_container_status_waiting kube_pod_container_status_running kube_pod_container_state_started "
        "kube_pod_container_status_terminated kube_pod_container_status_last_terminated_exitcode "
        "kube_pod_container_status_last_terminated_timestamp kube_pod_container_status_ready "
        "kube_pod_init_container_state_started kube_pod_init_container_status_waiting "
        "kube_pod_init_container_status_running kube_pod_init_container_status_terminated "
        "kube_pod_init_container_status_last_terminated_exitcode "
        "kube_pod_init_container_status_last_terminated_timestamp kube_pod_init_container_status_ready",
        "container pod namespace uid",
    ),
    gauge(
        "kube_pod_container_status_waiting_reason kube_pod_container_status_terminated_reason "
        "kube_pod_container_status_last_terminated_reason kube_pod_init_container_status_waiting_reason "
        "kube_pod_init_container_status_terminated_reason "
        "kube_pod_init_container_status_last_terminated_reason",
        "container pod namespace reason uid",
    ),
    counter(
        "kube_pod_container_status_restarts_total kube_pod_init_container_status_restarts_total",
        "container namespace pod uid",
        late=False,  # a container that has begun once has 0
    ),
    gauge(
        "kube_pod_container_resource_requests kube_pod_container_resource_limits "
        "kube_pod_init_container_resource_limits kube_pod_init_container_resource_requests",
        "resource unit container pod namespace node uid",
    ),
    gauge("kube_pod_restart_policy", "pod namespace type uid"),
    gauge(
        "kube_pod_init_container_info",
        "container pod namespace image image_id image_spec container_id uid restart_policy",
    ),
    gauge(
        "kube_pod_spec_volumes_persistentvolumeclaims_info kube_pod_spec_volumes_persistentvolumeclaims_readonly",
        "ephemeral pod namespace volume persistentvolumeclaim uid",
    ),
    gauge("kube_pod_status_reason kube_pod_status_disruption_reason", "pod namespace reason uid"),
    gauge("kube_pod_tolerations", "pod namespace uid key operator value effect toleration_seconds"),
    gauge("kube_pod_service_account", "pod namespace uid service_account"),
    gauge("kube_pod_scheduler", "pod namespace uid name"),
    gauge(
        "kube_pod_resourceclaim_info",
        "pod namespace uid claim_name resourceclaim_name resourceclaim_template_name",
    ),
    gauge("kube_node_annotations", "node annotation_*"),
    gauge(
        "kube_node_info",
        "node kernel_version os_image container_runtime_version kubelet_version kubeproxy_version pod_cidr "
        "provider_id system_uuid internal_ip",
    ),
    gauge("kube_node_labels", "node label_*"),
    gauge("kube_node_role", "node role"),
    gauge("kube_node_spec_pod_cidrs", "node pod_cidr"),
    gauge("kube_node_spec_unschedulable kube_node_created kube_node_deletion_timestamp", "node"),
    gauge("kube_node_spec_taint", "node key value effect"),
    gauge("kube_node_status_capacity kube_node_status_allocatable", "node resource unit"),
    gauge("kube_node_status_addresses", "node type address"),
    gauge("kube_node_status_condition", "node condition status"),
    gauge("kube_deployment_annotations", "deployment namespace annotation_*"),
    gauge(
        "kube_deployment_status_replicas kube_deployment_status_replicas_ready "
        "kube_deployment_status_replicas_available kube_deployment_status_replicas_unavailable "
        "kube_deployment_status_replicas_updated kube_deployment_status_terminating_replicas "
        "kube_deployment_status_observed_generation kube_deployment_spec_replicas kube_deployment_spec_paused "
        "kube_deployment_spec_strategy_rollingupdate_max_unavailable "
        "kube_deployment_spec_strategy_rollingupdate_max_surge kube_deployment_metadata_generation "
        "kube_deployment_created kube_deployment_deletion_timestamp",
        "deployment namespace",
    ),
    gauge("kube_deployment_status_condition", "deployment namespace reason condition status"),
    gauge("kube_deployment_labels", "deployment namespace label_*"),
    gauge("kube_deployment_owner", "deployment namespace owner_kind owner_name"),
    gauge("kube_statefulset_annotations", "statefulset namespace annotation_*"),
    gauge(
        "kube_statefulset_status_replicas kube_statefulset_status_replicas_current "
        "kube_statefulset_status_replicas_ready kube_statefulset_status_replicas_available "
        "kube_statefulset_status_replicas_updated kube_statefulset_status_observed_generation "
        "kube_statefulset_replicas kube_statefulset_ordinals_start kube_statefulset_metadata_generation "
        "kube_statefulset_created kube_statefulset_deletion_timestamp",
        "statefulset namespace",
    ),
    gauge(
        "kube_statefulset_persistentvolumeclaim_retention_policy",
        "statefulset namespace when_deleted when_scaled",
    ),
    gauge("kube_statefulset_labels", "statefulset namespace label_*"),
    gauge(
        "kube_statefulset_status_current_revision kube_statefulset_status_update_revision",
        "statefulset namespace revision",
    ),
    gauge("kube_daemonset_annotations", "daemonset namespace annotation_*"),
    gauge(
        "kube_daemonset_created kube_daemonset_status_current_number_scheduled "
        "kube_daemonset_status_desired_number_scheduled kube_daemonset_status_number_available "
        "kube_daemonset_status_number_misscheduled kube_daemonset_status_number_ready "
        "kube_daemonset_status_number_unavailable kube_daemonset_status_observed_generation "
        "kube_daemonset_status_updated_number_scheduled kube_daemonset_metadata_generation "
        "kube_daemonset_deletion_timestamp",
        "daemonset namespace",
    ),
    gauge("kube_daemonset_labels", "daemonset namespace label_*"),
    gauge("kube_replicaset_annotations", "replicaset namespace annotation_*"),
    gauge(
        "kube_replicaset_status_replicas kube_replicaset_status_fully_labeled_replicas "
        "kube_replicaset_status_ready_replicas kube_replicaset_status_terminating_replicas "
        "kube_replicaset_status_observed_generation kube_replicaset_spec_replicas "
        "kube_replicaset_metadata_generation kube_replicaset_created",
        "replicaset namespace",
    ),
    gauge("kube_replicaset_labels", "replicaset namespace label_*"),
    gauge("kube_replicaset_owner", "replicaset namespace owner_kind owner_name owner_is_controller"),
    gauge("kube_job_annotations", "job_name namespace annotation_*"),
    gauge(
        "kube_job_info kube_job_spec_parallelism kube_job_spec_completions "
        "kube_job_spec_active_deadline_seconds kube_job_status_active kube_job_status_succeeded "
        "kube_job_status_start_time kube_job_status_completion_time kube_job_created "
        "kube_job_status_suspended kube_job_status_ready",
        "job_name namespace",
    ),
    gauge("kube_job_labels", "job_name namespace label_*"),
    gauge("kube_job_owner", "job_name namespace owner_kind owner_name owner_is_controller"),
    gauge("kube_job_status_failed", "job_name namespace reason"),
    gauge("kube_job_complete kube_job_failed", "job_name namespace condition"),
    gauge("kube_cronjob_annotations", "cronjob namespace annotation_*"),
    gauge("kube_cronjob_info", "cronjob namespace schedule concurrency_policy timezone"),
    gauge("kube_cronjob_labels", "cronjob namespace label_*"),
    gauge(
        "kube_cronjob_created kube_cronjob_next_schedule_time kube_cronjob_schedule_invalid "
        "kube_cronjob_status_active kube_cronjob_status_last_schedule_time "
        "kube_cronjob_status_last_successful_time kube_cronjob_spec_suspend "
        "kube_cronjob_spec_starting_deadline_seconds kube_cronjob_spec_successful_job_history_limit "
        "kube_cronjob_spec_failed_job_history_limit",
        "cronjob namespace",
    ),
    gauge("kube_namespace_annotations kube_namespace_labels", "namespace label_*"),
    gauge("kube_namespace_created", "namespace"),
    gauge("kube_namespace_status_condition", "namespace condition status"),
    gauge("kube_namespace_status_phase", "namespace phase"),
    gauge("kube_resourcequota", "resourcequota namespace resource type"),
    gauge("kube_resourcequota_created", "resourcequota namespace"),
    gauge("kube_resourcequota_annotations", "resourcequota namespace annotation_*"),
    gauge("kube_resourcequota_labels", "resourcequota namespace label_*"),
    gauge("kube_persistentvolume_annotations", "persistentvolume annotation_*"),
    gauge(
        "kube_persistentvolume_capacity_bytes kube_persistentvolume_created kube_persistentvolume_deletion_timestamp",
        "persistentvolume",
    ),
    gauge("kube_persistentvolume_status_phase", "persistentvolume phase"),
    gauge("kube_persistentvolume_claim_ref", "persistentvolume claim_namespace name"),
    gauge("kube_persistentvolume_labels", "persistentvolume label_*"),
    gauge(
        "kube_persistentvolume_info",
        "persistentvolume storageclass gce_persistent_disk_name host_path host_path_type ebs_volume_id "
        "azure_disk_name fc_wwids fc_lun fc_target_wwns iscsi_target_portal iscsi_iqn iscsi_lun "
        "iscsi_initiator_name local_path local_fs nfs_server nfs_path csi_driver csi_volume_handle "
        "reclaim_policy",
    ),
    gauge("kube_persistentvolume_volume_mode", "persistentvolume volumemode"),
    gauge("kube_persistentvolume_access_mode", "persistentvolume access_mode"),
    gauge("kube_persistentvolumeclaim_annotations", "persistentvolumeclaim namespace annotation_*"),
    gauge("kube_persistentvolumeclaim_access_mode", "access_mode namespace persistentvolumeclaim"),
    gauge("kube_persistentvolumeclaim_info", "namespace persistentvolumeclaim storageclass volumename volumemode"),
    gauge("kube_persistentvolumeclaim_labels", "persistentvolumeclaim namespace label_*"),
    gauge(
        "kube_persistentvolumeclaim_resource_requests_storage_bytes kube_persistentvolumeclaim_created "
        "kube_persistentvolumeclaim_deletion_timestamp",
        "namespace persistentvolumeclaim",
    ),
    gauge("kube_persistentvolumeclaim_status_condition", "namespace persistentvolumeclaim condition status"),
    gauge("kube_persistentvolumeclaim_status_phase", "namespace persistentvolumeclaim phase"),
    gauge(
        "kube_horizontalpodautoscaler_info",
        "horizontalpodautoscaler namespace scaletargetref_api_version scaletargetref_kind scaletargetref_name",
    ),
    gauge(
        "kube_horizontalpodautoscaler_annotations kube_horizontalpodautoscaler_labels "
        "kube_horizontalpodautoscaler_metadata_generation kube_horizontalpodautoscaler_spec_max_replicas "
        "kube_horizontalpodautoscaler_spec_min_replicas "
        "kube_horizontalpodautoscaler_spec_behavior_scale_down_tolerance "
        "kube_horizontalpodautoscaler_spec_behavior_scale_up_tolerance "
        "kube_horizontalpodautoscaler_status_current_replicas "
        "kube_horizontalpodautoscaler_status_desired_replicas kube_horizontalpodautoscaler_created "
        "kube_horizontalpodautoscaler_deletion_timestamp",
        "horizontalpodautoscaler namespace",
    ),
    gauge(
        "kube_horizontalpodautoscaler_spec_target_metric kube_horizontalpodautoscaler_status_target_metric",
        "horizontalpodautoscaler namespace metric_name metric_target_type container",
    ),
    gauge("kube_horizontalpodautoscaler_status_condition", "horizontalpodautoscaler namespace condition status"),
    gauge("kube_poddisruptionbudget_annotations", "poddisruptionbudget namespace annotation_*"),
    gauge("kube_poddisruptionbudget_labels", "poddisruptionbudget namespace label_*"),
    gauge(
        "kube_poddisruptionbudget_created kube_poddisruptionbudget_status_current_healthy "
        "kube_poddisruptionbudget_status_desired_healthy "
        "kube_poddisruptionbudget_status_pod_disruptions_allowed "
        "kube_poddisruptionbudget_status_expected_pods kube_poddisruptionbudget_status_observed_generation "
        "kube_poddisruptionbudget_deletion_timestamp",
        "poddisruptionbudget namespace",
    ),
    gauge("kube_storageclass_annotations", "storageclass annotation_*"),
    gauge("kube_storageclass_info", "storageclass provisioner reclaim_policy volume_binding_mode"),
    gauge("kube_storageclass_labels", "storageclass label_*"),
    gauge("kube_storageclass_created", "storageclass"),
    gauge(
        "kube_certificatesigningrequest_annotations kube_certificatesigningrequest_created "
        "kube_certificatesigningrequest_labels kube_certificatesigningrequest_cert_length",
        "certificatesigningrequest signer_name",
    ),
    gauge("kube_certificatesigningrequest_condition", "certificatesigningrequest signer_name condition"),
    exporter=NAME,
    target=HONORED_TARGET,
)
