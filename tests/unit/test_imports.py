"""Modules import each other in no circle, not even for type checkers: each can be read before those that use it.

Layers are held by the contracts of import-linter, whose graph this is.
"""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter

import grimp

CONFIGURATIONS_THAT_ARE_JUDGED_ELSEWHERE = (
    ("platform_def.jobs.limits", "platform_def.jobs.training"),
    ("platform_def.jobs.pods.security", "platform_def.jobs.training"),
    ("platform_def.jobs.pipelines.starter", "platform_def.jobs.pipelines.pipeline"),
)
"""A job's configuration hands itself to functions that say what is impossible of it: these name its class."""


def circle(without: tuple[tuple[str, str], ...] = ()) -> list[str]:
    """A circle of imports, from a module back to itself; empty where there is none."""
    graph = grimp.build_graph("platform_def", cache_dir=None)
    # A package's face only hands names on.
    faces = {module for module in graph.modules if graph.find_children(module)}
    imports = {
        module: graph.find_modules_directly_imported_by(module) if module not in faces else set()
        for module in graph.modules
    }
    for module, imported in without:
        imports[module] = imports[module] - {imported}
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        found: list[str] = error.args[1]
        return found
    return []


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert circle(CONFIGURATIONS_THAT_ARE_JUDGED_ELSEWHERE) == []


def test_a_circle_is_found() -> None:
    assert circle(CONFIGURATIONS_THAT_ARE_JUDGED_ELSEWHERE[2:])[0].startswith("platform_def.jobs.")
