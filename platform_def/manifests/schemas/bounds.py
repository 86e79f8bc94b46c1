"""Keywords that core and custom schemas share once they are converted for the JSON schema validator."""

from __future__ import annotations

from collections.abc import Mapping

from platform_def.crds.schema import Schema

INT_BOUNDS: Mapping[str, tuple[int, int]] = {"int32": (-(2**31), 2**31 - 1), "int64": (-(2**63), 2**63 - 1)}
LARGEST_FLOAT = 3.4028234663852886e38

MAP_KEYS = "server:mapKeys"
"""Custom keyword: the list's items are told apart by these keys, given with the defaults that apply to them."""


def bound(schema: Schema, format_name: str) -> None:
    """Narrow `schema` to what a number of that format can hold."""
    if format_name == "float":
        low, high = -LARGEST_FLOAT, LARGEST_FLOAT
    elif format_name in INT_BOUNDS:
        low, high = INT_BOUNDS[format_name]
    else:
        return
    schema["minimum"] = max(low, schema.get("minimum", low))
    schema["maximum"] = min(high, schema.get("maximum", high))
