"""Versions of kinds that go, and the versions of Kubernetes at which an object breaks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from platform_def.checks.rules.server.api_deprecated import API_DEPRECATED
from platform_def.config.kubernetes import Kubernetes
from platform_def.config.platform import Platform
from platform_def.manifests.rendered import Manifest
from platform_def.pipeline.findings.at_versions import JudgedStack, verdicts
from tests.unit.checks.samples import config_map, crd, found, rendered, thing

FLOW = {
    "apiVersion": "flowcontrol.apiserver.k8s.io/v1beta3",
    "kind": "FlowSchema",
    "metadata": {"name": "it"},
    "spec": {"priorityLevelConfiguration": {"name": "it"}},
}


def said(manifest: Manifest, version: str) -> list[tuple[str, str]]:
    stack = rendered(manifest, platform=Platform(kubernetes=Kubernetes(version)))
    return [(each.text, each.hint) for each in found(API_DEPRECATED, stack)]


@pytest.mark.parametrize(
    ("version", "hint"),
    [
        ("1.28", "write apiVersion: flowcontrol.apiserver.k8s.io/v1, which Kubernetes 1.29 brings"),
        ("1.31", "write apiVersion: flowcontrol.apiserver.k8s.io/v1"),
    ],
)
def test_a_core_version_that_goes_names_its_heir(version: str, hint: str) -> None:
    assert said(FLOW, version) == [
        ("Kubernetes 1.32 has no flowcontrol.apiserver.k8s.io/v1beta3 FlowSchema any more", hint)
    ]


@pytest.mark.parametrize("version", ["1.25", "1.36"])
def test_a_version_that_is_not_there_is_no_deprecated_one(version: str) -> None:
    assert said(FLOW, version) == []


def test_a_version_that_stays_is_fine() -> None:
    assert said(config_map(), "1.31") == []


def test_a_crds_own_words_are_told() -> None:
    definition = crd({"type": "object"}, versions=("v1", "v1beta1"))
    definition["spec"]["versions"][1] |= {"deprecated": True, "deprecationWarning": "use example.com/v1"}

    [finding] = found(API_DEPRECATED, rendered(definition, thing(version="v1beta1"), thing(version="v1")))

    assert (finding.text, finding.hint) == ("use example.com/v1", "write apiVersion: example.com/v1")


def test_what_the_heir_does_not_take_is_said_and_what_neither_takes_is_not() -> None:
    definition = crd({"type": "object", "properties": {"way": {"type": "string"}}}, versions=("v1", "v1beta1"))
    old, new = definition["spec"]["versions"][1], definition["spec"]["versions"][0]
    old |= {"deprecated": True}
    new["schema"] = {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object"}}}}
    item = thing({"way": "a", "other": 1}, version="v1beta1")

    [finding] = found(API_DEPRECATED, rendered(definition, item))

    assert finding.hint == "write apiVersion: example.com/v1, which is different: spec.way: unknown field"


def test_the_table_of_versions_has_a_row_for_a_finding_and_a_verdict_for_each_version_that_has_it() -> None:
    stack = replace(rendered(FLOW), foreign=True)

    rows = verdicts([JudgedStack(stack, lambda _: "it.yaml", [])], ("1.28", "1.31", "1.34"))

    assert {row.finding.rule: {version: each.severity for version, each in row.verdicts.items()} for row in rows} == {
        "schema": {"1.34": "error"},
        "api-deprecated": {"1.28": "warning", "1.31": "warning"},
    }
