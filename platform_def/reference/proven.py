"""Judges the schemas of the catalogue's CRDs and lists those that are valid (`platform_def/checks/proven.json`).

What the list has already is not judged again while the code that judges is the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path

import orjson

from platform_def.checks.proven import FILE, Proven, proven, schema_hash
from platform_def.checks.rules.server.definition_valid import schema_faults
from platform_def.config.kubernetes import SUPPORTED_KUBERNETES, Kubernetes
from platform_def.crds.catalogue import definitions, known
from platform_def.crds.crd import crd
from platform_def.crds.schema import Schema

MINORS = tuple(Kubernetes(each).minor for each in SUPPORTED_KUBERNETES[-5:])
"""The versions that most clusters run; in an older one schemas are judged at run time."""
_JUDGES = (
    *("checks/rules/server/definition_schema.py", "checks/rules/server/definition_valid.py", "crds/schema.py"),
    *("manifests/cel", "manifests/loose.py", "manifests/names.py", "manifests/paths.py", "manifests/schemas"),
)
_NO_JUDGES = ("manifests/cel/admission.py", "manifests/cel/policies.py", "manifests/schemas/server/")
"""What is asked about other objects."""
_PACKAGES = ("cel-expr-python", "jsonschema-rs", "protobuf")


@cache
def schemas() -> Mapping[str, tuple[str, Schema]]:
    """Every schema of the catalogue by its hash, with a version and a CRD that have it: the first by name."""
    found: dict[str, tuple[str, Schema]] = {}
    for definition in {each for name in known() for each in definitions(name)}:
        for served in crd(definition)["spec"]["versions"]:
            schema = served["schema"]["openAPIV3Schema"]
            key, where = schema_hash(schema), f"{served['name']} of {definition.name}"
            found[key] = min(found.get(key, (where, schema)), (where, schema), key=lambda each: each[0])
    return found


def valid(schema: Schema, minors: tuple[int, ...] = MINORS) -> bool:
    """Whether each of these minor versions of Kubernetes takes a schema."""
    return not any(fault for minor in minors for fault in schema_faults(schema, (), minor))


def judge() -> str:
    """A hash of the code that judges, and of the packages that it asks."""
    digest = hashlib.sha256(" ".join(f"{name}={version(name)}" for name in _PACKAGES).encode())
    package = FILE.parent.parent
    for path in _files(package):
        name = path.relative_to(package).as_posix()
        if not name.startswith(_NO_JUDGES):
            digest.update(f"\n{name}\n".encode() + path.read_bytes())
    return digest.hexdigest()


def _files(package: Path) -> Iterator[Path]:
    for name in _JUDGES:
        path = package / name
        yield from sorted(path.rglob("*.py")) if path.is_dir() else [path]


def proven_text(before: Proven | None) -> str:
    """The list as JSON, an entry a line; `before` is the list so far, which spares what it has."""
    by = judge()
    known_valid = before.schemas if before and (before.judge, before.minors) == (by, frozenset(MINORS)) else {}
    kept = {key: where for key, (where, schema) in sorted(schemas().items()) if key in known_valid or valid(schema)}
    lines = ",\n".join(f"{orjson.dumps(key).decode()}: {orjson.dumps(where).decode()}" for key, where in kept.items())
    return f'{{\n"judge": "{by}",\n"minors": {list(MINORS)},\n"schemas": {{\n{lines}\n}}\n}}\n'


def _before() -> Proven | None:
    try:
        return proven()
    except (OSError, ValueError, KeyError, TypeError):  # none yet, or one that a merge has left in pieces
        return None


if __name__ == "__main__":
    FILE.write_text(proven_text(_before()), encoding="utf-8")
