"""What a new component owes before it is offered: decisions of a person, and who reads its files and flags."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import cast

import pytest

from platform_def.cli.component import DECIDE
from platform_def.components.catalogue import BUILT_IN
from platform_def.yaml import load, load_all
from tests.acceptance.repository import PROJECT
from tests.cluster.client import Manifest
from tests.cluster.readers import placed

HERE = Path(__file__).parent


def test_nothing_is_left_to_decide() -> None:
    rooms = ("platform_def/components", "tests/components", "tests/coverage/stacks", "docs/components")
    written = (path for room in rooms for path in (PROJECT / room).rglob("*") if path.suffix in (".py", ".yaml", ".md"))

    open_ = [path for path in written if path.name != "golden.yaml" and DECIDE in path.read_text(encoding="utf-8")]
    assert [str(path.relative_to(PROJECT)) for path in open_] == []


@pytest.mark.parametrize("name", BUILT_IN)
def test_each_image_has_a_line_that_says_who_reads_its_files_and_flags(name: str) -> None:
    folder = HERE / name.replace("-", "_")
    objects = cast("list[Manifest]", load_all((folder / "golden.yaml").read_bytes(), file="golden.yaml"))
    files = (folder / "read_by.yaml", *HERE.glob("*/read_by.yaml"), HERE.parent / "cluster" / "read_by.yaml")
    # The last word alone: a stack may put another registry in front, by which the others change.
    missing = {last(each.image) for each in placed(objects)}
    for file in files:
        missing -= {last(image) for image in lines(file)} if missing else set()

    assert missing == set(), f"add them to {files[0].relative_to(PROJECT)}"


def last(image: str) -> str:
    return image.rpartition("/")[2]


@cache
def lines(file: Path) -> Mapping[str, object]:
    found = load(file.read_bytes(), file=file.name) if file.exists() else {}
    return cast("Mapping[str, object]", found or {})
