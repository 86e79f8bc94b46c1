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
    return said({FILE: dump(manifest).encode()}, files or {}, retired=retired)


def said(before: Mapping[str, bytes], after: Mapping[str, bytes], *, retired: bool = False) -> list[str]:
    """What is said where the files of a stack become others."""
    previous = Previous(
        lambda _: (),
        lambda stack: [Index(stack=stack, files=digests(before))],
        lambda _, paths: {path: before[path] for path in paths},
        delivered=True,
    )
    found: tuple[Removal, ...] = removals(previous, {} if retired else {"a": after}, ["a"] if retired else [])
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


ROOT = "_delivery/argocd/application.argoproj.io-platform.yaml"
POLICY = "_delivery/_cluster/validatingadmissionpolicy.admissionregistration.k8s.io-platform-def-removal.yaml"
DEFINITION = "issuer/crds/_cluster/customresourcedefinition.apiextensions.k8s.io-issuers.example.com.yaml"
ISSUER = "issuer/after/_cluster/issuer.example.com-own.yaml"
ALONE = "no policy keeps their operator until these are gone, and what carries a finalizer may stay for good; "


def operator(*further: str) -> dict[str, bytes]:
    """An operator with its definition and an object of that kind; and further files."""
    names = {"group": "example.com", "names": {"kind": "Issuer"}}
    made: dict[str, dict[str, object]] = {
        DEFINITION: {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "spec": names},
        ISSUER: {"apiVersion": "example.com/v1", "kind": "Issuer"},
        "issuer/main/own/deployment.apps-issuer.yaml": {"apiVersion": "apps/v1", "kind": "Deployment"},
        **{path: {"apiVersion": "v1", "kind": "ConfigMap"} for path in further},
    }
    return {path: dump({**each, "metadata": {"name": "own"}}).encode() for path, each in made.items()}


def lonely(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> list[str]:
    """What is said of custom resources that leave with their operator."""
    return [line for line in said(before, after) if ALONE in line]


def test_custom_resources_that_leave_with_their_operator_are_named_where_no_policy_keeps_it() -> None:
    root = {ROOT: b""}

    assert lonely(operator(ROOT), root) == [f"a: {ALONE}take them out in a change of their own first: Issuer own"]
    assert lonely(operator(ROOT, POLICY), {**root, POLICY: b""}) == []
    assert lonely(operator(ROOT, POLICY), root) == lonely(operator(ROOT), root), "the policy goes beside them"


def test_custom_resources_that_leave_before_their_operator_are_not() -> None:
    without = {path: content for path, content in operator(ROOT).items() if path != ISSUER}

    assert lonely(operator(ROOT), without) == []
    assert lonely(without, {ROOT: b""}) == []
    assert lonely(operator(), {}) == []  # no engine deletes them
