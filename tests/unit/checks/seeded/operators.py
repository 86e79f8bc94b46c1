"""Defects in what operators, device plugins and network plugins read."""

from __future__ import annotations

from tests.unit.checks.seeded.seed import wrong
from tests.unit.checks.seeded.stacks import TOOLS

_SHARES, _LAYOUTS = "ConfigMap gpus/shares", "ConfigMap gpus/layouts"
_SLICING = "version: v1\nsharing:\n  timeSlicing:\n    resources: [{{name: nvidia.com/gpu, replicas: {replicas}}}]\n"
_LAYOUT = "version: v1\nmig-configs:\n  one: [{{devices: all, mig-enabled: {on}, mig-devices: {{{devices}}}}}]\n"

FILES = (
    wrong(TOOLS, _SHARES, "data.shared", _SLICING.format(replicas=1), "value-refused", "1 is not at least 2"),
    wrong(
        TOOLS,
        _SHARES,
        "data.shared",
        _SLICING.format(replicas=16384),
        "value-refused",
        "than a node runs containers",
        warns=True,
    ),
    wrong(
        TOOLS,
        _LAYOUTS,
        'data["config.yaml"]',
        _LAYOUT.format(on="true", devices="3g.40gb: 3"),
        "value-refused",
        "compute slices",
    ),
    wrong(
        TOOLS,
        _LAYOUTS,
        'data["config.yaml"]',
        _LAYOUT.format(on="false", devices="1g.10gb: 7"),
        "value-refused",
        "MIG is off",
    ),
)

SEEDS = FILES
