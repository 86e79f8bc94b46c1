"""What is said of a value that does not fit."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.checks.provided import custom_kind, provided_definitions
from platform_def.config.platform import ComponentFact, Platform
from platform_def.manifests.custom_kind import CustomKind
from platform_def.manifests.schemas import Schemas
from platform_def.manifests.schemas.validator import ObjectSchema
from platform_def.manifests.scope import namespaced, namespaced_kind

from .structural import judge, texts


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("x" * 58, f"'{'x' * 58}'"),
        ("x" * 59, f"'{'x' * 59}…'"),
        (["a"], "a list"),
        ({"a": 1}, "a map"),
        (None, "null"),
        (True, "true"),
        (False, "false"),
        (1.5, "1.5"),
    ],
)
def test_a_value_is_shown_shortly(value: object, shown: str) -> None:
    assert texts({"type": "integer"}, value) == [f"spec: must be an integer, not {shown}"]


def test_choices_are_listed_without_the_null_that_a_default_allows() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string", "enum": ["open", "shut"], "default": "open"}}}

    [found] = judge(schema, {"a": "opeb"})

    assert found.text == "'opeb' is not one of 'open', 'shut'"
    assert found.hint == "did you mean 'open'?"


def test_each_difference_is_told_once_and_they_are_sorted() -> None:
    schema = {"type": "object", "properties": {"b": {"type": "string"}, "a": {"type": "string"}}}

    assert texts(schema, {"b": 1, "a": 1}) == ["spec.a: must be a string, not 1", "spec.b: must be a string, not 1"]


def test_a_value_of_a_secret_is_not_shown_even_among_choices() -> None:
    choice = {"type": "object", "properties": {"mode": {"type": "string", "enum": ["open", "shut"]}}}

    [found] = judge(choice, {"mode": "opeb"}, kind="Secret")

    assert found.text == "the value is not one of 'open', 'shut'"
    assert found.hint == ""


def test_fields_of_items_and_of_values_are_offered() -> None:
    inner = {"type": "object", "properties": {"replicas": {"type": "integer"}}}
    schema = {
        "type": "object",
        "properties": {
            "listed": {"type": "array", "items": inner},
            "mapped": {"type": "object", "additionalProperties": inner},
        },
    }

    assert [each.hint for each in judge(schema, {"listed": [{"replica": 1}]})] == ["did you mean 'replicas'?"]
    assert [each.hint for each in judge(schema, {"mapped": {"any": {"replica": 1}}})] == ["did you mean 'replicas'?"]


def schema(converted: Any) -> ObjectSchema:
    return ObjectSchema(lambda: converted)


def test_a_pattern_that_cannot_be_read_is_left_out_and_the_rest_is_not() -> None:
    properties = {
        "pattern": {"type": "string"},
        "a": {"type": "string", "pattern": r"^\Qa\E$"},
        "list": {"prefixItems": [{"pattern": r"^\Qa\E$"}], "type": "array"},
    }
    judged = schema({"type": "object", "properties": properties})

    assert judged.mismatches({"a": "x", "list": ["y"], "pattern": "z"}) == ()
    assert [each.path for each in judged.mismatches({"pattern": 5})] == ["pattern"]


def test_a_schema_that_is_none_judges_nothing() -> None:
    assert schema({"type": 5}).mismatches({"any": "thing"}) == ()


def test_entries_are_told_apart_by_their_keys_and_only_maps_have_some() -> None:
    judged = schema({"properties": {"list": {"server:mapKeys": {"name": None, "kind": "a"}}}})

    assert judged.mismatches({"list": [{"name": "x"}, {"name": "x", "kind": "b"}, "x", "x", {}]}) == ()
    assert judged.mismatches({"list": "x"}) == ()
    assert [each.text for each in judged.mismatches({"list": [{"name": "x"}, {}, {"name": "x", "kind": "a"}, {}]})] == [
        "[0] and [2] are the same entry (kind a, name x)",
        "[1] and [3] are the same entry (kind a)",
    ]


def test_a_null_is_told_with_who_refuses_it() -> None:
    [mismatch] = schema({"properties": {"env": {"type": "array"}}}).mismatches({"env": None})

    assert mismatch.text == "must be a list, not null"
    assert mismatch.hint == "leave the field out, or fill it: server-side apply refuses the null"


def test_a_custom_kind_is_judged_in_the_versions_that_are_served() -> None:
    open_map = {"type": "object", "properties": {"spec": {"type": "object"}}}
    kind = CustomKind(
        "example.com", "Thing", "things", True, {"v1": open_map, "v2": {}, "v3": {"properties": 5}}, "one"
    )
    schemas = Schemas()

    first = schemas.custom("1.36", kind, "v1")

    assert first is not None
    assert first is schemas.custom("1.36", kind, "v1")
    assert first is not schemas.custom("1.35", kind, "v1")
    assert schemas.custom("1.36", kind, "v9") is None
    thing = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "it"}, "other": 1}
    assert [each.path for each in first.mismatches(thing)] == ["other"]
    for version in ("v2", "v3"):
        judged = schemas.custom("1.36", kind, version)
        assert judged is not None
        assert judged.mismatches(thing) == ()


@pytest.mark.parametrize(
    ("engine", "kind"),
    [("argocd", ("argoproj.io", "Application")), ("flux", ("source.toolkit.fluxcd.io", "GitRepository"))],
)
def test_an_engine_brings_its_kinds_and_no_other_engine_does(engine: Any, kind: tuple[str, str]) -> None:
    assert kind in provided_definitions(Platform(delivery=engine))
    assert kind not in provided_definitions(Platform())


def test_a_provided_kind_is_the_one_that_its_crd_serves() -> None:
    definition = provided_definitions(Platform(delivery="argocd"))["argoproj.io", "Application"]

    kind = custom_kind(definition)

    assert (kind.group, kind.kind, kind.plural, kind.namespaced) == ("argoproj.io", "Application", "applications", True)
    assert set(kind.schemas) == {"v1alpha1"}
    assert kind.identity == custom_kind(definition).identity


def test_a_release_is_found_by_its_first_numbers_and_not_by_its_first_letters() -> None:
    def kinds(release: str) -> set[tuple[str, str]]:
        fact = ComponentFact(release, "kubeflow", provided=True)
        return set(provided_definitions(Platform(components={"training-operator": fact})))

    assert kinds("1.7") == kinds("1.7.0") != kinds("1.9")
    assert kinds("1") == kinds("") == kinds("9.9")


def test_scope_is_known_of_core_kinds_and_of_the_catalogue_by_group_and_kind() -> None:
    assert namespaced_kind("apps", "Deployment") is True
    assert namespaced_kind("", "Namespace") is False
    assert namespaced_kind("example.com", "Deployment") is None
    assert namespaced_kind("cert-manager.io", "ClusterIssuer") is False
    assert namespaced_kind("cert-manager.io", "Certificate") is True
    assert namespaced("apps/v2", "Deployment") is None


def test_a_custom_kind_of_the_core_group_has_an_empty_group() -> None:
    kind = CustomKind("", "Thing", "things", False, {}, "")

    assert namespaced("v1", "Thing", {("", "Thing"): kind}) is False
    assert namespaced("a.example/v1", "Thing", {("a.example", "Thing"): kind}) is False


def test_kinds_of_all_provided_components_and_of_the_engine_are_there_together() -> None:
    facts = {name: ComponentFact("", name, provided=True) for name in ("training-operator", "cert-manager")}

    kinds = set(provided_definitions(Platform(components=facts, delivery="argocd")))

    assert {("kubeflow.org", "PyTorchJob"), ("cert-manager.io", "Certificate"), ("argoproj.io", "Application")} <= kinds


def test_a_provided_component_without_releases_brings_no_kind() -> None:
    assert provided_definitions(Platform(components={"namespaces": ComponentFact("", "x", provided=True)})) == {}


@pytest.mark.parametrize(
    ("field", "known", "hint"),
    [
        ("servicePort", "service", "write service.port.number, or service.port.name"),
        ("targetAverageUtilization", "target", "write target: {type: Utilization, averageUtilization: …}"),
        ("targetAverageValue", "target", "write target: {type: AverageValue, averageValue: …}"),
    ],
)
def test_a_field_of_a_former_version_is_told_what_became_of_it(field: str, known: str, hint: str) -> None:
    schema = {"type": "object", "properties": {known: {"type": "object"}}, "additionalProperties": False}

    assert [each.hint for each in judge(schema, {field: 1})] == [hint]


class TestHintsKeepTheSchema:
    def test_a_number_gets_its_unit_where_quotes_alone_do_not_help(self) -> None:
        spec = {"type": "object", "properties": {"every": {"type": "string", "pattern": "^([0-9]+(s|m|h))+$"}}}

        assert [each.hint for each in judge(spec, {"every": 30})] == ["write 30s, with its unit"]

    def test_a_choice_that_is_no_number_is_not_offered_in_quotes(self) -> None:
        spec = {"type": "object", "properties": {"mode": {"type": "string", "enum": ["a", "b"]}}}

        assert [each.hint for each in judge(spec, {"mode": 1}) if "must be" in each.text] == [""]

    @pytest.mark.parametrize(("given", "hint"), [("3", "write 3, without quotes"), ("30", "")])
    def test_a_number_without_quotes_is_within_the_bounds(self, given: str, hint: str) -> None:
        spec = {"type": "object", "properties": {"count": {"type": "integer", "maximum": 9}}}

        assert [each.hint for each in judge(spec, {"count": given})] == [hint]

    @pytest.mark.parametrize(
        ("given", "hint"), [(0.5, "devices are whole: write 1, or more"), (True, 'write "true", in quotes')]
    )
    def test_half_a_device_is_not_offered(self, given: object, hint: str) -> None:
        amounts = {"type": "object", "additionalProperties": {"x-kubernetes-int-or-string": True}}
        spec = {"type": "object", "properties": {"limits": amounts}}

        assert [each.hint for each in judge(spec, {"limits": {"nvidia.com/gpu": given}})] == [hint]
