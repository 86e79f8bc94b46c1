"""`explain STACK capacity` adds up what a stack is: objects, images, and requests as the scheduler counts them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from platform_def.config.platform import Platform
from platform_def.explain.size import Requests, StackSize, as_json, as_text, size_of
from platform_def.manifests.rendered import RenderedComponent, RenderedObject, RenderedStack
from platform_def.yaml import load
from tests.acceptance.repository import PROJECT


def workload(kind: str = "Deployment", name: str = "a", replicas: int | None = None, **pod: Any) -> dict[str, Any]:
    spec = {"template": {"spec": {"containers": [container(), *pod.pop("more", [])], **pod}}}
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"name": name, "namespace": "n"},
        "spec": spec if replicas is None else {**spec, "replicas": replicas},
    }


def container(cpu: str = "100m", memory: str = "64Mi", image: str = "r.example.com/a:1", **more: Any) -> dict[str, Any]:
    return {"image": image, "resources": {"requests": {"cpu": cpu, "memory": memory}}, **more}


def stack(*manifests: Any) -> RenderedStack:
    objects = tuple(RenderedObject(each, "a", "main", "test") for each in manifests)
    return RenderedStack("test", Platform(), {"a": RenderedComponent("a", objects)})


def test_pods_count_as_often_as_they_run_and_daemons_once_for_each_node() -> None:
    found = size_of(stack(workload(replicas=3), workload("StatefulSet"), workload("DaemonSet", "agent")))

    assert found == StackSize(3, 1, 4, Requests(400, 256), Requests(100, 64))


def test_a_workload_that_is_off_counts_nothing_and_an_autoscalers_counts_its_fewest() -> None:
    scaler = {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "a", "namespace": "n"},
        "spec": {"scaleTargetRef": {"kind": "Deployment", "name": "a"}, "minReplicas": 2},
    }

    assert size_of(stack(workload(replicas=0))).pods == 0
    assert size_of(stack(workload(), workload(name="b"), scaler)).pods == 3


@pytest.mark.parametrize(
    ("pod", "wanted"),
    [
        ({"more": [container("50m", "1Gi")]}, Requests(150, 1088)),
        ({"initContainers": [container("250m", "10Mi")]}, Requests(250, 64)),
        ({"initContainers": [container("250m", "10Mi", restartPolicy="Always")]}, Requests(350, 74)),
        ({"more": [{"image": "a:1", "resources": {"limits": {"cpu": 1, "memory": "1M"}}}]}, Requests(1100, 65)),
        ({"more": [{"image": "a:1"}]}, Requests(100, 64)),
    ],
    ids=["two containers", "a larger init container", "a sidecar", "a limit alone", "nothing said"],
)
def test_a_pod_requests_what_the_scheduler_adds_up(pod: dict[str, Any], wanted: Requests) -> None:
    assert size_of(stack(workload(**pod))).requests == wanted


def test_people_and_programs_read_the_same_numbers() -> None:
    found = StackSize(3, 2, 4, Requests(400, 256), Requests(100, 64))

    assert as_text(found).splitlines()[1].split() == ["3", "2", "4", "400m", "256Mi", "100m", "64Mi"]
    assert [*as_json(found).values()] == [3, 2, 4, 400, 256, 100, 64]


def test_the_size_that_the_page_of_kubeflow_classic_shows_is_that_of_its_objects() -> None:
    folder = PROJECT / "dist" / "kubeflow-classic"
    files = [path for path in folder.rglob("*.yaml") if not path.relative_to(folder).parts[0].startswith("_")]
    found = size_of(stack(*(load(path.read_bytes(), file=path.name) for path in files)))

    images = len(json.loads((folder / "index.json").read_text(encoding="utf-8"))["images"])
    assert shown(PROJECT / "docs" / "kubeflow-classic.md") == [*as_json(replace(found, images=images)).values()]


def shown(page: Path) -> list[int]:
    """The numbers below `OBJECTS`, without their units."""
    lines = page.read_text(encoding="utf-8").splitlines()
    row = lines[next(number for number, line in enumerate(lines) if line.startswith("OBJECTS")) + 1]
    return [int(cell.rstrip("mMi")) for cell in row.split()]
