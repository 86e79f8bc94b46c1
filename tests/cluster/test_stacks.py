from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from platform_def.manifests.rendered import RenderedComponent, RenderedObject, RenderedStack
from tests.cluster.samples import config_map, crd, custom
from tests.cluster.stacks import Stacks, borrowed_crds, catalogued_crds, crds_of, stack_names
from tests.renders.store import Store
from tests.unit.checks.samples import rendered


def test_a_kind_that_a_stack_uses_and_does_not_define_is_borrowed() -> None:
    objects = [custom("Used", "a", {}), crd("Own"), custom("Own", "b", {}), config_map("c")]
    others = [crd("Used"), crd("Own", {"other": {"type": "string"}}), crd("Unused")]

    assert [item["metadata"]["name"] for item in borrowed_crds(objects, others)] == ["useds.test.example.com"]


def test_the_same_kind_of_another_group_is_not_borrowed() -> None:
    assert borrowed_crds([custom("Used", "a", {})], [crd("Used", group="other.example.com")]) == []


def test_what_a_provided_component_brings_is_taken_from_the_catalogue() -> None:
    monitor = {**custom("ServiceMonitor", "a", {}), "apiVersion": "monitoring.coreos.com/v1"}

    found = catalogued_crds([monitor, config_map("b"), custom("Used", "c", {})])

    assert [item["metadata"]["name"] for item in found] == ["servicemonitors.monitoring.coreos.com"]


def test_definitions_are_picked_out() -> None:
    assert [item["spec"]["names"]["kind"] for item in crds_of([config_map("a"), crd("Widget")])] == ["Widget"]


def test_every_stack_is_known_by_its_place_and_name(tmp_path: Path) -> None:
    found = Stacks(Store(folder=tmp_path))

    assert list(found) == stack_names()
    assert {item["kind"] for item in found["dist/onprem-gpu"]} > {
        "Namespace",
        "CustomResourceDefinition",
        "Application",
    }


def test_the_objects_of_a_coverage_stack_are_those_of_the_files_that_the_store_has_of_it() -> None:
    item = RenderedObject(config_map("a"), "app", "main", "here", file_text="kind: ConfigMap\n")

    class Kept(Store):
        def get(self, stack: str, *, beside: Iterable[str] = ()) -> RenderedStack:
            assert {stack, "coverage/everything"} <= {*beside}
            return replace(rendered(), components={"app": RenderedComponent("app", (item,))})

    assert Stacks(Kept())["coverage/dex"] == [{"kind": "ConfigMap"}]


def test_a_name_that_is_no_stack_s_is_an_error(tmp_path: Path) -> None:
    for name in ("dist/misspelt", "coverage/misspelt"):
        with pytest.raises(KeyError):
            Stacks(Store(folder=tmp_path))[name]
