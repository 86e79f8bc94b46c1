"""Names of fields as expressions write them: CEL's own words and odd characters are escaped."""

from __future__ import annotations

import re
from functools import cache

from platform_def.manifests.names import words

_RESERVED = frozenset(
    words(
        "true false null in as break const continue else for function if import let loop package namespace return "
        "var void while"
    )
)
_ESCAPES = {"__": "__underscores__", ".": "__dot__", "-": "__dash__", "/": "__slash__"}
_FIELD = re.compile("[A-Za-z_./-][A-Za-z0-9_./-]*")


@cache
def written(name: str) -> tuple[str, ...]:
    """How expressions may write a field: `a-b` as `a__dash__b`, `namespace` so or as `__namespace__`; others never."""
    if not _FIELD.fullmatch(name):
        return ()
    if name in _RESERVED:
        return (f"__{name}__", name)
    return (re.sub(r"__|[./-]", lambda found: _ESCAPES[found.group()], name),)
