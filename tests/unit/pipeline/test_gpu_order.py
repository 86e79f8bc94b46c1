"""With MIG `single` the device plugin stops until the cards are cut: who cuts them must not wait for it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from platform_def.delivery.gates import AFTER
from platform_def.manifests.rendered import RenderedStack
from tests.unit.pipeline.repository import stack, write

STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.36"}
delivery: {engine: ENGINE, repository: "https://git.example.com/platform.git"}
nodePools: [{name: p, selector: {pool: p}, gpu: {model: h100-80gb, perNode: 8, mig: {layout: {1g.10gb: 7}}}}]
components:
  nvidia-device-plugin: {}
  mig-manager: {}
  node-feature-discovery: {}
  gpu-feature-discovery: {}
  dcgm-exporter: {}
"""
PLUGIN, MANAGER = "nvidia-device-plugin-main", "mig-manager-main"
GATES = "argocd, order: gates"


def rendered(root: Path, engine: str) -> RenderedStack:
    return stack(write(root, {"stacks/a.yaml": STACK.replace("ENGINE", engine)}))


def behind(name: str, needs: Mapping[str, list[str]]) -> set[str]:
    """All that `name` waits for, however far."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        new = set(needs.get(waiting.pop(), ())) - found
        found |= new
        waiting += new
    return found


@pytest.mark.parametrize("engine", ["argocd", GATES, "flux"])
def test_the_runtime_class_is_there_before_any_of_those_who_name_it(tmp_path: Path, engine: str) -> None:
    made = rendered(tmp_path, engine)
    named = [part for part, needs in made.needs.items() if "nvidia-device-plugin/classes" in needs]

    assert set(named) == {
        f"{name}/main" for name in ("dcgm-exporter", "gpu-feature-discovery", "mig-manager", "nvidia-device-plugin")
    }


def test_with_gates_argo_cd_cuts_cards_without_waiting_for_the_plugin(tmp_path: Path) -> None:
    made = rendered(tmp_path, GATES)
    needs = {
        item.name: [
            label.removeprefix(AFTER) for label in item.manifest["metadata"]["labels"] if label.startswith(AFTER)
        ]
        for item in made.delivery
        if item.kind == "Application"
    }

    assert "node-feature-discovery-main" in behind(MANAGER, needs)
    assert PLUGIN not in behind(MANAGER, needs)


def test_flux_cuts_cards_without_waiting_for_the_plugin(tmp_path: Path) -> None:
    made = rendered(tmp_path, "flux")
    needs = {
        item.name: [each["name"] for each in item.manifest["spec"].get("dependsOn", [])]
        for item in made.delivery
        if item.kind == "Kustomization"
    }

    assert "node-feature-discovery-main" in behind(MANAGER, needs)
    assert PLUGIN not in behind(MANAGER, needs)
