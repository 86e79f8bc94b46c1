"""Gathers components and checks from their folders into the two lists that programs read.

A component is the one class of `platform_def/components/<area>/<name>/component.py`; a check is what a module of
`platform_def/checks/rules` defines under its own name in capitals.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from importlib import import_module
from pathlib import Path

from platform_def.checks import catalogue as checks
from platform_def.checks.about import About
from platform_def.components import catalogue as components
from platform_def.config.component import slug_of
from platform_def.constructs.component import Component


def lists() -> Iterator[tuple[Path, str]]:
    """Each list with its text."""
    yield components.INDEX, _text({slug_of(path.partition(":")[0]): path for path in _components()})
    yield checks.INDEX, _text({area: _checks(folder) for area, folder in _areas()})


def _text(value: object) -> str:
    return json.dumps(value, indent=1) + "\n"


def _components() -> Iterator[str]:
    home = components.INDEX.parent
    for file in sorted(home.glob("*/*/component.py")):
        path = ".".join(file.relative_to(home).with_suffix("").parts)
        module = import_module(f"platform_def.components.{path}")
        own = [each for each in vars(module).values() if isinstance(each, type) and issubclass(each, Component)]
        (found,) = [each for each in own if each.__module__ == module.__name__]
        yield f"{path}:{found.__name__}"


def _areas() -> Iterator[tuple[str, Path]]:
    home = checks.INDEX.parent / "rules"
    yield from (
        (name, home / name)
        for name in ("server", "references", "policy", "images", "operators", "platform", "releases", "delivery")
    )


def _checks(area: Path) -> list[Mapping[str, object]]:
    found: list[Mapping[str, object]] = []
    for file in sorted(area.glob("*.py")):
        name = file.stem.upper()
        check = getattr(import_module(f"platform_def.checks.rules.{area.name}.{file.stem}"), name, None)
        if isinstance(check, About):
            found.append(asdict(checks.IndexedCheck.of(f"{area.name}.{file.stem}:{name}", check)))
    return found


if __name__ == "__main__":
    for path, text in lists():
        path.write_text(text, encoding="utf-8")
