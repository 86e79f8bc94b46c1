"""What is shared by the stacks of a run is held up to a size, and never given for something else."""

from __future__ import annotations

from platform_def.pipeline.changes.previous import Parsed
from platform_def.pipeline.fleet.recent import Recent


def test_what_was_asked_for_last_stays() -> None:
    recent: Recent[str, int] = Recent(3)
    for count, key in enumerate("abc"):
        recent.put(key, count, 1)
    recent.get("a")
    recent.put("d", 3, 1)

    assert [recent.get(key) for key in "abcd"] == [0, None, 2, 3]


def test_a_value_that_is_put_again_counts_once() -> None:
    recent: Recent[str, int] = Recent(3)
    for _ in range(5):
        recent.put("a", 1, 2)
    recent.put("b", 2, 1)

    assert (recent.get("a"), recent.get("b")) == (1, 2)


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


def test_files_without_a_manifest_have_none_each_time() -> None:
    parsed = Parsed()

    assert [parsed.of(text) for text in (b"", b"- a\n", b"a: [\n", b"a: [\n")] == [None] * 4
