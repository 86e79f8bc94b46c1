"""What a user reads of a wrong value: plain words, the nearest known one, and one problem at its own line."""

from __future__ import annotations

from pathlib import Path

import pytest

from platform_def.errors import PlatformError
from tests.unit.pipeline.repository import HEAD, OPERATOR, synthesise, write

JOB = (
    "teams: [{name: a}]\nnodePools: [{name: p, nodes: 1, gpu: {model: t4, perNode: 4}}]\n"
    'jobs:\n- {template: pytorch-ddp, name: x, team: a, pool: p, image: "r/x:1", command: [x], workers: 1, gpusPerWorker: 1%s}\n'
)


def problems(root: Path, text: str) -> list[str]:
    with pytest.raises(PlatformError) as caught:
        synthesise(write(root, {"stacks/a.yaml": text}))
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (OPERATOR.replace('"1.36"', "1.36"), ":2: cluster.kubernetes: text is wanted, not 1.36\n  hint: write it in quotes"),
        (OPERATOR.replace('"1.36"', '"1.36", distribution: kubadm'), "is wanted, not 'kubadm'\n  hint: did you mean 'kubeadm'?"),
        (f"{OPERATOR}availability: hah\n", "did you mean 'ha'?"),
        (f"{OPERATOR}delivery: {{engine: argo-cd}}\n", "did you mean 'argocd'?"),
        (f"{OPERATOR}storage: {{x: {{driver: cephsf}}}}\n", "did you mean 'cephfs'?"),
        (OPERATOR.replace("{}", "{threads: 65}"), "components.training-operator.threads: at most 64 is wanted, not 65"),
        (OPERATOR.replace("{}", "{threads: 0}"), "components.training-operator.threads: at least 1 is wanted, not 0"),
        (OPERATOR.replace("{}", '{annotations: {a: true}}'), "text is wanted, not true\n  hint: write it in quotes"),
        (f"{OPERATOR}teams: [{{name: a, members: [{{name: ''}}]}}]\n", "at least 1 character is wanted, not none"),
        (HEAD + JOB % f", migProfile: {'x' * 21}", "at most 20 characters are wanted, not 21"),
        (HEAD + JOB.replace("name: x,", f"name: {'x' * 41},") % "", "at most 40 characters are wanted, not 41"),
        (HEAD + JOB.replace("pytorch-ddp", "mpi").replace("command: [x]", "command: []") % "", "at least 1 entry is wanted, not none"),
    ],
)  # fmt: skip
def test_a_wrong_value_is_told_in_plain_words(tmp_path: Path, text: str, words: str) -> None:
    found = problems(tmp_path, text)

    assert any(words in each for each in found), found
    assert not any(technical in each for each in found for technical in ("validation", "should", "Input", "input"))


def test_a_choice_that_nothing_resembles_lists_them_alone(tmp_path: Path) -> None:
    [found] = problems(tmp_path, f"{OPERATOR}availability: 'nginx-ingress-controller'\n")

    assert "one of standard or ha" in found
    assert "hint" not in found


@pytest.mark.parametrize("name", ["x" * 59, "x" * 63])
def test_a_team_whose_namespace_would_be_too_long_is_one_problem(tmp_path: Path, name: str) -> None:
    [found] = problems(tmp_path, f"{OPERATOR}teams:\n- {{name: b}}\n- {{name: {name}}}\n")

    assert found.startswith(
        f"error: stacks/a.yaml:6: teams[1].name: its namespace team-{name} has {len(name) + 5} characters"
    )


def test_a_long_team_may_name_its_namespace(tmp_path: Path) -> None:
    text = f"{OPERATOR}teams: [{{name: {'x' * 63}, namespace: short}}]\n"

    assert synthesise(write(tmp_path, {"stacks/a.yaml": text})).stacks
