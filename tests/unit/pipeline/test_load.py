"""Stack files: inheritance, names, and every problem with file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from platform_def.errors import ConfigError
from platform_def.pipeline.load import load

HEAD = 'apiVersion: platform-def/v1\ncluster: {kubernetes: "1.36"}\n'


def repository(root: Path, **stacks: str) -> Path:
    for name, text in stacks.items():
        path = root / "stacks" / f"{name.replace('__', '/').replace('_', '-')}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def problems(root: Path, *names: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        load(root, names)
    return [str(problem) for problem in caught.value.problems]


def test_a_cluster_is_called_as_its_stack(tmp_path: Path) -> None:
    loaded = load(repository(tmp_path, gpu_prod=HEAD))

    assert loaded[0].name == "gpu-prod"
    assert loaded[0].stack.cluster.name == "gpu-prod"


def test_files_in_folders_below_are_bases_and_no_stacks(tmp_path: Path) -> None:
    root = repository(tmp_path, a="extends: [base/b.yaml]\n", base__b=HEAD)

    assert [loaded.name for loaded in load(root)] == ["a"]


def test_the_last_of_several_bases_wins_and_the_file_itself_over_all(tmp_path: Path) -> None:
    root = repository(
        tmp_path,
        a=HEAD + "extends: [base/one.yaml, base/two.yaml]\navailability: ha\n",
        base__one="gateway: istio\navailability: standard\n",
        base__two="gateway: emissary\n",
    )

    stack = load(root)[0].stack

    assert stack.gateway == "emissary"
    assert stack.availability == "ha"


def test_a_folder_is_no_base(tmp_path: Path) -> None:
    [text] = problems(repository(tmp_path, a=HEAD + "extends:\n- base\n", base__b=HEAD))

    assert text == "error: stacks/a.yaml:4: extends 'base', which is no file\n  hint: name the files in it"


def test_a_circle_of_bases_is_named_in_full(tmp_path: Path) -> None:
    root = repository(tmp_path, a=HEAD + "extends: [base/b.yaml]\n", base__b="extends: [../a.yaml]\n")

    assert "stacks/a.yaml → stacks/base/b.yaml → stacks/a.yaml" in problems(root)[0]


@pytest.mark.parametrize("base", ["/etc/passwd", "../../outside.yaml", "base/none.yaml"])
def test_a_base_outside_or_absent_is_an_error_with_its_line(tmp_path: Path, base: str) -> None:
    root = repository(tmp_path / "repo", a=HEAD + f"extends:\n  - {base}\n")

    found = problems(root)

    assert found[0].startswith("error: stacks/a.yaml:4: extends")


@pytest.mark.parametrize("target", ["loop.yaml", "none.yaml"])
def test_a_base_that_is_a_link_to_nowhere_is_an_error_with_its_line(tmp_path: Path, target: str) -> None:
    root = repository(tmp_path, a=HEAD + "extends:\n  - base/loop.yaml\n")
    (root / "stacks/base").mkdir()
    (root / "stacks/base/loop.yaml").symlink_to(target)

    assert problems(root) == ["error: stacks/a.yaml:4: extends 'base/loop.yaml', which is not there"]


def test_a_stack_that_is_a_link_to_itself_is_not_passed_over(tmp_path: Path) -> None:
    root = repository(tmp_path, a=HEAD)
    (root / "stacks/b.yaml").symlink_to("b.yaml")

    assert problems(root) == ["error: stacks/b.yaml: is a link that leads nowhere"]


def test_stacks_that_may_not_be_listed_are_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path) -> None:
        raise PermissionError(13, "Permission denied", str(self))

    root = repository(tmp_path, a=HEAD)
    monkeypatch.setattr(Path, "iterdir", refuse)

    assert problems(root) == ["error: stacks: cannot be read: Permission denied"]


def test_unknown_fields_get_the_nearest_known_name(tmp_path: Path) -> None:
    root = repository(tmp_path, a=HEAD + "nodePool: []\n")

    assert problems(root) == ["error: stacks/a.yaml:3: nodePool: unknown field\n  hint: did you mean 'nodePools'?"]


def test_python_spelling_is_not_the_files_spelling(tmp_path: Path) -> None:
    root = repository(tmp_path, a=HEAD + "node_pools: []\n")

    assert "did you mean 'nodePools'" in problems(root)[0]


def test_problems_of_all_stacks_come_together(tmp_path: Path) -> None:
    root = repository(
        tmp_path,
        a=HEAD + "x: 1\navailability: high\n",
        b='apiVersion: platform-def/v1\ncluster: {kubernetes: "1.2"}\n',
        c="a: [\n",
    )

    found = problems(root)

    assert len(found) == 4
    assert [text.split(":")[1].strip() for text in found] == [
        "stacks/a.yaml",
        "stacks/a.yaml",
        "stacks/b.yaml",
        "stacks/c.yaml",
    ]


def test_a_problem_inside_a_pool_names_the_line_of_the_value(tmp_path: Path) -> None:
    root = repository(tmp_path, a=HEAD + "nodePools:\n  - name: t\n    gpu:\n      model: a100\n      perNode: many\n")

    assert problems(root)[0].startswith(
        "error: stacks/a.yaml:7: nodePools[0].gpu.perNode: a whole number is wanted, not 'many'"
    )


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (
            "nodePools:\n  - {name: a, selector: {p: q}}\n  - name: b\n    selector: {p: q}\n",
            "6: nodePools[1].selector: pools a and b have one selector",
        ),
        ("nodePools:\n  - {name: a}\n  - {name: a}\n", "5: nodePools[1]: two node pools are called 'a'"),
        ("teams:\n  - {name: a}\n  - {name: b, namespace: team-a}\n", "5: teams[1]: two team namespaces"),
        (
            "storage:\n  a: {driver: existing, default: true}\n  b: {driver: existing, default: true}\n",
            "5: storage.b.default: only one storage class can be the default",
        ),
    ],
)
def test_values_that_do_not_go_together_are_told_at_the_one_to_change(tmp_path: Path, text: str, place: str) -> None:
    [found] = problems(repository(tmp_path, a=HEAD + text))

    assert f"stacks/a.yaml:{place}" in found


@pytest.mark.parametrize(
    ("pool", "words"),
    [
        ("{name: a, rdma: off}", "nodePools[0].rdma: which fabric? write none, infiniband, roce or efa"),
        (
            "{name: a, gpu: {model: k80, perNode: 1, modelLabel: {key: a, values: []}}}",
            "nodePools[0].gpu.modelLabel.values: at least 1 entry is wanted, not none",
        ),
    ],
)
def test_what_is_wanted_is_said_in_the_words_of_the_file(tmp_path: Path, pool: str, words: str) -> None:
    [found] = problems(repository(tmp_path, a=f"{HEAD}nodePools:\n  - {pool}\n"))

    assert words in found


def test_an_unknown_stack_gets_the_nearest_name(tmp_path: Path) -> None:
    root = repository(tmp_path, gpu_prod=HEAD)

    assert problems(root, "gpu-prd") == ["error: stack 'gpu-prd' is not there\n  hint: did you mean 'gpu-prod'?"]


def test_whole_and_shared_cards_under_one_name_are_refused(tmp_path: Path) -> None:
    pools = """nodePools:
  - {name: w, gpu: {model: a100, perNode: 8}}
  - {name: s, gpu: {model: t4, perNode: 4, sharing: {mode: time-slicing, replicas: 4}}}
"""
    root = repository(tmp_path, a=HEAD + pools)

    assert "rename: true" in problems(root)[0]


@pytest.mark.parametrize(
    ("pool", "words"),
    [
        (
            "gpu: {model: a100, perNode: 8, mig: {layout: {1g.10gb: 7}}, sharing: {mode: mps, replicas: 2}}",
            "MPS cannot be combined with MIG",
        ),
        ("gpu: {model: a100, perNode: 8, sharing: {mode: mps, replicas: 64}}", "at most 48"),
        (
            "gpu: {model: a100, perNode: 8, mig: {strategy: single, layout: {1g.10gb: 1, 2g.20gb: 1}}}",
            "wants one profile",
        ),
        ("gpu: {model: a100, perNode: 8, sharing: {mode: time-slicing, replicas: 1}}", "at least 2 is wanted"),
        ("taints: ['gpu']", "write key=value:NoSchedule"),
    ],
)
def test_what_the_plugin_would_refuse_is_refused_here(tmp_path: Path, pool: str, words: str) -> None:
    root = repository(tmp_path, a=HEAD + f"nodePools:\n  - {{name: p, {pool}}}\n")

    assert words in problems(root)[0]
