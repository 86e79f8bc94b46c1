"""Kueue: what its webhooks refuse, what it overlooks, levels of topologies, and jobs that start with fewer pods."""

from __future__ import annotations

import pytest

from platform_def.checks.rules.operators.choice_exists import CHOICE_EXISTS
from platform_def.checks.rules.operators.value_refused import VALUE_REFUSED
from platform_def.checks.rules.platform.queue_admits import QUEUE_ADMITS
from tests.unit.checks.operators.judged import findings, told

_QUEUE = "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {{name: research}}\nspec: {spec}\n"
_SOUND = """{namespaceSelector: {}, resourceGroups: [
  {coveredResources: [cpu, memory], flavors: [
    {name: a, resources: [{name: cpu, nominalQuota: 8}, {name: memory, nominalQuota: 8Gi}]},
    {name: b, resources: [{name: cpu, nominalQuota: 8}, {name: memory, nominalQuota: 8Gi}]}]},
  {coveredResources: [nvidia.com/gpu], flavors: [{name: c, resources: [{name: nvidia.com/gpu, nominalQuota: 8}]}]}]}"""
_FIRST = "spec.resourceGroups[0].flavors[0].resources[0]"


@pytest.mark.parametrize(
    ("old", "new", "path", "text"),
    [
        (
            "coveredResources: [nvidia.com/gpu], flavors: [{name: c, resources: [{name: nvidia.com/gpu",
            "coveredResources: [cpu], flavors: [{name: c, resources: [{name: cpu",
            "spec.resourceGroups[1].coveredResources[0]",
            "cpu is covered at spec.resourceGroups[0].coveredResources[0] as well: Kueue's webhook refuses the queue",
        ),
        (
            "{name: b, resources: [{name: cpu, nominalQuota: 8}, {name: memory, nominalQuota: 8Gi}]}",
            "{name: b, resources: [{name: memory, nominalQuota: 8Gi}, {name: cpu, nominalQuota: 8}]}",
            "spec.resourceGroups[0].flavors[1].resources[0].name",
            "the resources are not in the order of coveredResources (cpu, memory): Kueue's webhook refuses the queue",
        ),
        (
            "{name: b, resources: [{name: cpu, nominalQuota: 8}, {name: memory, nominalQuota: 8Gi}]}",
            "{name: b, resources: [{name: cpu, nominalQuota: 8}]}",
            "spec.resourceGroups[0].flavors[1].resources",
            "has quotas of cpu, and its group covers cpu, memory: Kueue refuses the queue",
        ),
        (
            "name: c,",
            "name: a,",
            "spec.resourceGroups[1].flavors[0].name",
            "flavor a is listed at spec.resourceGroups[0].flavors[0].name as well: Kueue's webhook refuses the queue",
        ),
        (
            "[{name: cpu, nominalQuota: 8}",
            "[{name: cpu, nominalQuota: 8, borrowingLimit: 4}",
            f"{_FIRST}.borrowingLimit",
            "needs cohortName: Kueue's webhook refuses it",
        ),
        (
            "[{name: cpu, nominalQuota: 8}",
            "[{name: cpu, nominalQuota: -1}",
            f"{_FIRST}.nominalQuota",
            "is less than 0: Kueue's webhook refuses it",
        ),
        (
            "{namespaceSelector: {},",
            "{cohortName: all, preemption: {borrowWithinCohort: {policy: LowerPriority}},",
            "spec.preemption.borrowWithinCohort.policy",
            "LowerPriority cannot be combined with reclaimWithinCohort: Never (the default): Kueue's webhook refuses it",
        ),
        (
            "{namespaceSelector: {},",
            "{admissionChecksStrategy: {admissionChecks: [{name: x, onFlavors: [d]}]},",
            "spec.admissionChecksStrategy.admissionChecks[0].onFlavors[0]",
            "'d' is not a flavor of the queue: Kueue's webhook refuses it",
        ),
    ],
)
def test_a_queue_that_the_webhook_refuses(old: str, new: str, path: str, text: str) -> None:
    assert ("error", path, text) in told(VALUE_REFUSED, _QUEUE.format(spec=_SOUND.replace(old, new, 1)))


def test_more_is_lent_than_there_is() -> None:
    lent = _SOUND.replace("nominalQuota: 8}", "nominalQuota: 8, lendingLimit: 9}", 1)
    queue = _QUEUE.format(spec=lent.replace("{namespaceSelector", "{cohortName: all, namespaceSelector"))
    cohort = queue.replace("kind: ClusterQueue", "kind: Cohort").replace("cohortName", "parentName")

    assert told(VALUE_REFUSED, queue) == [
        ("error", f"{_FIRST}.lendingLimit", "9 is more than nominalQuota, 8: Kueue's webhook refuses it")
    ]
    assert told(VALUE_REFUSED, cohort) == []


def test_what_the_api_server_says_itself_is_not_said_again() -> None:
    twice = _QUEUE.format(spec=_SOUND.replace("{name: b,", "{name: a,"))
    old = _QUEUE.format(spec=_SOUND.replace("nominalQuota: 8}", "nominalQuota: 8, borrowingLimit: 4}", 1))

    assert told(VALUE_REFUSED, twice) == []
    assert told(VALUE_REFUSED, old.replace("v1beta2", "v1beta1")) == []


def test_sound_queues_are_let_be() -> None:
    borrowing = _SOUND.replace("nominalQuota: 8}", "nominalQuota: 8, borrowingLimit: 4}")

    assert told(VALUE_REFUSED, _QUEUE.format(spec=_SOUND)) == []
    assert told(VALUE_REFUSED, _QUEUE.format(spec=borrowing.replace("{names", "{cohortName: all, names"))) == []


_JOB = """apiVersion: batch/v1
kind: Job
metadata: {{name: train, namespace: a, {metadata}}}
spec:
  parallelism: 4
  completions: 4
  template:
    metadata: {{annotations: {annotations}}}
    spec:
      restartPolicy: Never
      containers: [{{name: main, image: "train:1", resources: {{requests: {{cpu: 1}}}}}}]
---
"""


def _job(metadata: str = "", annotations: str = "{}") -> str:
    return _JOB.format(metadata=metadata, annotations=annotations)


def test_a_queue_name_as_annotation_queues_nothing() -> None:
    (finding,) = findings(VALUE_REFUSED, _job('annotations: {kueue.x-k8s.io/queue-name: "research"}'))
    both = "labels: {kueue.x-k8s.io/queue-name: a}, annotations: {kueue.x-k8s.io/queue-name: a}"

    assert (finding.severity, finding.path) == ("warning", 'metadata.annotations["kueue.x-k8s.io/queue-name"]')
    assert finding.text == "Kueue reads the queue only from a label: the job is in no queue"
    assert finding.hint == "write it under labels: `kueue.x-k8s.io/queue-name: research`"
    assert told(VALUE_REFUSED, _job(both)) == []


_LEVELS = """apiVersion: kueue.x-k8s.io/v1beta2
kind: Topology
metadata: {name: racks}
spec: {levels: [{nodeLabel: example.com/rack}, {nodeLabel: kubernetes.io/hostname}]}
"""


@pytest.mark.parametrize("word", ["podset-required-topology", "podset-preferred-topology"])
def test_a_level_that_no_topology_has(word: str) -> None:
    wrong = _job(annotations=f"{{kueue.x-k8s.io/{word}: example.com/racks}}")
    right = _job(annotations=f"{{kueue.x-k8s.io/{word}: example.com/rack}}")
    (finding,) = findings(CHOICE_EXISTS, wrong + _LEVELS)

    assert finding.path == f'spec.template.metadata.annotations["kueue.x-k8s.io/{word}"]'
    assert finding.text == "no Topology has a level 'example.com/racks': Kueue never admits the job"
    assert finding.hint == "did you mean 'example.com/rack'?"
    assert told(CHOICE_EXISTS, right + _LEVELS) == []
    assert told(CHOICE_EXISTS, wrong) == []


@pytest.mark.parametrize(
    ("annotations", "text"),
    [
        (
            "{kueue.x-k8s.io/podset-required-topology: a, kueue.x-k8s.io/podset-preferred-topology: b}",
            "cannot be combined with podset-required-topology: Kueue's webhook refuses the job",
        ),
        (
            "{kueue.x-k8s.io/podset-slice-required-topology: a}",
            "needs podset-slice-size: Kueue's webhook refuses the job",
        ),
        (
            '{kueue.x-k8s.io/podset-slice-required-topology: a, kueue.x-k8s.io/podset-slice-size: "0"}',
            "'0' is not a number of pods: Kueue's webhook refuses the job",
        ),
    ],
)
def test_topology_annotations_that_the_webhook_refuses(annotations: str, text: str) -> None:
    assert [each for _, _, each in told(VALUE_REFUSED, _job(annotations=annotations))] == [text]


@pytest.mark.parametrize("least", ["0", "4", "all"])
def test_a_least_parallelism_that_the_webhook_refuses(least: str) -> None:
    (finding,) = findings(VALUE_REFUSED, _job(f'annotations: {{kueue.x-k8s.io/job-min-parallelism: "{least}"}}'))

    assert finding.text == f"'{least}' is not at least 1 and below the job's 4 pods: Kueue's webhook refuses it"


def test_a_job_that_may_start_with_fewer_pods_counts_these() -> None:
    small = _QUEUE.format(spec=_SOUND.replace("nominalQuota: 8}", "nominalQuota: 2}"))
    local = "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\nmetadata: {name: q, namespace: a}\n"
    queues = f"{small}{local}spec: {{clusterQueue: research}}\n"
    label = "labels: {kueue.x-k8s.io/queue-name: q}"
    partial = f'{label}, annotations: {{kueue.x-k8s.io/job-min-parallelism: "%s"}}'

    assert "asks for 4 of cpu" in told(QUEUE_ADMITS, _job(label) + queues)[0][2]
    assert "asks for 3 of cpu" in told(QUEUE_ADMITS, _job(partial % 3) + queues)[0][2]
    assert told(QUEUE_ADMITS, _job(partial % 2) + queues) == []
