"""What is shared by the stacks of a run is held up to a size, and never given for something else."""

from __future__ import annotations

from platform_def.checks.recent import Recent
from platform_def.pipeline.changes.previous import Parsed
from platform_def.pipeline.output.index import KnownContents, digest


def test_what_is_asked_for_again_stays() -> None:
    recent: Recent[str, int] = Recent(4)
    for count, key in enumerate("abcde"):
        recent.put(key, count)
        recent.get("a")

    assert recent.get("a") == 0
    assert recent.get("b") is None
    assert recent.get("e") == 4


def test_no_more_is_held_than_the_size() -> None:
    recent: Recent[int, int] = Recent(10)
    for number in range(100):
        recent.put(number, number, 3)

    assert len([number for number in range(100) if recent.get(number) is not None]) <= 3


def test_a_value_that_is_put_again_is_the_newer_one_and_counts_once() -> None:
    recent: Recent[str, int] = Recent(6)
    for number in range(5):
        recent.put("a", number, 2)
    recent.put("b", 2, 1)

    assert (recent.get("a"), recent.get("b")) == (4, 2)


def test_a_value_larger_than_all_may_be_is_not_held() -> None:
    recent: Recent[str, int] = Recent(3)
    recent.put("a", 1, 4)

    assert recent.get("a") is None


def test_equal_files_are_one_manifest_and_others_are_not() -> None:
    parsed = Parsed()
    one = parsed.of(b"kind: A\n")

    assert parsed.of(b"kind: A\n") is one
    assert parsed.of(b"kind: B\n") == {"kind": "B"}
    assert one == {"kind": "A"}


def test_a_file_is_what_it_holds_whatever_its_index_says() -> None:
    parsed, known = Parsed(), KnownContents()
    said = digest(b"kind: A\n")

    assert [known.digest(text, (said, None)) for text in (b"kind: A\n", b"kind: A\n", b"kind: B\n")] == [
        said,
        said,
        digest(b"kind: B\n"),
    ]
    assert [parsed.of(text, said) for text in (b"kind: A\n", b"kind: B\n", b"kind: A\n")] == [
        {"kind": "A"},
        {"kind": "B"},
        {"kind": "A"},
    ]


def test_files_without_a_manifest_have_none_each_time() -> None:
    parsed = Parsed()

    assert [parsed.of(text) for text in (b"", b"- a\n", b"a: [\n", b"a: [\n")] == [None] * 4
