"""The CRDs of every component and release, as files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from platform_def.apis.crd import crd
from platform_def.components.catalogue import catalogue, component
from platform_def.errors import ConfigError, Problem, nearest
from platform_def.yaml import dump


def export_crds(names: Sequence[str] = ()) -> Iterator[tuple[str, str]]:
    """Path and text of each CRD: `<component>-<release>/<crd>.yaml`."""
    unknown = [name for name in names if name not in catalogue()]
    if unknown:
        raise ConfigError([Problem(f"unknown component '{name}'", hint=nearest(name, catalogue())) for name in unknown])
    for name in names or catalogue():
        for release in component(name).config_model().releases:
            for definition in getattr(release, "apis", ()):
                yield f"{name}-{release.version}/{definition.name}.yaml", dump(crd(definition))
