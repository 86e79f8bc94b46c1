from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from platform_def.apis import core
from platform_def.apis.core import CLUSTER_ROLE, CONFIG_MAP, DEPLOYMENT, NAMESPACE
from platform_def.crds.core import generate as generator
from platform_def.crds.core.definitions import NEWEST, OLDEST, PREFIXES, definitions
from platform_def.crds.core.expand import RecursiveTypeError, expanded
from platform_def.crds.core.generate_kinds import NOT_STORED, kinds_module
from platform_def.crds.core.kinds import CORE_KINDS
from platform_def.crds.importer.recognise import embeddable

POD = "io.k8s.api.core.v1.PodTemplateSpec"
CONDITION = "io.k8s.apimachinery.pkg.apis.meta.v1.Condition"


def nodes(schema: Any) -> list[dict[str, Any]]:
    if isinstance(schema, list):
        return [node for item in schema for node in nodes(item)]
    if isinstance(schema, dict):
        return [schema, *(node for value in schema.values() for node in nodes(value))]
    return []


def container(version: str) -> dict[str, Any]:
    found: dict[str, Any] = expanded(POD, version)["properties"]["spec"]["properties"]["containers"]["items"]
    return found


@pytest.mark.parametrize("minor", range(OLDEST, NEWEST + 1))
def test_pod_template_is_structural_in_every_version(minor: int) -> None:
    schema = expanded(POD, f"1.{minor}")

    assert not [node for node in nodes(schema) if "$ref" in node or isinstance(node.get("type"), list)]
    for node in nodes(schema):
        for key in node.get("x-kubernetes-list-map-keys", ()):
            item = node["items"]
            assert key in item.get("required", ()) or "default" in item["properties"][key]


def test_protocol_has_its_default_in_every_version() -> None:
    for version in ("1.25", "1.37"):
        assert container(version)["properties"]["ports"]["items"]["properties"]["protocol"]["default"] == "TCP"


def test_names_of_references_default_to_empty_from_1_30_on() -> None:
    def reference(version: str) -> dict[str, Any]:
        source = container(version)["properties"]["envFrom"]["items"]["properties"]["secretRef"]
        found: dict[str, Any] = source["properties"]["name"]
        return found

    assert "default" not in reference("1.29")
    assert reference("1.30")["default"] == ""


def test_embedded_metadata_is_open_to_labels_only_where_asked_for() -> None:
    assert expanded(POD, "1.31")["properties"]["metadata"] == {"type": "object"}
    assert "labels" in expanded(POD, "1.31", embedded_metadata=True)["properties"]["metadata"]["properties"]


def test_condition_has_the_bounds_that_its_authors_gave_it() -> None:
    assert expanded(CONDITION, "1.36")["properties"]["status"]["enum"] == ["True", "False", "Unknown"]


def test_recursive_type_is_refused() -> None:
    with pytest.raises(RecursiveTypeError):
        expanded("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps", "1.36")


def test_unknown_version_and_type_are_named() -> None:
    with pytest.raises(ValueError, match=r"1\.24"):
        definitions("1.24")
    with pytest.raises(ValueError, match="no type"):
        expanded("io.k8s.api.core.v1.Nothing", "1.31")


def test_every_core_typeddict_stands_for_a_definition_of_the_newest_version() -> None:
    known = definitions(f"1.{NEWEST}")

    for module, name in embeddable():
        assert f"{PREFIXES[module]}.{name}" in known


def test_constants_say_scope_and_shape() -> None:
    assert (DEPLOYMENT.api_version, DEPLOYMENT.namespaced, DEPLOYMENT.top_level) == ("apps/v1", True, False)
    assert (CONFIG_MAP.api_version, CONFIG_MAP.top_level) == ("v1", True)
    assert (CLUSTER_ROLE.plural, CLUSTER_ROLE.namespaced) == ("clusterroles", False)
    assert NAMESPACE.builtin


def test_every_constant_is_in_the_table_of_kinds() -> None:
    for name in core.__all__:
        api = getattr(core, name)
        known = CORE_KINDS[(api.api_version, api.kind)]

        assert (known.plural, known.namespaced, known.until) == (api.plural, api.namespaced, NEWEST)


def test_unknown_constant_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="NOTHING"):
        _ = core.NOTHING


@pytest.mark.parametrize(
    ("api_version", "kind", "plural", "namespaced"),
    [
        ("v1", "Endpoints", "endpoints", True),
        ("v1", "PersistentVolume", "persistentvolumes", False),
        ("networking.k8s.io/v1", "NetworkPolicy", "networkpolicies", True),
        ("networking.k8s.io/v1", "Ingress", "ingresses", True),
        ("networking.k8s.io/v1", "IngressClass", "ingressclasses", False),
        ("storage.k8s.io/v1", "CSIStorageCapacity", "csistoragecapacities", True),
        ("storage.k8s.io/v1", "CSIDriver", "csidrivers", False),
        ("resource.k8s.io/v1", "ResourceClaimTemplate", "resourceclaimtemplates", True),
        ("resource.k8s.io/v1", "DeviceClass", "deviceclasses", False),
        ("certificates.k8s.io/v1", "CertificateSigningRequest", "certificatesigningrequests", False),
    ],
)
def test_kind_has_its_plural_and_scope(api_version: str, kind: str, plural: str, namespaced: bool) -> None:
    known = CORE_KINDS[(api_version, kind)]

    assert (known.plural, known.namespaced) == (plural, namespaced)


def test_kinds_know_since_when_they_are_there() -> None:
    assert CORE_KINDS[("resource.k8s.io/v1", "DeviceClass")].since == 34
    assert CORE_KINDS[("autoscaling/v2beta2", "HorizontalPodAutoscaler")].until == 25


def test_requests_are_no_kinds_to_deliver() -> None:
    assert not [kind for _, kind in CORE_KINDS if NOT_STORED.search(kind)]


def test_modules_are_what_the_generator_writes() -> None:
    here = Path(generator.__file__).parent
    types = here.parent.parent / "apis" / "core"

    for module in generator.modules():
        assert (types / f"{module.name}.py").read_text() == generator.CoreWriter(module).source()
    assert (types / "__init__.py").read_text() == generator.lazy_package()
    assert (here / "kinds.py").read_text() == kinds_module()
