"""Whether a schema says something anywhere: a look at its text is a hundred times faster than a walk."""

from __future__ import annotations

import orjson

RULES = b'"x-kubernetes-validations":[{'
DEFAULTS = b'"default":'


def mentions(schema: object, mark: bytes) -> bool:
    """Whether a mark is in the text of a schema, as a keyword or as the name of a field; True where it is no JSON."""
    try:
        return mark in orjson.dumps(schema)
    except TypeError:
        return True
