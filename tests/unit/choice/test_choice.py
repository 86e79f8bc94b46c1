"""Which tests a change runs: those that may notice it, and all where it is uncertain."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.choice.chosen import Choice, choose
from tests.choice.traced import keep

HERE = Path(__file__).parents[3]
FILES = {
    "pyproject.toml": "[tool.pytest.ini_options]\naddopts = '-q --import-mode=importlib -p no:cacheprovider'\n",
    ".gitignore": "build/\n__pycache__/\n",
    "docs/backup.md": "",
    "docs/lonely.md": "",
    "platform_def/components/catalogue.py": "ALWAYS = ('namespaces',)\nBUILT_IN = ()\n",
    "platform_def/components/queues/kueue/component.py": "",
    "platform_def/components/queues/kueue/kinds.yaml": "kueue_api.v1",
    "platform_def/components/queues/volcano/component.py": "",
    "platform_def/components/base/namespaces/component.py": "",
    "platform_def/components/queues/packing.py": "",
    "platform_def/apis/kueue_api/v1.py": "",
    "platform_def/apis/core/core_v1.py": "",
    "platform_def/checks/rules/names.py": "",
    "platform_def/checks/engine.py": "from platform_def.constructs.sizes import size\n",
    "platform_def/constructs/sizes.py": "def size(a):\n    return (\n        a +\n        1\n    )\n\n\ndef other():\n    return 2\n",
    "platform_def/config/table.py": "FILE = 'table.json'\n",
    "platform_def/config/table.json": "",
    "platform_def/unread.json": "",
    "stacks/gpu.yaml": "components: {kueue: {}}\n",
    "stacks/small.yaml": "components: {volcano: {}}\n",
    "tests/conftest.py": "",
    "tests/coverage/stacks/queues.yaml": "components:\n  kueue: {}\n",
    "tests/components/kueue/test_kueue.py": "from platform_def.components.queues.kueue.component import A\ndef test_it(): pass\n",
    "tests/components/kueue/golden.yaml": "",
    "tests/components/volcano/test_volcano.py": "from platform_def.components.queues.volcano.component import A\n",
    "tests/components/test_golden.py": (
        "import pytest\nif 0:\n    from platform_def.components.catalogue import BUILT_IN\nFILE = 'golden.yaml'\n"
        "@pytest.mark.parametrize('name', ['kueue', 'volcano'])\ndef test_it(name): pass\ndef test_all(): pass\n"
    ),
    "tests/acceptance/test_named.py": "from tests.unit.found import find\nSTACK = 'kueue: {}'\n",
    "tests/acceptance/test_sample.py": "from tests.unit.found import find\nSTACK = 'gpu'\n",
    "tests/acceptance/test_data.py": "FILE = 'many.yaml'\n",
    "tests/acceptance/many.yaml": "- kueue\n",
    "tests/acceptance/test_other.py": "from tests.unit.found import find\nSTACK = 'volcano: {}'\n",
    "tests/unit/found.py": "from platform_def.components import catalogue\ndef find(): pass\n",
    "tests/unit/checks/conftest.py": "",
    "tests/unit/checks/test_rule.py": "from platform_def.checks.engine import check\n",
    "tests/unit/config/test_table.py": "from platform_def.config.table import FILE\n",
    "tests/unit/config/test_sizes.py": "from platform_def.constructs.sizes import size\n",
    "tests/unit/config/test_pages.py": "PAGE = 'backup.md'\n",
    "tests/unit/apis/test_core.py": "from platform_def.apis.core.core_v1 import A\n",
    "tests/unit/test_lists.py": "from pathlib import Path\nFILES = Path('.').rglob('platform_def')\n",
    "tests/cluster/test_it.py": "",
    "tests/cluster/client.py": "",
}
GOLDEN, KUEUE, NAMED = (
    "tests/components/test_golden.py",
    "tests/components/kueue/test_kueue.py",
    "tests/acceptance/test_named.py",
)
SAMPLE, DATA, OTHER = (f"tests/acceptance/test_{name}.py" for name in ("sample", "data", "other"))
RULE, CORE, LISTS = "tests/unit/checks/test_rule.py", "tests/unit/apis/test_core.py", "tests/unit/test_lists.py"
TABLE, SIZES, PAGES = (f"tests/unit/config/test_{name}.py" for name in ("table", "sizes", "pages"))
FINDING = {GOLDEN, NAMED, SAMPLE, OTHER}
"""What finds components by their names."""


def git(root: Path, *words: str) -> str:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.com")
    return subprocess.run(
        ["git", *identity, *words], cwd=root, check=True, capture_output=True, text=True
    ).stdout.strip()


def write(root: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path, FILES)
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-q", "-m", "x")
    return tmp_path


def changed(root: Path, *names: str) -> Choice:
    write(root, {name: f"{FILES.get(name, '')}\n# changed\n" for name in names})
    return choose(root, "HEAD")


@pytest.mark.parametrize(
    ("name", "whole", "parts"),
    [
        ("platform_def/components/queues/kueue/component.py", {KUEUE, NAMED, SAMPLE, DATA}, {GOLDEN}),
        ("platform_def/components/queues/kueue/kinds.yaml", {NAMED, SAMPLE, DATA}, {GOLDEN}),
        ("platform_def/components/base/namespaces/component.py", FINDING, set()),
        ("platform_def/components/queues/packing.py", FINDING, set()),
        ("platform_def/apis/kueue_api/v1.py", {NAMED, SAMPLE, DATA}, {GOLDEN}),
        ("platform_def/apis/core/core_v1.py", {CORE, *FINDING}, set()),
        ("platform_def/checks/rules/names.py", {RULE}, set()),
        ("platform_def/constructs/sizes.py", {RULE, SIZES}, set()),
        ("platform_def/config/table.json", {TABLE}, set()),
        ("tests/components/kueue/golden.yaml", {KUEUE}, {GOLDEN}),
        ("stacks/gpu.yaml", {SAMPLE}, {GOLDEN}),
        ("tests/coverage/stacks/queues.yaml", set(), {GOLDEN}),
        ("docs/backup.md", {PAGES}, set()),
        ("tests/acceptance/many.yaml", {DATA}, set()),
        ("tests/unit/checks/conftest.py", {RULE}, set()),
        ("tests/unit/found.py", {NAMED, SAMPLE, OTHER}, set()),
        ("tests/unit/config/test_new.py", {"tests/unit/config/test_new.py"}, set()),
        ("tests/cluster/client.py", set(), set()),
    ],
)
def test_a_change_runs_what_may_notice_it(root: Path, name: str, whole: set[str], parts: set[str]) -> None:
    choice = changed(root, name)

    assert not choice.everything
    assert {*choice.tests} - {LISTS} == whole - parts
    assert {*choice.parts} == parts


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("pyproject.toml", "pyproject.toml shapes all tests"),
        ("requirements/dev.txt", "requirements/dev.txt shapes all tests"),
        ("tests/conftest.py", "tests/conftest.py shapes all tests"),
        ("docs/lonely.md", "docs/lonely.md is read by no test that is known"),
        ("platform_def/unread.json", "platform_def/unread.json is read by no code that is known"),
        ("tests/unit/helper.py", "tests/unit/helper.py is read by no test that is known"),
    ],
)
def test_all_tests_run_where_it_is_uncertain_and_the_reason_is_said(root: Path, name: str, why: str) -> None:
    choice = changed(root, name, "docs/backup.md")

    assert choice.everything
    assert choice.why == f"all 13 files of tests: {why}"


def test_all_tests_run_where_a_component_was_removed_and_where_git_does_not_know_the_commit(root: Path) -> None:
    assert choose(root, "no-such-commit").everything
    git(root, "rm", "-rq", "platform_def/components/queues/volcano")

    assert "is of a component that is not there: volcano" in choose(root, "HEAD").why


def test_nothing_changed_runs_nothing(root: Path) -> None:
    choice = choose(root, "HEAD")

    assert (choice.everything, choice.tests, choice.parts) == (False, [], [])


def test_what_reads_the_whole_repository_runs_for_any_change(root: Path) -> None:
    choice = changed(root, "docs/backup.md")

    assert LISTS in choice.tests
    assert choice.why == (
        "2 of 13 files of tests: 1 files changed (docs/backup.md); 1 read the whole repository, 0 are left by the trace of lines"
    )


def recorded(root: Path, *, by: str, tests: set[str]) -> None:
    """A trace in which a test executes the sum, and none the second function."""
    lines = {"platform_def/constructs/sizes.py": {"2": [f"{by}::test_it"], "9": []}}
    keep(root, git(root, "rev-parse", "HEAD"), lines, tests)


def with_line(root: Path, old: str, new: str) -> Choice:
    name = "platform_def/constructs/sizes.py"
    write(root, {name: FILES[name].replace(old, new)})
    return choose(root, "HEAD")


@pytest.mark.parametrize(
    ("old", "new", "left"),
    [
        ("        1\n", "        3\n", {RULE}),
        ("return 2", "return 3", {RULE, SIZES}),
        ("def other()", "def another()", set()),
        ("def other", "X = 1\n\n\ndef other", set()),
    ],
)
def test_what_executes_no_changed_statement_of_a_watched_file_is_left(
    root: Path, old: str, new: str, left: set[str]
) -> None:
    recorded(root, by=SIZES, tests={RULE, SIZES})

    assert {*with_line(root, old, new).tests} == {RULE, SIZES, LISTS} - left


def test_the_trace_says_nothing_of_tests_that_were_not_watched_or_have_changed_since(root: Path) -> None:
    recorded(root, by=SIZES, tests={SIZES})
    assert RULE in with_line(root, "return 2", "return 3").tests

    recorded(root, by=SIZES, tests={RULE, SIZES})
    write(root, {RULE: f"{FILES[RULE]}\n# changed\n"})
    git(root, "commit", "-qam", "y")
    assert RULE in with_line(root, "return 2", "return 4").tests


def test_a_trace_of_a_commit_that_is_gone_is_not_used(root: Path) -> None:
    keep(root, "0" * 40, {"platform_def/constructs/sizes.py": {"9": []}}, {RULE, SIZES})

    assert {RULE, SIZES} <= {*with_line(root, "return 2", "return 3").tests}


def test_pytest_runs_the_chosen_files_and_of_those_that_look_at_all_the_tests_of_what_changed(root: Path) -> None:
    write(root, {KUEUE: "def test_kueue(): pass\n"})
    git(root, "commit", "-qam", "y")
    changed(root, "tests/components/kueue/golden.yaml").write(root)
    command = [sys.executable, "-m", "pytest", "-p", "tests.choice.plugin", "-rA", "tests"]
    done = subprocess.run(
        command, cwd=root, capture_output=True, text=True, env={"PYTHONPATH": str(HERE), "PATH": "/usr/bin:/bin"}
    )
    ran = {line.split()[-1].partition("::")[2] for line in done.stdout.splitlines() if line.startswith("PASSED")}

    assert ran == {"test_kueue", "test_it[kueue]", "test_all"}, done.stdout + done.stderr
    assert "1 deselected" in done.stdout
