"""Workflows that Argo ends at once, and schedules at which none starts."""

from __future__ import annotations

import pytest

from platform_def.checks.rules.operators.value_refused import VALUE_REFUSED
from tests.unit.checks.operators.judged import findings, told

_SPEC = """
  entrypoint: main
  onExit: tidy
  templates:
    - name: main
      dag:
        tasks:
          - {name: load, template: run}
          - {name: train, template: run, dependencies: [load]}
          - {name: any, template: "{{item}}", dependencies: ["{{item}}"]}
    - {name: tidy, steps: [[{name: one, template: run}]]}
    - {name: run, container: {image: "a.example.com/a:1"}}
"""
_WORKFLOW = f"apiVersion: argoproj.io/v1alpha1\nkind: Workflow\nmetadata: {{name: w, namespace: a}}\nspec:{_SPEC}"
_CRON = (
    "apiVersion: argoproj.io/v1alpha1\nkind: CronWorkflow\nmetadata: {name: c, namespace: a}\nspec:\n"
    '  schedules: ["0 3 * * 1"]\n  timezone: Europe/Berlin\n  concurrencyPolicy: Forbid\n  workflowSpec:'
    + _SPEC.replace("\n", "\n  ").rstrip()
    + "\n"
)
_TASKS = "spec.templates[0].dag.tasks"


@pytest.mark.parametrize(
    ("old", "new", "path", "text"),
    [
        ("entrypoint: main", "entrypoint: mian", "spec.entrypoint", "has no template 'mian'"),
        ("  entrypoint: main\n", "", "spec", "names no entrypoint"),
        ("onExit: tidy", "onExit: tidyy", "spec.onExit", "has no template 'tidyy'"),
        ("load, template: run", "load, template: rnu", f"{_TASKS}[0].template", "has no template 'rnu'"),
        ("one, template: run", "one, template: rnu", "spec.templates[1].steps[0][0].template", "has no template 'rnu'"),
        ("[load]", "[laod]", f"{_TASKS}[1].dependencies[0]", "has no task 'laod'"),
        ("[load]", "[load, train]", f"{_TASKS}[1].dependencies[1]", "lets 'train' wait for itself"),
        (
            "example.com/a:1",
            "example.com/a:{{inputs.parameters.tag}}",
            "spec.templates[2].container.image",
            "has a template without the input 'tag' among its parameters",
        ),
        ("{name: tidy, steps", "{name: run, steps", "spec.templates[2].name", "has 2 templates 'run'"),
    ],
)
def test_names_that_lead_nowhere(old: str, new: str, path: str, text: str) -> None:
    assert old in _WORKFLOW
    assert ("error", path, f"the workflow {text}") in told(VALUE_REFUSED, _WORKFLOW.replace(old, new, 1))


def test_a_sound_workflow_is_let_be() -> None:
    assert told(VALUE_REFUSED, _WORKFLOW) == []
    assert told(VALUE_REFUSED, _CRON) == []
    assert told(VALUE_REFUSED, _CRON.replace("Europe/Berlin", "Local")) == []
    template = _WORKFLOW.replace("kind: Workflow", "kind: WorkflowTemplate").replace("  entrypoint: main\n", "")
    assert told(VALUE_REFUSED, template) == []
    given = 'inputs: {parameters: [{name: tag}]}, container: {image: "a.example.com/a:{{ inputs.parameters.tag }}"}'
    assert told(VALUE_REFUSED, _WORKFLOW.replace('container: {image: "a.example.com/a:1"}', given)) == []
    by_default = _WORKFLOW.replace("a:1", "a:{{inputs.parameters.tag}}").replace(
        "  entrypoint", "  templateDefaults: {timeout: 30s}\n  entrypoint"
    )
    assert told(VALUE_REFUSED, by_default) == []
    elsewhere = _WORKFLOW[: _WORKFLOW.index("\n  entrypoint")] + " {entrypoint: a, workflowTemplateRef: {name: b}}\n"
    assert told(VALUE_REFUSED, elsewhere) == []


def test_the_nearest_template_is_offered() -> None:
    (finding,) = findings(VALUE_REFUSED, _WORKFLOW.replace("entrypoint: main", "entrypoint: mian"))

    assert finding.hint == "did you mean 'main'?"


@pytest.mark.parametrize(
    ("old", "new", "path", "text"),
    [
        (
            "0 3 * * 1",
            "61 3 * * 1",
            "spec.schedules[0]",
            "'61' is no minute of a cron schedule (0 to 59, or *, lists, ranges and steps): it never starts",
        ),
        (
            'schedules: ["0 3 * * 1"]',
            'schedule: "0 3 * *"',
            "spec.schedule",
            "'0 3 * *' has 4 fields, where minute, hour, day, month and weekday are expected: it never starts",
        ),
        (
            "concurrencyPolicy: Forbid",
            "concurrencyPolicy: Never",
            "spec.concurrencyPolicy",
            "'Never' is no policy: the controller refuses the workflow",
        ),
        ("entrypoint: main", "entrypoint: mian", "spec.workflowSpec.entrypoint", "the workflow has no template 'mian'"),
    ],
)
def test_a_cron_workflow_that_never_starts(old: str, new: str, path: str, text: str) -> None:
    assert old in _CRON
    assert told(VALUE_REFUSED, _CRON.replace(old, new, 1)) == [("error", path, text)]


@pytest.mark.parametrize("zone", ["Mars Phobos", "Asia/Beijing", "europe/berlin"])
def test_a_time_zone_that_is_none(zone: str) -> None:
    ((severity, path, text),) = told(VALUE_REFUSED, _CRON.replace("Europe/Berlin", zone))

    assert (severity, path) == ("error", "spec.timezone")
    assert text.endswith(": it never starts")


def test_a_time_zone_may_stand_before_the_schedule() -> None:
    assert told(VALUE_REFUSED, _CRON.replace('"0 3', '"CRON_TZ=Europe/Berlin 0 3')) == []
