"""What holds where the stack, its component and the author of a pod say different things."""

from __future__ import annotations

from pathlib import Path

import cdk8s
import pytest

from platform_def.config.component import ComponentConfig
from platform_def.config.workloads import PodPlacement
from platform_def.constructs.component import Component
from platform_def.constructs.workloads.services import Deployment
from tests.unit.pipeline.repository import HEAD, stack, write


@pytest.mark.parametrize(
    ("of_the_stack", "of_the_component", "several"),
    [("standard", "ha", True), ("ha", "standard", False), ("ha", None, True), ("standard", None, False)],
)
def test_a_component_may_be_available_otherwise_than_its_stack(
    tmp_path: Path, of_the_stack: str, of_the_component: str | None, several: bool
) -> None:
    said = f"{{availability: {of_the_component}}}" if of_the_component else "{}"
    text = f"{HEAD}availability: {of_the_stack}\ncomponents: {{training-operator: {said}}}\n"
    write(tmp_path, {"stacks/a.yaml": text})

    [deployment] = [item for item in stack(tmp_path).objects() if item.kind == "Deployment"]

    assert (deployment.manifest["spec"]["replicas"] > 1) is several


class Web(Component[ComponentConfig]):
    """A program that runs on Linux alone."""

    slug = "web"

    def build(self) -> None:
        """One Deployment."""
        selector = {"kubernetes.io/os": "linux", "web": "author"}
        Deployment(self, "web", pod={"containers": [{"name": "web", "image": "web:1"}], "nodeSelector": selector})


def test_labels_of_nodes_that_a_pod_needs_win_over_its_placement() -> None:
    app = cdk8s.App()
    chart = cdk8s.Chart(app, "chart", disable_resource_name_hashes=True)
    placement = PodPlacement(node_selector={"role": "system", "web": "stack"})

    Web(chart, config=ComponentConfig(placement=placement))

    [deployment] = [item for item in cdk8s.Testing.synth(chart) if item["kind"] == "Deployment"]
    assert deployment["spec"]["template"]["spec"]["nodeSelector"] == {
        "kubernetes.io/os": "linux",
        "role": "system",
        "web": "author",
    }
