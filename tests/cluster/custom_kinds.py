"""Every custom kind of the catalogue on one server, its example, and that example with one field more.

A field more is what most rules speak of: exactly one of several, this only beside that, not with the other.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any

from platform_def.crds.crd import crd
from platform_def.crds.examples import example
from platform_def.crds.examples.derive import sample
from platform_def.crds.model import Definition
from platform_def.pipeline.crds import definitions_by_release
from tests.cluster.client import Manifest
from tests.cluster.mutants import Mutant, Path, at


def together() -> list[Definition]:
    """Definitions of which no two share a name: the first release of each kind that is listed."""
    found: dict[str, Definition] = {}
    for _, definition in definitions_by_release():
        found.setdefault(definition.name, definition)
    return [*found.values()]


def as_served(definition: Definition) -> Manifest:
    """The CRD without a webhook that converts, so that objects of every version are judged."""
    made = crd(definition)
    return {**made, "spec": {key: value for key, value in made["spec"].items() if key != "conversion"}}


def examples(definitions: list[Definition]) -> Mapping[str, Manifest]:
    """The example of the first version of each kind that is served, by kind and group."""
    found = {}
    for definition in definitions:
        version = next(each for each in definition.versions if each.served)
        made = example(version)
        made["metadata"].pop("namespace", None)
        found[f"{made['kind']}.{made['apiVersion']}"] = made
    return found


def grown(examples: Mapping[str, Manifest], schemas: Mapping[str, Any]) -> Iterator[Mutant]:
    """Every example with one field more, at each of its levels: the least value that the field's schema has."""
    for name, manifest in examples.items():
        for path, node in _levels(manifest, schemas[name], ()):
            here = at(manifest, path)
            for field, schema in node.get("properties", {}).items():
                if field not in here and (path or field not in ("apiVersion", "kind", "metadata", "status")):
                    changed = copy.deepcopy(manifest)
                    at(changed, path)[field] = sample(schema)
                    yield Mutant(name, f"added {'.'.join(map(str, (*path, field)))}", changed)


def _levels(value: Any, schema: Mapping[str, Any], path: Path) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    if isinstance(value, dict):
        yield path, schema
        for field, inner in value.items():
            below = schema.get("properties", {}).get(field, schema.get("additionalProperties"))
            if isinstance(below, dict) and (path or field != "metadata"):
                yield from _levels(inner, below, (*path, field))
    elif isinstance(value, list) and isinstance(schema.get("items"), dict):
        for index, inner in enumerate(value):
            yield from _levels(inner, schema["items"], (*path, index))


def schema_of(crd: Manifest, name: str) -> Mapping[str, Any]:
    """The schema of the version that `examples` calls by this name."""
    version = name.rpartition("/")[2]
    found: Mapping[str, Any] = next(
        each["schema"]["openAPIV3Schema"] for each in crd["spec"]["versions"] if each["name"] == version
    )
    return found
