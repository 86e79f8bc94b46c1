"""The CRDs of every component and release, as files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from platform_def.components.catalogue import catalogue, component
from platform_def.crds.catalogue import definitions, known
from platform_def.crds.crd import crd
from platform_def.crds.model import Definition
from platform_def.errors import ConfigError, Problem, nearest
from platform_def.yaml import dump


def export_crds(names: Sequence[str] = ()) -> Iterator[tuple[str, str]]:
    """Path and text of each CRD: `<component>-<release>/<crd>.yaml`; raises ConfigError for unknown `names`."""
    for release, definition in definitions_by_release(names):
        yield f"{release}/{definition.name}.yaml", dump(crd(definition))


def definitions_by_release(names: Sequence[str] = ()) -> Iterator[tuple[str, Definition]]:
    """Each component's definitions with its release, `<component>-<release>`.

    What a component's releases say comes first, then what is known beside: of releases and components that have APIs
    and nothing else yet, and APIs that only some configurations install. Raises ConfigError for unknown `names`.
    """
    table = {name: entry.component for name, entry in known().items()}
    components = sorted({*catalogue(), *table.values()})
    if unknown := [name for name in names if name not in components]:
        raise ConfigError([Problem(f"unknown component '{name}'", hint=nearest(name, components)) for name in unknown])
    for name in names or components:
        folders = dict(_of_component(name)) if name in catalogue() else {}
        for folder in (folder for folder, owner in table.items() if owner == name):
            folders[folder] = (*folders.get(folder, ()), *definitions(folder))
        for folder, found in folders.items():
            for definition in {one.name: one for one in reversed(found)}.values():
                yield folder, definition


def _of_component(name: str) -> Iterator[tuple[str, tuple[Definition, ...]]]:
    for release in component(name).config_model().releases:
        if apis := getattr(release, "apis", ()):
            yield f"{name}-{release.version}", tuple(apis)
