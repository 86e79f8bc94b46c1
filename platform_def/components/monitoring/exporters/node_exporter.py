"""What node-exporter says of the machines; its monitor puts the node's name on all series."""

from __future__ import annotations

from platform_def.constructs import MetricTable, counter, gauge
from platform_def.constructs.observation.tables import untyped

NAME = "node-exporter"

NODE_EXPORTER = MetricTable(
    "collector/fixtures/e2e-output.txt of node_exporter v1.12.1, of the collectors that are on",
    gauge("node_bonding_active node_bonding_slaves", "master"),
    gauge(
        "node_boot_time_seconds node_filefd_allocated node_filefd_maximum node_load1 node_load15 node_load5 "
        "node_memory_Buffers_bytes node_memory_Cached_bytes node_memory_HugePages_Free "
        "node_memory_HugePages_Total node_memory_MemFree_bytes node_memory_MemTotal_bytes "
        "node_memory_Slab_bytes node_memory_SwapFree_bytes node_memory_SwapTotal_bytes "
        "node_nf_conntrack_entries node_nf_conntrack_entries_limit node_procs_blocked node_procs_running "
        "node_textfile_scrape_error",
    ),
    counter(
        "node_context_switches_total node_pressure_cpu_waiting_seconds_total "
        "node_pressure_io_stalled_seconds_total node_pressure_io_waiting_seconds_total "
        "node_pressure_irq_stalled_seconds_total node_pressure_memory_stalled_seconds_total "
        "node_pressure_memory_waiting_seconds_total",
    ),
    counter("node_cpu_seconds_total", "cpu mode"),
    counter(
        "node_disk_io_time_seconds_total node_disk_io_time_weighted_seconds_total node_disk_read_bytes_total "
        "node_disk_read_time_seconds_total node_disk_reads_completed_total node_disk_write_time_seconds_total "
        "node_disk_writes_completed_total node_disk_written_bytes_total node_network_carrier_changes_total "
        "node_network_receive_drop_total node_network_receive_errs_total node_network_transmit_drop_total "
        "node_network_transmit_errs_total",
        "device",
    ),
    counter(
        "node_edac_channel_correctable_errors_total node_edac_channel_uncorrectable_errors_total",
        "channel controller csrow dimm_label",
    ),
    counter("node_edac_correctable_errors_total node_edac_uncorrectable_errors_total", "controller", late=False),
    counter(
        "node_edac_csrow_correctable_errors_total node_edac_csrow_uncorrectable_errors_total",
        "controller csrow",
    ),
    gauge("node_infiniband_info", "board_id device firmware_version hca_type"),
    counter(
        "node_infiniband_legacy_data_received_bytes_total node_infiniband_legacy_data_transmitted_bytes_total "
        "node_infiniband_legacy_multicast_packets_received_total "
        "node_infiniband_legacy_multicast_packets_transmitted_total "
        "node_infiniband_legacy_packets_received_total node_infiniband_legacy_packets_transmitted_total "
        "node_infiniband_legacy_unicast_packets_received_total "
        "node_infiniband_legacy_unicast_packets_transmitted_total node_infiniband_link_downed_total "
        "node_infiniband_link_error_recovery_total node_infiniband_multicast_packets_received_total "
        "node_infiniband_multicast_packets_transmitted_total "
        "node_infiniband_port_constraint_errors_received_total "
        "node_infiniband_port_constraint_errors_transmitted_total "
        "node_infiniband_port_data_received_bytes_total node_infiniband_port_data_transmitted_bytes_total "
        "node_infiniband_port_discards_received_total node_infiniband_port_discards_transmitted_total "
        "node_infiniband_port_errors_received_total node_infiniband_port_packets_received_total "
        "node_infiniband_port_packets_transmitted_total node_infiniband_port_transmit_wait_total "
        "node_infiniband_unicast_packets_received_total node_infiniband_unicast_packets_transmitted_total",
        "device port",
        late=False,
    ),
    gauge(
        "node_infiniband_physical_state_id node_infiniband_rate_bytes_per_second node_infiniband_state_id",
        "device port",
    ),
    gauge("node_md_disks", "device state"),
    gauge("node_md_disks_required node_network_mtu_bytes node_network_speed_bytes node_network_up", "device"),
    gauge("node_network_info", "address adminstate broadcast device duplex ifalias operstate"),
    counter("node_nfs_requests_total", "method proto"),
    gauge("node_nvme_info", "cntlid device firmware_revision model serial state"),
    gauge(
        "node_nvme_namespace_capacity_bytes node_nvme_namespace_logical_block_size_bytes "
        "node_nvme_namespace_size_bytes node_nvme_namespace_used_bytes",
        "device nsid",
    ),
    gauge("node_nvme_namespace_info", "ana_state device nsid"),
    gauge(
        "node_os_info",
        "build_id id id_like image_id image_version name pretty_name variant variant_id version "
        "version_codename version_id",
    ),
    gauge("node_scrape_collector_success", "collector"),
    # Off in that file, which is made on a machine of no certain size.
    gauge(
        "node_filesystem_size_bytes node_filesystem_free_bytes node_filesystem_avail_bytes node_filesystem_files "
        "node_filesystem_files_free node_filesystem_readonly node_filesystem_device_error",
        "device mountpoint fstype device_error",
    ),
    gauge("node_memory_MemAvailable_bytes node_time_seconds node_timex_sync_status node_timex_offset_seconds"),
    gauge("node_timex_maxerror_seconds node_timex_estimated_error_seconds"),
    gauge("node_uname_info", "sysname release version machine nodename domainname"),
    counter("node_network_receive_bytes_total node_network_transmit_bytes_total", "device"),
    counter("node_network_receive_packets_total node_network_transmit_packets_total", "device"),
    untyped("node_vmstat_oom_kill node_vmstat_pgfault node_vmstat_pgmajfault"),
    labels="node",
    exporter=NAME,
)
