"""A change is told at the line of the stack that says the value, or that has the object's name, or of its component."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from platform_def.checks.rule import Finding
from platform_def.manifests.paths import steps
from platform_def.manifests.rendered import DELIVERY, RenderedObject
from platform_def.pipeline.findings.causes import at_stack
from platform_def.pipeline.load import load
from tests.unit.pipeline.repository import HEAD, write

STACK = f"""{HEAD}\
storage:
  fast:
    driver: nfs
    server: nas.example.com
    share: /exports/fast
  slow:
    driver: nfs
    server: old.example.com
    share: /exports/slow
delivery: {{engine: none}}
components:
  mysql:
    workloads:
      mysql:
        replicas: 3
        volumes:
          data: {{size: 50Gi}}
  cert-manager: {{}}
"""


def line(root: Path, path: str, value: Any, *, component: str = "mysql", name: str = "mysql") -> int:
    """The line of the stack for a field of an object that has this value now."""
    manifest: dict[str, Any] = {"apiVersion": "v1", "kind": "Thing", "metadata": {"name": name}}
    here: Any = manifest
    *way, last = steps(path)
    for step in way:
        here = here.setdefault(step, {})
    here[last] = value
    item = RenderedObject(manifest, component, "main", f"{component}/Thing")
    finding = Finding("update-refused", "error", str(item), item.key, path, "changes", "", component, item.origin)
    (loaded,) = load(write(root, {"stacks/a.yaml": STACK}))
    found = at_stack(finding, item, loaded)

    assert found.file == "stacks/a.yaml"
    return found.line


@pytest.mark.parametrize(
    ("path", "value", "wanted"),
    [
        ("spec.storage", "50Gi", 19),
        ("spec.replicas", 3, 17),
        # What the stack says elsewhere counts where the component does not say it.
        ("parameters.server", "nas.example.com", 6),
        ("parameters.share", "/exports/slow", 11),
        # A path that begins with what the stack says.
        ("spec.hostPath.path", "/exports/slow/vision/faces", 11),
        # A number of the stack's that is no setting of the component's says nothing.
        ("spec.value", 1, 14),
        ("spec.value", True, 14),
        ("spec.value", "not in the stack", 14),
        ("spec.selector", {"app": "mysql"}, 14),
    ],
)
def test_the_value_leads_to_the_line(tmp_path: Path, path: str, value: Any, wanted: int) -> None:
    assert line(tmp_path, path, value) == wanted


def test_of_several_places_the_one_that_is_called_like_the_field_is_taken(tmp_path: Path) -> None:
    assert line(tmp_path, "spec.driver", "nfs", name="x") in (5, 9)
    assert line(tmp_path, "slow.driver", "nfs", name="x") == 9


def test_an_object_that_is_called_after_an_entry_is_told_there(tmp_path: Path) -> None:
    assert line(tmp_path, "reclaimPolicy", "Retain", component="csi-driver-nfs", name="slow") == 8


def test_a_component_that_the_stack_does_not_name_is_told_in_its_file(tmp_path: Path) -> None:
    assert line(tmp_path, "spec.x", "y", component="namespaces", name="z") == 0


def test_what_an_engine_reads_is_told_at_the_delivery(tmp_path: Path) -> None:
    assert line(tmp_path, "spec.x", "y", component=DELIVERY, name="z") == 12
