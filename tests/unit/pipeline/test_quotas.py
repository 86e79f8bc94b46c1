"""What a team's quota means: devices kind by kind, pool by pool, and the rest; and what it cannot mean."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.pipeline.repository import HEAD, synthesise, write
from tests.unit.pipeline.test_resolve import JOB, problems

PLUGIN = "components: {training-operator: {}, nvidia-device-plugin: {}}\n"
A100 = "{name: a, nodes: 2, selector: {pool: a}, gpu: {model: a100-80gb, perNode: 8}}"
H100 = "{name: h, nodes: 1, selector: {pool: h}, gpu: {model: h100-80gb, perNode: 8}}"
SLICES = (
    "{name: s, nodes: 1, selector: {pool: s}, "
    "gpu: {model: t4, perNode: 4, sharing: {mode: time-slicing, replicas: 4, rename: true}}}"
)
PLAIN_SLICES = SLICES.replace(", rename: true", "").replace("name: s", "name: plain").replace("pool: s", "pool: plain")
CUT = "{name: m, nodes: 1, selector: {pool: m}, gpu: {model: h100-80gb, perNode: 8, mig: {layout: {3g.40gb: 2}}}}"


def stack(quota: str, *pools: str, job: str = "") -> str:
    text = f"nodePools: [{', '.join(pools)}]\nteams: [{{name: t, quota: {quota}}}]\n"
    return PLUGIN + text + (JOB % job if job else "")


@pytest.mark.parametrize(
    ("quota", "pools", "told"),
    [
        ("{gpus: -1}", [A100], "teams[0].quota.gpus: a whole number is wanted, 0 or more, or one for each pool"),
        ("{gpus: {a: many}}", [A100], "teams[0].quota.gpus: pool 'a': a whole number is wanted"),
        ("{mig: {third: 4}}", [A100], "'third' is not a MIG profile"),
        ("{accelerators: {nvidia.com/gpu: 4}}", [A100], "nvidia.com/gpu is NVIDIA's: count it under `gpus`"),
        ("{gpus: {b: 4}}", [A100], "teams[0].quota.gpus: pool 'b' is not in nodePools\n  hint: known: a"),
        (
            "{gpus: {s: 4}}",
            [A100, SLICES],
            "pool s has no whole GPUs\n  hint: it has others: write `slices: {s: 4}`",
        ),
        (
            "{gpus: {a: 8, h: 4}}",
            [A100, H100],
            (
                "pools a and h offer nvidia.com/gpu alike, and a limit of a namespace cannot tell them apart\n"
                "  hint: write one number for both (`gpus: 12`)"
            ),
        ),
        (
            "{slices: 4}",
            [SLICES, PLAIN_SLICES],
            (
                "they are nvidia.com/gpu.shared on pool s and nvidia.com/gpu on pool plain, and one number would hold for each"
                "\n  hint: write `slices: {s: …, plain: …}`"
            ),
        ),
        (
            "{mig: {3g.40gb: 4}}",
            [CUT, PLAIN_SLICES],
            "teams[0].quota: nvidia.com/gpu is MIG devices 3g.40gb on pool m and slices of GPUs on pool plain",
        ),
    ],
)
def test_a_quota_that_cannot_mean_what_it_says_is_refused(
    tmp_path: Path, quota: str, pools: list[str], told: str
) -> None:
    found = problems(tmp_path, stack(quota, *pools))

    assert any(told in each for each in found), found


@pytest.mark.parametrize(
    ("quota", "job", "told"),
    [
        (
            "{gpus: 16}",
            "team: t, pool: s",
            "needs 1 slices of GPUs, and the quota of team t grants none\n  hint: write `slices: 1` in its quota",
        ),
        ("{gpus: 16, slices: 2}", "team: t, pool: s, workers: 3", "needs 3 slices of GPUs, team t has a quota of 2"),
        ("{gpus: 2}", "team: t, gpusPerWorker: 4", "needs 4 whole GPUs, team t has a quota of 2"),
        ("{cpu: '10'}", "team: t, pool: a, workers: 3", "needs 12 cores, team t has a quota of 10 cores"),
        ("{memory: 40Gi}", "team: t, workers: 3", "needs 48Gi of memory, team t has a quota of 40Gi of memory"),
        ("{pods: 2}", "team: t, workers: 3", "needs 3 pods, team t has a quota of 2 pods"),
    ],
)
def test_a_job_above_its_teams_quota_is_refused(tmp_path: Path, quota: str, job: str, told: str) -> None:
    found = problems(tmp_path, stack(quota, A100, SLICES, job=job))

    assert len(found) == 1
    assert told in found[0]


def test_jobs_are_counted_together_against_cores_too(tmp_path: Path) -> None:
    jobs = "jobs:\n" + "".join(
        f"  - {{template: pytorch-ddp, name: {name}, team: t, pool: a, image: 'r.example.com/i:1', command: [t.py], "
        "cpu: 2500m, sync: true}\n"
        for name in ("one", "two")
    )
    (found,) = problems(tmp_path, stack("{cpu: '4'}", A100) + jobs)

    assert "jobs one and two start together and need 5 cores, and team t has a quota of 4 cores" in found


@pytest.mark.parametrize(
    ("quota", "pools", "told"),
    [
        ("{gpus: 17}", [A100], "a quota of 17 whole GPUs, and the node pools have 16"),
        ("{slices: {s: 17}}", [A100, SLICES], "a quota of 17 slices of GPUs, and pool s has 16"),
        ("{gpus: 4}", [SLICES], "a quota of 4 whole GPUs, and the node pools have 0"),
        ("{gpus: 16, slices: 16}", [A100, SLICES], ""),
    ],
)
def test_a_quota_above_what_pools_have_is_a_warning_with_both_numbers(
    tmp_path: Path, quota: str, pools: list[str], told: str
) -> None:
    write(tmp_path, {"stacks/a.yaml": HEAD + stack(quota, *pools)})
    found = [each for each in synthesise(tmp_path).findings["a"] if each.rule == "quota-size"]

    assert [each.text.removeprefix("team t has ") for each in found] == ([told] if told else [])
    assert all(each.severity == "warning" for each in found)


def test_whole_gpus_where_there_are_none_are_told_what_there_is(tmp_path: Path) -> None:
    write(tmp_path, {"stacks/a.yaml": HEAD + stack("{gpus: 4}", SLICES)})
    (found,) = (each for each in synthesise(tmp_path).findings["a"] if each.rule == "quota-size")

    assert found.hint == "the pools have others: write `slices: 4`"


def test_queues_of_one_pool_tell_it_from_others_and_those_of_two_do_not(tmp_path: Path) -> None:
    selected = "kai.scheduler/node-pool: k, pool: %s"

    def kai(name: str) -> str:
        gpu = "gpu: {model: a100-80gb, perNode: 8}"
        return f"{{name: {name}, nodes: 1, scheduler: kai-scheduler, selector: {{{selected % name}}}, {gpu}}}"

    def text(quota: str, *pools: str) -> str:
        return stack(quota, *pools).replace("components: {", "components: {kai-scheduler: {}, kueue: {}, ")

    write(tmp_path, {"stacks/a.yaml": HEAD + text("{gpus: {a: 8, h: 4, k: 8}}", A100, H100, kai("k"))})
    assert synthesise(tmp_path).stacks

    (found,) = problems(tmp_path, text("{gpus: {a: 8, k: 8, l: 8}}", A100, kai("k"), kai("l")))
    assert "pools k and l offer nvidia.com/gpu alike, and a queue of kai-scheduler cannot tell them apart" in found
