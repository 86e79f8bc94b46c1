"""What one object names and what is made for it, read from the object alone: ends of the reference graph's edges."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from platform_def.config.objects import Made as Made
from platform_def.crds.catalogue import api_of
from platform_def.crds.core.kinds import CORE_KINDS
from platform_def.crds.references import ITEMS, VALUES, Names, names_of, names_of_core
from platform_def.crds.schema import Manifest, Ref
from platform_def.manifests.loose import at, items, text
from platform_def.manifests.made import made
from platform_def.manifests.paths import Path, dotted

_TEMPLATED = re.compile(r"\{\{|\$[({]")
"""A name that is filled in when the object is run: `{{inputs.parameters.claim}}`, `${trialParameters.claim}`."""
_RBAC = "rbac.authorization.k8s.io"
_GUARDS = frozenset(
    {
        ("", "ResourceQuota"),
        ("", "LimitRange"),
        ("", "ServiceAccount"),
        ("networking.k8s.io", "NetworkPolicy"),
        (_RBAC, "Role"),
        (_RBAC, "RoleBinding"),
    }
)
"""Core kinds that limit what people and pods of a namespace may do; custom ones say it in `Api.guards`."""

_ADDRESS = re.compile(
    r"([a-z][a-z0-9+.-]*://)?(?P<name>[a-z][a-z0-9-]*)(\.(?P<namespace>[a-z0-9-]+)(\.svc(\.[a-z0-9.-]+)?)?)?(:\d+)?(/.*)?"
)


class Name(NamedTuple):
    """One field that names another object."""

    path: str
    """Where it stands: `spec.template.spec.volumes[0].configMap.name`."""
    group: str
    kind: str
    namespace: str
    """What the field says, else the namespace of the object; without meaning for kinds of the cluster."""
    name: str
    key: str = ""
    """The key of the other object's data that is asked for."""
    optional: bool = False
    weak: bool = False
    """The object does its work without the other for a while."""


class Links(NamedTuple):
    """Everything that an object has to do with others by name."""

    names: tuple[Name, ...] = ()
    makes: tuple[Made, ...] = ()
    judged: bool = False
    """A delivery engine waits until it is ready, which only the controller of its kind can bring about."""
    guards: bool = False
    """It limits what people and pods of its namespace may do, and comes before what the namespace holds."""

    def to_json(self) -> list[Any]:
        """As lists of plain values."""
        return [[[*each] for each in self.names], [[*each] for each in self.makes], self.judged, self.guards]

    @staticmethod
    def from_json(data: list[Any]) -> Links:
        """From such lists."""
        names, makes, judged, guards = data
        return Links(tuple(Name(*each) for each in names), tuple(Made(*each) for each in makes), judged, guards)


def links(manifest: Manifest) -> Links:
    """What the object's type says that it names, in the order of its fields, and what its controller makes."""
    version, kind = manifest.get("apiVersion"), manifest.get("kind")
    if not isinstance(version, str) or not isinstance(kind, str):
        return Links()
    group = version.rpartition("/")[0]
    namespace = text(at(manifest, "metadata.namespace"))
    api = None if (version, kind) in CORE_KINDS else api_of(group, kind, version.rpartition("/")[2])
    known = names_of(api) if api else names_of_core(group, kind)
    names = dict.fromkeys(_found(manifest, known, {}, (), namespace))
    found = tuple(made(manifest, group, kind, api))
    guards = api.guards if api else (group, kind) in _GUARDS
    return Links(tuple(names), found, api is not None and api.health is not None, guards)


def _found(value: Any, known: Names, siblings: Mapping[str, Any], path: Path, own: str) -> Iterator[Name]:
    if known.ref and isinstance(value, str) and value and not _TEMPLATED.search(value):
        for name in _listed(value) if known.ref.listed else (value,):
            yield from _name(name, known.ref, siblings, path, own)
    if isinstance(value, dict):
        every = known.below.get(VALUES)
        for step, inner in value.items():
            place = known.below.get(step, every)
            if place:
                yield from _found(inner, place, value, (*path, step), own)
    elif isinstance(value, list) and (place := known.below.get(ITEMS)):
        for index, inner in enumerate(value):
            yield from _found(inner, place, siblings, (*path, index), own)


def _name(name: str, ref: Ref, siblings: Mapping[str, Any], path: Path, own: str) -> Iterator[Name]:
    namespace = text(siblings.get(ref.namespace)) or own
    if ref.qualified and "/" in name:
        namespace, _, name = name.partition("/")
    if ref.host:
        name, said = service_address(name)
        namespace = said or own
    kind = text(siblings.get(ref.kind_field)) or ref.kind
    optional = siblings.get(ref.optional) is True if isinstance(ref.optional, str) else ref.optional
    if kind and name:
        for key in _keys(ref, siblings):
            yield Name(dotted(path), _group(ref, siblings), kind, namespace, name, key, optional, ref.weak)


def _keys(ref: Ref, siblings: Mapping[str, Any]) -> Iterator[str]:
    if not ref.items:
        yield text(siblings.get(ref.key))
        return
    projected = items(siblings.get(ref.items))
    yield from (text(at(each, "key")) for each in projected or [{}])


def service_address(address: str) -> tuple[str, str]:
    """Name and namespace of the Service behind an address; empty where it leads elsewhere."""
    found = _ADDRESS.fullmatch(address)
    return (found["name"], found["namespace"] or "") if found and found["name"] != "localhost" else ("", "")


def _listed(value: str) -> Iterator[str]:
    """The names in `a, ns/b@eth1`; a list written as JSON says more than names, and is left alone."""
    if not value.startswith("["):
        yield from (name.partition("@")[0].strip() for name in value.split(","))


def _group(ref: Ref, siblings: Mapping[str, Any]) -> str:
    said = siblings.get(ref.group_field)
    if not isinstance(said, str):
        return ref.group
    group, slash, _ = said.partition("/")
    return group if slash or ref.group_field != "apiVersion" else ""
