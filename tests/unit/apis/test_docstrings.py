"""Docstrings below fields are found in any source, and quickly in the project's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from platform_def import apis
from platform_def.crds.docstrings import parsed, scanned

SOURCE = '''
class Base(TypedDict):
    """A base."""

    first: str
    """Of the base, on
    two lines."""


class Widget(Base, total=False):
    many: Required[
        Annotated[
            list[str],
            Cel("self.all(x, x != '')", "no empty ones"),
        ]
    ]
    """Several; say \\"one\\" for one."""
    bare: int
    pattern: str
    r"""A regular expression such as \\d+."""
'''


def test_source_tells_what_stands_below_a_field_and_below_those_of_its_bases() -> None:
    docs = parsed(SOURCE)

    assert dict(docs["Base"]) == {"first": "Of the base, on two lines."}
    assert dict(docs["Widget"]) == {
        "first": "Of the base, on two lines.",
        "many": 'Several; say "one" for one.',
        "pattern": "A regular expression such as \\d+.",
    }


def test_formatted_source_is_scanned_as_it_is_parsed() -> None:
    plain = SOURCE.replace('\\"', "'")

    assert scanned(plain) == parsed(plain)


@pytest.mark.parametrize(
    "path", sorted(Path(apis.__path__[0]).rglob("*.py")), ids=lambda path: f"{path.parent.name}.{path.stem}"
)
def test_every_module_of_ours_can_be_scanned(path: Path) -> None:
    source = path.read_text()

    assert scanned(source) == parsed(source)
