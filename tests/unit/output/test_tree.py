"""Signatures of trees, and reading without following links."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from platform_def.pipeline.output.tree import fingerprint, read


def made(folder: Path) -> Path:
    (folder / "a/b").mkdir(parents=True)
    (folder / "a/b/x").write_text("1")
    (folder / "y").write_text("1")
    return folder


def append(folder: Path) -> None:
    with (folder / "y").open("a") as file:
        file.write("2")


def rewrite(folder: Path) -> None:
    before = (folder / "y").stat()
    (folder / "y").write_text("2")
    os.utime(folder / "y", ns=(before.st_atime_ns, before.st_mtime_ns + 1))


def replace(folder: Path) -> None:
    before = (folder / "y").stat()
    (folder / "z").write_text("2")
    os.utime(folder / "z", ns=(before.st_atime_ns, before.st_mtime_ns))
    (folder / "z").replace(folder / "y")


@pytest.mark.parametrize(
    "change",
    [
        append,
        rewrite,
        replace,
        lambda folder: (folder / "y").unlink(),
        lambda folder: (folder / "new").touch(),
        lambda folder: (folder / "y").rename(folder / "z"),
        lambda folder: (folder / "y").rename(folder / "a/y"),
        lambda folder: (folder / "y").chmod(0o755),
        lambda folder: (folder / "a").rename(folder / "c"),
    ],
)
def test_any_change_of_a_file_changes_the_fingerprint(change: Callable[[Path], None], tmp_path: Path) -> None:
    before = fingerprint(made(tmp_path))

    change(tmp_path)

    assert fingerprint(tmp_path) != before


def test_reading_does_not_change_the_fingerprint(tmp_path: Path) -> None:
    before = fingerprint(made(tmp_path))
    (tmp_path / "y").read_text()

    assert fingerprint(tmp_path) == before


def test_a_missing_tree_has_a_fingerprint_of_its_own(tmp_path: Path) -> None:
    assert fingerprint(tmp_path / "none") == "missing" != fingerprint(tmp_path)


@pytest.mark.parametrize("size", [0, 1, 4096, 4097, 3_000_000])
@pytest.mark.parametrize("guess", [0, 1, 4096, 4097])
def test_a_file_is_read_whole_whatever_size_was_expected(tmp_path: Path, size: int, guess: int) -> None:
    content = os.urandom(size)
    (tmp_path / "x").write_bytes(content)

    assert read(str(tmp_path / "x"), guess) == content


def test_links_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/etc/hostname")

    assert read(str(tmp_path / "link")) is None
