"""Import and export over CRDs that nobody thought of."""

from __future__ import annotations

import keyword
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from platform_def.crds.importer import import_crds
from tests.unit.apis.imported import comparable, exported, run_module

Manifest = dict[str, Any]

NAMES = st.one_of(
    st.sampled_from(
        [*keyword.kwlist, "spec", "status", "items", "list", "$ref", "x-y", "x_y", "xY", "metadata", "Required"]
    ),
    st.from_regex(r"\A[a-z][a-zA-Z0-9]{0,7}\Z"),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(2**53), 2**53), st.floats(-1e9, 1e9), TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(TEXTS, inner, max_size=2)),
    max_leaves=4,
)
LOGIC = st.sampled_from(
    [{"required": ["x"]}, {"properties": {"x": {"minimum": 1}}}, {"minLength": 1}, {"pattern": "^a"}]
)


def extended(base: st.SearchStrategy[Manifest], **more: st.SearchStrategy[Any]) -> st.SearchStrategy[Manifest]:
    """`base` with any of the further keywords."""
    common: dict[str, st.SearchStrategy[Any]] = {
        "description": TEXTS,
        "default": JSON,
        "nullable": st.booleans(),
        "x-kubernetes-validations": st.lists(
            st.fixed_dictionaries(
                {"rule": TEXTS},
                optional={"message": TEXTS, "reason": TEXTS, "fieldPath": TEXTS, "optionalOldSelf": st.booleans()},
            ),
            max_size=2,
        ),
    }
    keywords = st.fixed_dictionaries({}, optional=common | {k.replace("__", "-"): v for k, v in more.items()})
    return st.builds(lambda one, two: {**one, **two}, base, keywords)


def typed(kind: str) -> st.SearchStrategy[Manifest]:
    return st.just({"type": kind})


SCALARS = st.one_of(
    extended(
        typed("string"),
        enum=st.lists(TEXTS, min_size=1, max_size=3),
        pattern=TEXTS,
        format=st.sampled_from(["date-time", "byte", "uri", ""]),
        minLength=st.integers(0, 9),
        title=TEXTS,
    ),
    extended(
        typed("integer"),
        enum=st.lists(st.one_of(st.integers(0, 3), st.booleans()), min_size=1, max_size=3),
        format=st.sampled_from(["int32", "int64"]),
        minimum=st.integers(0, 1) | st.floats(0, 1),
        exclusiveMinimum=st.booleans(),
    ),
    extended(typed("number"), enum=st.lists(st.floats(0, 1), min_size=1, max_size=2), format=st.just("double")),
    extended(typed("boolean"), enum=st.lists(st.booleans(), min_size=1, max_size=3)),
    extended(st.just({"x-kubernetes-preserve-unknown-fields": True})),
    extended(st.just({"x-kubernetes-int-or-string": True}), anyOf=st.just([{"type": "integer"}, {"type": "string"}])),
    extended(typed("object"), additionalProperties=st.booleans(), required=st.lists(NAMES, max_size=2)),
)


def nested(inner: st.SearchStrategy[Manifest]) -> st.SearchStrategy[Manifest]:
    """Lists, maps and objects of schemas."""
    lists = st.builds(lambda item: {"type": "array", "items": item}, inner)
    maps = st.builds(lambda value: {"type": "object", "additionalProperties": value}, inner)
    return st.one_of(
        extended(
            lists, maxItems=st.integers(0, 9), x__kubernetes__list__type=st.sampled_from(["set", "atomic", "map"])
        ),
        extended(maps, maxProperties=st.integers(0, 9)),
        extended(objects(inner), allOf=st.lists(LOGIC, max_size=2), x__kubernetes__map__type=st.just("atomic")),
    )


@st.composite
def objects(draw: st.DrawFn, inner: st.SearchStrategy[Manifest]) -> Manifest:
    """An object with properties, some of them required."""
    properties = draw(st.dictionaries(NAMES, inner, max_size=4))
    required = draw(st.lists(st.sampled_from([*properties, "absent"]), max_size=3))
    return {"type": "object", "properties": properties, "required": required}


SCHEMAS = st.recursive(SCALARS, nested, max_leaves=8)


@st.composite
def crds(draw: st.DrawFn) -> Manifest:
    """A CRD with one to three versions."""
    kind = draw(st.from_regex(r"\A[A-Z][A-Za-z0-9]{0,8}\Z"))
    names = draw(st.permutations(["v1", "v1beta1", "v2alpha1"]))[: draw(st.integers(1, 3))]
    versions = []
    for index, name in enumerate(names):
        spec = draw(st.dictionaries(st.sampled_from(["spec", "status", "data"]), SCHEMAS, max_size=3))
        root = {"type": "object", "properties": spec, "required": draw(st.lists(st.sampled_from(["spec", "metadata"])))}
        schema = draw(extended(st.just(root)))
        versions.append({"name": name, "served": True, "storage": index == 0, "schema": {"openAPIV3Schema": schema}})
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{kind.lower()}s.example.com"},
        "spec": {
            "group": "example.com",
            "scope": draw(st.sampled_from(["Namespaced", "Cluster"])),
            "names": {"kind": kind, "plural": f"{kind.lower()}s"},
            "versions": versions,
        },
    }


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(doc=crds(), descriptions=st.booleans())
def test_any_crd_survives_import_and_export(doc: Manifest, descriptions: bool) -> None:
    (source,) = import_crds([doc], descriptions=descriptions).values()

    assert exported(run_module(source)) == [comparable(doc)]
