"""JobSets and LeaderWorkerSets that their webhooks refuse."""

from __future__ import annotations

import pytest

from platform_def.checks.rules.operators.value_refused import VALUE_REFUSED
from tests.unit.checks.operators.judged import findings, told

_REFUSED = "JobSet's webhook refuses it"
_POD = '{spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: "a.example.com/a:1"}]}}}}'
_SET = f"""apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {{name: train, namespace: a}}
spec:
  successPolicy: {{operator: All, targetReplicatedJobs: [workers]}}
  failurePolicy: {{rules: [{{action: FailJobSet, targetReplicatedJobs: [driver], onJobFailureReasons: [FailedIndexes]}}]}}
  coordinator: {{replicatedJob: driver}}
  replicatedJobs:
    - {{name: driver, replicas: 1, template: {_POD}}}
    - {{name: workers, replicas: 2, dependsOn: [{{name: driver, status: Ready}}], template: {_POD}}}
"""
_GROUPS = """apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {name: serve, namespace: a}
spec:
  replicas: 0
  leaderWorkerTemplate:
    size: 1
    workerTemplate: {spec: {containers: [{name: a, image: "a.example.com/a:1"}]}}
  rolloutStrategy: {rollingUpdateConfiguration: {maxUnavailable: 0, maxSurge: 1}}
"""


@pytest.mark.parametrize(
    ("old", "new", "path", "text"),
    [
        (
            "[workers]",
            "[worker]",
            "spec.successPolicy.targetReplicatedJobs[0]",
            "there is no replicated job 'worker'",
        ),
        (
            "[driver]",
            "[drive]",
            "spec.failurePolicy.rules[0].targetReplicatedJobs[0]",
            "there is no replicated job 'drive'",
        ),
        (
            "[FailedIndexes]",
            "[FailedIndex]",
            "spec.failurePolicy.rules[0].onJobFailureReasons[0]",
            "'FailedIndex' is no reason for which a Job fails",
        ),
        (
            "replicatedJob: driver",
            "replicatedJob: lead",
            "spec.coordinator.replicatedJob",
            "there is no replicated job 'lead'",
        ),
        (
            "[{name: driver, status",
            "[{name: drivers, status",
            "spec.replicatedJobs[1].dependsOn[0].name",
            "there is no replicated job 'drivers'",
        ),
        (
            "[{name: driver, status",
            "[{name: workers, status",
            "spec.replicatedJobs[1].dependsOn[0].name",
            "'workers' does not come before it, and a job waits for those before it alone",
        ),
    ],
)
def test_a_set_that_the_webhook_refuses(old: str, new: str, path: str, text: str) -> None:
    assert old in _SET
    assert told(VALUE_REFUSED, _SET.replace(old, new, 1)) == [("error", path, f"{text}: {_REFUSED}")]


def test_sound_sets_are_let_be() -> None:
    assert told(VALUE_REFUSED, _SET) == []
    assert told(VALUE_REFUSED, _GROUPS) == []
    assert (
        told(
            VALUE_REFUSED,
            _GROUPS.replace("maxUnavailable: 0", "maxUnavailable: 1").replace("maxSurge: 1", "maxSurge: 0"),
        )
        == []
    )


def test_the_nearest_job_is_offered() -> None:
    (finding,) = findings(VALUE_REFUSED, _SET.replace("[workers]", "[worker]"))

    assert finding.hint == "did you mean 'workers'?"


@pytest.mark.parametrize(
    ("old", "new", "path", "text"),
    [
        ("size: 1", "size: 0", "spec.leaderWorkerTemplate.size", "a group of 0 pods has no leader"),
        ("replicas: 0", "replicas: -1", "spec.replicas", "-1 is less than 0"),
        (
            "maxSurge: 1",
            "maxSurge: 0",
            "spec.rolloutStrategy.rollingUpdateConfiguration.maxUnavailable",
            "is 0, and so is maxSurge: no group could be replaced",
        ),
    ],
)
def test_groups_that_the_webhook_refuses(old: str, new: str, path: str, text: str) -> None:
    said = f"{text}: LeaderWorkerSet's webhook refuses it"

    assert told(VALUE_REFUSED, _GROUPS.replace(old, new, 1)) == [("error", path, said)]
