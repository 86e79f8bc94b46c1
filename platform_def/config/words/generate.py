"""Gathers what components register in `words.py` of their folders into `index.json`; `make docs` runs it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import orjson

from platform_def.config.words.kinds import Words
from platform_def.config.words.registered import FILE

_HOME = Path(__file__).parents[2] / "components"
_KINDS = ("balancers", "layers", "schedulers", "engines", "drivers")


def index_text() -> str:
    """The index as JSON; a word that two components register is an error."""
    said = dict(_said())
    whole: dict[str, Any] = {kind: _rows(said, kind) for kind in _KINDS}
    whole["notes"] = {}
    for name, words in said.items():
        for field, text in words.notes.items():
            whole["notes"].setdefault(field, {})[name] = text
    whole["notes"] = dict(sorted(whole["notes"].items()))
    return orjson.dumps(whole, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()


def _said() -> Iterator[tuple[str, Words]]:
    """What each component registers, by its name."""
    for file in sorted(_HOME.glob("*/*/words.py"), key=lambda file: file.parent.name):
        path = ".".join(file.relative_to(_HOME).with_suffix("").parts)
        yield file.parent.name.replace("_", "-"), import_module(f"platform_def.components.{path}").WORDS


def _rows(said: dict[str, Words], kind: str) -> list[dict[str, Any]]:
    found = [replace(each, component=name) for name, words in said.items() for each in getattr(words, kind)]
    words = [each.word for each in found]
    if twice := sorted({word for word in words if words.count(word) > 1}):
        raise ValueError(f"{kind}: two components register '{twice[0]}'")
    return [asdict(each) for each in found]


if __name__ == "__main__":
    FILE.write_text(index_text(), encoding="utf-8")
