"""Devices of a DRA driver that pods ask for as if a device plugin offered them."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.capabilities import Devices
from platform_def.config.capability import Provision
from platform_def.constructs.extended_resources import by_extended_resource, gpus_by_claim
from tests.unit.built import platform


@pytest.mark.parametrize(
    ("kubernetes", "gates", "on"),
    [
        ("1.35", {}, False),
        ("1.36", {}, True),
        ("1.34", {"DRAExtendedResource": True}, True),
        ("1.36", {"DRAExtendedResource": False}, False),
        ("1.35", {"Other": True}, False),
    ],
)
def test_it_is_on_from_a_version_or_by_its_gate(kubernetes: str, gates: dict[str, bool], on: bool) -> None:
    assert by_extended_resource(platform(kubernetes=kubernetes, feature_gates=gates)) is on


def given(by: str, **fields: Any) -> Provision:
    return Provision.of(Devices(**fields), by)


def test_gpus_are_given_by_claims_where_no_plugin_gives_any() -> None:
    driver = given("driver", resources=["nvidia.com/gpu"], by_claim=True)
    plugin = given("plugin", resources=["nvidia.com/gpu"])
    other = given("other", resources=["rdma/hca"])

    assert gpus_by_claim(platform(provisions=(driver, other)))
    assert not gpus_by_claim(platform(provisions=(driver, plugin)))
    assert not gpus_by_claim(platform(provisions=(other,)))
