"""What DCGM exporter measures: a table of counters, the file made of it, and which pods it is configured to look for.

Names and types as in dcgm-exporter 4.8's etc/default-counters.csv; a line is `field, type, help`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from platform_def.config.model import Model

Kind = Literal["gauge", "counter", "label"]


class Counter(Model):
    """One measurement."""

    type: Kind
    """Prometheus type; a `label` is put on all other metrics."""
    help: Annotated[str, Field(min_length=1, pattern=r"^[^,\n#]*$")]
    """What it measures, without commas."""


class Measure(NamedTuple):
    """One line of the table."""

    field: str
    type: Kind
    help: str


COUNTERS = (
    Measure("DCGM_FI_DEV_SM_CLOCK", "gauge", "Clock of the multiprocessors (MHz)."),
    Measure("DCGM_FI_DEV_MEM_CLOCK", "gauge", "Clock of the memory (MHz)."),
    Measure("DCGM_FI_DEV_MEMORY_TEMP", "gauge", "Temperature of the memory (C)."),
    Measure("DCGM_FI_DEV_GPU_TEMP", "gauge", "Temperature of the GPU (C)."),
    Measure("DCGM_FI_DEV_POWER_USAGE", "gauge", "Power (W)."),
    Measure("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "counter", "Energy since the driver was loaded (mJ)."),
    Measure("DCGM_FI_DEV_PCIE_REPLAY_COUNTER", "counter", "PCIe packets sent again."),
    Measure("DCGM_FI_DEV_GPU_UTIL", "gauge", "Time in which a kernel ran (%)."),
    Measure("DCGM_FI_DEV_MEM_COPY_UTIL", "gauge", "Time in which memory was read or written (%)."),
    Measure("DCGM_FI_DEV_ENC_UTIL", "gauge", "Use of the video encoder (%)."),
    Measure("DCGM_FI_DEV_DEC_UTIL", "gauge", "Use of the video decoder (%)."),
    Measure("DCGM_FI_DEV_XID_ERRORS", "gauge", "Number of the last XID error."),
    Measure("DCGM_FI_DEV_FB_FREE", "gauge", "Free memory (MiB)."),
    Measure("DCGM_FI_DEV_FB_USED", "gauge", "Used memory (MiB)."),
    Measure("DCGM_FI_DEV_FB_RESERVED", "gauge", "Memory that the driver keeps (MiB)."),
    Measure("DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL", "counter", "NVLink bandwidth of all lanes."),
    Measure("DCGM_FI_DEV_VGPU_LICENSE_STATUS", "gauge", "Whether the vGPU licence holds."),
    Measure("DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS", "counter", "Memory rows remapped after uncorrectable errors."),
    Measure("DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS", "counter", "Memory rows remapped after correctable errors."),
    Measure("DCGM_FI_DEV_ROW_REMAP_FAILURE", "gauge", "Whether remapping of rows has failed."),
    Measure("DCGM_FI_DRIVER_VERSION", "label", "Version of the driver."),
)
"""What every card has; upstream's default."""

XID_COUNT = "DCGM_EXP_XID_ERRORS_COUNT"
HEALTH = (
    # Upstream calls this a counter; it is how many there were in the last window, five minutes by default.
    Measure(XID_COUNT, "gauge", "XID errors of the last minutes."),
    Measure("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", "counter", "Memory errors that ECC could not correct."),
    Measure("DCGM_FI_DEV_THERMAL_VIOLATION", "counter", "Time slowed down by heat (ns)."),
    Measure("DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL", "counter", "NVLink connections restored after errors."),
)
"""What alerts need beyond that; upstream has these as comments."""

PROFILING = (
    Measure("DCGM_FI_PROF_GR_ENGINE_ACTIVE", "gauge", "Share of time in which the graphics engine was active."),
    Measure("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "gauge", "Share of cycles in which the tensor cores were active."),
    Measure("DCGM_FI_PROF_DRAM_ACTIVE", "gauge", "Share of cycles in which the memory interface was active."),
    Measure("DCGM_FI_PROF_PCIE_TX_BYTES", "gauge", "Bytes sent over PCIe each second."),
    Measure("DCGM_FI_PROF_PCIE_RX_BYTES", "gauge", "Bytes received over PCIe each second."),
)
"""Hardware counters of Volta and newer; reading them takes SYS_ADMIN."""


def measures(*, profiling: bool, further: Mapping[str, Counter]) -> tuple[Measure, ...]:
    """The default counters, and those of `further`, which win where they name the same field."""
    table = {measure.field: measure for measure in (*COUNTERS, *HEALTH, *(PROFILING if profiling else ()))}
    table |= {field: Measure(field, counter.type, counter.help) for field, counter in sorted(further.items())}
    return tuple(table.values())


def counters_file(measures: Iterable[Measure]) -> str:
    """The file that the exporter reads."""
    return "".join(f"{measure.field}, {measure.type}, {measure.help}\n" for measure in measures)
