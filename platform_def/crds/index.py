"""What every API module defines, by name, so that a kind is found without importing them all.

`index.json` is written by `generate_index.py`, which `make docs` runs; a test fails when it lags.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple, cast

import orjson

from platform_def.crds.model import Definition

FILE = Path(__file__).with_name("index.json")


class Entry(NamedTuple):
    """The names of one CRD."""

    group: str
    kind: str
    plural: str
    singular: str
    short_names: tuple[str, ...]
    namespaced: bool
    versions: tuple[str, ...]
    """Those that are served, in the CRD's order."""
    stored: str

    @property
    def name(self) -> str:
        """Name of the CRD: `pytorchjobs.kubeflow.org`."""
        return f"{self.plural}.{self.group}"


@cache
def index() -> Mapping[str, tuple[Entry, ...]]:
    """The CRDs that each `module:ATTRIBUTE` holds, in their order."""
    found: dict[str, list[list[object]]] = orjson.loads(FILE.read_bytes())
    return {source: tuple(map(_entry, rows)) for source, rows in found.items()}


def _entry(row: list[object]) -> Entry:
    values = (tuple(value) if isinstance(value, list) else value for value in row)
    return Entry._make(cast("tuple[str, ...]", tuple(values)))


def entry_of(definition: Definition) -> Entry:
    """What the index says of a definition."""
    api = definition.api
    return Entry(
        group=api.group,
        kind=api.kind,
        plural=api.plural,
        singular=definition.singular or api.kind.lower(),
        short_names=tuple(definition.short_names),
        namespaced=api.namespaced,
        versions=tuple(version.version for version in definition.versions if version.served),
        stored=api.version,
    )
