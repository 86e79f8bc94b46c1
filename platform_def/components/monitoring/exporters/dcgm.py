"""What DCGM exporter says of the use of cards; its monitor honours the labels that series bring."""

from __future__ import annotations

from platform_def.constructs import HONORED_TARGET, MetricTable, gauge

NAME = "dcgm-exporter"

DCGM = MetricTable(
    "internal/pkg/rendermetrics of dcgm-exporter 4.8, two of its default counters",
    gauge(
        "DCGM_FI_PROF_GR_ENGINE_ACTIVE DCGM_FI_DEV_GPU_UTIL",
        "gpu UUID GPU_I_ID GPU_I_PROFILE pod namespace container node",
    ),
    exporter=NAME,
    target=HONORED_TARGET,
)
"""Engine activity, 0 to 1, where hardware counters are on; else use, 0 to 100, which MIG devices do not have."""
