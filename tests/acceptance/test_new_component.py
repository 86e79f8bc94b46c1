"""`platformctl component new`: the guide's commands in an empty clone, what is left to a person, and wrong words."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from platform_def.cli.component import DECIDE
from tests.acceptance.repository import PROJECT, Repository
from tests.acceptance.sessions import blocks

GUIDE = PROJECT / "docs" / "components.md"
CRD = next(block.body for block in blocks(GUIDE) if block.value == "widgets.crd.yaml")
COMMANDS = next(block.body for block in blocks(GUIDE) if block.kind == "sh").replace("\\\n", "").splitlines()
IMAGE = "registry.example.com/widget-operator:2.1.0"
CLONED = (
    *("platform_def", "tests", "docs", "schemas", "maintenance", "stacks", "overlays"),
    *("Makefile", "pyproject.toml", "README.md"),
)
WORDS = ("component", "new", "widget-operator", "--crd", "widgets.crd.yaml", "--image", IMAGE)


def run(clone: Path, command: str) -> subprocess.CompletedProcess[str]:
    """A command of the guide, with the environment that is there already and the clone's code.

    What Python has compiled of the project is cloned too, and what it compiles is kept: each command needs all of it.
    """
    bin_ = Path(sys.executable).parent
    environment = {
        **os.environ,
        "PATH": f"{bin_}:{os.environ['PATH']}",
        "PYTHONPATH": str(clone),
        "MAKEFLAGS": f"RUN= DEV= BIN={bin_}",
    }
    return subprocess.run(["bash", "-c", command], cwd=clone, env=environment, capture_output=True, text=True)


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("clone")
    skipped = shutil.ignore_patterns("cluster-data", "*.pyc.*")
    for name in CLONED:
        source = PROJECT / name
        if source.is_dir():
            shutil.copytree(source, made / name, ignore=skipped, symlinks=True)
        else:
            shutil.copy2(source, made / name)
    (made / "widgets.crd.yaml").write_text(CRD, encoding="utf-8")
    return made


def test_the_guide_makes_a_component_that_passes_what_every_component_must(clone: Path) -> None:
    """What a person decides is left out here: five files at most, and few lines."""
    first, *later = COMMANDS
    begun = run(clone, first)
    assert begun.returncode == 0, begun.stderr
    written = [clone / line for line in begun.stdout.splitlines()]
    by_hand = [path for path in written if DECIDE in path.read_text(encoding="utf-8")]
    code = [path for path in written if path.name in ("component.py", "kinds.yaml") or "tests/components" in str(path)]

    assert f"{len(written)} files; {len(by_hand)} with {DECIDE}, where you decide" in begun.stderr
    assert len(by_hand) <= 5
    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in code) <= 120
    owed = run(clone, "python -m pytest -q -p no:cacheprovider tests/components/test_owed.py -k decide")
    assert owed.returncode == 1, "undecided files must be refused"
    for path in by_hand:
        path.write_text(path.read_text(encoding="utf-8").replace(DECIDE, "Decided:"), encoding="utf-8")
    for command in later:
        done = run(clone, command)
        assert done.returncode == 0, f"$ {command}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"


def test_a_package_of_ones_own_gets_its_types_an_operator_and_a_test(tmp_path: Path) -> None:
    repository = Repository(tmp_path).write({"widgets.crd.yaml": CRD})
    done = repository.run(*WORDS, "--package", "widgets_platform")

    assert done.out.splitlines() == [
        "widgets_platform/__init__.py",
        "widgets_platform/example_com.py",
        "widgets_platform/widget_operator.py",
        "tests/test_widget_operator.py",
    ]
    assert 'widget-operator = "widgets_platform.widget_operator:WidgetOperator"' in done.err
    again = repository.run(*WORDS, "--package", "widgets_platform", code=2)
    assert "widgets_platform/example_com.py exists already" in again.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("component", "new", "Widget", *WORDS[3:]), "NAME: 'Widget' cannot be used here"),
        ((*WORDS[:-1], "registry.example.com/widget"), "--image: 'registry.example.com/widget' cannot be used here"),
    ],
)
def test_what_cannot_be_a_name_or_an_image_is_refused(tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    done = Repository(tmp_path).write({"widgets.crd.yaml": CRD}).run(*words, code=2)

    assert said in done.err


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ((), "--area is missing"),
        (("--area", "nowhere"), "--area: there is no 'nowhere'"),
        (("--area", "training"), "--source is missing"),
        (("--area", "training", "--source", "svn:x"), "--source: 'svn:x' cannot be used here"),
    ],
)
def test_a_clone_is_told_where_it_belongs_and_what_is_asked_for_versions(
    tmp_path: Path, more: tuple[str, ...], said: str
) -> None:
    room = "platform_def/components/training/__init__.py"
    done = Repository(tmp_path).write({"widgets.crd.yaml": CRD, room: ""}).run(*WORDS, *more, code=2)

    assert said in done.err
