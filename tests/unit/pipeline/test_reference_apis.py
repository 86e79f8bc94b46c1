from __future__ import annotations

from typing import Annotated, Any, Literal, Required

import pytest

from platform_def.apis.core import core_v1
from platform_def.crds.health import FinalizerHealth, HealthConditions
from platform_def.crds.model import Api, Definition, Makes
from platform_def.crds.schema import Cel, Default, Int32, Maximum, Minimum, MinItems, Quantity, Ref
from platform_def.crds.typed_dict import TypedDict
from platform_def.explain.api_resources import ServedVersion, custom_resources
from platform_def.reference.api_page import ServedKind, page
from platform_def.reference.words import (
    code,
    constraint_sentences,
    health_sentences,
    prose,
    reference_sentence,
)


class Part(TypedDict, total=False):
    """A part of a widget."""

    size: Required[Annotated[Int32, Minimum(1), Maximum(9)]]
    """How large; a|b and <c>."""
    kind: str


class WidgetSpec(TypedDict, total=False):
    """What a widget is."""

    parts: Required[Annotated[list[Part], MinItems(1), Cel("self.size() < 9", "at most 8 parts")]]
    colour: Annotated[Literal["red", "green"], Default("red")]
    secretName: Annotated[str, Ref("Secret")]
    template: core_v1.PodTemplateSpec
    memory: Quantity


class NewerSpec(TypedDict, total=False):
    """What a widget is."""

    parts: Required[list[Part]]
    weight: int


def row(component: str, release: str, version: str, spec: Any = WidgetSpec, **more: Any) -> ServedVersion:
    """A widget as a release serves it."""
    api: Api[Any] = Api(
        group="example.com", version=version, kind="Widget", plural="widgets", spec=spec, core="1.31", **more
    )
    definition = Definition((api,))
    return ServedVersion(
        component, release, api.group, version, api.kind, api.plural, "widget", ("wdg",), lambda: definition
    )


def widget_page(*rows: ServedVersion) -> list[str]:
    return page(ServedKind(rows or (row("widget-operator", "1.0.0", "v1"),))).splitlines()


def kind(name: str) -> ServedKind:
    """A kind of the catalogue by the name of its CRD."""
    return ServedKind(tuple(each for each in custom_resources() if each.full_name == name))


def test_a_page_says_what_a_kind_is_and_shows_an_example() -> None:
    lines = widget_page(row("widget-operator", "1.0.0", "v1", makes=(Makes("Secret", "spec.secretName"),)))

    assert lines[:3] == ["# Widget", "", "What a widget is."]
    assert "| resource | `widgets`, `wdg` |" in lines
    assert "| installed by | widget-operator 1.0.0 |" in lines
    assert "| makes | a Secret named by `spec.secretName` |" in lines
    assert "In a terminal: `platformctl explain api widgets.example.com`." in lines
    assert lines[lines.index("```yaml") + 1] == "apiVersion: example.com/v1"


def test_each_type_of_ours_has_a_section_and_core_types_are_only_named() -> None:
    lines = widget_page()

    assert "| `spec` | [WidgetSpec](#widgetspec) |  |" in lines
    assert (
        "| `parts` | list of [Part](#part) | **Required.** At least 1 item. Else refused: at most 8 parts. |" in lines
    )
    assert "| `template` | PodTemplateSpec |  |" in lines
    assert "| `memory` | Quantity |  |" in lines
    assert "| core types | of Kubernetes 1.31 |" in lines
    assert lines.count("### Part") == 1
    assert "| `kind` | string |  |" in lines
    assert not any("containers" in line for line in lines if line.startswith("|"))


def test_fields_say_what_they_may_hold_and_what_they_name() -> None:
    lines = widget_page()

    assert "| `colour` | string | One of `red`, `green`; default `red`. |" in lines
    assert "| `secretName` | string | Names a Secret. |" in lines
    assert "| `size` | integer | **Required.** How large; a\\|b and \\<c>. 1 to 9. |" in lines


def test_other_releases_are_compared_with_the_newest() -> None:
    old = row("widget-operator", "1.0.0", "v1beta1", deprecated=True, deprecation_warning="write v1")
    lines = widget_page(old, row("widget-operator", "2.0.0", "v1", NewerSpec))

    assert lines[-3] == "Compared with widget-operator-2.0.0:"
    assert lines[-1].startswith("* `example.com/v1beta1` in widget-operator-1.0.0: deprecated (write v1); has also ")
    assert "`spec.colour`, `spec.memory`, `spec.secretName`, `spec.template`; lacks `spec.weight`" in lines[-1]


def test_another_operator_s_version_has_sections_of_its_own() -> None:
    lines = page(kind("mpijobs.kubeflow.org")).splitlines()
    headings = [line for line in lines if line.startswith("#")]

    assert "## MPIJob in mpi-operator-0.8.2" in headings
    assert "### RunPolicy" in headings
    assert "### RunPolicy (v2beta1)" in headings
    assert len(headings) == len(set(headings))
    assert "apiVersion: kubeflow.org/v2beta1" in lines


def test_a_schema_kept_as_data_is_shown_two_levels_deep() -> None:
    lines = page(kind("scrapeconfigs.monitoring.coreos.com")).splitlines()
    rows = [line.split("`")[1] for line in lines if line.startswith("| `")]

    assert "spec.staticConfigs" in rows
    assert {name.count(".") for name in rows} == {0, 1, 2}
    assert any(line.endswith(" --recursive`.") for line in lines)


def test_a_release_that_says_more_than_the_main_one_is_shown_too() -> None:
    lines = page(kind("workflows.argoproj.io")).splitlines()

    assert "## Workflow in argo-workflows-3.7.18-full" in lines
    assert any(line.startswith("| `spec.entrypoint` | string |") for line in lines)


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("a | b", "a \\| b"),
        ("`a|b` <c>", "`a\\|b` \\<c>"),
        ("10 * * * *, {{ x }}", "10 \\* \\* \\* \\*, \\{\\{ x }}"),
        ("see [x](y)", "see \\[x\\](y)"),
        ("`{{x}}` and ` alone", "`{{x}}` and \\` alone"),
    ],
)
def test_text_is_no_markup(text: str, markdown: str) -> None:
    assert prose(text) == markdown


def test_code_may_hold_backticks_and_bars() -> None:
    assert code("a|b") == "`a\\|b`"
    assert code("`x`") == "`` `x` ``"


@pytest.mark.parametrize(
    ("constraints", "sentences"),
    [
        ({"minimum": 1}, ["At least 1."]),
        ({"minimum": 0, "exclusiveMinimum": True}, ["More than 0."]),
        ({"minLength": 0, "maxLength": 63}, ["At most 63 characters."]),
        ({"minItems": 2, "maxItems": 2}, ["Exactly 2 items."]),
        ({"default": "", "nullable": True}, ['Default `""`; may be null.']),
        ({"x-kubernetes-list-map-keys": ["a", "b"]}, ["No two with the same `a` and `b`."]),
        ({"oneOf": [{"required": ["a"]}, {"required": ["b"]}]}, ["Exactly one of `a`, `b`."]),
        ({"oneOf": [{"not": {}}, {"required": ["a"]}, {"required": ["b"]}]}, ["At most one of `a`, `b`."]),
        ({"oneOf": [{"pattern": "a"}, {"pattern": "b"}]}, []),
        ({"items": {"maxLength": 9}}, ["Each item: at most 9 characters."]),
        ({"x-kubernetes-validations": [{"rule": "self > 1"}]}, ["Else refused: `self > 1`."]),
        (
            {"values": {"x-kubernetes-validations": [{"rule": "x", "message": "no."}]}},
            ["Each value, else refused: no."],
        ),
    ],
)
def test_constraints_read_as_sentences(constraints: dict[str, object], sentences: list[str]) -> None:
    assert constraint_sentences(constraints) == sentences


@pytest.mark.parametrize(
    ("ref", "sentence"),
    [
        (Ref("Issuer", group="cert-manager.io"), "Names an Issuer of cert-manager.io."),
        (Ref("Secret", key="key", optional="optional"), "Names a Secret, its key in `key`, which may be missing if `optional`."),
        (Ref("Service", kind_field="kind", namespace="namespace"), "Names an object of the kind in `kind`, else a Service, in the namespace of `namespace`."),
    ],
)  # fmt: skip
def test_references_read_as_sentences(ref: Ref, sentence: str) -> None:
    assert reference_sentence(ref) == sentence


def test_health_reads_as_a_sentence() -> None:
    health = HealthConditions(ready=("A", "B"), failed=("C",), false_is_failed=("D",), generation=True)

    assert health_sentences(None) == "as soon as it exists"
    assert health_sentences(health) == (
        "`A` and `B` are true, said of the present generation; failed when `C` is true or `D` is false"
    )
    assert health_sentences(FinalizerHealth("own")) == (
        "the controller has added its finalizer `own`, after it carried the object out once"
    )
