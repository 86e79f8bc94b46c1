"""Code of packages that ends, raises or prints: the run says so at its file and line, and answers all the same."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping

import click
import pytest

from platform_def.cli.command import Command
from platform_def.cli.reference import commands
from platform_def.config.platform import Platform
from platform_def.pipeline.build.task import Failure, Task, result_of
from tests.acceptance.repository import HEAD, Done, Repository, installed

HELPER = '''\
"""What the package imports."""
import os
import subprocess
import sys

PLACE, WAY = os.environ["PLACE"], os.environ["WAY"]

def here(place):
    if place != PLACE and PLACE != "everywhere":
        return
    if WAY == "exit with a text":
        sys.exit("text")
    if WAY == "exit with success":
        sys.exit(0)
    if WAY == "os._exit":
        os._exit(0)
    if WAY == "raise":
        raise KeyError("colour")
    print("look at me")
    sys.__stdout__.write("and me\\n")
    os.write(1, b"and this\\n")
    subprocess.run(["echo", "and what it runs"], check=True)
'''

PARTS = '''\
from faulty_helper import here

here("import")

from pydantic import field_serializer, field_validator

from platform_def.config.component import ComponentConfig
from platform_def.constructs.component import Component
from platform_def.jobs.template import JobConfig, TemplateJob


class FaultyConfig(ComponentConfig):
    """Fails."""

    size: int = 1
    """A number."""

    @field_validator("size")
    @classmethod
    def _check(cls, value):
        here("validator")
        return value

    @field_serializer("size")
    def _write(self, value):
        here("serializer")
        return value


class Faulty(Component[FaultyConfig]):
    """Fails."""

    slug = "faulty"
    here("class body")

    @classmethod
    def needs_of(cls, at):
        here("needs_of")
        return ()

    @classmethod
    def offers(cls, at):
        here("offers")
        return super().offers(at)

    @classmethod
    def served_by(cls, at):
        here("served_by")
        return ()

    @classmethod
    def security_of(cls, at):
        here("security_of")
        return super().security_of(at)

    @classmethod
    def problems(cls, at):
        here("problems")
        yield from ()

    @classmethod
    def runtime_images(cls, at):
        here("runtime_images")
        return ()

    def build(self):
        here("build")


class Odd(Component[ComponentConfig]):
    """Answers a hook with nothing."""

    slug = "odd"

    @classmethod
    def needs_of(cls, at):
        return None


class Strange:
    """No template."""


class FaultyJobConfig(JobConfig):
    """Fails."""

    def apis(self):
        here("apis of a job")
        return ()

    def problems(self, platform):
        here("problems of a job")
        yield from ()

    def demand(self, platform):
        here("demand of a job")


class FaultyJob(TemplateJob[FaultyJobConfig]):
    """Fails."""

    def build(self):
        here("build of a job")
'''

ENTRY_POINTS = """\
[platform_def.components]
faulty = faulty_platform.parts:Faulty
odd = faulty_platform.parts:Odd
[platform_def.jobs]
faulty-job = faulty_platform.parts:FaultyJob
strange = faulty_platform.parts:Strange
[platform_def.apis]
faulty = faulty_platform.apis:DEFINITIONS
[platform_def.capabilities]
faulty = faulty_platform.capability:Faulty
"""

STACK = f"{HEAD}components:\n  faulty: {{size: 2}}\n"
APIS = 'from faulty_helper import here\n\nhere("apis")\nDEFINITIONS = []\n'
CAPABILITY = '''\
from faulty_helper import here

here("capability")

from platform_def.config.capability import Capability


class Faulty(Capability):
    """Something to give."""
'''

JOB = f"{HEAD}teams: [{{name: vision}}]\njobs:\n  - {{template: faulty-job, name: first, team: vision, sync: true}}\n"

OF_COMPONENTS = (
    "import", "class body", "validator", "serializer", "needs_of", "offers", "served_by", "security_of", "problems",
    "runtime_images", "build",
)  # fmt: skip
OF_JOBS = ("apis of a job", "problems of a job", "demand of a job", "build of a job")
ENDS = {
    "exit with a text": "it ends the run (sys.exit: text)",
    "exit with success": "it ends the run (sys.exit: 0)",
    "os._exit": "it ends the run (sys.exit: 0)",
    "raise": "KeyError: 'colour'",
}


@pytest.fixture
def faulty(repository: Repository) -> Mapping[str, str]:
    """The environment in which a package with faults is installed, beside a stack that uses it."""
    repository.write({
        "stacks/a.yaml": STACK,
        "packages/faulty_helper.py": HELPER,
        "packages/faulty_platform/parts.py": PARTS,
        "packages/faulty_platform/apis.py": APIS,
        "packages/faulty_platform/capability.py": CAPABILITY,
        "packages/faulty_platform-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: faulty_platform\nVersion: 1\n",
        "packages/faulty_platform-1.dist-info/entry_points.txt": ENTRY_POINTS,
    })  # fmt: skip
    packages = str(repository.root / "packages")
    return {"PYTHONPATH": packages, "PYTHONDONTWRITEBYTECODE": "1", "PLACE": "nowhere", "WAY": "print"}


def asked(repository: Repository, environment: Mapping[str, str], *words: str) -> Done:
    """The command within this process, which has more than half of what it needs; it must end with 2."""
    with installed(repository.root / "packages", environment):
        return repository.ask(*words, code=2)


def _line(place: str, text: str = PARTS) -> int:
    before, found, _ = text.partition(f'here("{place}")')
    assert found
    return before.count("\n") + 1


@pytest.mark.parametrize("place", OF_COMPONENTS)
def test_sys_exit_in_a_component_is_a_problem_at_its_line(
    repository: Repository, faulty: Mapping[str, str], place: str
) -> None:
    environment = {**faulty, "PLACE": place, "WAY": "exit with a text"}
    done = asked(repository, environment, "synth", "--check")

    assert done.err.startswith("error: stacks/a.yaml:4: components.faulty: ")
    assert f"packages/faulty_platform/parts.py:{_line(place)}: " in done.err
    assert "it ends the run (sys.exit: text)\n  hint: correct the package's code there; --debug" in done.err
    assert done.out == ""


@pytest.mark.parametrize("place", OF_JOBS)
def test_sys_exit_in_a_template_is_a_problem_at_its_line(
    repository: Repository, faulty: Mapping[str, str], place: str
) -> None:
    repository.write({"stacks/a.yaml": JOB})
    said = asked(repository, {**faulty, "PLACE": place, "WAY": "exit with a text"}, "synth").err

    assert said.startswith("error: stacks/a.yaml:5: jobs")
    assert f"packages/faulty_platform/parts.py:{_line(place)}: " in said
    assert "it ends the run (sys.exit: text)" in said


@pytest.mark.parametrize(
    ("place", "text", "words"),
    [
        ("apis", APIS, ("synth",)),
        ("capability", CAPABILITY, ("synth",)),
        ("import", PARTS, ("list", "components")),
        ("import", PARTS, ("schema",)),
    ],
)
def test_so_it_is_in_other_commands(
    repository: Repository, faulty: Mapping[str, str], place: str, text: str, words: tuple[str, ...]
) -> None:
    repository.write({
        "stacks/a.yaml": f"{STACK}  words: {{path: apps/words, namespace: words}}\nexternal: {{loadBalancer: {{}}}}\n",
        "apps/words/word.yaml": "apiVersion: example.com/v1\nkind: Word\nmetadata: {name: hello}\n",
    })  # fmt: skip
    said = asked(repository, {**faulty, "PLACE": place, "WAY": "exit with success"}, *words).err

    assert f".py:{_line(place, text)}: it ends the run (sys.exit: 0)" in said


@pytest.mark.parametrize("place", ["import", "build"])
@pytest.mark.parametrize("way", ENDS)
def test_whatever_ends_the_code_is_a_problem(
    repository: Repository, faulty: Mapping[str, str], place: str, way: str
) -> None:
    environment = {**faulty, "PLACE": place, "WAY": way}
    if way == "os._exit":  # which could end these tests
        done = repository.run("synth", "-o", "json", code=2, environment=environment)
    else:
        done = asked(repository, environment, "synth", "-o", "json")
    (problem,) = done.json["problems"]

    assert (problem["file"], problem["line"]) == ("stacks/a.yaml", 4)
    assert problem["text"].endswith(ENDS[way])
    assert f"parts.py:{_line(place)}: " in problem["text"]


@pytest.mark.parametrize("way", ENDS)
def test_a_process_beside_answers_with_the_problem(repository: Repository, faulty: Mapping[str, str], way: str) -> None:
    task = Task("component", "faulty", "faulty", {"size": 2}, Platform())
    done = subprocess.run(
        [sys.executable, "-m", "platform_def.pipeline.build.task"],
        input=task.to_json() + b"\n",
        env={**repository.environment, **faulty, "PLACE": "build", "WAY": way},
        capture_output=True,
        check=True,
    )

    failure = result_of(done.stdout)
    assert isinstance(failure, Failure)
    (problem,) = failure.problems
    assert "parts.py" in problem.text
    assert problem.text.endswith(ENDS[way])
    assert 'here("build")' in problem.trace


def test_what_is_printed_anywhere_is_no_data(repository: Repository, faulty: Mapping[str, str]) -> None:
    done = repository.run("synth", "-o", "json", environment={**faulty, "PLACE": "everywhere"})

    assert done.json["stacks"] == 1
    for line in ("look at me", "and me", "and this", "and what it runs"):
        assert done.err.splitlines().count(line) >= len(OF_COMPONENTS)


def test_a_hook_that_answers_with_nothing_is_a_problem_of_its_class(
    repository: Repository, faulty: Mapping[str, str]
) -> None:
    repository.write({"stacks/a.yaml": f"{HEAD}components:\n  odd: {{}}\n"})
    said = asked(repository, faulty, "synth").err

    line = PARTS[: PARTS.index("class Odd")].count("\n") + 1
    assert f"stacks/a.yaml:4: components.odd: packages/faulty_platform/parts.py:{line}: in Odd: TypeError" in said


def test_a_template_that_is_none_is_a_problem(repository: Repository, faulty: Mapping[str, str]) -> None:
    repository.write({"stacks/a.yaml": JOB.replace("faulty-job", "strange")})

    assert "Strange is not a platform_def TemplateJob" in asked(repository, faulty, "synth").err


def test_faults_of_several_stacks_are_told_at_once(repository: Repository, faulty: Mapping[str, str]) -> None:
    repository.write({"stacks/b.yaml": f"# second\n{STACK}"})
    environment = {**faulty, "PLACE": "needs_of", "WAY": "raise"}
    said = asked(repository, environment, "synth").err

    assert "error: stacks/a.yaml:4: components.faulty: " in said
    assert "error: stacks/b.yaml:5: components.faulty: " in said


@pytest.mark.parametrize("words", [("--debug", "synth"), ("synth", "--debug")])
def test_debug_shows_the_traceback(repository: Repository, faulty: Mapping[str, str], words: tuple[str, ...]) -> None:
    done = asked(repository, {**faulty, "PLACE": "build", "WAY": "raise"}, *words)

    assert done.err.startswith("Traceback (most recent call last):")
    assert 'raise KeyError("colour")' in done.err
    assert "error: stacks/a.yaml:4: components.faulty: " in done.err


def test_every_command_ends_in_a_documented_way() -> None:
    plain = [name for name, command in commands().items() if not isinstance(command, Command | click.Group)]

    assert not plain
