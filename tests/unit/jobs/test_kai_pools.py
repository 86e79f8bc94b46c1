"""Jobs where one node pool asks for KAI: those on it are KAI's, the others go where they went."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from platform_def.errors import ConfigError
from platform_def.explain.capacity import explain_capacity
from platform_def.manifests.rendered import RenderedObject, RenderedStack
from platform_def.manifests.workloads import Pods, pods_of
from tests.unit.jobs.test_kai_gangs import line
from tests.unit.pipeline.repository import synthesise, unchecked, write

pytestmark = pytest.mark.slow

KUEUE, QUEUE, POOL = "kueue.x-k8s.io/queue-name", "kai.scheduler/queue", "kai.scheduler/node-pool"
POOLS = """\
nodePools:
  - {name: train, nodes: 4, scheduler: kai-scheduler, selector: {kai.scheduler/node-pool: train}, gpu: {model: a100-80gb, perNode: 8}}
  - {name: spare, nodes: 2, selector: {pool: spare}, gpu: {model: a100-80gb, perNode: 8}}
  - {name: parts, nodes: 1, selector: {pool: parts}, gpu: {model: a100-80gb, perNode: 8, sharing: {mode: vgpu, layer: hami, replicas: 4}}}
"""
HEAD = 'apiVersion: platform-def/v1\ncluster: {kubernetes: "1.36"}\n'
COMPONENTS = """\
components:
  nvidia-device-plugin: {}
  training-operator: {}
  mxnet-operator: {}
  kuberay-operator: {}
  cert-manager: {}
  jobset: {}
  trainer: {}
  keda: {}
  hami: {}
  kueue: {}
  kai-scheduler: {}
teams:
  - {name: vision, queue: research, quota: {gpus: {train: 16, spare: 8}}, borrow: {gpus: {train: 8}}}
  - {name: free}
jobs:
"""
STACK = HEAD + POOLS + COMPONENTS
ALONE = STACK.replace("  kueue: {}\n", "")


def stack(root: Path) -> RenderedStack:
    """The one stack; components that another test has built are not built again."""
    (found,) = unchecked(root, "a", cache=root.parent / "kept").stacks
    return found


def made(root: Path, template: str, *, text: str = STACK, **fields: Any) -> tuple[RenderedObject, list[Pods]]:
    """The job's last object, and its pods."""
    write(root, {"stacks/a.yaml": text + line(template, **fields)})
    item = next(iter(stack(root).jobs.values()))[-1]
    return item, [*pods_of(item)]


def problems(root: Path, template: str, *, text: str = STACK, **fields: Any) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        made(root, template, text=text, **fields)
    return [str(each) for each in caught.value.problems]


def schedulers(pods: list[Pods]) -> set[object]:
    return {each.spec.get("schedulerName") for each in pods}


@pytest.mark.parametrize("template", ["pytorch-ddp", "gpu-job", "tensorflow-ps", "development", "jax"])
def test_a_job_of_the_pool_is_kai_s_and_no_one_else_s(tmp_path: Path, template: str) -> None:
    workers: dict[str, Any] = {"workers": 2} if template in ("pytorch-ddp", "tensorflow-ps", "jax") else {}
    item, pods = made(tmp_path, template, team="vision", **workers)

    assert schedulers(pods) == {"kai-scheduler"}
    assert {(each.labels[QUEUE], each.labels[POOL]) for each in pods} == {("research", "train")}
    assert KUEUE not in item.manifest["metadata"]["labels"]


def test_pods_without_a_queue_belong_to_the_pool_all_the_same(tmp_path: Path) -> None:
    _, pods = made(tmp_path, "tensorflow", team="free", workers=2, servers=1, strategy="parameter-server")

    assert len(pods) > 1
    assert schedulers(pods) == {"kai-scheduler"}
    assert {(each.labels.get(QUEUE), each.labels[POOL]) for each in pods} == {(None, "train")}


def test_a_job_of_another_pool_goes_where_it_went(tmp_path: Path) -> None:
    item, pods = made(tmp_path, "pytorch-ddp", team="vision", pool="spare", workers=2)
    assert item.manifest["metadata"]["labels"][KUEUE] == "research"
    assert schedulers(pods) == {None}
    assert not {QUEUE, POOL} & {key for each in pods for key in each.labels}

    _, pods = made(tmp_path, "gpu-job", team="free", pool="parts")
    assert schedulers(pods) == {"hami-scheduler"}


def test_a_job_without_a_pool_is_not_kai_s(tmp_path: Path) -> None:
    write(tmp_path, {"stacks/a.yaml": STACK + line("gpu-job", team="vision").replace("pool: train, ", "")})
    (item,) = next(iter(stack(tmp_path).jobs.values()))

    assert item.manifest["metadata"]["labels"][KUEUE] == "research"
    assert schedulers([*pods_of(item)]) == {None}


def test_the_pod_that_hands_a_program_to_ray_is_in_no_partition(tmp_path: Path) -> None:
    item, _ = made(tmp_path, "ray", team="vision", workers=2)
    spec = item.manifest["spec"]

    assert POOL not in spec["submitterPodTemplate"]["metadata"]["labels"]
    assert spec["rayClusterSpec"]["headGroupSpec"]["template"]["metadata"]["labels"][POOL] == "train"


def test_a_trainjob_has_its_own_runtime_there(tmp_path: Path) -> None:
    write(tmp_path, {"stacks/a.yaml": STACK + line("trainjob", team="vision", workers=2)})
    items = next(iter(stack(tmp_path).jobs.values()))
    (runtime,) = (each for each in items if each.kind == "TrainingRuntime")
    (pods,) = pods_of(runtime)
    assert (pods.spec["schedulerName"], pods.labels[POOL]) == ("kai-scheduler", "train")

    (found,) = problems(tmp_path, "trainjob", team="vision", workers=2, runtime="torch-distributed")
    assert "its pods need scheduler kai-scheduler" in found


def test_a_trainjob_keeps_the_pool_s_scheduler_beside_the_runtimes_own(tmp_path: Path) -> None:
    text = STACK.replace("  kueue: {}\n", "  scheduler-plugins: {}\n")
    write(tmp_path, {"stacks/a.yaml": text + line("trainjob", team="free", workers=2)})
    (runtime,) = (each for each in next(iter(stack(tmp_path).jobs.values())) if each.kind == "TrainingRuntime")
    (pods,) = pods_of(runtime)

    assert pods.spec["schedulerName"] == "kai-scheduler"
    assert "podGroupPolicy" not in runtime.manifest["spec"]


def test_a_kind_that_it_does_not_know_is_refused_on_its_pool_alone(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, "mxnet", team="free", workers=2)
    assert "kai-scheduler makes no gang of a MXJob" in found

    assert made(tmp_path, "mxnet", team="free", workers=2, pool="spare")


def test_a_job_of_volcano_s_has_volcano_s_scheduler(tmp_path: Path) -> None:
    text = STACK.replace("  kueue: {}\n", "  volcano: {}\n").replace(
        "training-operator: {}", "training-operator: {gangScheduler: none}"
    )
    text = text.replace("kuberay-operator: {}", "kuberay-operator: {gangScheduler: none}")
    for team in ("vision", "free"):
        _, found = problems(tmp_path, "volcano-job", text=text, team=team, workers=2)
        assert "pods of pool train need the scheduler kai-scheduler, and a Job of Volcano needs volcano" in found
    _, pods = made(tmp_path, "pytorch-ddp", text=text, team="vision", workers=2, pool="spare")
    assert schedulers(pods) == {"volcano"}


def test_a_queue_that_nobody_keeps_on_the_job_s_pool_is_told(tmp_path: Path) -> None:
    text = ALONE.replace("{train: 16, spare: 8}", "{train: 16}")
    (found,) = problems(tmp_path, "pytorch-ddp", text=text, team="vision", pool="spare")

    assert "kai-scheduler keeps queue research on train alone: on pool spare the job would start past" in found
    assert made(tmp_path, "pytorch-ddp", text=text, team="free", pool="spare")
    assert made(tmp_path, "pytorch-ddp", text=text, team="vision")


def test_what_asks_for_no_gpu_needs_no_queue(tmp_path: Path) -> None:
    text = ALONE.replace("{train: 16, spare: 8}", "{train: 16}")

    assert made(tmp_path, "gpu-job", text=text, team="vision", pool="spare", gpusPerWorker=0)


def test_a_label_that_hides_the_job_from_its_scheduler_is_told(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, "gpu-job", team="vision", labels="{kai.scheduler/node-pool: mine}")
    assert "kai-scheduler sees pods of the pool by kai.scheduler/node-pool: train" in found

    assert made(tmp_path, "gpu-job", team="vision", labels="{kai.scheduler/node-pool: train, mine: a}")


def test_more_than_the_queue_has_on_the_pool_is_told(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, "pytorch-ddp", team="vision", workers=4, gpusPerWorker=8)
    assert "queue research never has more than 24 of pool train" in found

    assert made(tmp_path, "pytorch-ddp", team="vision", workers=3, gpusPerWorker=8)


def test_a_priority_of_kueue_s_is_none_on_the_pool(tmp_path: Path) -> None:
    text = STACK.replace("kueue: {}", "kueue: {priorities: [{name: high, value: 1}]}")
    (found,) = problems(tmp_path, "gpu-job", text=text, team="vision", priority="high")

    assert "kai-scheduler orders jobs by the PriorityClass of their pods" in found
    assert made(tmp_path, "gpu-job", text=text, team="vision", priority="high", pool="spare")


def test_a_pool_whose_scheduler_nobody_runs_is_told_with_its_line(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, "gpu-job", text=STACK.replace("  kai-scheduler: {}\n", ""), team="free")

    assert (
        "stacks/a.yaml:4: nodePools[0].scheduler: pool train asks for kai-scheduler, which nothing here runs" in found
    )
    assert "add `kai-scheduler: {}` under components" in found


def test_what_the_cluster_s_own_kai_has_is_known_by_the_selector(tmp_path: Path) -> None:
    text = STACK.replace("kai-scheduler: {}", "kai-scheduler: {provided: true}")
    _, pods = made(tmp_path, "gpu-job", text=text, team="vision")

    assert {each.labels[POOL] for each in pods} == {"train"}


def test_jobs_that_wait_for_each_other_on_the_pool_do_not_on_others(tmp_path: Path) -> None:
    def both(pool: str) -> str:
        fields = {"team": "free", "pool": pool, "workers": 2, "gpusPerWorker": 8, "sync": "true"}
        return line("pytorch-ddp", **fields) + line("pytorch-ddp", **{**fields, "name": "two"})

    write(
        tmp_path,
        {"stacks/a.yaml": STACK.replace("nodes: 4", "nodes: 2").replace("train: 16, ", "train: 8, ") + both("train")},
    )
    assert stack(tmp_path)
    write(tmp_path, {"stacks/a.yaml": STACK + both("spare")})
    with pytest.raises(ConfigError, match="pool spare has"):
        stack(tmp_path)


def test_capacity_counts_both_sides_by_the_same_sums(tmp_path: Path) -> None:
    jobs = line("pytorch-ddp", team="vision", workers=3, gpusPerWorker=8, sync="true")
    anywhere = line("gpu-job", team="vision", name="any", sync="true").replace("pool: train, ", "")
    write(tmp_path, {"stacks/a.yaml": STACK + jobs + anywhere})
    found = explain_capacity(tmp_path, "a")
    queues = {(each.queue, each.pool): each for each in found.queues}

    assert (queues["research", "train"].own, queues["research", "train"].most) == (16, 24)
    assert (queues["research", "train"].asked, queues["research", "spare"].asked) == (24, 1)
    by_name = {each.job: each for each in found.jobs}
    assert by_name["one"].from_ == "own and 8 nvidia.com/gpu borrowed"
    assert by_name["any"].pool == "spare"


def test_jobs_of_one_s_own_folder_that_ask_for_it_start_whole(tmp_path: Path) -> None:
    job = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: NAME, namespace: team-free}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      restartPolicy: OnFailure
      template:
        metadata: {labels: {kai.scheduler/node-pool: train}}
        spec:
          ASKS
          containers: [{name: pytorch, image: "registry.example.com/train:1.0", resources: {limits: {nvidia.com/gpu: 7}}}]
"""
    own = STACK.removesuffix("jobs:\n").replace(
        "  kai-scheduler: {}\n", "  kai-scheduler: {}\n  mine: {path: apps/mine}\n"
    )
    text = own.replace("nodes: 4", "nodes: 2")

    def rules(asks: str) -> set[str]:
        two = {f"apps/mine/{name}.yaml": job.replace("NAME", name).replace("ASKS", asks) for name in ("a", "b")}
        write(tmp_path, {"stacks/a.yaml": text.replace("train: 16, ", "train: 8, "), **two})
        return {each.rule for found in synthesise(tmp_path).findings.values() for each in found}

    assert "gang-start" in rules("restartPolicy: Never")
    assert "gang-start" not in rules("schedulerName: kai-scheduler")
