"""index.json: written the same every time, read with distrust."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from platform_def import __version__
from platform_def.errors import ConfigError, Source
from platform_def.pipeline.output.index import Index, decode, digest, digests, is_path, refuse_newer

FILES = {"a/main/b/pod-x.yaml": digest(b"x")}


def test_what_is_written_is_read_back() -> None:
    index = Index(stack="s", files=FILES, components={"a": {"release": "1.0"}}, images=("b", "a"), waves={"a/main": 1})

    (read,) = decode(index.encode())

    assert read.files == FILES
    assert read.components == {"a": {"release": "1.0"}}
    assert read.images == ("a", "b")
    assert read.tool == __version__


def test_order_of_what_goes_in_does_not_show() -> None:
    one = Index(stack="s", files={"a": digest(b"1"), "b": digest(b"2")}, images=("x", "y", "x"))
    other = Index(stack="s", files={"b": digest(b"2"), "a": digest(b"1")}, images=("y", "x"))

    assert one.encode() == other.encode()


def test_each_file_has_a_line_of_its_own() -> None:
    lines = Index(stack="s", files={"a": digest(b"1"), "b": digest(b"2")}).encode().decode().splitlines(keepends=True)

    assert sum("sha256:" in line for line in lines) == 2
    assert lines[-1] == "}\n"


def test_the_index_does_not_list_itself() -> None:
    assert digests({"index.json": b"", "a": b"x"}) == {"a": digest(b"x")}


@pytest.mark.parametrize(
    "change",
    [
        {"files": None},
        {"files": {"../x": digest(b"")}},
        {"files": {"/etc/x": digest(b"")}},
        {"files": {"a": "sha256:0"}},
        {"files": {"a": 1}},
        {"kind": "Other"},
        {"apiVersion": "platform-def/v0"},
        {"tool": 1},
        {"components": {"a": None}},
    ],
)
def test_an_index_that_is_not_one_of_ours_counts_as_none(change: dict[str, object]) -> None:
    document = json.loads(Index(stack="s", files=FILES).encode()) | change

    assert decode(json.dumps(document).encode()) == ()


@given(st.binary())
def test_any_bytes_can_be_read(content: bytes) -> None:
    assert decode(content) == ()


def test_both_sides_of_an_unsettled_merge_count() -> None:
    ours = Index(stack="s", files={"a": digest(b"1"), "m": digest(b"ours")}).encode().decode().splitlines(keepends=True)
    theirs = (
        Index(stack="s", files={"a": digest(b"1"), "m": digest(b"theirs")}).encode().decode().splitlines(keepends=True)
    )
    merged = "".join(
        line if line == other else f"<<<<<<< HEAD\n{line}||||||| base\n=======\n{other}>>>>>>> branch\n"
        for line, other in zip(ours, theirs, strict=True)
    )

    indexes = decode(merged.encode())

    assert [index.files["m"] for index in indexes] == [digest(b"ours"), digest(b"theirs")]


@pytest.mark.parametrize("tool", ["99", "99.0.0rc1", f"{__version__}.1"])
def test_an_index_of_a_newer_tool_is_refused(tool: str) -> None:
    with pytest.raises(ConfigError, match=f"written by platform-def {tool}"):
        refuse_newer(Index(stack="s", files={}, tool=tool), Source("dist/s/index.json"))


@pytest.mark.parametrize("tool", [__version__, f"{__version__}rc1", f"{__version__}.dev0", "0.0.9", "", "odd"])
def test_an_index_of_this_tool_or_an_older_one_is_taken(tool: str) -> None:
    refuse_newer(Index(stack="s", files={}, tool=tool), Source("dist/s/index.json"))


@pytest.mark.parametrize(
    "path", ["", ".", "..", "a/..", "../a", "a//b", "/a", "a/", "a\\b", "a\nb", "a\0", "a/./b", "x" * 256]
)
def test_paths_that_leave_their_folder_or_are_no_names_are_refused(path: str) -> None:
    assert not is_path(path)


@pytest.mark.parametrize("path", ["a", "a/b.yaml", "...", "..a/b", "_cluster/%3a.yaml", "ä"])
def test_paths_below_their_folder_are_taken(path: str) -> None:
    assert is_path(path)
