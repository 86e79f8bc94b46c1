"""The device plugin's file and mig-parted's layouts, in ConfigMaps."""

from __future__ import annotations

from textwrap import indent

import pytest

from platform_def.checks.rules.operators.value_refused import VALUE_REFUSED
from tests.unit.checks.operators.judged import findings, told

_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: files, namespace: gpus}\ndata:\n  any: |\n"


def _file(written: str) -> str:
    return _MAP + indent(written.strip("\n") + "\n", "    ")


_SLICES = "  timeSlicing:\n    resources: [{name: nvidia.com/gpu, replicas: 4}]\n"


@pytest.mark.parametrize(
    ("written", "severity", "text"),
    [
        (
            f"version: v1\nflags: {{migStrategy: none, renameByDefault: true}}\nsharing:\n{_SLICES}",
            "warning",
            "flags.renameByDefault: the device plugin knows no such field and ignores it",
        ),
        (
            "version: v1\nsharing:\n  timeSlicing: {renameByDefault: true}\n  resources: []\n",
            "warning",
            "sharing.resources: the device plugin knows no such field and ignores it",
        ),
        (
            "version: v1\nsharing:\n  timeSlicing: {renameByDefault: true}\n",
            "error",
            "sharing.timeSlicing.resources: is missing: the device plugin does not start",
        ),
        (
            "version: v1\nsharing:\n  timeSlicing:\n  \tresources: []\n",
            "error",
            "line 4 of this file is not YAML (a tab in the indentation): its program stops",
        ),
        (
            "version: v1\nsharing:\n  timeSlicing:\n    resources: [{name: nvidia.com/gpu, replicas: 16384}]\n",
            "warning",
            "sharing.timeSlicing.resources[0].replicas: 16384 shares of each card are more than a node runs containers",
        ),
        (
            "version: v1\nsharing:\n  timeSlicing:\n    resources: [{name: nvidia.com/gpu, replicas: 1}]\n",
            "error",
            "sharing.timeSlicing.resources[0].replicas: 1 is not at least 2: the device plugin does not start",
        ),
        (
            "version: v1\nsharing:\n  mps:\n    resources: [{name: nvidia.com/gpu, replicas: 64}]\n",
            "error",
            "sharing.mps.resources[0].replicas: 64 is not at most 48: the MPS daemon does not start",
        ),
        (
            "version: v1\nsharing:\n  timeSlicing:\n    resources: [{name: nvidia.com/gpus, replicas: 4}]\n",
            "warning",
            "sharing.timeSlicing.resources[0].name: no device is called 'nvidia.com/gpus', so none is shared",
        ),
        (
            "version: v1\nsharing:\n  timeSlicing:\n    resources: [{name: gpu, replicas: 4, rename: part}]\n",
            "warning",
            "sharing.timeSlicing.resources[0].rename: the device plugin ignores it",
        ),
        (
            "version: v1\nsharing:\n  timeSlicing:\n    resources: [{name: gpu, replicas: 4, devices: [0]}]\n",
            "warning",
            "sharing.timeSlicing.resources[0].devices: the device plugin ignores it, and shares all",
        ),
        (
            "version: v1\nflags:\n  migStrategy: Mixed\n",
            "error",
            "flags.migStrategy: 'Mixed' is not one of 'none', 'single', 'mixed': the device plugin does not start",
        ),
        (
            "version: v2\nflags:\n  migStrategy: none\n",
            "error",
            "version: 'v2' is not one of 'v1': the device plugin does not start",
        ),
        (
            "version: v1\nflags:\n  migStrategy: none\n  plugin: {deviceListStrategy: [cdi]}\n",
            "error",
            (
                "flags.plugin.deviceListStrategy: 'cdi' is none of envvar, volume-mounts, cdi-annotations, cdi-cri: "
                "the device plugin does not start"
            ),
        ),
        (
            "version: v1\nflags:\n  migStrategy: mixed\nsharing:\n  mps:\n    resources: [{name: gpu, replicas: 4}]\n",
            "error",
            "sharing.mps: MPS cannot be combined with migStrategy: mixed: the device plugin does not start",
        ),
        (
            "version: v1\nflags:\n  migStrategy: none\nimex: {channelIDs: [1]}\n",
            "error",
            "imex.channelIDs[0]: 1 is not at most 0: the device plugin does not start",
        ),
    ],
)
def test_what_the_device_plugin_refuses_or_ignores(written: str, severity: str, text: str) -> None:
    assert (severity, "data.any", text) in told(VALUE_REFUSED, _file(written))


def test_the_field_stands_where_it_belongs_in_the_hint() -> None:
    written = f"version: v1\nflags:\n  migStrategy: none\n  renameByDefault: true\nsharing:\n{_SLICES}"
    (finding,) = findings(VALUE_REFUSED, _file(written))

    assert finding.hint == "it belongs to sharing.timeSlicing.renameByDefault"


_SPEC = "version: v1\nmig-configs:\n  one:\n"


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (
            _SPEC + "  - {devices: all, mig-enabled: true, mig-devices: {1g.10gb: 8}}\n",
            (
                "mig-configs.one[0].mig-devices: no card can have this layout: it takes 8 compute slices, and no card has "
                "more than 7"
            ),
        ),
        (
            _SPEC + "  - {devices: all, mig-enabled: true, mig-devices: {3g.40gb: 2, 1g.10gb: 1}}\n",
            "mig-configs.one[0].mig-devices: no card can have this layout: its layout takes 90 GB, and a100-80gb has 80",
        ),
        (
            _SPEC + "  - {devices: all, mig-enabled: true, mig-devices: {3g.40gb: 1, 1g.5gb: 1}}\n",
            "mig-configs.one[0].mig-devices: no card can have this layout: no card has 1g.5gb and 3g.40gb at once",
        ),
        (
            _SPEC + "  - {devices: all, mig-enabled: true, mig-devices: {5g.40gb: 1}}\n",
            'mig-configs.one[0].mig-devices["5g.40gb"]: no card has devices of 5 compute slices',
        ),
        (
            _SPEC + "  - {devices: all, mig-enabled: true, mig-devices: {3g40gb: 1}}\n",
            "mig-configs.one[0].mig-devices[\"3g40gb\"]: '3g40gb' is not a MIG profile: mig-parted reads nothing of the file",
        ),
        (
            _SPEC + "  - {devices: all, mig-enabled: false, mig-devices: {1g.10gb: 7}}\n",
            "mig-configs.one[0].mig-devices: has devices, and mig-enabled is false: mig-parted reads nothing of the file",
        ),
        (
            _SPEC + "  - {devices: all, mig-enabled: true}\n",
            "mig-configs.one[0].mig-devices: is missing, and mig-enabled is true: mig-parted reads nothing of the file",
        ),
        (
            _SPEC + "  - {devices: some, mig-enabled: false}\n",
            "mig-configs.one[0].devices: must be all, or a list of numbers: mig-parted reads nothing of the file",
        ),
        (
            _SPEC + "  - {devices: all, mig-enabled: true, mig-devices: {1g.10gb: 0}}\n",
            "mig-configs.one[0].mig-devices: has no device: mig-parted reads nothing of the file",
        ),
        (
            _SPEC + "  - {devices: all, mig-enabled: true, mig-device: {1g.10gb: 7}}\n",
            "mig-configs.one[0].mig-device: unknown field: mig-parted reads nothing of the file",
        ),
    ],
)
def test_what_mig_parted_refuses_and_no_card_has(written: str, text: str) -> None:
    assert ("error", "data.any", text) in told(VALUE_REFUSED, _file(written))


@pytest.mark.parametrize("layout", ["1g.35gb: 7", "1g.35gb: 5, 2g.70gb: 1", "4g.139gb: 1, 3g.139gb: 1"])
def test_a_layout_that_a_card_may_have_of_which_not_all_is_known_is_believed(layout: str) -> None:
    written = _SPEC + f"  - {{devices: all, mig-enabled: true, mig-devices: {{{layout}}}}}\n"

    assert told(VALUE_REFUSED, _file(written)) == []


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (
            _SPEC
            + "  - {devices: [0, 1], mig-enabled: true, mig-devices: {1g.10gb: 7}}\n"
            + "  - {devices: [1, 2], mig-enabled: false}\n",
            "mig-configs.one[1].devices: cards of an earlier entry are in this one too (1, 2), and the later one wins",
        ),
        (
            _SPEC + "  - {devices: all, mig-enabled: false}\n  - {devices: [0], mig-enabled: false}\n",
            "mig-configs.one[1].devices: cards of an earlier entry are in this one too (0), and the later one wins",
        ),
    ],
)
def test_a_card_in_two_entries_of_a_layout_is_a_warning(written: str, text: str) -> None:
    assert ("warning", "data.any", text) in told(VALUE_REFUSED, _file(written))


def test_a_profile_that_no_card_is_known_to_have_is_a_warning() -> None:
    written = _SPEC + "  - {devices: all, mig-enabled: true, mig-devices: {3g.41gb: 1}}\n"

    assert told(VALUE_REFUSED, _file(written)) == [
        ("warning", "data.any", 'mig-configs.one[0].mig-devices["3g.41gb"]: no card is known to have this profile')
    ]


@pytest.mark.parametrize(
    "written",
    [
        f"version: v1\nflags: {{migStrategy: none}}\nsharing:\n{_SLICES}",
        "version: v1\nflags:\n  migStrategy: null\n  plugin: {deviceListStrategy: envvar, passDeviceSpecs: true}\n",
        (
            "sharing:\n  mps:\n    renameByDefault: true\n    resources:\n"
            "    - {name: nvidia.com/gpu, rename: nvidia.com/gpu.shared, devices: all, replicas: 48}\n"
        ),
        _SPEC + "  - {devices: all, mig-enabled: true, mig-devices: {3g.40gb: 1, 2g.20gb: 1, 1g.10gb: 2}}\n",
        _SPEC + "  - {devices: all, mig-enabled: true, mig-devices: {1g.5gb+me: 1, 1g.5gb: 6}}\n",
        _SPEC + "  - {devices: all, mig-enabled: true, mig-devices: {}}\n",
        _SPEC + "  - {devices: [0], mig-enabled: true, mig-devices: {1c.3g.40gb: 3}}\n",
        _SPEC
        + "  - {device-filter: '0x233010DE', devices: all, mig-enabled: true, mig-devices: {1g.10gb: 7}}\n"
        + "  - {device-filter: '0x20B010DE', devices: all, mig-enabled: true, mig-devices: {1g.5gb: 7}}\n",
        "version: v1\nflags: {featureX: true}\n",
        "version: v1\nsharing: {tables: true}\n",
        "gfd:\n  migStrategy: single\n",
        "{not: yaml",
    ],
)
def test_what_they_take_and_what_is_not_theirs_is_let_be(written: str) -> None:
    assert told(VALUE_REFUSED, _file(written)) == []
