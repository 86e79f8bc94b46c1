"""What a module of the cluster tests reads: each part of it changes the hash, and nothing else does."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.proofs.inputs import NOTHING, Inputs, Known
from tests.proofs.plan import FLOOR, TENTH, Plan
from tests.proofs.rendering import Renders

FILES = {
    "tests/conftest.py": "",
    "tests/cluster/conftest.py": "from tests.cluster.control_plane import START\n",
    "tests/cluster/control_plane.py": "START = 'servers.yaml'\n",
    "tests/cluster/servers.yaml": "",
    "tests/cluster/tools.py": "NAMES = ('kueue', 'volcano')\n",
    "tests/cluster/test_it.py": (
        "from tests.cluster import tools\nfrom tests.cluster.queueing import STACK\n"
        "from platform_def.components.training.trainer.component import Trainer\nFOLDER = 'programs'\nPINS = 'hub.txt'\n"
        "from tests.cluster.stacks import rendered_stack\nfrom platform_def.yaml.load import load\n"
    ),
    "tests/cluster/queueing.py": "STACK = 'components: {kueue: {}}'\nPROGRAM = 'etcd'\nSTACK = 'dist/quickstart'\n",
    "tests/cluster/programs/train.py": "",
    "tests/cluster/stacks.py": "def rendered_stack():\n    from platform_def.pipeline.synth import render\n",
    "tests/cluster/asked.py": (
        "from platform_def.components.catalogue import component\nfrom tests.proofs.rendering import noted\n"
        "NAMES = ()\n@noted\ndef answer(name):\n    return component(name)\n"
    ),
    "tests/cluster/test_other.py": "from platform_def.checks.engine import check\ndef test(manifests): pass\n",
    "requirements/envoy.txt": "",
    "requirements/kfp.txt": "",
    "requirements/hub.txt": "",
    "platform_def/constructs/resource.py": "from platform_def.apis.jobset.v1 import X\n",
    "platform_def/yaml/load.py": "from platform_def.yaml.words import WORDS\n",
    "platform_def/yaml/words.py": "WORDS = 'words.json'\n",
    "platform_def/yaml/words.json": "",
    "platform_def/pipeline/synth.py": "",
    "platform_def/checks/engine.py": "",
    "platform_def/cli/main.py": "",
    "platform_def/components/queues/packing.py": "",
    "platform_def/components/queues/kueue/component.py": "",
    "platform_def/components/queues/kueue/kinds.yaml": "kueue_api.v1beta2",
    "platform_def/components/queues/volcano/component.py": "",
    "platform_def/components/training/trainer/component.py": "",
    "platform_def/apis/core/core_v1.py": "",
    "platform_def/apis/kueue_api/v1beta2.py": "",
    "platform_def/apis/volcano/v1.py": "",
    "platform_def/apis/jobset/v1.py": "",
    "docs/page.md": "",
}
RENDERING = (
    "platform_def/constructs/resource.py",
    "platform_def/pipeline/synth.py",
    "platform_def/components/queues/packing.py",
    "platform_def/components/queues/kueue/component.py",
    "platform_def/components/queues/kueue/kinds.yaml",
    "platform_def/apis/core/core_v1.py",
    "platform_def/apis/kueue_api/v1beta2.py",
    "platform_def/apis/jobset/v1.py",
)
"""What is known by the objects that come out, where these are known."""
READ = (
    *RENDERING,
    "tests/conftest.py",
    "tests/cluster/conftest.py",
    "tests/cluster/control_plane.py",
    "tests/cluster/servers.yaml",
    "tests/cluster/test_it.py",
    "tests/cluster/queueing.py",
    "tests/cluster/programs/train.py",
    "tests/cluster/stacks.py",
    "requirements/envoy.txt",
    "requirements/hub.txt",
    "platform_def/components/training/trainer/component.py",
    "platform_def/yaml/load.py",
    "platform_def/yaml/words.py",
    "platform_def/yaml/words.json",
)
PINS = {"etcd": "1", "kwok": "1"}
STACKS = {"dist/quickstart": "1", "coverage/everything": "1"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def hash_of(
    root: Path,
    module: str = "test_it.py",
    *,
    pins: dict[str, str] = PINS,
    stacks: dict[str, str] = STACKS,
    by_stack: bool = False,
    rendered: bool = False,
    made: Known = NOTHING,
) -> str:
    file = root / "tests" / "cluster" / module
    made = Known(rendered=True, asked=True) if rendered else made
    return Inputs(root, pins=pins, stacks=stacks).hash_of(file, stacks=not by_stack, made=made)


@pytest.mark.parametrize("name", FILES)
def test_a_file_changes_the_hash_where_the_module_reads_it(root: Path, name: str) -> None:
    before, rendered = hash_of(root), hash_of(root, rendered=True)
    (root / name).write_text(f"{FILES[name]}\n# changed\n")

    assert (hash_of(root) != before) == (name in READ)
    assert (hash_of(root, rendered=True) != rendered) == (name in READ and name not in RENDERING)


@pytest.mark.parametrize(
    "line",
    [
        "from platform_def.checks.engine import check",
        "from platform_def.components.catalogue import component",
        "from tests.cluster.asked import NAMES, answer",
        "CODE = 'platform_def'",
    ],
)
def test_a_module_that_may_execute_any_code_reads_all_of_it(root: Path, line: str) -> None:
    module = root / "tests" / "cluster" / "test_it.py"
    module.write_text(f"{module.read_text()}{line}\n")
    before = hash_of(root, rendered=True)
    (root / "platform_def/constructs/resource.py").write_text("# changed\n")

    assert hash_of(root, rendered=True) != before


def test_what_a_noted_function_executes_is_known_by_what_it_gives(root: Path) -> None:
    module = root / "tests" / "cluster" / "test_it.py"
    module.write_text(f"{module.read_text()}from tests.cluster.asked import answer\n")
    before, rendered = hash_of(root), hash_of(root, rendered=True)
    for name in RENDERING:
        (root / name).write_text("# changed\n")

    assert hash_of(root) != before
    assert hash_of(root, rendered=True) == rendered
    asked = root / "tests" / "cluster" / "asked.py"
    asked.write_text(f"{asked.read_text()}# changed\n")
    assert hash_of(root, rendered=True) != rendered


def test_stacks_that_a_noted_function_reads_are_known_by_what_it_gives(root: Path) -> None:
    module, asked = root / "tests" / "cluster" / "test_it.py", root / "tests" / "cluster" / "asked.py"
    module.write_text(f"{module.read_text()}from tests.cluster.asked import answer\n")
    asked.write_text(f"from tests.cluster.stacks import DIST\n{asked.read_text()}")
    changed = {**STACKS, "coverage/everything": "2"}

    assert hash_of(root, stacks=changed) != hash_of(root)
    assert hash_of(root, stacks=changed, rendered=True) == hash_of(root, rendered=True)
    module.write_text(module.read_text().replace("import answer", "import answer, NAMES"))
    assert hash_of(root, stacks=changed, rendered=True) != hash_of(root, rendered=True)


def test_answers_say_nothing_of_stacks_that_no_run_has_seen_rendered(root: Path) -> None:
    before, asked = hash_of(root, made=Known(rendered=True)), hash_of(root, made=Known(asked=True))
    (root / "platform_def/constructs/resource.py").write_text("# changed\n")

    assert hash_of(root, made=Known(rendered=True)) == before
    assert hash_of(root, made=Known(asked=True)) != asked


def test_what_several_components_share_is_read_by_who_imports_it(root: Path) -> None:
    module = root / "tests" / "cluster" / "test_it.py"
    module.write_text(f"{module.read_text()}from platform_def.components.queues.packing import PACKING\n")
    before = hash_of(root, rendered=True)
    (root / "platform_def/components/queues/packing.py").write_text("# changed\n")

    assert hash_of(root, rendered=True) != before


@pytest.mark.parametrize(
    ("name", "read"),
    [("platform_def/apis/volcano/v1.py", True), ("platform_def/components/queues/volcano/component.py", False)],
)
def test_a_module_that_finds_apis_by_their_names_reads_all_of_them(root: Path, name: str, read: bool) -> None:
    module = root / "tests" / "cluster" / "test_it.py"
    module.write_text(f"{module.read_text()}from platform_def.crds.catalogue import api_of\n")
    before = hash_of(root, rendered=True)
    (root / name).write_text("# changed\n")

    assert (hash_of(root, rendered=True) != before) == read


def test_a_page_that_is_named_is_read_and_the_ledger_and_what_holds_it_never_are(root: Path) -> None:
    module = root / "tests" / "cluster" / "test_it.py"
    module.write_text(f"{module.read_text()}NAMES = ('page.md', 'ledger')\n")
    (root / "tests/conftest.py").write_text("FOLDER = 'cluster'\n")
    (root / "tests/cluster/ledger").mkdir()
    before = hash_of(root)
    (root / "tests/cluster/ledger/test_it.json").write_text("{}")

    assert hash_of(root) == before
    (root / "docs/page.md").write_text("changed")
    assert hash_of(root) != before


def test_a_new_component_and_a_new_page_make_no_other_proof_due(root: Path) -> None:
    before = hash_of(root)
    for name in ("platform_def/components/queues/new/component.py", "docs/new.md", "tests/cluster/test_new.py"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text("")

    assert hash_of(root) == before


def test_pins_and_stacks_change_the_hash_where_they_are_named(root: Path) -> None:
    before = hash_of(root)

    assert hash_of(root, pins={**PINS, "etcd": "2"}) != before
    assert hash_of(root, pins={**PINS, "kwok": "2"}) == before
    assert hash_of(root, stacks={**STACKS, "dist/quickstart": "2"}) != before
    assert hash_of(root, stacks={**STACKS, "coverage/everything": "2"}) == before


def test_a_module_that_is_given_all_stacks_reads_all_of_them_unless_it_is_proven_stack_by_stack(root: Path) -> None:
    changed = {**STACKS, "coverage/everything": "2"}

    assert hash_of(root, "test_other.py") != hash_of(root, "test_other.py", stacks=changed)
    assert hash_of(root, "test_other.py", by_stack=True) == hash_of(
        root, "test_other.py", stacks=changed, by_stack=True
    )


def test_checks_are_read_by_who_imports_them(root: Path) -> None:
    before = hash_of(root, "test_other.py")
    (root / "platform_def/checks/engine.py").write_text("# changed\n")

    assert hash_of(root, "test_other.py") != before


def test_each_stack_has_its_turn_within_ten_commits(root: Path) -> None:
    stacks = {f"dist/{number:02}": "1" for number in range(30)}
    inputs = Inputs(root, pins={}, stacks=stacks)
    tests = root / "tests" / "cluster"
    (tests / "test_apply.py").write_text("")
    seen = set()
    for number in range(100):
        plan = Plan(root, tests, inputs, stacks, {}, f"commit {number}", Renders(root, "made_up:render"))
        floor = [name for name in stacks if plan.state("test_apply.py", name) == "floor"]
        assert len(floor) == len(stacks) / TENTH
        seen |= {*floor}

    assert seen == {*stacks}


def test_the_floor_names_modules_that_there_are() -> None:
    here = Path(__file__).parents[2] / "cluster"

    assert [name for name in FLOOR if not (here / name).is_file()] == []
