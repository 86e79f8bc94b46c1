"""Jobs of a team with a queue: they say where they wait, and are refused where they would wait for ever."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from platform_def.apis.core.batch_v1 import JOB
from platform_def.apis.core.core_v1 import CONFIG_MAP
from platform_def.config.teams import Team
from platform_def.constructs.render import render
from platform_def.constructs.resource import Resource
from platform_def.errors import ConfigError
from platform_def.jobs.template import JobConfig, TemplateJob
from tests.unit.built import stack_of
from tests.unit.pipeline.repository import HEAD, stack, write

STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.36"}
nodePools:
  - {name: train, nodes: 4, selector: {pool: train}, gpu: {model: a100-80gb, perNode: 8}, topology: [example.com/rack, kubernetes.io/hostname]}
  - {name: spare, nodes: 1, selector: {pool: spare}, gpu: {model: a100-80gb, perNode: 8}}
components:
  nvidia-device-plugin: {}
  training-operator: {}
  kueue: {priorities: [{name: high, value: 1}]}
teams:
  - {name: vision, queue: research, quota: {gpus: 16}, borrow: {gpus: 8}}
  - {name: free, queue: free}
  - {name: outside, quota: {gpus: 8}}
"""
FIELDS = 'template: pytorch-ddp, name: %s, team: %s, image: "registry.example.com/train:1", command: [train.py], '


def job(name: str = "one", team: str = "vision", **more: object) -> str:
    fields = "".join(f", {key}: {value}" for key, value in {"pool": "train", "sync": "true", **more}.items())
    return f"  - {{{(FIELDS % (name, team)).rstrip(', ')}{fields}}}\n"


def problems(root: Path, *jobs: str, text: str = STACK) -> list[str]:
    write(root, {"stacks/a.yaml": f"{text}jobs:\n{''.join(jobs)}" if jobs else text})
    with pytest.raises(ConfigError) as caught:
        stack(root)
    return [str(each) for each in caught.value.problems]


def metadata(root: Path, *jobs: str) -> dict[str, dict[str, str]]:
    write(root, {"stacks/a.yaml": f"{STACK}jobs:\n{''.join(jobs)}"})
    (item,) = next(iter(stack(root).jobs.values()))
    found: dict[str, dict[str, str]] = item.manifest["metadata"]
    return found


def test_a_job_waits_in_the_queue_of_its_team(tmp_path: Path) -> None:
    labels = metadata(tmp_path, job(priority="high"))["labels"]

    assert labels["kueue.x-k8s.io/queue-name"] == "research"
    assert labels["kueue.x-k8s.io/priority-class"] == "high"


def test_a_job_of_a_team_without_a_queue_does_not(tmp_path: Path) -> None:
    assert "kueue.x-k8s.io/queue-name" not in metadata(tmp_path, job(team="outside"))["labels"]


def test_whatever_a_template_makes_waits_if_its_kind_does() -> None:
    class Check(TemplateJob[JobConfig]):
        """A template of somebody's own."""

        def build(self) -> None:
            Resource(self, JOB, "check", spec={"template": {"spec": {"containers": []}}})
            Resource(self, CONFIG_MAP, "script", fields={"data": {}})

    teams = (Team.from_file({"name": "vision", "queue": "research"}),)
    config = JobConfig(template="check", name="check", team="vision")
    made = render(lambda scope: Check(scope, config=config, platform=stack_of({"kueue": {}}, teams=teams))).objects
    queues = [each.manifest["metadata"]["labels"].get("kueue.x-k8s.io/queue-name") for each in made]

    assert queues == ["research", None]


def test_pods_run_near_each_other_where_the_pool_knows_how(tmp_path: Path) -> None:
    write(
        tmp_path, {"stacks/a.yaml": f"{STACK}jobs:\n{job(workers=2)}{job('two', pool='spare', workers=2)}{job('lone')}"}
    )
    jobs = stack(tmp_path).jobs
    notes = {
        name: item.manifest["spec"]["pytorchReplicaSpecs"]["Master"]["template"]["metadata"]["annotations"]
        for name, (item,) in jobs.items()
    }

    assert notes["one"]["kueue.x-k8s.io/podset-preferred-topology"] == "example.com/rack"
    assert "kueue.x-k8s.io/podset-preferred-topology" not in notes["two"]
    grouped = [name for name, found in notes.items() if "kueue.x-k8s.io/podset-group-name" in found]
    assert grouped == ["one"]


def test_jobs_of_a_queue_wait_for_each_other(tmp_path: Path) -> None:
    write(
        tmp_path,
        {"stacks/a.yaml": f"{STACK}jobs:\n" + "".join(job(f"j{i}", gpusPerWorker=8, workers=3) for i in range(9))},
    )

    assert len(stack(tmp_path).jobs) == 9


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        (
            {"workers": 4, "gpusPerWorker": 8},
            "needs 32 nvidia.com/gpu, and queue research never has more than 24 of pool train",
        ),
        ({"priority": "urgent"}, "kueue knows no priority 'urgent'"),
    ],
)
def test_what_would_wait_for_ever_is_refused(tmp_path: Path, fields: dict[str, object], words: str) -> None:
    (found,) = problems(tmp_path, job(**fields))  # type: ignore[arg-type]

    assert words in found
    assert "hint: " in found


def test_what_may_be_borrowed_counts(tmp_path: Path) -> None:
    assert metadata(tmp_path, job(workers=3, gpusPerWorker=8))
    assert metadata(tmp_path, job(team="free", workers=4, gpusPerWorker=8))


def test_a_kind_that_does_not_wait_is_refused(tmp_path: Path) -> None:
    text = STACK.replace("kueue: {", "kueue: {integrations: [batch/job], ")
    (found,) = problems(tmp_path, job(), text=text)

    assert "kueue queues no PyTorchJob: the job would start past the quota of its team" in found


def test_a_queue_that_nobody_keeps_is_refused(tmp_path: Path) -> None:
    text = "\n".join(line for line in STACK.splitlines() if "kueue" not in line) + "\n"
    first, second = problems(tmp_path, text=text)

    assert "teams[0].queue: nothing in the stack queues jobs" in first
    assert "add `kai-scheduler: {}` or `kueue: {}` or `volcano: {}` under components" in second


def test_more_than_all_pools_have_cannot_be_promised(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, text=STACK.replace("{gpus: 16}", "{gpus: 41}"))

    assert "teams[0].quota: queues are promised 41 nvidia.com/gpu, and there are 40: research would have less" in found


def test_a_queue_s_quota_is_no_resourcequota_too(tmp_path: Path) -> None:
    write(tmp_path, {"stacks/a.yaml": STACK})
    quotas = [item.namespace for item in stack(tmp_path).objects() if item.kind == "ResourceQuota"]

    assert quotas == ["team-outside"]


def test_borrowing_needs_a_queue(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, text=f"{HEAD}teams: [{{name: a, borrow: {{gpus: 1}}}}]\n")

    assert "only a team whose jobs wait in a queue can borrow" in found


VOLCANO = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.35"}
nodePools:
  - {name: train, nodes: 4, selector: {pool: train}, gpu: {model: a100-80gb, perNode: 8}}
  - {name: spare, nodes: 1, selector: {pool: spare}, gpu: {model: a100-80gb, perNode: 8}}
components:
  nvidia-device-plugin: {}
  training-operator: {}
  volcano: {certificates: volcano}
teams:
  - {name: vision, queue: research, quota: {gpus: 16}, borrow: {gpus: 8}}
  - {name: outside, quota: {gpus: 8}}
"""


def volcano_spec(root: Path, **more: object) -> dict[str, Any]:
    write(root, {"stacks/a.yaml": f"{VOLCANO}jobs:\n{job(**more)}"})  # type: ignore[arg-type]
    (item,) = next(iter(stack(root).jobs.values()))
    found: dict[str, Any] = item.manifest["spec"]
    return found


def test_in_a_queue_of_volcano_the_gang_and_its_pods_name_it(tmp_path: Path) -> None:
    spec = volcano_spec(tmp_path, workers=2, priorityClass="urgent")
    template = spec["pytorchReplicaSpecs"]["Master"]["template"]

    assert spec["runPolicy"]["schedulingPolicy"] == {"queue": "research", "priorityClass": "urgent"}
    assert template["metadata"]["annotations"]["scheduling.volcano.sh/queue-name"] == "research"
    assert template["spec"]["schedulerName"] == "volcano"


def test_an_elastic_gang_starts_with_the_pods_that_it_can_do_with(tmp_path: Path) -> None:
    elastic = "{least: 2, most: 4}"
    more = {"elastic": elastic, "workers": 3, "output": "{claim: models}", "checkpoints": "/output/checkpoints"}

    assert volcano_spec(tmp_path, **more)["runPolicy"]["schedulingPolicy"]["minAvailable"] == 2


def test_a_team_without_a_queue_is_scheduled_whole_all_the_same(tmp_path: Path) -> None:
    spec = volcano_spec(tmp_path, team="outside")

    assert "schedulingPolicy" not in spec["runPolicy"]
    assert spec["pytorchReplicaSpecs"]["Master"]["template"]["spec"]["schedulerName"] == "volcano"


def test_volcano_orders_by_priority_classes(tmp_path: Path) -> None:
    (problem,) = problems(tmp_path, job(priority="high"), text=VOLCANO)

    assert "volcano orders jobs by the PriorityClass of their pods" in problem
    assert "`priorityClass:`" in problem


def test_volcano_counts_all_pools_together(tmp_path: Path) -> None:
    (problem,) = problems(tmp_path, job(workers=4, gpusPerWorker=8), text=VOLCANO)

    assert "needs 32 nvidia.com/gpu, and queue research never has more than 24\n" in problem
    assert volcano_spec(tmp_path / "fits", pool="spare", workers=1, gpusPerWorker=8)


def test_jobs_that_start_whole_wait_for_each_other(tmp_path: Path) -> None:
    jobs = [job(name, pool="spare", team="outside", workers=1, gpusPerWorker=8) for name in ("one", "two")]
    roomy = VOLCANO.replace("outside, quota: {gpus: 8}", "outside, quota: {gpus: 16}")
    write(tmp_path, {"stacks/a.yaml": f"{roomy}jobs:\n{''.join(jobs)}"})

    assert len(stack(tmp_path).jobs) == 2
    alone = roomy.replace("  volcano: {certificates: volcano}\n", "").replace("queue: research, ", "")
    (problem,) = problems(tmp_path, *jobs, text=alone.replace(", borrow: {gpus: 8}", ""))
    assert "pool spare has 8" in problem


def test_a_pool_that_another_scheduler_divides_is_no_place_for_a_queue_of_volcano(tmp_path: Path) -> None:
    shared = "gpu: {model: a100-80gb, perNode: 8, sharing: {mode: vgpu, layer: hami}}"
    text = VOLCANO.replace("spare}, gpu: {model: a100-80gb, perNode: 8}", f"spare}}, {shared}")
    text = text.replace("  training-operator: {}\n", "  training-operator: {}\n  hami: {}\n  cert-manager: {}\n")
    found = problems(tmp_path, job(pool="spare"), text=text)

    assert any("need the scheduler hami-scheduler, and the queue of their team needs volcano" in each for each in found)
