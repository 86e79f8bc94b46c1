"""Jobs in a stack with KAI: all pods that start together ask for it, and name their team's queue."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from platform_def.errors import ConfigError
from platform_def.manifests.workloads import pods_of
from tests.unit.pipeline.repository import stack, synthesise, write

STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.36"}
nodePools:
  - {name: train, nodes: 4, selector: {pool: train}, gpu: {model: a100-80gb, perNode: 8}}
  - {name: parts, nodes: 1, selector: {pool: parts}, gpu: {model: a100-80gb, perNode: 8, sharing: {mode: vgpu, layer: hami, replicas: 4}}}
components:
  nvidia-device-plugin: {}
  training-operator: {}
  mxnet-operator: {}
  kuberay-operator: {}
  cert-manager: {}
  hami: {}
  kai-scheduler: {}
teams:
  - {name: vision, queue: research, quota: {gpus: 16}}
  - {name: free}
jobs:
"""
LABEL = "kai.scheduler/queue"


def line(template: str, **fields: Any) -> str:
    said = {
        "name": "one",
        "pool": "train",
        "image": '"registry.example.com/train:1"',
        "command": "[train.py]",
        **fields,
    }
    return f"  - {{template: {template}, {', '.join(f'{key}: {value}' for key, value in said.items())}}}\n"


def made(root: Path, template: str, **fields: Any) -> Any:
    """The job's last object, and its pods."""
    write(root, {"stacks/a.yaml": STACK + line(template, **fields)})
    item = next(iter(stack(root).jobs.values()))[-1]
    return item, [*pods_of(item)]


def problems(root: Path, template: str, **fields: Any) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        made(root, template, **fields)
    return [str(each) for each in caught.value.problems]


def test_pods_with_gpus_and_without_ask_for_the_one_scheduler_and_name_the_queue(tmp_path: Path) -> None:
    item, pods = made(tmp_path, "tensorflow", team="vision", workers=2, servers=1, strategy="parameter-server")

    assert {each.spec["schedulerName"] for each in pods} == {"kai-scheduler"}
    assert {each.labels[LABEL] for each in pods} == {"research"}
    assert "schedulingPolicy" not in item.manifest["spec"]["runPolicy"]
    assert "kueue.x-k8s.io/queue-name" not in item.manifest["metadata"]["labels"]


def test_a_team_without_a_queue_starts_its_jobs_whole_too(tmp_path: Path) -> None:
    _, pods = made(tmp_path, "tensorflow", team="free", workers=2, servers=1, strategy="parameter-server")

    assert len(pods) > 1
    assert {each.spec["schedulerName"] for each in pods} == {"kai-scheduler"}
    assert not any(LABEL in each.labels for each in pods)


def test_a_job_that_goes_on_with_fewer_pods_says_so_and_nothing_else_of_its_gang(tmp_path: Path) -> None:
    elastic = "{least: 2, most: 4}"
    fields = {
        "team": "vision",
        "workers": 4,
        "elastic": elastic,
        "priorityClass": "train",
        "dataset": "{claim: data}",
        "checkpoints": "/data",
    }
    item, pods = made(tmp_path, "pytorch-ddp", **fields)

    assert item.manifest["spec"]["runPolicy"]["schedulingPolicy"] == {"minAvailable": 2}
    assert {each.spec["priorityClassName"] for each in pods} == {"train"}
    found = synthesise(tmp_path).findings.values()
    assert [each.rule for findings in found for each in findings if each.rule == "scheduler-exists"] == []


def test_a_plain_job_says_how_many_pods_it_needs_at_once(tmp_path: Path) -> None:
    servers, _ = made(tmp_path, "tensorflow-ps", team="vision", workers=3)

    assert servers.manifest["metadata"]["annotations"]["kai.scheduler/batch-min-member"] == "3"


def test_the_pod_that_hands_a_program_to_ray_is_in_no_gang(tmp_path: Path) -> None:
    item, _ = made(tmp_path, "ray", team="vision", workers=2)
    spec = item.manifest["spec"]

    assert "schedulerName" not in spec["submitterPodTemplate"]["spec"]
    assert LABEL not in spec["submitterPodTemplate"]["metadata"]["labels"]
    head = spec["rayClusterSpec"]["headGroupSpec"]["template"]
    assert (head["spec"]["schedulerName"], head["metadata"]["labels"][LABEL]) == ("kai-scheduler", "research")


def test_a_kind_that_it_does_not_know_would_start_pod_by_pod(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, "mxnet", team="vision", workers=2)

    assert "kai-scheduler makes no gang of a MXJob" in found


def test_who_divides_cards_places_their_pods(tmp_path: Path) -> None:
    _, pods = made(tmp_path, "pytorch-ddp", team="free", pool="parts", workers=1)
    assert {each.spec["schedulerName"] for each in pods} == {"hami-scheduler"}

    _, found = problems(tmp_path, "pytorch-ddp", team="vision", pool="parts", workers=1)
    assert "need the scheduler hami-scheduler" in found


def test_more_than_the_queue_can_ever_have_is_told(tmp_path: Path) -> None:
    text = STACK.replace("quota: {gpus: 16}", "quota: {gpus: 16}, borrow: {gpus: 0}")
    write(tmp_path, {"stacks/a.yaml": text + line("pytorch-ddp", team="vision", workers=3, gpusPerWorker=8)})
    with pytest.raises(ConfigError) as caught:
        stack(tmp_path)

    assert "queue research never has more than 16" in str(caught.value.problems[0])
