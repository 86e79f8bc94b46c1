"""What the surroundings may do to a run, from a broken environment to Ctrl-C: it works all the same, or says why not."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from platform_def.cli.checked import Manifests
from tests.acceptance.repository import BIN, HEAD, PLATFORMCTL, Repository, installed

PLUG_IN = """\
from platform_def.components.people.namespaces.component import Namespaces
from platform_def.errors import ConfigError
from platform_def.config.component import ComponentConfig
from platform_def.constructs.component import Component

class Loud(Component[ComponentConfig]):
    \"\"\"Prints.\"\"\"
    slug = "loud"

    def build(self) -> None:
        print("look at me")

class Asking(Component[ComponentConfig]):
    \"\"\"Asks Node.\"\"\"
    slug = "asking"

    def build(self) -> None:
        assert self.node.path == "chart/asking"

class Failing(Component[ComponentConfig]):
    \"\"\"Fails.\"\"\"
    slug = "failing"

    def build(self) -> None:
        raise ConfigError("it cannot be built", hint="leave it out")
"""

ENTRY_POINTS = """\
[platform_def.components]
loud = loud_plug_in.parts:Loud
asking = loud_plug_in.parts:Asking
failing = loud_plug_in.parts:Failing
"""


@pytest.fixture
def plug_in(small: Repository, tmp_path: Path) -> Mapping[str, str]:
    """An environment with three components more, from a package without an `__init__.py`."""
    folder = tmp_path / "packages"
    Repository(folder).write({
        "loud_plug_in/parts.py": PLUG_IN,
        "loud_plug_in-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: loud_plug_in\nVersion: 1\n",
        "loud_plug_in-1.dist-info/entry_points.txt": ENTRY_POINTS,
    })  # fmt: skip
    return {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}


@pytest.fixture
def asking(small: Repository, plug_in: Mapping[str, str]) -> Mapping[str, str]:
    """That environment, where the stack has the component for which Node is started."""
    small.write({"stacks/a.yaml": f"{HEAD}components: {{asking: {{namespace: asking}}, training-operator: {{}}}}\n"})
    return plug_in


@pytest.mark.parametrize(
    "environment",
    [
        {"JSII_NODE": "/bin/false"},
        {"JSII_RUNTIME": "/nowhere", "JSII_DEBUG": "1"},
        {"NODE_OPTIONS": "--bogus"},
        {"TMPDIR": "/nowhere"},
        {"HOME": "/nowhere"},
        {"HOME": "/proc/1"},
    ],
    ids=lambda each: next(iter(each)),
)
def test_the_environment_has_no_say_in_how_node_is_started(
    small: Repository, asking: Mapping[str, str], environment: Mapping[str, str]
) -> None:
    done = small.run("synth", environment={**asking, **environment})

    assert "files added" in done.err


NO_NODE = """
from platform_def import tools; from pathlib import Path; tools.node_path = lambda: Path('/bin/false')
import sys; from platform_def.cli.main import main; sys.argv = ['platformctl', 'synth']; main()
"""


def test_a_node_that_does_not_start_is_one_message(small: Repository, asking: Mapping[str, str]) -> None:
    said = small.call(str(BIN / "python"), "-c", NO_NODE, code=2, environment=asking).err

    assert said.startswith("error: Node, which cdk8s runs on, cannot be started")
    assert said.count("\n") == 1


def test_what_asks_nothing_of_node_is_rendered_without_it(small: Repository) -> None:
    assert "files added" in small.call(str(BIN / "python"), "-c", NO_NODE).err


def test_a_full_folder_for_temporary_files_is_named(
    small: Repository, asking: Mapping[str, str], small_disk: Path
) -> None:
    said = small.run("synth", code=2, environment={**asking, "TMPDIR": str(small_disk)}).err

    assert said.startswith(f"error: temporary files cannot be written in {small_disk}: No space left on device\n")


def test_a_full_home_is_no_hindrance(small: Repository, asking: Mapping[str, str], small_disk: Path) -> None:
    assert "files added" in small.run("synth", environment={**asking, "HOME": str(small_disk)}).err


def test_a_full_disk_of_the_drafts_is_named(small: Repository, small_disk: Path) -> None:
    (small.root / ".platformctl").symlink_to(small_disk)
    said = small.ask("synth", code=2).err

    assert f"cannot write dist: it is prepared in {small_disk}, and that cannot be written: No space left" in said
    assert not (small.root / "dist").exists()


def test_a_command_that_is_interrupted_says_so(small: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    def found(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Manifests, "found", found)

    assert small.ask("check", "-f", "-", code=130).err == "interrupted\n"


@pytest.mark.parametrize("seconds", [0.01, 0.3])
def test_an_interrupted_run_says_what_it_left(small: Repository, seconds: float) -> None:
    with subprocess.Popen(
        [str(PLATFORMCTL), "synth"],
        cwd=small.root,
        env=small.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as run:
        while not (small.root / ".platformctl").exists() and run.poll() is None:
            pass  # Python itself starts until then
        try:
            run.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(run.pid, signal.SIGINT)
        err = run.communicate(timeout=60)[1]

    assert run.returncode in (0, 130, -signal.SIGINT)  # the last: after the summary, as the interpreter shuts down
    assert "Traceback" not in err
    if run.returncode:
        assert err.splitlines()[-1].startswith("interrupted")
        assert ("nothing was written" in err) <= (not (small.root / "dist").exists())


@pytest.mark.parametrize(
    ("command", "code"),
    [("list apis > /dev/full", 2), ("list apis >&-", 0), ("synth >&- 2>&-", 0), ("schema | head -1", 0)],
)
def test_a_stream_that_takes_nothing_is_no_traceback(small: Repository, command: str, code: int) -> None:
    done = small.call("bash", "-c", f"{PLATFORMCTL} {command}", code=code)

    assert "Exception" not in done.err


@pytest.mark.parametrize(
    "words",
    [["init", "/proc/nowhere"], ["init", "stacks/a.yaml"], ["crd", "export", "--out", "stacks/a.yaml"]],
    ids=" ".join,
)
def test_a_place_that_cannot_be_written_is_named(small: Repository, words: list[str]) -> None:
    assert f"error: {words[-1]}/" in small.ask(*words, code=2).err


def test_a_state_that_is_a_file_stops_the_write_alone(small: Repository) -> None:
    small.write({".platformctl": ""})

    assert "no findings" in small.ask("check").err
    assert small.ask("synth", code=2).err.startswith("error: cannot lock")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_what_a_plug_in_prints_is_no_data(small: Repository, plug_in: Mapping[str, str], jobs: str) -> None:
    many = {f"stacks/s{number}.yaml": f"{HEAD}components: {{loud: {{namespace: n{number}}}}}\n" for number in range(20)}

    done = small.write(many).run("synth", "-o", "json", "-j", jobs, environment=plug_in)

    assert done.json["stacks"] == 21
    assert "look at me" in done.err


def test_a_plug_in_without_init_is_code(small: Repository, plug_in: Mapping[str, str]) -> None:
    packages = Path(plug_in["PYTHONPATH"])
    small.write({"stacks/a.yaml": f"{HEAD}components: {{loud: {{namespace: loud}}}}\n"})

    def said() -> str:
        with installed(packages):
            return small.ask("synth").err

    said()
    assert "nothing has changed" in said()
    parts = packages / "loud_plug_in/parts.py"
    parts.write_text(parts.read_text(encoding="utf-8") + "# edited\n", encoding="utf-8")

    assert "look at me" in said()


def test_a_problem_in_another_process_is_told_once_and_whole(small: Repository, plug_in: Mapping[str, str]) -> None:
    failing = {
        f"stacks/s{number}.yaml": f"{HEAD}components: {{failing: {{namespace: n{number}}}}}\n" for number in range(20)
    }

    said = small.write(failing).run("synth", "-j", "2", code=2, environment=plug_in).err

    assert "error: stacks/s0.yaml:3: it cannot be built\n  hint: leave it out" in said
    assert "error: error" not in said


def test_an_edit_that_hides_itself_is_seen(small: Repository) -> None:
    small.ask("synth")
    edited = next(small.root.glob("dist/a/training-operator/main/**/deployment*.yaml"))
    before = edited.stat()
    edited.write_bytes(edited.read_bytes().replace(b"replicas: 1", b"replicas: 2"))
    os.utime(edited, ns=(before.st_atime_ns, before.st_mtime_ns))

    assert "edited: dist/" in small.ask("synth", "--check", code=1).out


@pytest.mark.parametrize("out", [".", "stacks", "overlays", "stacks/base"])
def test_the_output_may_not_be_where_the_input_is(small: Repository, out: str) -> None:
    assert "lie in each other" in small.ask("synth", "--out", out, code=2).err


def test_two_files_for_one_object_are_both_named(small: Repository) -> None:
    one = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n"
    small.write({
        "stacks/a.yaml": f"{HEAD}components: {{mine: {{path: apps, namespace: mine}}}}\n",
        "apps/a/x.yaml": one,
        "apps/b/x.yaml": one,
    })  # fmt: skip

    said = small.ask("synth", "--no-check", code=2).err

    assert "apps/a/x.yaml" in said
    assert "apps/b/x.yaml" in said


@pytest.mark.parametrize(
    ("what", "answer"),
    [("components.training-operator.release", "1.9.4"), ("Deployment/training-operator", "made by")],
)
def test_explain_knows_what_is_not_written_down(small: Repository, what: str, answer: str) -> None:
    assert answer in small.ask("explain", "a", what).out


@pytest.mark.parametrize(
    ("what", "hint"), [("deployment/training-operator", "'Deployment/training-operator'"), ("", "for example")]
)
def test_explain_says_what_it_wants(small: Repository, what: str, hint: str) -> None:
    assert hint in small.ask("explain", "a", what, code=2).err
