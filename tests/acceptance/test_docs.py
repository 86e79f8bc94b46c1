"""The documentation does what it says: its commands run, its links lead somewhere, what it names exists.

In docs/*.md a block ```console is a session: lines with `$` are run in a folder of the page's own, the others are the
output. There `…` stands for anything, a number for any number. ```yaml file=PATH writes a file first, and ```console
with=FOLDER copies a folder of the project there, and ```console on=cluster asks a cluster, which only its own test has; a block
```yaml from=PATH quotes a file of the project, shortened. Blocks of any other kind are not run.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from shutil import copytree

import click
import pytest

from platform_def.cli.reference import commands, pages
from tests.acceptance.repository import PROJECT, Done, Repository
from tests.acceptance.sessions import FENCE, Block, blocks, missing, steps

PAGES = [PROJECT / "README.md", PROJECT / "CONTRIBUTING.md", PROJECT / "CHANGELOG.md"]
GENERATED = sorted(
    path for room in ("apis", "checks") for path in (PROJECT / "docs" / "reference" / room).rglob("*.md")
)
"""Hundreds, generated, without sessions: judged together."""
PAGES += sorted({*(PROJECT / "docs").rglob("*.md")} - {*GENERATED})

PACKAGE = PROJECT / "platform_def"
PYPROJECT = (PROJECT / "pyproject.toml").read_text(encoding="utf-8")

_LINK = re.compile(r"(?<!!)\[[^\]]*\]\((?P<target>[^)\s]+)\)")
_SPAN = re.compile(r"`(?P<code>[^`\n]+)`")
_MAKE = re.compile(r"\bmake (?P<name>[a-z]+(?:-[a-z]+)*)\b")
_SHELL = re.compile(r"[|&;<>$`*?{}()#~\\\n]")
_COMMAND = re.compile(r"\bplatformctl (?P<words>[a-z]+(?: [a-z]+)?)\b")


def named(path: Path) -> str:
    """A page as test ids name it."""
    return path.relative_to(PROJECT).as_posix()


def code(path: Path) -> str:
    """Everything of a page that is set as code."""
    text = path.read_text(encoding="utf-8")
    spans = (found["code"] for found in _SPAN.finditer(FENCE.sub("", text)))
    return "\n".join([*spans, *(block.body for block in blocks(path))])


SESSIONS = [path for path in PAGES if any(block.kind == "console" for block in blocks(path))]


@pytest.mark.parametrize("path", SESSIONS, ids=named)
def test_sessions_run_as_shown(path: Path, tmp_path: Path) -> None:
    here = tmp_path
    for block in blocks(path):
        if block.option == "file":
            target = here / block.value
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(block.body, encoding="utf-8")
        if block.option == "with":
            copytree(PROJECT / block.value, here / block.value)
        for command, shown in steps(block.body) if block.kind == "console" and block.option != "on" else ():
            if command.startswith("cd "):
                here = here / command[3:]
                continue
            done = ran(here, command)
            output = [*done.out.splitlines(), *done.err.splitlines()]

            assert not missing(shown, output), f"$ {command}\n" + "\n".join(output)


_EXIT_CODE = ' || echo "exit code $?"'
_SILENT = " >/dev/null 2>&1"
_AFTER = re.compile(r"(?P<first>[^&;|]+)(?: &&|;) (?P<then>platformctl .*)")


def ran(here: Path, command: str) -> Done:
    """The command; `platformctl` runs in this process, which need not load all of it again, and so do a few words of a
    shell that pages write around it."""
    if found := _AFTER.fullmatch(command):
        first, then = ran(here, found["first"]), ran(here, found["then"])
        return Done(then.code, first.out + then.out, first.err + then.err)
    told = command.removesuffix(_EXIT_CODE)
    words, _, file = told.removesuffix(_SILENT).partition(" > ")
    if not words.startswith("platformctl ") or _SHELL.search(words + file):
        return Repository(here).call("bash", "-c", command)
    done = Repository(here).hear(*shlex.split(words)[1:])

    assert "Traceback" not in done.err, done.err
    assert told != command or not done.code, f"{done.out}\n{done.err}"
    if file:
        (here / file).write_text(done.out, encoding="utf-8")
    if file or told.endswith(_SILENT):
        done = Done(done.code, "", "" if told.endswith(_SILENT) else done.err)
    return Done(0, f"{done.out}exit code {done.code}\n", done.err) if done.code else done


QUOTES = [(path, block) for path in PAGES for block in blocks(path) if block.option == "from"]


@pytest.mark.parametrize(("path", "block"), QUOTES, ids=[f"{named(path)}-{block.value}" for path, block in QUOTES])
def test_quoted_files_hold_what_is_quoted(path: Path, block: Block) -> None:
    (source,) = PROJECT.glob(block.value)

    remaining = iter(source.read_text(encoding="utf-8").splitlines())
    absent = [line for line in block.body.splitlines() if line not in remaining]

    assert absent == []


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_links_lead_somewhere(path: Path) -> None:
    assert _broken(path) == []


def _broken(path: Path) -> list[str]:
    """Links of a page to files and headings that are not there; patterns in code are none."""
    text = _SPAN.sub("", FENCE.sub("", path.read_text(encoding="utf-8")))
    targets = dict.fromkeys(found["target"] for found in _LINK.finditer(text))
    return [target for target in targets if ":" not in target and not _leads_somewhere(path, target)]


def test_links_of_generated_pages_lead_somewhere_and_headings_differ() -> None:
    broken = [f"{named(path)}: {target}" for path in GENERATED for target in _broken(path)]

    assert GENERATED
    assert broken == []
    assert [named(path) for path in GENERATED if len(_anchors(path)) < len(_headings(path))] == []


def _leads_somewhere(path: Path, target: str) -> bool:
    file, _, anchor = target.partition("#")
    page = path.parent / file if file else path
    return page.exists() and (not anchor or anchor in _anchors(page))


@cache
def _anchors(path: Path) -> set[str]:
    """Headings as GitHub makes anchors of them."""
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in _headings(path)}


def _headings(path: Path) -> list[str]:
    return re.findall(r"^#+ (.*)$", FENCE.sub("", path.read_text(encoding="utf-8")), re.MULTILINE)


# A component's page may name a command of upstream's Makefile.
@pytest.mark.parametrize("path", [path for path in PAGES if path.parent.name != "components"], ids=named)
def test_make_commands_exist(path: Path) -> None:
    makefile = (PROJECT / "Makefile").read_text(encoding="utf-8")
    known = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))

    assert {found["name"] for found in _MAKE.finditer(code(path))} - known == set()


def test_contributing_names_every_make_command() -> None:
    makefile = (PROJECT / "Makefile").read_text(encoding="utf-8")
    documented = set(re.findall(r"^([a-z-]+):.*## ", makefile, re.MULTILINE))

    named_there = {found["name"] for found in _MAKE.finditer(code(PROJECT / "CONTRIBUTING.md"))}

    assert documented - named_there - {"help"} == set()


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_commands_exist(path: Path) -> None:
    words = {found["words"] for found in _COMMAND.finditer(code(path))}

    assert [each for each in sorted(words) if not _is_command(each)] == []


def _is_command(words: str) -> bool:
    """Whether these one or two words begin with a command; after a group comes one of its own."""
    first, _, second = words.partition(" ")
    known = commands()
    return first in known and (not isinstance(known[first], click.Group) or not second or words in known)


def test_generated_pages_are_current() -> None:
    lagging = [named(path) for path, text in pages(PROJECT) if path.read_text(encoding="utf-8") != text]

    assert lagging == [], "run `make docs`"


_MEANING = re.compile(r"\| (?:meaning|what it is|what is installed) \|$")
_ENDS = re.compile(r"(?:[.:?…](?:\*\*|`|\))?|\]\(\S+\)\.?)$")


def sentences(page: str) -> Iterator[str]:
    """Paragraphs of a page, and what the last columns of its tables say."""
    for paragraph in re.split(r"\n\s*\n", FENCE.sub("", page)):
        rows = paragraph.strip("\n").splitlines()
        if rows and rows[0].startswith("|"):
            cells = (re.split(r"(?<!\\\\)\|", row)[-2].strip() for row in rows[2:])
            yield from (
                re.sub(r" ?\[(?:default: .*|required)\]$", "", cell) for cell in cells if _MEANING.search(rows[0])
            )
        elif rows and not rows[0].startswith(("#", "<", "    ")):
            yield rows[-1]


@pytest.mark.parametrize("room", ["reference", "reference/apis", "reference/checks"])
def test_no_sentence_of_a_generated_page_ends_in_the_middle(room: str) -> None:
    below = "**/*.md" if room != "reference" else "*.md"
    every = [
        (path, text) for path in (PROJECT / "docs" / room).glob(below) for text in sentences(path.read_text("utf-8"))
    ]

    assert len(every) > 100
    assert [f"{named(path)}: {text}" for path, text in every if text and not _ENDS.search(text)] == []


_PLACE = re.compile(r"[a-z_]+(?:/[a-z_]+)*/(?:[a-z_]+\.py)?|[a-z_]+(?:/[a-z_]+)+(?:\.py)?|[a-z_]+\.py")
_EXAMPLE = {"apps/", "examples/", "component.py", "words.py"}


def test_the_architecture_names_every_layer_and_only_places_that_exist() -> None:
    page = (PROJECT / "docs" / "architecture.md").read_text(encoding="utf-8")
    spans = [found["code"] for found in _SPAN.finditer(FENCE.sub("", page))]
    places = [each for each in spans if _PLACE.fullmatch(each) and each not in _EXAMPLE]
    lines = re.findall(r'^  "(platform_def[^"]*)",$', PYPROJECT, re.MULTILINE)
    layers = {layer for line in lines for layer in re.findall(r"platform_def\.([a-z]+)", line)}

    assert len(places) > 30
    assert [each for each in places if not any((root / each).exists() for root in (PROJECT, PACKAGE))] == []
    assert {each for each in layers if f"`{each}/" not in page and f"`{each}.py`" not in page} == set()


def test_an_operator_is_written_in_under_sixty_lines() -> None:
    """The guide's own promise; that it runs as written is its session."""
    guide = [
        block
        for block in blocks(PROJECT / "docs" / "components.md")
        if block.value == "widgets_platform/widget_operator.py"
    ]

    assert [len(block.body.splitlines()) < 60 for block in guide] == [True]


def test_a_block_of_a_list_is_read_without_its_indentation(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "1. Write:\n\n   ```yaml file=a.yaml\n   a:\n     b: 1\n\n   ```\n\n```console\n$ ls\n```\n", encoding="utf-8"
    )

    assert [*blocks(page)] == [Block("yaml", "file", "a.yaml", "a:\n  b: 1\n\n"), Block("console", "", "", "$ ls\n")]


def test_index_leads_to_every_page() -> None:
    """Lists are pages called index.md, and those that are generated."""
    index, reference = PROJECT / "docs" / "index.md", PROJECT / "docs" / "reference"
    linked, indexes = {index, PROJECT / "README.md"}, [index]
    while indexes:
        page = indexes.pop()
        found = {(page.parent / link["target"]).resolve() for link in _LINK.finditer(page.read_text(encoding="utf-8"))}
        indexes += [path for path in found - linked if path.name == "index.md" or path.parent == reference]
        linked |= found

    assert [named(path) for path in (*PAGES, *GENERATED) if path not in linked] == []
