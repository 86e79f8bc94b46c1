"""Volcano: jobs that its webhook refuses, and gangs that their queue never has room for."""

from __future__ import annotations

import pytest

from platform_def.checks.rules.operators.value_refused import VALUE_REFUSED
from platform_def.checks.rules.platform.queue_admits import QUEUE_ADMITS
from tests.unit.checks.operators.judged import findings, told

_REFUSED = "Volcano's webhook refuses the job"
_POD = '{spec: {restartPolicy: Never, containers: [{name: main, image: "a:1", resources: {requests: {cpu: 2}}}]}}'
_JOB = f"""apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {{name: train, namespace: a}}
spec:
  minAvailable: 3
  queue: research
  plugins: {{svc: [], pytorch: ["--master=master"]}}
  policies: [{{event: PodEvicted, action: RestartJob}}, {{exitCode: 3, action: AbortJob}}]
  tasks:
    - {{name: master, replicas: 1, template: {_POD}}}
    - {{name: worker, replicas: 2, minAvailable: 2, dependsOn: {{name: [master]}}, template: {_POD}}}
"""


@pytest.mark.parametrize(
    ("old", "new", "path", "text"),
    [
        (
            "  minAvailable: 3",
            "  minAvailable: 4",
            "spec.minAvailable",
            "4 is more than the 3 pods that the tasks have together",
        ),
        (
            "minAvailable: 2,",
            "minAvailable: 3,",
            "spec.tasks[1].minAvailable",
            "3 is more than the 2 pods that the task has",
        ),
        ("name: worker", "name: master", "spec.tasks[1].name", "'master' is the name of tasks[0] as well"),
        ("RestartJob", "Restart", "spec.policies[0].action", "'Restart' is not an action"),
        (", action: RestartJob", "", "spec.policies[0].action", "is missing"),
        ("PodEvicted", "PodRunning", "spec.policies[0].event", "no policy may name event 'PodRunning'"),
        ("event: PodEvicted, ", "", "spec.policies[0]", "has neither an event nor an exit code"),
        ("exitCode: 3", "exitCode: 3, event: PodFailed", "spec.policies[1]", "has both an event and an exit code"),
        ("exitCode: 3", "exitCode: 0", "spec.policies[1].exitCode", "0 is not a failure"),
        ("exitCode: 3", "event: PodEvicted", "spec.policies[1]", "event PodEvicted is in [0] as well"),
        ("exitCode: 3", 'event: "*"', "spec.policies[1]", "event * means all, and other policies name events"),
        ("svc: []", "service: []", "spec.plugins.service", "there is no such plugin"),
        ("name: [master]", "name: [main]", "spec.tasks[1].dependsOn.name", "the job has no task 'main'"),
        (
            "replicas: 1,",
            "replicas: 1, dependsOn: {name: [worker]},",
            "spec.tasks[0].dependsOn",
            "the tasks master and worker wait for each other",
        ),
    ],
)
def test_a_job_that_the_webhook_refuses(old: str, new: str, path: str, text: str) -> None:
    assert ("error", path, f"{text}: {_REFUSED}") in told(VALUE_REFUSED, _JOB.replace(old, new, 1))


def test_a_sound_job_is_let_be() -> None:
    assert told(VALUE_REFUSED, _JOB) == []
    assert told(VALUE_REFUSED, _JOB.replace("replicas: 1, ", "").replace("minAvailable: 3", "minAvailable: 9")) == []


def test_the_nearest_action_is_offered() -> None:
    (finding,) = findings(VALUE_REFUSED, _JOB.replace("RestartJob", "RestartJobs"))

    assert finding.hint == "did you mean 'RestartJob'?"


_QUEUE = """---
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {{name: research}}
spec: {{capability: {capability}}}
"""


def test_a_gang_larger_than_its_queue() -> None:
    small, enough = (_QUEUE.format(capability=f"{{cpu: {cpu}}}") for cpu in (5, 6))
    (finding,) = findings(QUEUE_ADMITS, _JOB + small)

    assert finding.path == "spec.minAvailable"
    assert finding.text == "its gang requests 6 of cpu, and Queue research never has more than 5"
    assert told(QUEUE_ADMITS, _JOB + enough) == []
    assert told(QUEUE_ADMITS, _JOB + _QUEUE.format(capability="{memory: 1Gi}")) == []
    assert told(QUEUE_ADMITS, _JOB.replace("  minAvailable: 3", "  minAvailable: 2") + small) == []
    assert told(QUEUE_ADMITS, _JOB.replace("  minAvailable: 3\n", "") + small) != []
