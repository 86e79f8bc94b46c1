"""Names inside of a workflow that lead nowhere: of its first template, of templates that steps run, of other tasks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from platform_def.apis.argo_workflows.contents import VARIABLE, Path, Spec, templates_of, uses_of
from platform_def.errors import nearest

_INPUT = re.compile(r"\{\{\s*inputs\.(parameters|artifacts)\.([A-Za-z0-9_-]+)")
Wrong = tuple[Path, str, str]
"""A place below the specification, what is wrong there, and the remedy."""


def wrong_names(spec: Spec, *, begins: bool = True) -> Iterator[Wrong]:
    """What is wrong with names; `begins`: the workflow is run, and must say where it begins."""
    known = [str(each.get("name")) for _, each in templates_of(spec)]
    named: list[tuple[Path, object]] = [((word,), spec[word]) for word in ("entrypoint", "onExit") if word in spec]
    if begins and "entrypoint" not in spec:
        yield (), "names no entrypoint", "write `entrypoint:` with the name of the first template"
    for path, template in templates_of(spec):
        named += [((*path, *inner), name) for inner, name in uses_of(template)]
        yield from (((*path, *inner), text, hint) for inner, text, hint in _tasks(template))
        if not spec.get("templateDefaults"):
            yield from (((*path, *inner), text, hint) for inner, text, hint in _inputs(template))
    for path, name in named:
        if isinstance(name, str) and VARIABLE not in name and name not in known:
            yield path, f"has no template '{name}'", nearest(name, known)
    for name, count in Counter(known).items():
        if count > 1:
            path = [path for path, each in templates_of(spec) if each.get("name") == name][-1]
            yield (*path, "name"), f"has {count} templates '{name}'", "give each a name of its own"


def _tasks(template: Mapping[str, Any]) -> Iterator[Wrong]:
    dag = template.get("dag")
    found = dag.get("tasks") if isinstance(dag, Mapping) else None
    tasks = [each if isinstance(each, Mapping) else {} for each in found] if isinstance(found, list) else []
    known = [str(each.get("name")) for each in tasks]
    for index, each in enumerate(tasks):
        waits = each.get("dependencies")
        for place, name in enumerate(waits if isinstance(waits, list) else ()):
            if isinstance(name, str) and VARIABLE not in name and name not in known:
                path: Path = ("dag", "tasks", index, "dependencies", place)
                yield path, f"has no task '{name}'", nearest(name, known)
            elif name == each.get("name"):
                yield ("dag", "tasks", index, "dependencies", place), f"lets '{name}' wait for itself", "take it out"


def _inputs(template: Mapping[str, Any]) -> Iterator[Wrong]:
    inputs = template.get("inputs")
    own = inputs if isinstance(inputs, Mapping) else {}
    seen: set[tuple[str, str]] = set()
    for path, text in _texts(template, ()):
        for kind, name in _INPUT.findall(text):
            given = own.get(kind)
            known = (
                [str(each.get("name")) for each in given if isinstance(each, Mapping)]
                if isinstance(given, list)
                else []
            )
            if name not in known and (kind, name) not in seen:
                seen.add((kind, name))
                hint = nearest(name, known) or f"add it to the template's inputs.{kind}"
                yield path, f"has a template without the input '{name}' among its {kind}", hint


def _texts(value: object, path: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _texts(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _texts(inner, (*path, index))
