"""What node problem detector looks for: lines of the kernel's log, and what a script of ours finds.

A `temporary` rule makes an event and counts; a `permanent` one sets a condition of the node. One set from the log stays
until the pod restarts, one set by the script goes when the script finds nothing.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from platform_def.components.monitoring.exporters.xids import FATAL_XIDS


@dataclass(frozen=True)
class Event:
    """Lines that make an event."""

    reason: str
    pattern: str


@dataclass(frozen=True)
class Condition:
    """A condition of the node, by what its good state is called and the lines that end it."""

    type: str
    good: str
    message: str
    bad: str
    patterns: tuple[str, ...]


KERNEL = (
    Condition(
        "KernelDeadlock",
        "KernelHasNoDeadlock",
        "the kernel has no deadlock",
        "KernelHung",
        (r"task (dockerd?|containerd|kubelet):\w+ blocked for more than \w+ seconds\.",),
    ),
    Condition(
        "XfsShutdown", "XfsHasNotShutDown", "XFS works", "XfsHasShutdown", (r"XFS .* Shutting down filesystem.?",)
    ),
    Condition(
        "CperHardwareErrorFatal",
        "CperHardwareHasNoFatalError",
        "the firmware reports no fatal error",
        "CperHardwareErrorFatal",
        (r".*\[Hardware Error\]: event severity: fatal$",),
    ),
)
KERNEL_EVENTS = (
    Event("OOMKilling", r"Killed process \d+ (.+) total-vm:\d+kB, anon-rss:\d+kB, file-rss:\d+kB.*"),
    Event("TaskHung", r"task [\S ]+:\w+ blocked for more than \w+ seconds\."),
    Event("UnregisterNetDevice", r"unregister_netdevice: waiting for \w+ to become free. Usage count = \d+"),
    Event("KernelOops", r"BUG: unable to handle (kernel NULL pointer dereference|page fault for address).*"),
    Event("KernelOops", r"divide error: 0000 \[#\d+\] SMP"),
    Event("Ext4Error", r"EXT4-fs error .*"),
    Event("Ext4Warning", r"EXT4-fs warning .*"),
    Event("IOError", r"Buffer I/O error .*"),
    Event("MemoryReadError", r"CE memory read error .*"),
    Event("CperHardwareErrorCorrected", r".*\[Hardware Error\]: event severity: corrected$"),
    Event("CperHardwareErrorRecoverable", r".*\[Hardware Error\]: event severity: recoverable$"),
    Event("NfsServerGone", r"nfs: server \S+ not responding.*"),
    Event("CephSlow", r"libceph: \S+ .* (socket closed|session lost).*"),
)
READ_ONLY = (
    Condition(
        "ReadonlyFilesystem",
        "FilesystemIsNotReadOnly",
        "no file system was made read-only",
        "FilesystemIsReadOnly",
        (r"Remounting filesystem read-only",),
    ),
)
GPU = (
    Condition(
        "GpuFatalError",
        "GpusHaveNoFatalError",
        "the driver reports no fatal error",
        "GpuFatalXid",
        (rf"NVRM: Xid \(.*\): ({FATAL_XIDS}),.*", r"NVRM: GPU at .* has fallen off the bus.*"),
    ),
)
GPU_EVENTS = (
    Event("GpuXid", r"NVRM: Xid \(.*\): \d+,.*"),
    Event("NvlinkError", r"nvidia-nvswitch\d*: SXid .*"),
    Event("RdmaLinkDown", r"(mlx5_core|bnxt_re|irdma) .*(Link down|health compromised).*"),
)


def log_monitor(source: str, conditions: Sequence[Condition], events: Sequence[Event] = ()) -> str:
    """The file of a monitor of the kernel's log."""
    permanent = [
        {"type": "permanent", "condition": each.type, "reason": each.bad, "pattern": pattern}
        for each in conditions
        for pattern in each.patterns
    ]
    temporary = [{"type": "temporary", "reason": each.reason, "pattern": each.pattern} for each in events]
    return _file(
        {
            "plugin": "kmsg",
            "logPath": "/dev/kmsg",
            "lookback": "5m",
            "bufferSize": 10,
            "source": source,
            "metricsReporting": True,
            "conditions": [{"type": each.type, "reason": each.good, "message": each.message} for each in conditions],
            "rules": [*temporary, *permanent],
        }
    )


@dataclass(frozen=True)
class Check:
    """A condition that the script looks at, by what it is asked for."""

    type: str
    what: str
    good: str
    message: str
    bad: str


CHECKS = (
    Check(
        "GpuDriverMissing", "driver", "GpuDriverLoaded", "the driver is loaded, or there is no card", "DriverNotLoaded"
    ),
    Check("GpuMissing", "cards", "GpusComplete", "the driver sees all cards", "GpuLost"),
    Check("RdmaPortDown", "rdma", "RdmaPortsActive", "all RDMA ports that worked still do", "PortDown"),
)


def conditions(*, gpus: bool) -> set[str]:
    """What nodes may have, by its name."""
    found = {each.type for each in (*KERNEL, *READ_ONLY)}
    return found | {each.type for each in (*GPU, *CHECKS)} if gpus else found


def script_monitor(script: str, interval_seconds: int) -> str:
    """The file of the monitor that runs our script, once for each condition."""
    return _file(
        {
            "plugin": "custom",
            "pluginConfig": {
                "invoke_interval": f"{interval_seconds}s",
                "timeout": "10s",
                "max_output_length": 80,
                "concurrency": 1,
                "enable_message_change_based_condition_update": True,
            },
            "source": "gpu-node-checks",
            "metricsReporting": True,
            "conditions": [{"type": each.type, "reason": each.good, "message": each.message} for each in CHECKS],
            "rules": [
                {"type": "permanent", "condition": each.type, "reason": each.bad, "path": script, "args": [each.what]}
                for each in CHECKS
            ],
        }
    )


def _file(content: dict[str, object]) -> str:
    return json.dumps(content, indent=2) + "\n"


SCRIPT = r"""#!/bin/sh
# One condition of the node: exit 0 where it is well, 1 where it is not, with a line that says why.
# ROOT and STATE are for tests: a folder with proc and sys, and one that lasts as long as the pod.
proc="${ROOT:-}/proc" sys="${ROOT:-}/sys" state="${STATE:-/tmp}"

cards() {  # NVIDIA's display and 3D controllers on the bus
  for device in "$sys"/bus/pci/devices/*; do
    [ "$(cat "$device/vendor" 2>/dev/null)" = 0x10de ] || continue
    case "$(cat "$device/class" 2>/dev/null)" in 0x0300*|0x0302*) echo "$device" ;; esac
  done | wc -l
}

active() {  # ports of RDMA adapters that are up
  for port in "$sys"/class/infiniband/*/ports/*; do
    grep -q ACTIVE "$port/state" 2>/dev/null || continue
    adapter="${port%/ports/*}"
    echo "${adapter##*/}/${port##*/}"
  done
}

case "$1" in
driver)
  found=$(cards)
  [ "$found" -eq 0 ] || [ -r "$proc/driver/nvidia/version" ] || { echo "$found cards and no driver"; exit 1; }
  echo "driver loaded, or no card" ;;
cards)
  [ -r "$proc/driver/nvidia/version" ] || { echo "no driver"; exit 0; }
  found=$(cards) seen=$(ls "$proc/driver/nvidia/gpus" 2>/dev/null | wc -l)
  # A card that fell off the bus may be gone from the bus as well: the most that was ever seen counts.
  most=$(cat "$state/cards" 2>/dev/null || echo 0)
  [ "$found" -gt "$most" ] && most=$found && echo "$most" > "$state/cards"
  [ "$seen" -ge "$most" ] || { echo "the driver sees $seen of $most cards"; exit 1; }
  echo "$seen cards" ;;
rdma)
  active > "$state/ports.now"
  touch "$state/ports"
  lost=$(grep -vxFf "$state/ports.now" "$state/ports" | tr '\n' ' ')
  sort -u "$state/ports" "$state/ports.now" > "$state/ports.all" && mv "$state/ports.all" "$state/ports"
  [ -z "$lost" ] || { echo "down: $lost"; exit 1; }
  echo "all ports up" ;;
*) echo "unknown check '$1'"; exit 2 ;;
esac
exit 0
"""
