"""Containers that take cards which nobody gave them."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.checks.rules.platform.visible_gpus import VISIBLE_GPUS
from tests.unit.checks.samples import deployment, found, rendered


def named(value: str, **more: Any) -> dict[str, Any]:
    return deployment(env=[{"name": "A", "value": "b"}, {"name": "NVIDIA_VISIBLE_DEVICES", "value": value}], **more)


@pytest.mark.parametrize("value", ["all", "0,1", "GPU-8a3f"])
def test_a_container_that_names_cards_without_asking_is_an_error(value: str) -> None:
    [finding] = found(VISIBLE_GPUS, rendered(named(value)))

    assert finding.severity == "error"
    assert finding.path == "spec.template.spec.containers[0].env[1]"
    assert f"NVIDIA_VISIBLE_DEVICES is '{value}'" in finding.text


@pytest.mark.parametrize("value", ["", "none", "void"])
def test_naming_none_is_fine(value: str) -> None:
    assert found(VISIBLE_GPUS, rendered(named(value))) == []


@pytest.mark.parametrize(
    "resources",
    [
        {"limits": {"nvidia.com/gpu": "1"}},
        {"limits": {"nvidia.com/mig-3g.40gb": "1"}},
        {"limits": {"tencent.com/vcuda-core": "25", "tencent.com/vcuda-memory": "14"}},
        {"claims": [{"name": "gpu"}]},
    ],
)
def test_who_asks_for_cards_may_name_them(resources: dict[str, Any]) -> None:
    assert found(VISIBLE_GPUS, rendered(named("all", resources=resources))) == []


def test_programs_that_look_after_nodes_are_left_alone() -> None:
    assert found(VISIBLE_GPUS, rendered({**named("all"), "kind": "DaemonSet"})) == []


def test_other_resources_are_no_cards() -> None:
    assert found(VISIBLE_GPUS, rendered(named("all", resources={"limits": {"memory": "1Gi"}})))
