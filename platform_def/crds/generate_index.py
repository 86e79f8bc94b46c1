"""Writes the index of API modules: `python -m platform_def.crds.generate_index`."""

from __future__ import annotations

from importlib import import_module

import orjson

from platform_def.crds.catalogue import known
from platform_def.crds.index import FILE, entry_of


def index_text() -> str:
    """The index as JSON, a CRD a line; imports every module of the catalogue."""
    sources = sorted({source for served in known().values() for source in served.sources})
    blocks = [f'"{source}": [\n' + ",\n".join(_rows(source)) + "\n]" for source in sources]
    return "{\n" + ",\n".join(blocks) + "\n}\n"


def _rows(source: str) -> list[str]:
    module, _, attribute = source.partition(":")
    found = getattr(import_module(f"platform_def.apis.{module}"), attribute)
    return [orjson.dumps(tuple(entry_of(definition))).decode() for definition in found]


if __name__ == "__main__":
    FILE.write_text(index_text(), encoding="utf-8")
