"""What is written down of a stack that a test renders itself."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.proofs import rendering
from tests.proofs.rendering import MOST_BYTES, Answer, Made, Root, became, files_of, noted, read_made, watch

THIS = f"{__name__}:render"


def render(options: Any) -> Any:
    if options.wrong:
        raise ValueError(f"{options.root / 'stacks'} is wrong")
    return SimpleNamespace(files=lambda: {"one": {"a.yaml": b"kind: A"}})


@noted
def answer(name: str, release: str = "") -> dict[str, object]:
    if name == "wrong":
        raise ValueError("there is no such component")
    return {"name": name, "labels": frozenset([name, release, "job", "pod"])}


@noted
def both(name: str) -> list[object]:
    return [answer(name)["name"], "pod"]


def seen(root: Path, *, wrong: bool = False) -> Made | None:
    found: list[Made | None] = []
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


def test_what_a_noted_function_gives_is_taken_down_by_its_words_while_someone_listens() -> None:
    found: list[Made | None] = []
    end = watch(THIS, found.append)
    given = answer("kueue", release="0.14")
    end()
    answer("kueue")
    (one,) = found

    assert given["name"] == "kueue"
    assert isinstance(one, Answer)
    assert (one.function, one.words) == (f"{__name__}:answer", ("kueue", "0.14"))
    assert became(one, THIS) == one.became
    read = read_made(json.loads(json.dumps(asdict(one))))
    assert (read.key, read.became) == (one.key, one.became)
    assert read_made(json.loads(json.dumps(asdict(Root({"a": "b"}))))) == Root({"a": "b"}, [])


def test_what_is_asked_to_answer_a_question_is_none_of_its_own() -> None:
    found: list[Made | None] = []
    end = watch(THIS, found.append)
    both("kueue")
    answer("kueue")
    end()

    assert [each.function for each in found if isinstance(each, Answer)] == [f"{__name__}:both", f"{__name__}:answer"]


def test_a_question_that_is_refused_is_taken_down_too() -> None:
    found: list[Made | None] = []
    end = watch(THIS, found.append)
    with pytest.raises(ValueError, match="no such component"):
        answer("wrong")
    end()
    (one,) = found

    assert one is not None
    assert became(one, THIS) == one.became


def test_an_answer_that_there_is_no_longer_became_another_one() -> None:
    one = Answer(f"{__name__}:answer", ["kueue", ""])

    assert len({became(each, THIS) for each in (one, replace(one, words=["wrong"]), replace(one, words=["lws"]))}) == 3
