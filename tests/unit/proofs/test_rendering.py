"""What is written down of a stack that a test renders itself."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.proofs import rendering
from tests.proofs.rendering import MOST_BYTES, Root, files_of, watch

THIS = f"{__name__}:render"


def render(options: Any) -> Any:
    if options.wrong:
        raise ValueError(f"{options.root / 'stacks'} is wrong")
    return SimpleNamespace(files=lambda: {"one": {"a.yaml": b"kind: A"}})


def seen(root: Path, *, wrong: bool = False) -> Root | None:
    found: list[Root | None] = []
    end = watch(THIS, found.append)
    try:
        globals()["render"](SimpleNamespace(root=root, stacks=(), wrong=wrong))
    except ValueError:
        assert wrong
    finally:
        end()
    (one,) = found
    return one


def stack(root: Path, text: str = "kueue: {}") -> Path:
    (root / "stacks").mkdir(parents=True)
    (root / "stacks" / "one.yaml").write_text(text)
    return root


def test_files_are_noted_without_what_no_rendering_reads(tmp_path: Path) -> None:
    for name in (".git/config", "dist/one/a.yaml"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text("")

    assert files_of(stack(tmp_path / "." / "")) == {"stacks/one.yaml": "kueue: {}"}


def test_a_root_that_is_too_large_or_empty_is_not_noted(tmp_path: Path) -> None:
    assert seen(stack(tmp_path / "large", "x" * (MOST_BYTES + 1))) is None
    assert seen(tmp_path) is None


def test_a_root_with_a_private_key_is_not_noted(tmp_path: Path) -> None:
    root = stack(tmp_path)
    (root / "tls.key").write_text("-----BEGIN PRIVATE KEY-----\n")

    assert seen(root) is None


def test_the_folder_is_no_part_of_what_came_out_and_the_text_of_a_stack_is_of_its_key(tmp_path: Path) -> None:
    one, two, other = (seen(stack(tmp_path / name, name[0])) for name in ("a1", "a2", "b"))
    assert one is not None
    assert two is not None
    assert other is not None

    assert one == two
    assert one.key != other.key
    assert one.became == other.became


@pytest.mark.parametrize("wrong", [True, False])
def test_a_stack_that_is_refused_is_noted_by_the_reasons(tmp_path: Path, wrong: bool) -> None:
    one, two = (seen(stack(tmp_path / name), wrong=wrong) for name in ("one", "two"))
    assert one is not None
    assert two is not None

    assert one.became == two.became
    assert (one.became == rendering._hash("refused: /stacks is wrong")) == wrong
