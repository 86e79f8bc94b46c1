"""What the catalogue says of custom kinds, so that one is found without importing all modules of API types.

`index.json` is gathered by `generate_index.py` from the components' folders (`kinds.yaml`, `examples/`) and from the
modules that they name; `make docs` runs it, and a test fails when it lags.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, cast

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
def _read() -> dict[str, Any]:
    found: dict[str, Any] = orjson.loads(FILE.read_bytes())
    return found


def releases() -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Component, release, and the `module:ATTRIBUTE` of each part of the CRDs that the release installs."""
    yield from ((component, release, tuple(sources)) for component, release, sources in _read()["releases"])


def summaries() -> Mapping[str, str]:
    """A sentence by name of the CRD, for kinds whose types do not say what they are."""
    return cast("dict[str, str]", _read()["summaries"])


def suspended_by(group: str, kind: str) -> str:
    """Path of the field that holds back a job of this kind, as its `Api` says; empty where there is none."""
    return cast("dict[str, str]", _read()["suspended_by"]).get(f"{kind}.{group}", "")


def labels() -> Mapping[str, tuple[str, str]]:
    """Kind and group that objects name by a label, by label, as the `Api` of each kind says."""
    return {label: (kind, group) for label, (kind, group) in _read()["labels"].items()}


def example_file(crd: str) -> Path | None:
    """The example that was written by hand for the kind of a CRD."""
    path = cast("dict[str, str]", _read()["examples"]).get(crd)
    return FILE.parent.parent / path if path else None


@cache
def index() -> Mapping[str, tuple[Entry, ...]]:
    """The CRDs that each `module:ATTRIBUTE` holds, in their order."""
    found: dict[str, list[list[object]]] = _read()["kinds"]
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
