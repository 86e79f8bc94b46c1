"""Schemas of CRDs that the tests have judged, so that no run judges them again.

`proven.json` lists the schemas of the catalogue by the hash of their JSON, whatever CRD, labels or namespace stand
around them; a schema that differs by one byte is not in the list, and is judged. `make docs` writes the list with
`platform_def/reference/proven.py`, and a test fails when it lags behind the catalogue or the code that judges.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import orjson

FILE = Path(__file__).with_name("proven.json")


class Proven(NamedTuple):
    """What the list says."""

    judge: str
    """A hash of the code that judged."""
    minors: frozenset[int]
    """Each schema of the list is valid in all these minor versions of Kubernetes."""
    schemas: Mapping[str, str]
    """A CRD that has the schema, by the schema's hash."""


def is_proven(schema: object, minor: int) -> bool:
    """Whether a schema is known to be valid in Kubernetes 1.`minor`; False: it is to be judged."""
    known = proven()
    return minor in known.minors and schema_hash(schema) in known.schemas


def schema_hash(schema: object) -> str:
    """A hash of a schema, in whatever order its keys are; empty for what is no JSON."""
    try:
        return hashlib.sha256(orjson.dumps(schema, option=orjson.OPT_SORT_KEYS)).hexdigest()
    except TypeError:
        return ""


@cache
def proven() -> Proven:
    """The list."""
    found = orjson.loads(FILE.read_bytes())
    return Proven(found["judge"], frozenset(found["minors"]), found["schemas"])
