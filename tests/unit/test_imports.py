"""Modules import each other in no circle, not even for type checkers: each can be read before those that use it.

Layers are held by the contracts of import-linter, whose graph this is.
"""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter

import grimp


def circle(*also: tuple[str, str]) -> list[str]:
    """A circle of imports, with these `also`, from a module back to itself; empty where there is none."""
    graph = grimp.build_graph("platform_def", cache_dir=None)
    # A package's face only hands names on.
    faces = {module for module in graph.modules if graph.find_children(module)}
    imports = {
        module: graph.find_modules_directly_imported_by(module) if module not in faces else set()
        for module in graph.modules
    }
    for module, imported in also:
        imports[module] = imports[module] | {imported}
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        found: list[str] = error.args[1]
        return found
    return []


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert circle() == []


def test_a_circle_is_found() -> None:
    found = circle(("platform_def.jobs.fields", "platform_def.jobs.limits"))

    assert {"platform_def.jobs.fields", "platform_def.jobs.limits"} <= {*found}
