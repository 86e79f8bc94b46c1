"""What help texts, templates and messages name exists: their commands run, and each path of a stack leads to a field."""

from __future__ import annotations

import ast
import re
import shlex
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from platform_def.cli.reference import commands
from platform_def.components.catalogue import BUILT_IN, component
from platform_def.config.stack import Stack
from platform_def.config.written.explain import field_at
from platform_def.jobs.templates import template, templates
from platform_def.yaml import YamlError, load
from tests.acceptance.repository import PROJECT, Repository
from tests.acceptance.sessions import blocks, steps
from tests.acceptance.test_docs import PAGES, code, named

# --- commands


MORE = "  katib: {ui: {access: administrators}}\n  mysql: {}\n  volcano: {}\n"
"""What examples name beside the components that `init` writes."""


def uncommented(text: str) -> str:
    """A stack file with everything that its comments suggest."""
    suggestion = re.compile(
        r"^( *)# (?=(?:  )?[a-z][\w-]*: |nodePools:$|teams:$|jobs:$|  - |    [a-z]\w*: )", re.MULTILINE
    )
    return suggestion.sub(r"\1", text)


@pytest.fixture(scope="module")
def suggested(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """What `init` writes, with all that the comments of its stack file suggest; not to be changed."""
    made = Repository(tmp_path_factory.mktemp("suggested"))
    made.ask("init", ".", "--stack", "gpu-prod")
    stack = made.root / "stacks" / "gpu-prod.yaml"
    text = uncommented(stack.read_text(encoding="utf-8")).replace("components:\n", f"components:\n{MORE}")
    made.write({"stacks/gpu-prod.yaml": text, "apps/my-app/greeting.yaml": CONFIG_MAP})
    made.ask("synth")
    return made


CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: greeting}\n"
CRD = next(block.body for block in blocks(PROJECT / "docs" / "components.md") if block.value == "widgets.crd.yaml")


def test_what_the_stack_file_of_init_suggests_is_in_effect(suggested: Repository) -> None:
    stack: Any = load((suggested.root / "stacks" / "gpu-prod.yaml").read_bytes())

    assert {"availability", "nodePools", "teams", "jobs"} <= set(stack)
    assert "registry" in stack["cluster"]
    assert {"nvidia-device-plugin", "my-app"} <= set(stack["components"])
    assert {"my-app", "_jobs"} <= {path.name for path in (suggested.root / "dist" / "gpu-prod").iterdir()}


def test_commands_in_the_readme_of_init_run(suggested: Repository) -> None:
    text = (suggested.root / "README.md").read_text(encoding="utf-8")
    shown = re.findall(r"^    (platformctl .*)$|`(platformctl [^`]*)`", text, re.MULTILINE)
    lines = [indented or inline for indented, inline in shown]

    assert len(lines) > 3
    for line in lines:
        suggested.ask(*shlex.split(line, comments=True)[1:])


EXAMPLES = [
    line
    for command in commands().values()
    for line in re.sub(r" \\\n *", " ", command.epilog or "").splitlines()
    if "platformctl " in line
]


def test_every_command_shows_an_example() -> None:
    silent = [name for name, each in commands().items() if not hasattr(each, "commands") and not each.epilog]

    assert silent == []


AUTHOR = ("-c", "user.name=CI", "-c", "user.email=ci@example.com")


@pytest.mark.parametrize("line", EXAMPLES)
def test_examples_of_help_texts_run(suggested: Repository, tmp_path: Path, line: str) -> None:
    (ours,) = (part for part in line.split(" | ") if part.strip().startswith("platformctl "))
    words = shlex.split(
        re.split(r" {3,}", ours.strip())[0].partition(" > ")[0].replace("...", "registry.example.com/a:1")
    )
    copy = Repository(tmp_path / "new") if words[1] == "init" else suggested.copy(tmp_path / "copy")
    copy.root.mkdir(exist_ok=True)
    copy.write({"widgets.crd.yaml": CRD, "crds/widgets.yaml": CRD})
    if "--base" in words:
        for arguments in (["init", "-q", "-b", "main"], ["add", "-A"], [*AUTHOR, "commit", "-q", "-m", "Stacks"]):
            subprocess.run(["git", *arguments], cwd=copy.root, check=True)

    done = copy.ask(*words[1:], stdin=CRD if "import" in words else CONFIG_MAP)

    assert done.out or done.err


# --- paths


_TOP = "|".join(sorted((info.alias or name for name, info in Stack.model_fields.items()), key=len, reverse=True))
_STEP = r"\[[\w*]*+\]|\.[A-Za-z*<@][\w*@<>-]*+"
_PATH = re.compile(rf"(?<![\w./{{}}$-])(?:{_TOP})(?:{_STEP})++(?![(/]|:\w)")
_FRAGMENT = re.compile(rf"^(?:{_TOP}): [{{\[].*$")
_NO_PATH = re.compile(r"\.(?:md|yaml|io|sh|com|local|v1)\b")
"""Files, API groups and hosts."""


def lines_of(path: Path) -> str:
    """What is set as code on a page, without what commands print: errors there name what is wrong."""
    if path.suffix == ".txt":
        return path.read_text(encoding="utf-8")
    text = code(path)
    for block in blocks(path):
        if block.kind == "console":
            text = text.replace(block.body, "\n".join(command for command, _ in steps(block.body)))
    return text


def strings_of(path: Path) -> str:
    """Texts of a module: messages, hints, help and docstrings, with `*` for what is filled in."""
    found: list[str] = []
    todo: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.JoinedStr):
            found.append("".join(str(each.value) if isinstance(each, ast.Constant) else "*" for each in node.values))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.append(node.value)
        else:
            todo += ast.iter_child_nodes(node)
    return "\n".join(found)


SOURCES = sorted(path for path in (PROJECT / "platform_def").rglob("*.py") if "apis" not in path.parts)
TEMPLATES = sorted((PROJECT / "platform_def" / "cli" / "init_files").rglob("*.txt"))


def paths_in(text: str) -> Iterator[str]:
    """Paths of values in a stack, as messages and docs write them."""
    return (found.rstrip("-") for found in _PATH.findall(text) if not _NO_PATH.search(found))


def models_of(steps: Sequence[str]) -> list[type[BaseModel]]:
    """What a path may be about, behind its first two steps: a component or job of any name, where it names none."""
    if steps[0] == "components":
        known = steps[1] in BUILT_IN
        return [component(steps[1]).config_model()] if known else [component(each).config_model() for each in BUILT_IN]
    return [template(each).config_model() for each in templates()]


def leads_somewhere(path: str) -> bool:
    """Whether any stack may have a value there."""
    return is_field(re.findall(r"[^.\[\]]+|(?<=\[)(?=\])", path))


def is_field(steps: Sequence[str]) -> bool:
    """The same of a path in steps."""
    if steps[0] in ("components", "jobs") and len(steps) > 1:
        return any(not steps[2:] or _in(model, steps[2:]) for model in models_of(steps))
    return _in(Stack, steps)


def _in(model: type[BaseModel], steps: Sequence[str]) -> bool:
    """`*` is any field where a message fills one in."""
    cut = next((index for index, step in enumerate(steps) if "*" in step and not _keyed(model, steps[:index])), None)
    return field_at(model, steps[:cut]) is not None if steps[:cut] else True


def _keyed(model: type[BaseModel], steps: Sequence[str]) -> bool:
    return bool(steps) and field_at(model, [*steps, "*"]) is not None


@pytest.mark.parametrize(
    ("path", "text"),
    [(path, lines_of(path)) for path in (*PAGES, *TEMPLATES)],
    ids=[named(path) for path in (*PAGES, *TEMPLATES)],
)
def test_paths_that_pages_and_templates_name_are_there(path: Path, text: str) -> None:
    assert [each for each in paths_in(text) if not leads_somewhere(each)] == [], path


def test_paths_that_messages_and_help_texts_name_are_there() -> None:
    named_there = {each: named(path) for path in SOURCES for each in paths_in(strings_of(path))}

    assert len(named_there) > 20
    assert {each: where for each, where in named_there.items() if not leads_somewhere(each)} == {}


def fragments_in(path: Path) -> Iterator[tuple[str, object]]:
    """`ingress: {kind: none}` and the like, as pages write them in a line."""
    for line in code(path).splitlines():
        if _FRAGMENT.match(line):
            with suppress(YamlError):
                yield line, load(line)


def keys_of(value: object, above: Sequence[str] = ()) -> Iterator[Sequence[str]]:
    """Paths of all that a fragment says, in steps."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in inside:
        yield [*above, str(key)]
        yield from keys_of(inner, [*above, str(key)])


def test_fragments_of_stacks_on_pages_have_fields_that_are_there() -> None:
    every = [(path, line, value) for path in PAGES for line, value in fragments_in(path)]
    wrong = [
        f"{named(path)}: {line}: {keys}"
        for path, line, value in every
        for keys in keys_of(value)
        if "…" not in keys and not is_field(keys)
    ]

    assert len(every) > 20
    assert wrong == []
