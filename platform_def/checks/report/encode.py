"""JSON of any text: what has no UTF-8 of its own, half of a letter's pair, stands there as the escape that JSON has."""

from __future__ import annotations

import json

import orjson


def encoded(document: object, *, sort_keys: bool = False) -> str:
    """The document, two blanks a level, and a line end."""
    order = orjson.OPT_SORT_KEYS if sort_keys else 0
    try:
        return orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE | order).decode()
    except TypeError:  # a text that is no Unicode
        text = json.dumps(document, indent=2, sort_keys=sort_keys, ensure_ascii=False)
        return text.encode("utf-8", "backslashreplace").decode() + "\n"
