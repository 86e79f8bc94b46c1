"""Which API types each release of a component serves: import strings, so that asking costs nothing.

They stand in `kinds.yaml` of the components' folders, and are read from the index. Shared APIs have one owner: JobSet,
Gateway API, volume snapshots and the inference extension are defined once each. Asking for one kind imports the one
module that defines it. Packages add theirs by the entry point group `platform_def.apis`:
`widgets = "my_package.apis:DEFINITIONS"`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from types import MappingProxyType
from typing import Any, NamedTuple

from platform_def.crds.index import Entry, entry_of, index, releases
from platform_def.crds.model import Api, Definition
from platform_def.crds.versions import age, preference
from platform_def.errors import ConfigError
from platform_def.packages import APIS, load


class Served(NamedTuple):
    """The APIs of one release of a component."""

    component: str
    release: str
    sources: tuple[str, ...]
    """`module:ATTRIBUTE` under `platform_def.apis`; each attribute is a tuple of definitions."""

    @property
    def age(self) -> tuple[int, list[int], bool]:
        """Sorts newer releases above older ones."""
        return age(self.release, self.component)


def known() -> Mapping[str, Served]:
    """All entries by `<component>-<release>`; importing nothing."""
    return _KNOWN


_TABLE = tuple(Served(*row) for row in releases())
_KNOWN = MappingProxyType({f"{entry.component}-{entry.release}": entry for entry in _TABLE})


@cache
def definitions(name: str) -> tuple[Definition, ...]:
    """The CRDs that `<component>-<release>` installs; imports their modules. Raises KeyError for a name not known."""
    return tuple(definition for source in _KNOWN[name].sources for definition in _loaded(source))


def definitions_of(component: str, release: str) -> tuple[Definition, ...]:
    """The CRDs of a release of a component; none where the catalogue has no such release."""
    name = f"{component}-{release}"
    return definitions(name) if name in _KNOWN else ()


def newest_definitions(component: str, version: str = "") -> tuple[Definition, ...]:
    """The CRDs of a component's newest release that `version` (`1.2`, or nothing) fits, else of its newest of all."""
    known = sorted((each for each in _TABLE if each.component == component), key=lambda each: each.age)
    wanted = version.removeprefix("v")
    fitting = [each for each in known if wanted and f"{each.release}.".startswith(f"{wanted}.")]
    chosen = (fitting or known)[-1:]
    return tuple(definition for each in chosen for definition in definitions(f"{each.component}-{each.release}"))


@cache
def components_with_apis() -> frozenset[str]:
    """Names of everything whose kinds are known, rendered by this tool or not."""
    return frozenset(each.component for each in _TABLE)


def kinds_of(component: str) -> frozenset[str]:
    """Every custom resource that some release of a component serves, as `Kind.group`; imports nothing."""
    names = (f"{each.component}-{each.release}" for each in _TABLE if each.component == component)
    return frozenset(f"{entry.kind}.{entry.group}" for name in names for entry in entries(name))


def entries(name: str) -> tuple[Entry, ...]:
    """The names of the CRDs that `<component>-<release>` installs; imports nothing that the index has."""
    return tuple(entry for source in _KNOWN[name].sources for entry in _entries(source))


def api_of(group: str, kind: str, version: str = "") -> Api[Any] | None:
    """The API of a custom kind, from the newest release that serves it; imports one module.

    `version` empty: the stored one, of several components' the most stable. None for what the catalogue lacks.
    """
    definition = definition_of(group, kind, version)
    wanted = version or (definition.api.version if definition else "")
    return next((api for api in definition.versions if api.version == wanted), None) if definition else None


def definition_of(group: str, kind: str, version: str = "") -> Definition | None:
    """The CRD of a custom kind, from the newest release that serves it (in `version`, if that is said)."""
    source = _sources().get((group, kind, version))
    known = _loaded(source) if source else _brought()
    found = (one for one in known if (one.api.group, one.api.kind) == (group, kind))
    return next((one for one in found if not version or version in (api.version for api in one.versions)), None)


@cache
def _brought() -> tuple[Definition, ...]:
    """The APIs of installed packages, by the order of their names; asked for where the catalogue lacks a kind."""
    points = sorted(entry_points(group=APIS), key=lambda point: (point.name, point.value))
    return tuple(definition for point in points for definition in _definitions_of(point))


def _definitions_of(point: EntryPoint) -> tuple[Definition, ...]:
    found = load(f"APIs '{point.name}'", point.value)
    if not (isinstance(found, list | tuple) and all(isinstance(each, Definition) for each in found)):
        raise ConfigError(f"APIs '{point.name}': {point.value} is no list of platform_def Definitions")
    return tuple(found)


def _loaded(source: str) -> tuple[Definition, ...]:
    module, _, attribute = source.partition(":")
    found: tuple[Definition, ...] = getattr(import_module(f"platform_def.apis.{module}"), attribute)
    return found


def _entries(source: str) -> tuple[Entry, ...]:
    known = index().get(source)
    return tuple(map(entry_of, _loaded(source))) if known is None else known


@cache
def _sources() -> Mapping[tuple[str, str, str], str]:
    """Group, kind, and a served version or nothing → where the best definition is."""
    newest: dict[tuple[str, str, str, str], tuple[Served, Entry, str]] = {}
    for served in sorted(_TABLE, key=lambda served: served.age):
        for source in served.sources:
            for entry in _entries(source):
                for version in ("", *entry.versions):
                    newest[served.component, entry.group, entry.kind, version] = (served, entry, source)
    found: dict[tuple[str, str, str], str] = {}
    rising = sorted(newest.items(), key=lambda each: (preference(each[1][1].stored), each[1][0].age))
    for (_, group, kind, version), (_, _, source) in rising:
        found[group, kind, version] = source
    return found
