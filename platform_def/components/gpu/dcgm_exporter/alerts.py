"""Alerts of GPUs: cards that fail, throttle, or are held and not used."""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.components.gpu.dcgm_exporter.counters import XID_COUNT
from platform_def.components.monitoring.exporters.xids import FATAL_XIDS
from platform_def.constructs import Alert, target_missing

CARD = "GPU {{ $labels.gpu }} of node {{ $labels.node }}"
HELD = "Pod {{ $labels.pod }} in namespace {{ $labels.namespace }}"
BY_CARD = "by (node, gpu, UUID, namespace, pod)"


HARDWARE = (
    Alert(
        "GpuFatalXid",
        f'max by (node, gpu, UUID, xid) ({XID_COUNT}{{xid=~"{FATAL_XIDS}"}}) > 0',
        summary=f"{CARD} reported XID {{{{ $labels.xid }}}}, an error of the hardware or the driver",
        action="Drain the node and reset the card; if the XID comes back, have it replaced.",
        severity="critical",
        lasting="0s",
    ),
    Alert(
        "GpuProgramXid",
        f'max by (node, gpu, UUID, xid) ({XID_COUNT}{{xid!~"{FATAL_XIDS}"}}) > 0',
        summary=f"{CARD} reported XID {{{{ $labels.xid }}}}, mostly an error of the program that runs there",
        action="Read the log of the pod on that card; look at the card if other programs get the same XID there.",
        severity="info",
        lasting="0s",
    ),
    Alert(
        "GpuUncorrectableEcc",
        f"sum {BY_CARD} (increase(DCGM_FI_DEV_ECC_DBE_VOL_TOTAL[1h])) > 0",
        summary=f"{CARD} had memory errors that ECC could not correct",
        action="The program on the card was killed. Drain the node and reset the card, which remaps the memory row.",
        severity="critical",
        lasting="0s",
    ),
    Alert(
        "GpuRowRemapFailed",
        f"max {BY_CARD} (DCGM_FI_DEV_ROW_REMAP_FAILURE) > 0",
        summary=f"{CARD} has no spare memory rows left",
        action="Take the card out of use and have it replaced.",
        severity="critical",
        lasting="5m",
    ),
    Alert(
        "GpuThermalThrottling",
        f"max {BY_CARD} (rate(DCGM_FI_DEV_THERMAL_VIOLATION[5m])) > 0",
        summary=f"{CARD} is slowed down because it is too hot",
        action="Look at the fans and at the temperature of the room; every job with a worker there is slower.",
        repeats="the counter is a time, and grows as long as the card is slowed down",
    ),
    Alert(
        "GpuNvlinkErrors",
        f"sum {BY_CARD} (increase(DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL[1h])) > 0",
        summary=f"{CARD} lost an NVLink connection and had to restore it",
        action="Jobs over several cards of the node may hang. Reset the cards; look at the NVLink bridges or switches.",
        lasting="0s",
    ),
)


def gpu_alerts(service: str, *, profiling: bool) -> Iterator[Alert]:
    """All alerts of the exporter behind this Service; use is measured by hardware counters where these are on."""
    yield target_missing(service, severity="critical")
    yield from HARDWARE
    busy = "DCGM_FI_PROF_GR_ENGINE_ACTIVE" if profiling else "DCGM_FI_DEV_GPU_UTIL"
    yield Alert(
        "GpuHeldIdle",
        f'max by (namespace, pod, node) (max_over_time({busy}{{pod!=""}}[1h])) == 0',
        summary=f"{HELD} holds a GPU on node {{{{ $labels.node }}}} and has not used it for an hour",
        action="Ask its owner whether it still needs the card; a notebook may be left open, or a job may hang.",
        severity="info",
        lasting="1h",
    )
    if profiling:
        yield Alert(
            "GpuCountersDead",
            "max by (node, gpu, UUID) (DCGM_FI_DEV_GPU_UTIL) >= 100"
            " and on (node, gpu, UUID) max by (node, gpu, UUID) (DCGM_FI_PROF_GR_ENGINE_ACTIVE) == 0",
            summary=f"{CARD} is fully used, and its hardware counters read 0",
            action="Restart the exporter's pod there; DCGM loses the counters after some XIDs, and dashboards show 0.",
            lasting="15m",
        )
