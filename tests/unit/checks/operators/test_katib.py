"""Experiments that Katib's webhook refuses."""

from __future__ import annotations

import pytest

from platform_def.checks.rules.operators.value_refused import VALUE_REFUSED
from tests.unit.checks.operators.judged import findings, told

_REFUSED = "Katib's webhook refuses it"
_EXPERIMENT = """apiVersion: kubeflow.org/v1beta1
kind: Experiment
metadata: {name: search, namespace: a}
spec:
  objective: {type: maximize, objectiveMetricName: accuracy, additionalMetricNames: [loss]}
  algorithm: {algorithmName: random}
  parallelTrialCount: 2
  maxTrialCount: 4
  maxFailedTrialCount: 1
  resumePolicy: Never
  metricsCollectorSpec: {collector: {kind: StdOut}}
  parameters:
    - {name: lr, parameterType: double, feasibleSpace: {min: "0.01", max: "0.1"}}
    - {name: optimizer, parameterType: categorical, feasibleSpace: {list: [sgd, adam]}}
  trialTemplate:
    primaryContainerName: train
    trialParameters: [{name: rate, reference: lr}, {name: how, reference: optimizer}]
    trialSpec:
      apiVersion: batch/v1
      kind: Job
      spec:
        template:
          spec:
            restartPolicy: Never
            containers:
              - {name: train, image: "a:1", args: ["${trialParameters.rate}", "${trialParameters.how}"]}
"""
_TEMPLATE = "spec.trialTemplate"


@pytest.mark.parametrize(
    ("old", "new", "path", "text"),
    [
        ("name: search", "name: 1-search", "metadata.name", "'1-search' does not begin with a letter"),
        ("name: search", f"name: {'s' * 41}", "metadata.name", "has 41 characters"),
        ("parallelTrialCount: 2", "parallelTrialCount: 0", "spec.parallelTrialCount", "0 is less than 1"),
        ("Count: 4", "Count: 0", "spec.maxTrialCount", "0 is less than 1"),
        ("FailedTrialCount: 1", "FailedTrialCount: -1", "spec.maxFailedTrialCount", "-1 is less than 0"),
        (
            "parallelTrialCount: 2",
            "parallelTrialCount: 5",
            "spec.parallelTrialCount",
            "5 is more than maxTrialCount, 4",
        ),
        ("FailedTrialCount: 1", "FailedTrialCount: 5", "spec.maxFailedTrialCount", "5 is more than maxTrialCount, 4"),
        ("type: maximize", "type: maximise", "spec.objective.type", "'maximise' is neither maximize nor minimize"),
        ("type: maximize, ", "", "spec.objective.type", "is missing"),
        ("objectiveMetricName: accuracy, ", "", "spec.objective.objectiveMetricName", "is missing"),
        ("[loss]", "[accuracy]", "spec.objective.additionalMetricNames", "names accuracy, which is the objective's"),
        ("algorithmName: random", "algorithmSettings: []", "spec.algorithm.algorithmName", "is missing"),
        ("resumePolicy: Never", "resumePolicy: Always", "spec.resumePolicy", "'Always' is no policy"),
        ("kind: StdOut", "kind: Stdout", "spec.metricsCollectorSpec.collector.kind", "'Stdout' is no collector"),
        (
            "{collector: {kind: StdOut}}",
            "{collector: {kind: StdOut}, source: {filter: {metricsFormat: ['loss: (.*)']}}}",
            "spec.metricsCollectorSpec.source.filter.metricsFormat[0]",
            "has no two groups, for name and value",
        ),
        (
            "{collector: {kind: StdOut}}",
            "{collector: {kind: File}, source: {fileSystemPath: {kind: File, path: metrics}}}",
            "spec.metricsCollectorSpec.source.fileSystemPath.path",
            "is not absolute",
        ),
        (
            "{collector: {kind: StdOut}}",
            "{collector: {kind: File}, source: {fileSystemPath: {kind: File, path: /metrics, format: CSV}}}",
            "spec.metricsCollectorSpec.source.fileSystemPath.format",
            "is no format",
        ),
        (
            "{collector: {kind: StdOut}}",
            "{collector: {kind: File}, source: {filter: {metricsFormat: [(a)=(b)]}, fileSystemPath: {format: JSON}}}",
            "spec.metricsCollectorSpec.source.filter",
            "does not go with JSON",
        ),
        ("parameterType: double", "parameterType: float", "spec.parameters[0].parameterType", "'float' is no type"),
        ("parameterType: double, ", "", "spec.parameters[0].parameterType", "is missing"),
        ('{min: "0.01", max: "0.1"}', "{}", "spec.parameters[0].feasibleSpace", "is empty"),
        ('min: "0.01", ', "", "spec.parameters[0].feasibleSpace.min", "double needs min and max"),
        (', max: "0.1"', "", "spec.parameters[0].feasibleSpace.max", "double needs min and max"),
        (
            'max: "0.1"',
            'max: "0.1", list: ["1"]',
            "spec.parameters[0].feasibleSpace.list",
            "double has min and max, and no list",
        ),
        (
            "[sgd, adam]",
            '[sgd, adam], step: "1"',
            "spec.parameters[1].feasibleSpace.step",
            "categorical has a list alone",
        ),
        ("primaryContainerName: train\n", "retain: true\n", f"{_TEMPLATE}.primaryContainerName", "is missing"),
        (
            "    trialParameters",
            "    configMap: {configMapName: a}\n    trialParameters",
            f"{_TEMPLATE}.configMap",
            "does not go with trialSpec",
        ),
        ("    trialParameters", "    others", f"{_TEMPLATE}.trialParameters", "is missing"),
        ("    trialSpec:", "    others:", _TEMPLATE, "has neither trialSpec nor configMap"),
        (
            "kind: Job",
            "kind: Job\n      metadata: {name: a}",
            f"{_TEMPLATE}.trialSpec.metadata.name",
            "is Katib's to write",
        ),
        ("      apiVersion: batch/v1\n", "", f"{_TEMPLATE}.trialSpec.apiVersion", "is missing"),
        (
            "kind: Job",
            "kind: Workflow",
            f"{_TEMPLATE}.successCondition",
            "is missing, and Katib knows none of Workflow",
        ),
        (
            "reference: lr",
            "reference: rate",
            f"{_TEMPLATE}.trialParameters[0].reference",
            "the experiment has no parameter 'rate'",
        ),
        ("{name: how,", "{name: rate,", f"{_TEMPLATE}.trialParameters[1].name", "'rate' stands there twice"),
        (
            "reference: optimizer",
            "reference: lr",
            f"{_TEMPLATE}.trialParameters[1].reference",
            "'lr' stands there twice",
        ),
        ("{name: how, ", "{", f"{_TEMPLATE}.trialParameters[1].name", "is missing"),
        (
            '"${trialParameters.how}"',
            '"adam"',
            f"{_TEMPLATE}.trialParameters[1].name",
            "the trialSpec does not use ${trialParameters.how}",
        ),
        (
            '"${trialParameters.how}"',
            '"${trialParameters.how}", "${trialParameters.hows}"',
            f"{_TEMPLATE}.trialSpec",
            "uses ${trialParameters.hows}, which trialParameters lacks",
        ),
    ],
)
def test_an_experiment_that_the_webhook_refuses(old: str, new: str, path: str, text: str) -> None:
    assert old in _EXPERIMENT
    assert ("error", path, f"{text}: {_REFUSED}") in told(VALUE_REFUSED, _EXPERIMENT.replace(old, new, 1))


@pytest.mark.parametrize(
    ("algorithm", "path", "text"),
    [
        (
            "{algorithmName: random, algorithmSettings: [{name: random_state, value: '1'}, {name: seed, value: '1'}]}",
            "spec.algorithm.algorithmSettings[1]",
            "random has no setting `seed`",
        ),
        ("{algorithmName: grid}", "spec.parameters", "a grid over lr needs its `step`"),
        ("{algorithmName: cmaes}", "spec.algorithm.algorithmName", "cmaes searches two or more numbers"),
        ("{algorithmName: hyperband}", "spec.algorithm.algorithmSettings", "hyperband needs the setting `r_l`"),
        ("{algorithmName: hyperband}", "spec.maxTrialCount", "Katib 0.19 refuses hyperband's second round"),
    ],
)
def test_an_experiment_that_its_algorithm_cannot_search(algorithm: str, path: str, text: str) -> None:
    found = told(VALUE_REFUSED, _EXPERIMENT.replace("{algorithmName: random}", algorithm))

    assert [each for each in found if each[:2] == ("error", path) and each[2].startswith(text)]


@pytest.mark.parametrize(
    "space",
    [
        '{min: "0", max: "1", step: "0"}',
        '{min: "0", max: "inf"}',
        '{min: "0", max: "1", step: "-1"}',
        '{min: a, max: "1"}',
    ],
)
def test_bounds_that_are_no_numbers_are_no_grid(space: str) -> None:
    odd = _EXPERIMENT.replace('{min: "0.01", max: "0.1"}', space).replace("Name: random", "Name: grid")

    assert told(VALUE_REFUSED, odd) == []


def test_an_algorithm_of_another_project_is_not_judged() -> None:
    other = "{algorithmName: ours, algorithmSettings: [{name: seed, value: '1'}]}"

    assert told(VALUE_REFUSED, _EXPERIMENT.replace("{algorithmName: random}", other)) == []


def test_a_sound_experiment_is_let_be() -> None:
    assert told(VALUE_REFUSED, _EXPERIMENT) == []
    of_trial = _EXPERIMENT.replace("reference: lr", 'reference: "${trialSpec.Name}"')
    assert told(VALUE_REFUSED, of_trial) == []
    other = _EXPERIMENT.replace("kind: Job", "kind: PyTorchJob").replace("batch/v1", "kubeflow.org/v1")
    assert told(VALUE_REFUSED, other) == []


def test_what_katib_fills_in_counts() -> None:
    few = _EXPERIMENT.replace("  parallelTrialCount: 2\n", "").replace("Count: 4", "Count: 2")
    said = f"3, the default, is more than maxTrialCount, 2: {_REFUSED}"

    assert told(VALUE_REFUSED, few) == [("error", "spec.parallelTrialCount", said)]


def test_there_is_something_to_try_and_one_way_to_try_it() -> None:
    both = _EXPERIMENT.replace("  parameters:", "  nasConfig: {graphConfig: {numLayers: 8}}\n  parameters:")
    neither = _EXPERIMENT.replace("  parameters:", "  others:")

    assert ("error", "spec.nasConfig", f"does not go with parameters: {_REFUSED}") in told(VALUE_REFUSED, both)
    assert ("error", "spec.parameters", f"there is nothing to try: {_REFUSED}") in told(VALUE_REFUSED, neither)


def test_a_template_is_needed() -> None:
    start = _EXPERIMENT.index("  trialTemplate:")

    assert told(VALUE_REFUSED, _EXPERIMENT[:start]) == [("error", _TEMPLATE, f"is missing: {_REFUSED}")]


def test_the_container_whose_metrics_are_read_is_there() -> None:
    (finding,) = findings(
        VALUE_REFUSED, _EXPERIMENT.replace("primaryContainerName: train", "primaryContainerName: trian")
    )

    assert finding.path == f"{_TEMPLATE}.primaryContainerName"
    assert finding.text == "the trial has no container 'trian': no pod of it is made"
    assert finding.hint == "did you mean 'train'?"
