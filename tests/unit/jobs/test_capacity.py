"""`explain STACK capacity`: the sums that queues, quotas and checks go by, for people and for programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from platform_def.errors import ConfigError
from platform_def.explain.capacity import as_json, as_text, explain_capacity
from platform_def.jobs.capacity import Capacity
from tests.unit.jobs.test_queueing import STACK, job
from tests.unit.pipeline.repository import write

GPU = "nvidia.com/gpu"


def counted(root: Path, *jobs: str) -> Capacity:
    write(root, {"stacks/a.yaml": f"{STACK}jobs:\n{''.join(jobs)}" if jobs else STACK})
    return explain_capacity(root, "a")


def test_pools_say_what_is_owned_and_asked_for(tmp_path: Path) -> None:
    found = counted(tmp_path, job(workers=2, gpusPerWorker=8), job("other", team="outside", gpusPerWorker=4))
    train, spare = found.pools

    assert (train.there, train.owned, train.asked, train.left) == (32, 16, 20, 12)
    assert (spare.there, spare.owned, spare.asked, spare.left) == (8, 0, 0, 8)
    assert train.devices == "whole GPUs"


def test_queues_say_what_they_own_borrow_and_lack(tmp_path: Path) -> None:
    found = counted(tmp_path, job(workers=3, gpusPerWorker=8))
    research = next(line for line in found.queues if (line.queue, line.pool) == ("research", "train"))
    free = next(line for line in found.queues if (line.queue, line.pool) == ("free", "spare"))

    assert (research.own, research.borrows, research.most, research.asked, research.left) == (16, 8, 24, 24, -8)
    assert (free.own, free.borrows, free.most) == (0, None, 8)


def test_teams_without_a_queue_have_their_quota(tmp_path: Path) -> None:
    found = counted(tmp_path, job(team="outside", workers=2, gpusPerWorker=4))

    assert [(line.team, line.resource, line.limit, line.left) for line in found.teams] == [("outside", GPU, 8, 0)]


def test_jobs_say_what_they_start_with(tmp_path: Path) -> None:
    found = counted(
        tmp_path,
        job("within", workers=2, gpusPerWorker=8),
        job("beyond", workers=3, gpusPerWorker=8, sync="false"),
        job("quota", team="outside"),
    )

    assert {line.job: line.from_ for line in found.jobs} == {
        "within": "own",
        "beyond": f"own and 8 {GPU} borrowed",
        "quota": "quota",
    }
    assert [line.job for line in found.jobs if not line.started] == ["beyond"]


def test_a_job_without_a_pool_counts_where_its_queue_sends_it(tmp_path: Path) -> None:
    text = job(workers=1, gpusPerWorker=8).replace(", pool: train", "")
    (line,) = counted(tmp_path, text).jobs

    assert line.pool == "train"


def test_a_job_that_can_never_be_met_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="queue research never has more than 24 of pool train"):
        counted(tmp_path, job(workers=4, gpusPerWorker=8))


def test_programs_read_the_same_lines(tmp_path: Path) -> None:
    found = as_json(counted(tmp_path, job()))

    assert found["pools"][0]["perNode"] == 8
    assert found["jobs"] == [
        {
            "job": "one",
            "team": "vision",
            "queue": "research",
            "pool": "train",
            "asks": {GPU: 1},
            "started": True,
            "from": "own",
        }
    ]


def test_people_read_tables(tmp_path: Path) -> None:
    pools, queues, _, jobs = as_text(counted(tmp_path, job())).split("\n\n")

    assert pools.splitlines()[1] == "train  whole GPUs  nvidia.com/gpu      4     8   32     16      1    31"
    assert "free      free    train  nvidia.com/gpu    0  all idle    32" in queues
    assert jobs.splitlines()[1].split() == [
        "one",
        "vision",
        "research",
        "train",
        "1",
        GPU,
        "by",
        "the",
        "engine",
        "own",
    ]


def test_prices_are_the_share_of_the_node_that_started_jobs_ask_for(tmp_path: Path) -> None:
    priced = STACK.replace("name: train,", "name: train, pricePerHour: 32,")
    assert priced != STACK
    jobs = job(workers=2, gpusPerWorker=8) + job("small", workers=1, gpusPerWorker=2) + job("by-hand", sync="false")
    write(tmp_path, {"stacks/a.yaml": f"{priced}jobs:\n{jobs}"})
    found = explain_capacity(tmp_path, "a")

    assert [(line.pool, line.who, line.cards, line.per_hour) for line in found.prices] == [
        ("train", "all nodes", 32.0, 128.0),
        ("train", "vision", 18.0, 72.0),
    ]
    assert "PRICE OF AN HOUR" in as_text(found)
