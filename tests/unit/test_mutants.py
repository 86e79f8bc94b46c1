"""The tool behind `make mutants`: which changes there are, how they are called, and which are tried."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mutants.points import Point, difference, points
from tests.mutants.sample import sample
from tests.mutants.survivors import listed
from tests.mutants.trace import Recorded, merged


def changes(root: Path, code: str) -> list[Point]:
    """The mutants of one file."""
    (root / "a").mkdir(exist_ok=True)
    (root / "a" / "it.py").write_text(code)
    return list(points(root, ["a"]))


def made(root: Path, code: str, operator: str) -> list[str]:
    """The files that one operator makes."""
    return [point.code() for point in changes(root, code) if point.operator == operator]


@pytest.mark.parametrize(
    ("operator", "code", "mutants"),
    [
        ("one_side", "x = a or b\n", ["x = a\n", "x = b\n"]),
        ("condition_ignored", "if a:\n    b\n", ["if True:\n    b\n", "if False:\n    b\n"]),
        ("condition_ignored", "if(a):\n    b\n", ["if True:\n    b\n", "if False:\n    b\n"]),
        (
            "filter_ignored",
            "x = [a for a in b if a if c]\n",
            ["x = [a for a in b if c]\n", "x = [a for a in b if a]\n"],
        ),
        ("union_turned", "x = a | b\n", ["x = b | a\n"]),
        ("union_turned", "x = a + b\n", []),
        ("merge_turned", "x = {**a, 'b': c}\n", ["x = {'b': c, **a, }\n"]),
        ("merge_turned", "x = {'a': b, 'c': d}\n", []),
    ],
)
def test_operators_of_our_own(tmp_path: Path, operator: str, code: str, mutants: list[str]) -> None:
    assert made(tmp_path, code, operator) == mutants


@pytest.mark.parametrize(
    "code",
    [
        "from a import b\n",
        '"""Text."""\n',
        "x: Annotated[str, 5 | 6]\n",
        "@cache(size=5)\nclass A: ...\n",
        "if TYPE_CHECKING:\n    x = 5\n",
        "Alias = dict[str, int] | None\n",
        "raise Problem('a')\n",
    ],
)
def test_what_has_no_effect_at_run_time_or_is_wording_is_no_text_to_change(tmp_path: Path, code: str) -> None:
    assert [point.name for point in changes(tmp_path, code) if point.operator != "arg_removal"] == []


@pytest.mark.parametrize(
    "code", ["'is removed; the API server does not let it change again'", "f'kept until {name} is gone, and no longer'"]
)
def test_a_sentence_is_wording_wherever_it_stands(tmp_path: Path, code: str) -> None:
    assert [point.operator for point in changes(tmp_path, f"x = {code}\n")] == ["assignment"]


@pytest.mark.parametrize(
    "text", ["sum by (namespace) (rate(made_total[5m]))", "create secret generic", "--a b --c d --e f"]
)
def test_what_a_program_reads_is_no_wording(tmp_path: Path, text: str) -> None:
    assert [point.operator for point in changes(tmp_path, f"x = {text!r}\n")] != []


def test_a_mutant_is_called_by_place_and_change_and_twins_are_numbered(tmp_path: Path) -> None:
    names = [point.name for point in changes(tmp_path, "class A:\n    def f(self):\n        return not a, not a\n")]

    assert names == ["a/it.py A.f: ⟦not  → ⟧a", "a/it.py A.f: ⟦not  → ⟧a (2)"]


def test_a_mutant_of_a_condition_is_on_the_lines_of_the_condition(tmp_path: Path) -> None:
    code = (
        "def f(\n    x=1,\n):\n    if x and (\n        y\n    ):\n        return 2\n    return g(\n        3\n    )\n"
    )

    lines = {point.change: point.lines for point in changes(tmp_path, code)}

    assert lines["⟦1 → 2⟧"] == range(1, 4)
    assert lines["⟦2 → 3⟧"] == range(7, 8)
    assert lines["⟦3 → 4⟧"] == range(8, 11)
    assert lines["if ⟦x and ( y ) → True⟧"] == range(4, 7)


def test_a_difference_shows_what_changed_and_a_little_around() -> None:
    assert difference("a.b(c == d)", "a.b(c != d)") == "a.b(c ⟦== → !=⟧ d)"
    assert difference("x" * 5, "") == f"⟦{'x' * 5} → ⟧"
    assert len(difference(f"f({'a, ' * 200})", f"f({'a, ' * 100}b, {'a, ' * 99})")) < 200


def test_a_smaller_sample_is_a_part_of_a_larger_one_and_follows_from_the_seed(tmp_path: Path) -> None:
    found = changes(tmp_path, "\n".join(f"x{number} = {number} if a and b{number} else None" for number in range(40)))
    small, large = ({point.name for point in sample(found, size)} for size in (10, 60))

    assert len(small) == 10
    assert small < large
    assert {point.name for point in sample(reversed(found), 10)} == small
    assert {point.name for point in sample(found, 10, seed=1)} != small


def test_a_change_elsewhere_hardly_moves_the_sample(tmp_path: Path) -> None:
    lines = [f"x{number} = a{number} + {number}" for number in range(100)]
    before, after = (
        {point.name for point in sample(changes(tmp_path, "\n".join(code)), 40)} for code in (lines, lines[1:])
    )

    assert len(before & after) > 35


def test_rare_operators_are_tried_more_often_than_their_share(tmp_path: Path) -> None:
    found = changes(tmp_path, "\n".join([*(f"f{n}('a{n}')" for n in range(100)), "x = a or b"]))

    chosen = sample(found, len(found) // 10)

    assert {"one_side", "swap_op"} <= {point.operator for point in chosen}


def test_survivors_are_listed_once_each_with_a_reason() -> None:
    assert all(why.strip() for why in listed().values())


def test_what_several_processes_recorded_is_one_trace() -> None:
    one = Recorded(lines={"a.py": {"1": ["x"], "2": ["x"]}}, seconds={"x": 1.0})
    other = Recorded(lines={"a.py": {"2": ["y"]}, "b.py": {"1": ["y"]}}, seconds={"y": 2.0})

    assert merged([one, other]) == {
        "lines": {"a.py": {"1": ["x"], "2": ["x", "y"]}, "b.py": {"1": ["y"]}},
        "seconds": {"x": 1.0, "y": 2.0},
    }
