"""What DCGM exporter says of GPUs, as tables of metrics; alerts and dashboards of it are held against them."""

from __future__ import annotations

from collections.abc import Iterable

from platform_def.components.gpu.dcgm_exporter.counters import XID_COUNT, Measure
from platform_def.constructs import HONORED_TARGET, MetricTable, counter, gauge

SOURCE = "internal/pkg/rendermetrics and internal/pkg/transformation of dcgm-exporter, commit d5e5f51 after 4.5.3-4.8.2"
LABELS = "gpu UUID pci_bus_id device modelName GPU_I_PROFILE GPU_I_ID pod namespace container vgpu node"
"""Of each series: `pod`, `namespace` and `container` where a pod has the card, `GPU_I_*` of a MIG instance. The host's
name is `Hostname` in one release and `hostname` in the next; the monitor's `node` says the same."""
POD_LABELS = "pod_uid"
CLAIM_LABELS = "dra_claim_name dra_claim_namespace dra_driver_name dra_pool_name dra_device_name dra_mig_profile"
OWN = {"DCGM_FI_DEV_XID_ERRORS": "err_code err_msg", XID_COUNT: "xid window_size_in_ms"}


def metrics_of(measures: Iterable[Measure], *, pod_labels: bool, claims: bool) -> MetricTable:
    """The table of an exporter with these counters; those of the type `label` are labels of all others."""
    every = [*measures]
    added = [each.field for each in every if each.type == "label"]
    wide = " ".join([LABELS, *([POD_LABELS] if pod_labels else []), *([CLAIM_LABELS] if claims else []), *added])
    gauges = [gauge(each.field, OWN.get(each.field, "")) for each in every if each.type == "gauge"]
    counters = [counter(each.field, OWN.get(each.field, "")) for each in every if each.type == "counter"]
    return MetricTable(SOURCE, *gauges, *counters, labels=wide, target=HONORED_TARGET)
