"""What `apis/core` says of Kubernetes' own kinds and types, held against a real API server of that version."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from platform_def.crds.core.definitions import PREFIXES, definitions
from platform_def.crds.core.expand import (
    ALWAYS_DEFAULTED,
    CORE,
    DEFAULTED_FROM_1_30,
    DEFAULTED_FROM_1_31,
    expanded,
)
from platform_def.crds.core.kinds import CORE_KINDS
from platform_def.crds.importer.recognise import embeddable
from tests.cluster.client import AGGREGATED_DISCOVERY, Api
from tests.cluster.control_plane import ControlPlane

pytestmark = pytest.mark.cluster

EVERYTHING = ("--runtime-config=api/all=true", "--feature-gates=AllAlpha=true,AllBeta=true")
UNSAID = {(f"{CORE}.AzureDiskVolumeSource", "cachingMode"), (f"{CORE}.AzureDiskVolumeSource", "kind")}
"""Their defaults refer to Go constants, which the generator of operators' CRDs does not follow."""

Types = Mapping[str, Mapping[str, Any]]


def minor_of(api: Api) -> int:
    """`36` of a server's version."""
    return int(api.get("/version").body["minor"].rstrip("+"))


def kinds_of(api: Api) -> Iterator[tuple[tuple[str, str], tuple[str, bool]]]:
    """API version and kind → plural and scope, of everything that a server stores."""
    groups = [group for root in ("/api", "/apis") for group in api.get(root, accept=AGGREGATED_DISCOVERY).body["items"]]
    for group in groups:
        name = group["metadata"].get("name", "")
        for version in group["versions"]:
            api_version = f"{name}/{version['version']}" if name else version["version"]
            for resource in version["resources"]:
                if "list" in resource["verbs"]:
                    kind = resource["responseKind"]["kind"]
                    yield (api_version, kind), (resource["resource"], resource["scope"] == "Namespaced")


def test_kinds_are_those_that_a_server_with_all_its_apis_stores(boot: Callable[..., ControlPlane]) -> None:
    api = boot(flags=EVERYTHING).api
    minor = minor_of(api)
    known = {
        key: (kind.plural, kind.namespaced) for key, kind in CORE_KINDS.items() if kind.since <= minor <= kind.until
    }

    assert dict(kinds_of(api)) == known


@pytest.fixture(scope="module")
def types(cluster: ControlPlane) -> Types:
    """Every type of the server's OpenAPI v3, by full name."""
    paths = cluster.api.get("/openapi/v3").body["paths"].values()
    documents = [cluster.api.get(path["serverRelativeURL"]).body for path in paths]
    return {name: schema for one in documents for name, schema in one.get("components", {}).get("schemas", {}).items()}


def defaults_of(types: Types, name: str) -> dict[str, object]:
    """Field → default, as a server declares it; whether an empty one was declared can't be told."""
    fields = types[name].get("properties", {})
    return {field: schema["default"] for field, schema in fields.items() if "default" in schema}


def test_defaults_are_the_server_s(types: Types) -> None:
    tables = (ALWAYS_DEFAULTED, DEFAULTED_FROM_1_30, DEFAULTED_FROM_1_31)
    wrong = {
        f"{name}.{field}": (value, defaults_of(types, name).get(field, "none"))
        for table in tables
        for name, fields in table.items()
        for field, value in fields.items()
        if defaults_of(types, name).get(field) != value
    }

    assert wrong == {}


def test_no_default_of_a_type_that_crds_embed_is_left_out(cluster: ControlPlane, types: Types) -> None:
    version = f"1.{minor_of(cluster.api)}"
    missing = set()
    for module, short in embeddable():
        name = f"{PREFIXES[module]}.{short}"
        if name not in types or name not in definitions(version):
            continue
        said = {
            (name, field) for field, value in defaults_of(types, name).items() if value not in ("", 0, False, {}, None)
        }
        missing |= {key for key in said if key[1] in definitions(version)[name].get("properties", {})}
        missing -= declared(name, version)

    assert missing == UNSAID


def declared(name: str, version: str) -> set[tuple[str, str]]:
    """Fields of a type to which its expansion gives a default."""
    try:
        fields: dict[str, Any] = expanded(name, version).get("properties", {})
    except ValueError:  # JSONSchemaProps contains itself
        return set()
    return {(name, field) for field, schema in fields.items() if "default" in schema}


def test_keys_of_lists_are_required_or_defaulted_as_the_server_has_them(cluster: ControlPlane, types: Types) -> None:
    version = f"1.{minor_of(cluster.api)}"
    wrong = []
    for name, schema in types.items():
        if not name.startswith(tuple(PREFIXES.values())) or name not in definitions(version):
            continue
        for field, inner in schema.get("properties", {}).items():
            for key in inner.get("x-kubernetes-list-map-keys", ()):
                item = inner["items"].get("$ref") or inner["items"]["allOf"][0]["$ref"]
                theirs, full = types[item.rpartition("/")[2]], item.rpartition("/")[2]
                ours = expanded(full, version)
                said = theirs["properties"][key].get("default") if key not in theirs.get("required", ()) else "required"
                mine = ours["properties"][key].get("default") if key not in ours.get("required", ()) else "required"
                wrong += [f"{name}.{field}[{key}]: {mine!r}, not {said!r}"] if said != mine else []

    assert wrong == []
