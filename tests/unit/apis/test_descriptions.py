"""What API types say to people: descriptions, and fields that name other objects."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Annotated, Any, get_args, get_origin

import pytest

from platform_def.crds.catalogue import definitions, known
from platform_def.crds.core.definitions import definition_name
from platform_def.crds.core.kinds import CORE_KINDS
from platform_def.crds.hints import Either, Field, Noted, fields, plain
from platform_def.crds.model import Api, Definition
from platform_def.crds.schema import Bare, Ref, Schema
from platform_def.crds.structure import Structure, object_schema
from platform_def.crds.typed_dict import TypedDict, is_typed_dict

WRITTEN_BY_PEOPLE = {
    "argo-cd-3.6.1": ["Application", "AppProject"],
    "cert-manager-1.19.6": ["Certificate", "Issuer", "ClusterIssuer"],
    "emissary-3.10.0": ["Mapping", "Host", "Listener", "TLSContext", "AuthService", "RateLimitService", "Module"],
    "emissary-4.1.0": ["Mapping", "Host", "Listener", "TLSContext", "AuthService", "RateLimitService", "Module"],
    "external-secrets-2.9.0": ["ExternalSecret", "SecretStore", "ClusterSecretStore"],
    "gateway-api-1.7.0": ["Gateway", "GatewayClass", "HTTPRoute", "GRPCRoute", "TCPRoute", "TLSRoute", "UDPRoute"],
    "istio-1.31.1": [
        "VirtualService",
        "Gateway",
        "DestinationRule",
        "ServiceEntry",
        "Sidecar",
        "AuthorizationPolicy",
        "RequestAuthentication",
        "PeerAuthentication",
    ],
    "knative-serving-1.23.0": ["Service"],
    "kserve-0.20.0": [
        "InferenceService",
        "ServingRuntime",
        "ClusterServingRuntime",
        "InferenceGraph",
        "TrainedModel",
        "LocalModelCache",
        "LocalModelNamespaceCache",
    ],
    "gateway-api-inference-extension-1.6.0": ["InferencePool"],
    "llm-d-router-0.10.0": ["InferenceObjective", "InferenceModelRewrite"],
    "prometheus-operator-0.93.0": ["ServiceMonitor", "PodMonitor", "PrometheusRule"],
    "sealed-secrets-0.36.6": ["SealedSecret"],
    "seldon-core-1.17.1": ["SeldonDeployment"],
}
AS_IN_KUBERNETES = {
    # Copies of core types with other lists, and an HTTPRoute within another kind.
    "platform_def.apis.cert_manager.v1": {"SecurityContext"},
    "platform_def.apis.emissary.v3alpha1": {"AccountName", "ContextName"},
    "platform_def.apis.kserve.v1beta1": {
        "HttpGet",
        "TcpSocket",
        "LivenessProbe",
        "ContainerLivenessProbe",
        "PullSecret",
    },
    "platform_def.apis.core.pull_secret": {"PullSecret"},
    "platform_def.apis.seldon.v1": {
        "PredictorComponentSpec",
        "ComponentMetadata",
        "PullSecret",
        "Os",
        "TopologySpreadConstraint",
    },
}
UNREAD = {
    # Seldon's older metrics and KEDA's settings stand thrice in a CRD that must stay below the limit of client-side apply.
    "platform_def.apis.seldon.v1": {
        "ContainerResource",
        "External",
        "Object",
        "Target",
        "Pods",
        "Resource",
        "Advanced",
        "HorizontalPodAutoscalerConfig",
        "Behavior",
        "ScaleDown",
        "Policy",
    },
    "platform_def.apis.argocd.v1alpha1": {"JwtToken"},
    "platform_def.apis.external_secrets.v1": {"AccessKeyIDSecretRef"},
    "platform_def.apis.emissary.v3alpha1": {"ExplicitTLS", "PreviewUrl"},
}
FOREIGN = {("keda.sh", "TriggerAuthentication"), ("", "User")}


@cache
def apis() -> tuple[Api[Any], ...]:
    """Every version of every kind of the catalogue, once."""
    every: tuple[Definition, ...] = tuple(one for name in known() for one in definitions(name))
    return tuple({id(api): api for one in every for api in one.versions}.values())


def types_below(hint: object, seen: dict[type, None], *, bare: bool = False) -> None:
    """All own types that a CRD spells out with their descriptions."""
    hint = plain(hint)
    if isinstance(hint, Noted):
        if not any(isinstance(note, Bare) for note in hint.notes):
            types_below(hint.base, seen)
    elif isinstance(hint, Either):
        for member in hint.members:
            types_below(member, seen)
    elif get_origin(hint) in (list, dict):
        types_below(get_args(hint)[-1], seen)
    elif isinstance(hint, type) and is_typed_dict(hint) and not definition_name(hint) and hint not in seen:
        seen[hint] = None
        for each in fields(hint):
            types_below(each.hint, seen)


def described(field: Field) -> bool:
    schema = Structure("1.36").of(field.hint) if isinstance(field.hint, Noted) else {}
    return bool(field.doc or schema.get("description"))


@pytest.mark.parametrize("release", sorted(WRITTEN_BY_PEOPLE))
def test_fields_that_people_write_are_described(release: str) -> None:
    wanted = WRITTEN_BY_PEOPLE[release]
    found: dict[type, None] = {}
    stored = [one.api for one in definitions(release)]
    stored += [api for one in definitions(release) for api in one.versions if api.version == "v3alpha1"]
    for api in stored:
        if api.kind in wanted and not api.data:
            types_below(api.spec, found)
    skip = {(module, name) for table in (AS_IN_KUBERNETES, UNREAD) for module, names in table.items() for name in names}
    bare = [
        f"{cls.__name__}.{field.name}"
        for cls in found
        if (cls.__module__, cls.__name__) not in skip and "route_v1alpha1" not in cls.__module__
        for field in fields(cls)
        if not described(field)
    ]

    assert found
    assert bare == []


def refs_in(hint: object, siblings: frozenset[str], seen: set[type]) -> Iterator[tuple[Ref, frozenset[str]]]:
    hint = plain(hint)
    if isinstance(hint, Noted):
        refs = [note for note in hint.notes if isinstance(note, Ref)]
        assert len(refs) <= 1, "a field names one object"
        yield from ((ref, siblings) for ref in refs)
        yield from refs_in(hint.base, siblings, seen)
    elif isinstance(hint, Either):
        for member in hint.members:
            yield from refs_in(member, siblings, seen)
    elif get_origin(hint) in (list, dict):
        yield from refs_in(get_args(hint)[-1], siblings, seen)
    elif isinstance(hint, type) and is_typed_dict(hint) and not definition_name(hint) and hint not in seen:
        seen.add(hint)
        own = list(fields(hint))
        for each in own:
            yield from refs_in(each.hint, frozenset(one.name for one in own), seen)


def siblings_of(ref: Ref) -> set[str]:
    said = {ref.kind_field, ref.group_field, ref.namespace, ref.key}
    return {name for name in (*said, ref.optional) if isinstance(name, str) and name}


@cache
def typed_references() -> tuple[tuple[str, Ref, frozenset[str]], ...]:
    """Kind, reference and the fields beside it, for all types."""
    seen: set[type] = set()
    every = ((api, hint) for api in apis() if not api.data for hint in (api.spec, api.top) if hint)
    return tuple((api.kind, ref, beside) for api, hint in every for ref, beside in refs_in(hint, frozenset(), seen))


def test_fields_beside_a_reference_exist() -> None:
    found = typed_references()

    assert len(found) > 200
    assert [
        (kind, ref.kind, siblings_of(ref) - beside) for kind, ref, beside in found if siblings_of(ref) - beside
    ] == []


def test_references_name_known_kinds() -> None:
    kinds = {(api.group, api.kind) for api in apis()} | FOREIGN
    kinds |= {(version.rpartition("/")[0], kind) for version, kind in CORE_KINDS}
    named = {(ref.group, ref.kind) for _, ref, _ in typed_references()}
    named |= {(ref.group, ref.kind) for api in apis() for ref in api.references.values() if isinstance(ref, Ref)}

    assert sorted(named - kinds) == []


OPEN: Schema = {"x-kubernetes-preserve-unknown-fields": True}


def leads(schema: Schema, path: str) -> bool:
    """Whether there is a field at a path of a reference; where anything may stand, there is."""
    head, mark, _ = path.partition("parameters.")
    for part in [one for one in head.split(".") if one] + (["parameters{}"] if mark else []):
        name = part.rstrip("[]{}")
        inner = schema.get("properties", {}).get(name)
        if inner is None:
            return "x-kubernetes-preserve-unknown-fields" in schema
        schema, rest = inner, part[len(name) :]
        for index in range(0, len(rest), 2):
            schema = schema.get("items" if rest[index] == "[" else "additionalProperties", OPEN)
    return schema.get("type", "string") in ("string", "object")


def test_paths_of_references_are_fields_of_some_version() -> None:
    """Versions of a kind share one table, though older ones lack some fields."""
    versions: dict[str, list[Api[Any]]] = {}
    for api in apis():
        versions.setdefault(api.crd_name, []).append(api)
    wrong = [
        (name, path)
        for name, found in versions.items()
        for path in {path for api in found for path in api.references}
        if not any(leads(object_schema(api), path) for api in found)
    ]

    assert wrong == []


def test_paths_of_what_controllers_make_are_fields() -> None:
    paths = {(api, path) for api in apis() for made in api.makes for path in (made.name, made.namespace) if path}

    assert paths
    assert [
        (api.kind, path)
        for api, path in paths
        if not path.startswith("metadata.") and not leads(object_schema(api), path)
    ] == []


def test_bare_leaves_descriptions_out_and_nothing_else() -> None:
    structure = Structure("")

    assert structure.of(Told) == {
        "type": "object",
        "properties": {
            "short": {
                "type": "array",
                "items": {"type": "object", "properties": {"description": {"type": "string"}}},
                "description": "What is short.",
            },
            "whole": {
                "type": "object",
                "properties": {"description": {"type": "string", "description": "Whatever it says."}},
                "description": "What is whole.",
            },
        },
    }


class Inner(TypedDict, total=False):
    description: str
    """Whatever it says."""


class Told(TypedDict, total=False):
    short: list[Annotated[Inner, Bare()]]
    """What is short."""
    whole: Inner
    """What is whole."""
