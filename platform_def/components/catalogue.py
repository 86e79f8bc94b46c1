"""What can be installed: a list of import strings, so that naming a component costs nothing.

The project's own are gathered from the folders `<area>/<name>/component.py` into `index.json`; nothing is scanned here.
Packages add theirs by the entry point group `platform_def.components`: `my-operator = "my_package.operator:Operator"`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

import orjson

from platform_def.constructs.component import Component
from platform_def.errors import ConfigError
from platform_def.packages import COMPONENTS, load

INDEX = Path(__file__).with_name("index.json")
"""Written by `make docs` from the folders; a test fails when it lags."""

BUILT_IN: Mapping[str, str] = {
    name: f"platform_def.components.{path}" for name, path in orjson.loads(INDEX.read_bytes()).items()
}
"""Import string by name of the component."""

ALWAYS = ("namespaces",)
"""Components that every stack has."""


@lru_cache(maxsize=1)
def catalogue() -> Mapping[str, str]:
    """Import string by name, the project's own and those that installed packages bring."""
    found = dict(BUILT_IN)
    for point in external():
        if point.name in found:
            raise ConfigError(
                f"package {_package(point)} brings a component '{point.name}', so does {_origin(found[point.name])}",
                hint="uninstall one of them, or rename its entry point",
            )
        found[point.name] = point.value
    return dict(sorted(found.items()))


def external() -> list[EntryPoint]:
    """Entry points of other packages, sorted by name."""
    return sorted(entry_points(group=COMPONENTS), key=lambda point: (point.name, point.value))


@cache
def component(name: str) -> type[Component[Any]]:
    """The component's class; raises ConfigError when a package's entry point cannot be loaded."""
    value = catalogue()[name]
    found = load(f"component '{name}'", value)
    if not (isinstance(found, type) and issubclass(found, Component)):
        raise ConfigError(f"component '{name}': {value} is not a platform_def Component")
    found.slug = name
    return found


def _package(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else "(unknown)"


def _origin(value: str) -> str:
    return "the catalogue" if value.startswith("platform_def.") else value
