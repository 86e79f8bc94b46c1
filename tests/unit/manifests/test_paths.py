"""Paths into objects, the pods and images in them, and objects that no check has seen yet."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.manifests.images import images, pod_specs, rewrite_images
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.paths import containers, dotted, pods, strings


@pytest.mark.parametrize(
    ("path", "written"),
    [
        ((), ""),
        (("spec", "containers", 0, "image"), "spec.containers[0].image"),
        ((0, 1, "a"), "[0][1].a"),
        (("data", "app.conf"), 'data["app.conf"]'),
        (("app.conf", "a"), '["app.conf"].a'),
        (("x-kubernetes-validations", "$ref", "_a"), "x-kubernetes-validations.$ref._a"),
        (("a", "1b"), 'a["1b"]'),
    ],
)
def test_a_path_is_written_as_kubectl_prints_it(path: tuple[str | int, ...], written: str) -> None:
    assert dotted(path) == written


def test_every_text_is_found_with_its_path() -> None:
    value = {"a": "x", "b": [{"c": "y"}, "z", 1], "d": None}

    assert list(strings(value)) == [(("a",), "x"), (("b", 0, "c"), "y"), (("b", 1), "z")]


POD: dict[str, Any] = {
    "containers": [{"name": "main", "image": "a:1"}, "broken", {"name": "no-image"}, {"name": "odd", "image": 5}],
    "initContainers": [{"name": "first", "image": "b:1"}],
    "ephemeralContainers": [{"name": "debug", "image": "c:1"}],
}


def test_pods_are_found_however_deep_also_inside_each_other_and_in_lists() -> None:
    inner: dict[str, Any] = {"containers": []}
    value = {"kind": "Thing", "spec": {"roles": [{"template": {"spec": {**POD, "nested": inner}}}], "list": [[inner]]}}

    assert [dotted(path) for path, _ in pods(value)] == [
        "spec.roles[0].template.spec",
        "spec.roles[0].template.spec.nested",
        "spec.list[0][0]",
    ]
    assert list(pod_specs(value)) == [pod for _, pod in pods(value)]


def test_the_schema_of_a_kind_is_no_pod() -> None:
    value = {"kind": "CustomResourceDefinition", "spec": {"containers": [{"name": "main"}]}}

    assert list(pods(value)) == list(containers(value)) == []


def test_a_map_of_containers_is_no_pod() -> None:
    assert list(pods({"spec": {"containers": {"main": {}}}})) == []
    assert list(pod_specs({"spec": {"containers": {"main": {}}}})) == []


def test_containers_of_every_sort_are_found_and_what_is_none_is_left_to_the_checks() -> None:
    found = [(dotted(path), container["name"]) for path, container in containers({"spec": POD})]

    assert found == [
        ("spec.containers[0]", "main"),
        ("spec.containers[2]", "no-image"),
        ("spec.containers[3]", "odd"),
        ("spec.initContainers[0]", "first"),
        ("spec.ephemeralContainers[0]", "debug"),
    ]
    assert list(containers({"spec": {"containers": [], "initContainers": 5}})) == []


def test_images_are_those_of_containers_that_name_one() -> None:
    assert list(images({"spec": POD})) == ["a:1", "b:1", "c:1"]
    assert list(images({"spec": {"containers": [{"image": "a:1"}], "initContainers": {"image": "b:1"}}})) == ["a:1"]


def test_images_are_rewritten_in_a_copy_and_nothing_else_is() -> None:
    before: dict[str, Any] = {"kind": "Thing", "image": "a:1", "items": [{"spec": POD, "image": "a:1"}], "n": 1}

    after = rewrite_images(before, lambda image: f"mirror/{image}")

    assert list(images(after)) == ["mirror/a:1", "mirror/b:1", "mirror/c:1"]
    assert list(images(before)) == ["a:1", "b:1", "c:1"]
    assert (after["image"], after["items"][0]["image"], after["n"]) == ("a:1", "a:1", 1)
    assert after["items"][0]["spec"]["containers"][1:] == POD["containers"][1:]


def test_an_object_whose_images_stay_is_the_same_object() -> None:
    before = {"spec": POD}

    assert rewrite_images(before, lambda image: image) is before


def test_one_image_that_changes_is_enough() -> None:
    after = rewrite_images({"spec": POD}, lambda image: "x:1" if image == "c:1" else image)

    assert list(images(after)) == ["a:1", "b:1", "x:1"]


def test_what_is_of_another_type_counts_as_empty() -> None:
    assert (mapping([1]), items({"a": 1}), text(5)) == ({}, (), "")
    assert (mapping({"a": 1}), items([1]), text("a")) == ({"a": 1}, [1], "a")


@pytest.mark.parametrize(("path", "found"), [("a.b", 1), ("a", {"b": 1}), ("a.b.c", None), ("x", None), ("a.c", None)])
def test_a_place_that_is_not_there_holds_nothing(path: str, found: object) -> None:
    assert at({"a": {"b": 1}}, path) == found


def test_what_looks_like_containers_outside_a_pod_is_left_alone() -> None:
    before = {"spec": {"initContainers": [{"image": "a:1"}], "pod": {"containers": [{"image": "a:1"}]}}}

    after = rewrite_images(before, lambda image: f"mirror/{image}")

    assert after["spec"]["initContainers"] == [{"image": "a:1"}]
    assert after["spec"]["pod"]["containers"] == [{"image": "mirror/a:1"}]
