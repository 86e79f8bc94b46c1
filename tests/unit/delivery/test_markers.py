"""The ConfigMap that each sync of a part begins with under Argo CD with gates."""

from __future__ import annotations

from dataclasses import replace

import pytest

from platform_def.config.cluster import Delivery
from platform_def.delivery.deliver import deliver
from platform_def.delivery.gates import AFTER, MARKER
from platform_def.manifests.rendered import RenderedComponent, RenderedObject, RenderedStack

from .samples import ARGOCD, CERT_MANAGER, EMISSARY, FLUX, GATES, NAMESPACES, body, component, deployment, ordered

WHOLE = ordered(NAMESPACES, CERT_MANAGER, EMISSARY)


def markers(rendered: RenderedStack) -> dict[str, RenderedObject]:
    """By name."""
    objects = (item for each in deliver(rendered, GATES, {}).components.values() for item in each.objects)
    return {
        item.name: item for item in objects if MARKER.items() <= item.manifest["metadata"].get("labels", {}).items()
    }


def waits(item: RenderedObject) -> dict[str, str]:
    labels = item.manifest["metadata"]["labels"].items()
    return {label.removeprefix(AFTER): content for label, content in labels if label.startswith(AFTER)}


def content(item: RenderedObject) -> str:
    return str(item.manifest["data"]["content"])


def with_main(component: RenderedComponent, name: str) -> RenderedComponent:
    extra = RenderedObject(deployment(name, component.name), component.name, "main", "here")
    return replace(component, objects=(*component.objects, extra))


def test_each_part_that_waits_or_is_waited_for_has_a_marker_of_its_name_before_all_else() -> None:
    found = markers(WHOLE)

    assert {name: (item.component, item.part, item.namespace) for name, item in found.items()} == {
        "cert-manager-crds": ("cert-manager", "crds", "argocd"),
        "cert-manager-main": ("cert-manager", "main", "argocd"),
        "cert-manager-after": ("cert-manager", "after", "argocd"),
        "emissary-main": ("emissary", "main", "argocd"),
    }
    for item in found.values():
        wave = item.manifest["metadata"]["annotations"]["argocd.argoproj.io/sync-wave"]
        assert wave == f"-{content(item)}"
        assert -(2**53) < int(wave) < -1


def test_a_marker_names_the_contents_of_what_its_part_needs() -> None:
    found = markers(WHOLE)

    assert waits(found["cert-manager-crds"]) == {}
    assert waits(found["cert-manager-after"]) == {
        name: content(found[name]) for name in ("cert-manager-crds", "cert-manager-main")
    }
    assert waits(found["emissary-main"]) == {
        name: content(found[name]) for name in ("cert-manager-crds", "cert-manager-main", "cert-manager-after")
    }


def test_a_change_moves_the_marker_of_its_part_and_of_those_that_need_it() -> None:
    before, after = (
        markers(ordered(NAMESPACES, each, EMISSARY)) for each in (CERT_MANAGER, with_main(CERT_MANAGER, "other"))
    )

    moved = {name for name in before if before[name].manifest != after[name].manifest}
    assert moved == {"cert-manager-main", "cert-manager-after", "emissary-main"}
    assert content(before["cert-manager-main"]) != content(after["cert-manager-main"])
    assert content(before["cert-manager-after"]) == content(after["cert-manager-after"])


def test_a_new_namespace_moves_no_marker() -> None:
    more = replace(
        NAMESPACES, objects=(*NAMESPACES.objects, *component("a", main=(body("v1", "Namespace", "a"),)).objects)
    )

    assert {name: item.text for name, item in markers(ordered(more, CERT_MANAGER)).items()} == {
        name: item.text for name, item in markers(ordered(NAMESPACES, CERT_MANAGER)).items()
    }


def test_the_engine_itself_waits_for_nobody() -> None:
    own = component("argo-cd", main=(deployment("argocd-server", "argocd"),), requires=("cert-manager",))

    assert "argo-cd-main" not in markers(ordered(NAMESPACES, CERT_MANAGER, own))


def test_where_nobody_waits_there_is_no_marker() -> None:
    assert markers(ordered(NAMESPACES, component("a", main=(deployment("a", "vision"),)))) == {}


@pytest.mark.parametrize("delivery", [ARGOCD, FLUX], ids=["retries", "flux"])
def test_without_gates_there_are_no_markers(delivery: Delivery) -> None:
    assert deliver(WHOLE, delivery, {}).components == WHOLE.components
