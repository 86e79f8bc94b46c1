"""Definitions of custom resources: scope and names stay, and so does every version in which objects are stored."""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.manifests.loose import at, items, text
from platform_def.manifests.updates.change import Change, Refused, Row
from platform_def.manifests.updates.comparing import fixed, together

_NAMES = "the API server does not let it change once the definition is established"
_ALL_GO = "every custom resource of it is deleted with it"


def _versions(change: Change) -> Iterator[Refused]:
    old, new = (_stored_by_name(one) for one in (change.old, change.new))
    for name in (name for name in old if name not in new):
        asks = f"kubectl get crd {change.name} -o jsonpath='{{.status.storedVersions}}'"
        if old[name]:
            says = "the API server refuses this because objects are stored in it"
            yield Refused("spec.versions", f"version {name} is removed; {says}", _migrate(change, name))
        else:
            says = "the API server refuses this if objects were ever stored in it"
            hint = f"ask for the versions in which they are: {asks}; if {name} is among them, {_migrate(change, name)}"
            yield Refused("spec.versions", f"version {name} is removed; {says}", hint, "warning")


def _stored_by_name(definition: object) -> dict[str, bool]:
    versions = items(at(definition, "spec.versions"))
    return {text(at(each, "name")): at(each, "storage") is True for each in versions}


def _migrate(change: Change, version: str) -> str:
    plural = f"{text(at(change.new, 'spec.names.plural'))}.{text(at(change.new, 'spec.group'))}"
    return (
        "keep the version with `served: false` until every object is stored in another one: deliver that first, then "
        f"`kubectl get {plural} -A -o json | kubectl replace -f -`, then take {version} out of status.storedVersions "
        f"(kubectl patch crd {change.name} --subresource status)"
    )


DEFINITIONS = (
    Row(
        id="definition-names",
        kinds=("CustomResourceDefinition.apiextensions.k8s.io",),
        find=together(
            fixed("spec.scope", _NAMES),
            fixed("spec.names.kind", _NAMES),
            fixed("spec.names.plural", _NAMES),
            fixed("spec.group", _NAMES),
        ),
        way="serve it under another name or group, and move the objects",
        loses=_ALL_GO,
        replaceable=False,
    ),
    Row(
        id="definition-versions",
        kinds=("CustomResourceDefinition.apiextensions.k8s.io",),
        find=_versions,
        way="keep the version",
        loses=_ALL_GO,
        replaceable=False,
    ),
)
