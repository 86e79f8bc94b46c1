"""Who stands for what a component's pods make."""

from __future__ import annotations

from platform_def.config.objects import Made
from platform_def.manifests.rendered import RenderedComponent, RenderedObject


def item(name: str, part: str) -> RenderedObject:
    manifest = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "a"}}
    return RenderedObject(manifest, "one", part, "one")  # type: ignore[arg-type]


def test_what_pods_make_is_there_with_the_part_in_which_they_run() -> None:
    """Otherwise a pod that mounts it would wait for what comes after its own part."""
    secret = Made("", "Secret", "a", "key")
    component = RenderedComponent("one", (item("program", "main"), item("route", "after")), makes=(secret,))

    assert [(made, by.name) for made, by in component.made()] == [(secret, "program")]


def test_a_component_without_programs_has_its_last_object_stand_for_it() -> None:
    secret = Made("", "Secret", "a", "key")
    component = RenderedComponent("one", (item("route", "after"),), makes=(secret,))

    assert [by.name for _, by in component.made()] == ["route"]
