"""Gathers what the components' folders say of custom kinds into `index.json`; `make docs` runs it.

A folder of `platform_def/components/<area>/` with a `kinds.yaml` is known by its kinds, with a component or without.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import orjson

from platform_def.crds.index import FILE, entry_of
from platform_def.crds.model import Api, Definition
from platform_def.yaml import load

_PACKAGE = Path(__file__).parent.parent
_COMPONENTS = _PACKAGE / "components"
_Kinds = Mapping[str, Mapping[str, object]]
_Row = tuple[str, str, list[str]]


def index_text() -> str:
    """The index as JSON, an entry a line; imports every module of API types that a release names."""
    said = dict(_said())
    rows = [row for name, kinds in sorted(said.items()) for row in _releases(name, kinds)]
    sources = sorted({source for *_, found in rows for source in found})
    summaries = {crd: text for kinds in said.values() for crd, text in kinds.get("summaries", {}).items()}
    examples = {file.stem: file.relative_to(_PACKAGE).as_posix() for file in _COMPONENTS.glob("*/*/examples/*.yaml")}
    parts = {
        "releases": _list(map(_json, rows)),
        "kinds": _map({source: _list(map(_json, _entries(source))) for source in sources}),
        "summaries": _map({crd: _json(text) for crd, text in sorted(summaries.items())}),
        "examples": _map({crd: _json(path) for crd, path in sorted(examples.items())}),
        "suspended_by": _map({kind: _json(field) for kind, field in sorted(_suspended(sources).items())}),
        "labels": _map({label: _json(kind) for label, kind in sorted(_labels(sources).items())}),
    }
    return _map(parts) + "\n"


def _said() -> Iterator[tuple[str, _Kinds]]:
    """What `kinds.yaml` says, by name of the component."""
    for file in _COMPONENTS.glob("*/*/kinds.yaml"):
        yield file.parent.name.replace("_", "-"), cast(_Kinds, load(file.read_bytes(), file=file.as_posix()))


def _releases(name: str, kinds: _Kinds) -> Iterator[_Row]:
    """The rows of a component; `module` means its `CRDS`."""
    for release, sources in kinds["releases"].items():
        yield name, release, [each if ":" in each else f"{each}:CRDS" for each in cast("list[str]", sources)]


def _suspended(sources: list[str]) -> Mapping[str, str]:
    """Where a job of each kind is held back; all versions of a kind that can be must have it in one place."""
    found: dict[str, str] = {}
    for api in _apis(sources):
        if api.suspended_by and found.setdefault(api.full_name, api.suspended_by) != api.suspended_by:
            raise ValueError(f"{api.full_name}: suspended_by differs between its versions")
    return found


def _labels(sources: list[str]) -> Mapping[str, tuple[str, str]]:
    """Which kind each label names."""
    return {api.label: (api.kind, api.group) for api in _apis(sources) if api.label}


def _apis(sources: list[str]) -> Iterator[Api[Any]]:
    """Every version of every kind, those of Kubernetes included."""
    core = import_module("platform_def.apis.core")
    yield from (getattr(core, name) for name in core.__all__)
    yield from (api for source in sources for definition in _definitions(source) for api in definition.versions)


def _entries(source: str) -> Iterator[tuple[object, ...]]:
    yield from (tuple(entry_of(one)) for one in _definitions(source))


def _definitions(source: str) -> tuple[Definition, ...]:
    module, _, attribute = source.partition(":")
    found: tuple[Definition, ...] = getattr(import_module(f"platform_def.apis.{module}"), attribute)
    return found


def _json(value: object) -> str:
    return orjson.dumps(value).decode()


def _list(lines: Iterator[str]) -> str:
    return "[\n" + ",\n".join(lines) + "\n]"


def _map(entries: Mapping[str, str]) -> str:
    return "{\n" + ",\n".join(f"{_json(name)}: {value}" for name, value in entries.items()) + "\n}"


if __name__ == "__main__":
    FILE.write_text(index_text(), encoding="utf-8")
