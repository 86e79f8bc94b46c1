"""Runs of CI over proofs that are made up: what is due runs, what is wrong ends in red, what did not run is listed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.proofs import ledger
from tests.proofs.plan import FLOOR
from tests.proofs.plugin import NOT_FITTING, TOO_OLD
from tests.proofs.rendering import Root
from tests.proofs.report import REPORT, read_report
from tests.proofs.table import LANES

HERE = Path(__file__).parents[3]
CONFIGURATION = """\
[tool.pytest.ini_options]
addopts = "-q --import-mode=importlib -p no:cacheprovider"
pythonpath = ["."]
markers = ["cluster", "frameworks"]
proofs_folder = "proofs"
proofs_given = "made_up:given"
proofs_render = "made_up_render:render"
"""
GIVEN = """\
import json
def given(root):
    return tuple(json.loads((root / name).read_text()) for name in ("pins.json", "stacks.json"))
"""
PROOF = """\
import json
from pathlib import Path
import pytest
{imported}
pytestmark = pytest.mark.cluster
ROOT = Path(__file__).parents[{depth}]
def test_it():
    {test}
"""
COMPONENT, RULE, PINS = "platform_def/components/queues/kueue/component.py", "platform_def/checks/rules.py", "pins.json"
STACKS = {f"dist/stack-{number:02}": "sound" for number in range(20)}
RENDERING = "platform_def/rendering.py"
RENDERER = """\
from pathlib import Path
class Options:
    def __init__(self, root, stacks=(), *known):
        self.root, self.stacks = root, stacks
class Rendered:
    def __init__(self, files):
        self.all = files
    def files(self):
        return self.all
def render(options):
    code = Path.cwd().joinpath(*"platform_def rendering.py".split()).read_text().split()[0]
    text = (options.root / "stacks/one.yaml").read_text()
    if "wrong" in text:
        raise ValueError(f"{options.root}: wrong")
    return Rendered({"one": {"a.yaml": f"{code} {text}".encode()}})
"""
ANSWERS = "platform_def/answers.py"
ANSWERING = """\
from pathlib import Path
from tests.proofs.rendering import noted
CODE = Path.cwd().joinpath(*"platform_def answers.py".split())
@noted
def answer(name):
    if 0:
        from platform_def.components.catalogue import component
    return {name: 1, "sound": "sound" in CODE.read_text()}
"""
RENDERED = """\
import made_up_render
import pytest
if 0:
    from made_up_render import render
pytestmark = pytest.mark.cluster
@pytest.fixture(scope="module")
def objects(tmp_path_factory):
    root = tmp_path_factory.mktemp("root")
    (root / "stacks").mkdir()
    (root / "stacks/one.yaml").write_text("kueue: {}")
    return made_up_render.render(made_up_render.Options(root)).files()["one"]["a.yaml"]
def test_it(objects):
    assert objects.startswith(b"sound")
"""
BY_STACK = """\
import json
from pathlib import Path
import pytest
pytestmark = pytest.mark.cluster
STACKS = json.loads((Path(__file__).parents[1] / "stacks.json").read_text())
@pytest.mark.parametrize("stack", sorted(STACKS))
def test_apply(stack):
    assert STACKS[stack] != "broken"
"""


def proof(test: str, *, imported: str = "", depth: int = 1) -> str:
    return PROOF.format(imported=imported, test=test, depth=depth)


FILES = {
    "pyproject.toml": CONFIGURATION,
    "made_up.py": GIVEN,
    "made_up_render.py": RENDERER,
    ".gitignore": "build/\n__pycache__/\n",
    PINS: json.dumps({"etcd": "sound", "other": "sound"}),
    "stacks.json": json.dumps(STACKS),
    COMPONENT: "sound = 1\n",
    "platform_def/components/queues/volcano/component.py": "sound = 1\n",
    RULE: "RULE = 'sound'\n",
    "platform_def/constructs/resource.py": "",
    RENDERING: "sound = 1\n",
    "proofs/test_rendered.py": RENDERED,
    ANSWERS: "sound = 1\n",
    "made_up_answers.py": ANSWERING,
    "proofs/test_asked.py": proof("assert answer('kueue')['sound']", imported="from made_up_answers import answer"),
    "proofs/test_built.py": proof(
        "pass", imported="if json.loads('0'):\n    from platform_def.constructs import resource"
    ),
    **{f"proofs/{each}": proof("pass", depth=each.count("/") + 1) for each in FLOOR},
    "proofs/test_apply.py": BY_STACK,
    "proofs/test_kueue.py": proof(f"assert 'sound' in (ROOT / '{COMPONENT}').read_text()  # of kueue"),
    "proofs/test_rule.py": proof(
        f"assert 'sound' in (ROOT / '{RULE}').read_text()",
        imported="if json.loads('0'):\n    from platform_def.checks.rules import RULE",
    ),
    "proofs/test_etcd.py": proof("assert json.loads((ROOT / 'pins.json').read_text())['etcd'] == 'sound'"),
    **{f"proofs/test_other_{each}.py": proof("pass") for each in range(6)},
}


class Project:
    """A repository with proofs, and runs of CI in it."""

    def __init__(self, root: Path, *, made: bool = False):
        self.root = root
        if not made:
            self.write(FILES)
            self.git("init", "-q", "-b", "work")
            self.commit()

    def write(self, files: Mapping[str, str]) -> None:
        for name, text in files.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text)

    def git(self, *words: str) -> None:
        identity = ("-c", "user.name=a", "-c", "user.email=a@example.com")
        subprocess.run(["git", *identity, *words], cwd=self.root, check=True, capture_output=True)

    def commit(self, count: int = 1) -> None:
        self.git("add", "-A")
        for _ in range(count):
            self.git("commit", "-q", "--allow-empty", "-m", "x")

    def run(self, *words: str, code: int = 0, late: float = -900, run: str = "1", path: str = "proofs") -> str:
        """A run of CI whose time ended `late` seconds ago; its output. What else is installed takes half of its start."""
        beside = ("-p", "xdist") if "-n" in words else ()
        plugins = ("-p", "tests.proofs.plugin", *beside)
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *plugins, "--proofs", "ci", "-rfEs", *words, path],
            cwd=self.root,
            env={
                **os.environ,
                "PYTHONPATH": str(HERE),
                "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
                "PLATFORM_DEF_TESTS_UNTIL": str(time.time() - late),
                "PLATFORM_DEF_RUN": run,
            },
            capture_output=True,
            text=True,
        )

        assert done.returncode == code, f"{done.stdout}\n{done.stderr}"
        return done.stdout + done.stderr

    def ran(self) -> dict[str, str]:
        """The modules of the last run, each with its state."""
        return {module: each.state for module, each in read_report(self.root / REPORT).items()}

    def forget(self) -> None:
        (self.root / REPORT).unlink()


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "project")


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose ledger holds everything; not to be changed."""
    made = Project(tmp_path_factory.mktemp("once") / "project")
    made.run()

    assert ledger.main(made.root, "proofs") == 0
    made.commit()
    made.forget()
    return made.root


@pytest.fixture
def proven(once: Path, tmp_path: Path) -> Project:
    """A copy of it."""
    return Project(shutil.copytree(once, tmp_path / "project"), made=True)


def test_without_a_ledger_everything_is_due_and_runs(project: Project) -> None:
    said = project.run()

    assert "what was proven" in said
    assert "profiles: floor, which is never cut, and rest" in said
    assert said.splitlines()[-1].startswith("37 passed in")
    assert set(project.ran().values()) == {"floor", "due"}


def test_what_stands_on_the_ledger_is_left_but_for_three_that_are_run_again(proven: Project) -> None:
    said = proven.run()
    states = sorted(proven.ran().values())

    assert states == ["again"] * 3 + ["floor"] * len(FLOOR)
    assert said.count("on the ledger since ") == 9 + 1
    assert "test_apply.py with 18 stacks" in said


@pytest.mark.parametrize(
    ("file", "text", "module"),
    [
        (COMPONENT, "broken = 1\n", "test_kueue.py"),
        (RULE, "RULE = 'broken'\n", "test_rule.py"),
        (PINS, json.dumps({"etcd": "broken", "other": "sound"}), "test_etcd.py"),
    ],
)
def test_a_broken_component_a_broken_rule_and_a_changed_pin_are_due_and_red(
    proven: Project, file: str, text: str, module: str
) -> None:
    proven.write({file: text})
    said = proven.run(code=1)

    assert due(proven) == [module]
    assert f"FAILED proofs/{module}::test_it" in said


def due(project: Project) -> list[str]:
    """What a run found due; test_rule.py imports checks, so it may execute any code."""
    return [name for name, state in project.ran().items() if state == "due"]


def test_code_that_a_proof_imports_makes_it_due_and_no_other(proven: Project) -> None:
    proven.write({"platform_def/constructs/resource.py": "changed = 1\n"})
    proven.run()

    assert due(proven) == ["test_built.py", "test_rule.py"]


def test_a_change_of_what_renders_makes_due_what_a_proof_rendered_otherwise(proven: Project) -> None:
    proven.write({RENDERING: "sounder = 1\n"})
    proven.run()

    assert due(proven) == ["test_rendered.py", "test_rule.py"]


@pytest.mark.parametrize(("text", "expected"), [("broken = 1\n", ["test_asked.py"]), ("sound = 2\n", [])])
def test_what_is_asked_makes_a_proof_due_where_the_answer_is_another(
    proven: Project, text: str, expected: list[str]
) -> None:
    proven.write({ANSWERS: text})
    proven.run(code=len(expected))

    assert [each for each in due(proven) if each != "test_rule.py"] == expected


@pytest.mark.parametrize(("text", "expected"), [("broken = 1\n", ["test_asked.py"]), ("sound = 2\n", [])])
@pytest.mark.parametrize("beside", [(), ("-n", "2", "--dist", "loadfile")])
def test_what_a_module_asks_as_it_is_imported_is_its_own_question(
    project: Project, text: str, expected: list[str], beside: tuple[str, ...]
) -> None:
    asked = "from made_up_answers import answer\nSOUND = answer('kueue')['sound']"
    project.write({"proofs/test_asked.py": proof("assert SOUND", imported=asked)})
    project.run(*beside)
    ledger.main(project.root, "proofs")
    project.commit()
    project.forget()
    project.write({ANSWERS: text})
    project.run(*beside, code=len(expected))

    assert [each for each in due(project) if each != "test_rule.py"] == expected


def test_a_change_of_what_renders_makes_nothing_due_where_the_same_comes_out(proven: Project) -> None:
    proven.write({RENDERING: "sound = 1  # as it was\n"})
    proven.run()

    assert due(proven) == ["test_rule.py"]


def test_a_stack_that_is_rendered_wrong_is_red(proven: Project) -> None:
    proven.write({RENDERING: "broken = 1\n"})

    assert "FAILED proofs/test_rendered.py::test_it" in proven.run(code=1)


def test_processes_side_by_side_note_what_they_render(project: Project) -> None:
    project.run("-n", "2", "--dist", "loadfile")
    ledger.main(project.root, "proofs")
    (root,) = ledger.read_ledger(project.root / "proofs")["test_rendered.py"].roots

    assert isinstance(root, Root)
    assert root.files == {"stacks/one.yaml": "kueue: {}"}
    assert root.became


def test_a_module_that_renders_and_was_not_seen_to_reads_all_code(project: Project) -> None:
    project.write({"proofs/test_rendered.py": proof("pass", imported="if 0:\n    from made_up_render import render")})
    project.run()
    ledger.main(project.root, "proofs")
    project.commit()
    project.forget()
    project.write({RENDERING: "sound = 1  # as it was\n"})
    project.run()

    assert due(project) == ["test_rendered.py", "test_rule.py"]


def test_a_run_of_one_file_is_worth_an_entry_and_one_of_a_single_test_none(project: Project) -> None:
    project.run(path="proofs/test_kueue.py")
    project.run(path="proofs/test_rule.py::test_it")
    ledger.main(project.root, "proofs")

    assert ledger.read_ledger(project.root / "proofs").keys() == {"test_kueue.py"}


@pytest.mark.parametrize(("old", "new"), [('"minutes": 0', '"minutes": 9'), ('"inputs": "', '"inputs": "0'), ("{", "")])
def test_an_entry_that_was_edited_by_hand_ends_the_run(proven: Project, old: str, new: str) -> None:
    file = proven.root / "proofs" / "ledger" / "test_kueue.json"
    file.write_text(file.read_text().replace(old, new, 1))

    assert "test_kueue.json: " in proven.run(code=4)


def test_an_entry_that_a_rerun_contradicts_is_red(proven: Project) -> None:
    for number in range(6):
        proven.write({f"proofs/test_other_{number}.py": proof("assert not (ROOT / 'build/broken').exists()")})
    proven.run()
    ledger.main(proven.root, "proofs")
    proven.write({"build/broken": ""})
    for name in ("kueue", "rule", "etcd", "built", "rendered", "asked"):
        (proven.root / "proofs" / "ledger" / f"test_{name}.json").unlink()
    proven.forget()

    assert proven.run(code=1).count("FAILED proofs/test_other_") == 3


def test_a_floor_that_does_not_fit_is_red_though_no_test_fails(proven: Project) -> None:
    said = proven.run(code=NOT_FITTING, late=3600)

    assert "THE FLOOR DOES NOT FIT: proofs/test_training.py::test_it did not run" in said


def test_one_test_of_a_module_is_its_floor_and_the_others_are_left_out_in_time(project: Project) -> None:
    two = proof("pass") + "def test_more():\n    pass\n"
    project.write({"proofs/test_training.py": two})
    said = project.run(late=60)

    assert "THE FLOOR" not in said
    assert "DUE AND NOT RUN: 1 of 2 tests of test_training.py" in said


def test_what_needs_a_program_that_was_not_built_is_listed_and_not_proven(project: Project) -> None:
    project.write({"proofs/test_training.py": proof("pytest.skip('left out: kueue not built')")})
    said = project.run()
    ledger.main(project.root, "proofs")

    assert "DUE AND NOT RUN: 1 of 1 tests of test_training.py (never proven): left out: kueue not built" in said
    assert ledger.read_ledger(project.root / "proofs").keys() >= {"test_kueue.py"}
    assert "test_training.py" not in ledger.read_ledger(project.root / "proofs")


def test_the_floor_goes_on_when_the_time_of_the_rest_is_over(proven: Project) -> None:
    proven.write({COMPONENT: "sound = 2\n"})
    proven.commit()
    said = proven.run(late=60)

    assert "THE FLOOR" not in said
    assert "DUE AND NOT RUN: 1 of 1 tests of test_kueue.py (0.0 minutes, due for 1 commits): left out: the time" in said


def test_what_was_left_out_is_not_written_into_the_ledger(project: Project) -> None:
    project.run(late=60)
    ledger.main(project.root, "proofs")
    known = ledger.read_ledger(project.root / "proofs")

    assert known.keys() == {*FLOOR}
    assert len(known["test_apply.py"].stacks) == 2


@pytest.mark.parametrize(("branch", "code"), [("main", TOO_OLD), ("work", 0)])
def test_on_main_what_has_been_due_for_too_long_and_is_left_out_is_red(proven: Project, branch: str, code: int) -> None:
    if branch == "main":
        proven.git("switch", "-q", "-c", "main")
    proven.write({COMPONENT: "sound = 2\n"})
    proven.commit(30)
    proven.run(late=60, run="1")
    proven.commit()
    said = proven.run(late=60, run="2", code=code)

    assert ("DUE FOR TOO LONG: test_kueue.py" in said) == bool(code)


@pytest.mark.parametrize(
    ("state", "said"), [("again", "(0.0 minutes): left out"), ("due", "(0.0 minutes, due for 1 commits): left out")]
)
def test_a_change_that_made_nothing_due_is_not_counted(proven: Project, state: str, said: str) -> None:
    proven.git("switch", "-q", "-c", "main")
    for file in (proven.root / "proofs" / "ledger").glob("test_*.json"):
        if file.stem not in ("test_asked", "test_rendered") and file.name.replace("json", "py") not in FLOOR:
            file.unlink()
    proven.write({COMPONENT: "sound = 2\n"})
    proven.commit(31)
    if state == "due":
        proven.write({"proofs/test_asked.py": f"{FILES['proofs/test_asked.py']}# changed\n"})
        proven.commit()
    found = proven.run(late=60)

    assert proven.ran()["test_asked.py"] == state
    assert f"DUE AND NOT RUN: 1 of 1 tests of test_asked.py {said}" in found
    assert "TOO LONG" not in found


def test_a_change_that_was_taken_back_is_not_counted(proven: Project) -> None:
    proven.git("switch", "-q", "-c", "main")
    sound = FILES["proofs/test_kueue.py"]
    for text, commits in ((f"{sound}# changed\n", 1), (sound, 31), (f"{sound}# changed again\n", 1)):
        proven.write({"proofs/test_kueue.py": text})
        proven.commit(commits)
    found = proven.run(late=60)

    assert "DUE AND NOT RUN: 1 of 1 tests of test_kueue.py (0.0 minutes, due for 1 commits): left out" in found
    assert "TOO LONG" not in found


def test_of_stacks_those_that_changed_are_of_the_floor(proven: Project) -> None:
    proven.write({"stacks.json": json.dumps({**STACKS, "dist/stack-03": "changed", "dist/stack-04": "broken"})})
    said = proven.run(code=1, late=60)
    ran = read_report(proven.root / REPORT)["test_apply.py"]

    assert "FAILED proofs/test_apply.py::test_apply[dist/stack-04]" in said
    assert 3 <= len(ran.tests) <= 4
    assert ran.tests["proofs/test_apply.py::test_apply[dist/stack-03]"].outcome == "passed"


def test_a_second_try_of_what_failed_mends_the_report(project: Project) -> None:
    project.write({PINS: json.dumps({"etcd": "broken"})})
    project.run(code=1)
    project.write({PINS: json.dumps({"etcd": "sound"})})
    project.run("-k", "etcd")
    entries = {each.module for each in ledger.proven(read_report(project.root / REPORT))}

    assert "test_etcd.py" in entries
    assert "test_kueue.py" in entries


def test_processes_side_by_side_have_one_table(project: Project) -> None:
    project.write({LANES: "90\tmake check\n"})
    said = project.run("-n", "2", "--dist", "loadfile")

    assert f"{'make check':69}{1.5:9.1f}" in said.splitlines()
    assert said.count("test_kueue.py ") == 1
    assert len(read_report(project.root / REPORT)["test_apply.py"].tests) == len(STACKS)
