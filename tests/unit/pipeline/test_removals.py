"""What leaves with a change, read from wherever the former files are: the objects of jobs among them."""

from __future__ import annotations

import json
from collections.abc import Mapping

from platform_def.pipeline.changes.previous import Previous
from platform_def.pipeline.changes.removals import Removal, removals
from platform_def.pipeline.output.index import Index, digests
from platform_def.yaml import dump

RUN = "goes on until you delete it in Kubeflow Pipelines: recurring run retrain-1a2b3c4d (experiment weekly)"
PLAN = {"run": "retrain-1a2b3c4d", "experiment": "weekly", "schedule": {"cron": "0 0 3 * * 1"}}
FILE = "_jobs/retrain/team-vision/configmap-retrain-1a2b3c4d.yaml"


def told(plan: object, files: Mapping[str, bytes] | None = None, *, retired: bool = False) -> list[str]:
    """What is said where a stack with the ConfigMap of one job becomes `files`."""
    text = plan if isinstance(plan, str) else json.dumps(plan)
    manifest = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}, "data": {"plan.json": text}}
    before = {FILE: dump(manifest).encode()}
    previous = Previous(
        lambda _: (),
        lambda stack: [Index(stack=stack, files=digests(before))],
        lambda _, paths: {path: before[path] for path in paths},
        delivered=True,
    )
    found: tuple[Removal, ...] = removals(previous, {} if retired else {"a": files or {}}, ["a"] if retired else [])
    return [line for each in found for line in each.lines()]


def test_a_recurring_run_that_stays_in_the_server_is_told_with_its_name() -> None:
    assert told(PLAN) == [
        "a: no longer rendered, though what runs goes on: job retrain",
        f"a: {RUN}",
    ]


def test_a_single_run_is_not() -> None:
    assert told({**PLAN, "schedule": None}) == ["a: no longer rendered, though what runs goes on: job retrain"]


def test_a_plan_that_was_edited_by_hand_says_nothing() -> None:
    assert told("{") == told("[]") == ["a: no longer rendered, though what runs goes on: job retrain"]


def test_a_job_that_stays_replaces_its_recurring_run_itself() -> None:
    """Its Job deletes those of former contents."""
    assert told(PLAN, {FILE.replace("1a2b3c4d", "5e6f7a8b"): b""}) == []


def test_a_retired_stack_takes_its_server_along() -> None:
    assert f"a: {RUN}" not in told(PLAN, retired=True)
