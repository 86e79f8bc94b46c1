"""What a new repository installs: the tool that made it, from where it came, and all it needs by hash."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from platform_def.cli import init, installed
from platform_def.cli.installed import of_direct_url
from tests.acceptance.repository import PROJECT, Repository

COMMIT = "0123456789abcdef0123456789abcdef01234567"
DIGEST = "a" * 64
INSTALLED = ("requirements.txt", "tool.txt")


def test_what_the_tool_needs_is_locked_as_it_is_here(repository: Repository) -> None:
    repository.ask("init", ".")
    text = (repository.root / "requirements.txt").read_text(encoding="utf-8")

    assert text.partition("\n")[2] == (PROJECT / "requirements/run.txt").read_text(encoding="utf-8"), "run `make lock`"
    names = re.findall(r"^[\w.-]+(?:\[\w+\])?==", text, re.MULTILINE)
    assert len(re.findall(r"==.*\\\n +--hash=sha256:", text)) == len(names) > 10


@pytest.mark.parametrize(
    ("found", "line"),
    [
        (
            {"url": "https://git.example.com/t.git", "vcs_info": {"vcs": "git", "commit_id": COMMIT, "requested_revision": "v1"}},
            f"platform-def @ git+https://git.example.com/t.git@{COMMIT}",
        ),
        (
            {"url": "https://files.example.com/platform_def-1-py3-none-any.whl", "archive_info": {"hashes": {"sha256": DIGEST}}},
            f"platform-def @ https://files.example.com/platform_def-1-py3-none-any.whl --hash=sha256:{DIGEST}",
        ),
    ],
)  # fmt: skip
def test_the_tool_is_named_by_commit_or_hash(found: dict[str, Any], line: str) -> None:
    assert of_direct_url(found).text == f"{line}\n"


@pytest.mark.parametrize(
    "found",
    [
        {},
        {"url": "file:///x", "dir_info": {"editable": True}},
        {"url": "file:///gone/platform_def-1-py3-none-any.whl", "archive_info": {"hashes": {"sha256": DIGEST}}},
        {"url": "file:///x.whl", "archive_info": {}},
        {"url": "https://me:word@git.example.com/t.git", "vcs_info": {"vcs": "git", "commit_id": COMMIT}},
        {"url": "https://git.example.com/t.git", "vcs_info": {"vcs": "git", "commit_id": "main"}},
        {"url": "file:///home/me/t.git", "vcs_info": {"vcs": "git", "commit_id": COMMIT}},
    ],
)
def test_what_is_not_known_is_left_to_the_user_and_no_name_is_looked_up(found: dict[str, Any]) -> None:
    made = of_direct_url(found)

    assert not made.known
    assert all(line.startswith("#") for line in made.text.splitlines())
    assert "word" not in made.text


def test_the_wheel_that_was_installed_is_copied(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel = tmp_path / "platform_def-1-py3-none-any.whl"
    wheel.write_bytes(b"wheel")
    found = {"url": wheel.as_uri(), "archive_info": {"hashes": {"sha256": DIGEST}}}
    monkeypatch.setattr(init, "installed", lambda: of_direct_url(found))

    done = repository.ask("init", "new")

    assert f"new/{installed.FOLDER}/{wheel.name}" in done.out.splitlines()
    assert repository.files("new")[f"tool/{wheel.name}"] == b"wheel"
    assert repository.files("new")["tool.txt"].decode() == f"./tool/{wheel.name} --hash=sha256:{DIGEST}\n"


def test_ci_and_readme_install_by_hash_what_init_wrote(repository: Repository) -> None:
    done = repository.ask("init", ".")
    repository.ask("init", "other", "--ci", "gitlab")

    for file in (".github/workflows/platform.yaml", "README.md", "Dockerfile", "other/.gitlab-ci.yml"):
        lines = [line for line in (repository.root / file).read_text("utf-8").splitlines() if "pip install" in line]

        assert ["--require-hashes" in line for line in lines] == [True, False]
        assert [name in line for name, line in zip(INSTALLED, lines, strict=True)] == [True, True]
        assert "--no-deps" in lines[1]
    assert "tool.txt: say there where platformctl comes from" in done.err


def test_no_page_installs_the_tool_by_its_bare_name() -> None:
    pages = [
        PROJECT / "README.md",
        *(PROJECT / "docs").rglob("*.md"),
        *(PROJECT / "platform_def/cli/init_files").rglob("*.txt"),
    ]
    bare = re.compile(r"pip (?:install|download)[^\n@]* platform-def(?:==\S+)?\s*(?:$|#)", re.MULTILINE)

    assert [path.name for path in pages if bare.search(path.read_text(encoding="utf-8"))] == []
