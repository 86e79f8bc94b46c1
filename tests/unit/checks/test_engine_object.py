"""What Argo CD and Flux make of their own objects."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.checks.rules.delivery.engine_object import ENGINE_OBJECT
from platform_def.manifests.rendered import Manifest
from tests.unit.checks.samples import config_map, found, rendered


def _application(**spec: Any) -> Manifest:
    metadata = {"name": "web", "namespace": "argocd"}
    return {"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": metadata, "spec": spec}


def _waits(name: str, *others: str, namespace: str = "flux-system", kind: str = "Kustomization") -> Manifest:
    group = "kustomize" if kind == "Kustomization" else "helm"
    places = (other.rpartition("/") for other in others)
    waits = [{"name": other, **({"namespace": place} if place else {})} for place, _, other in places]
    metadata = {"name": name, "namespace": namespace}
    return {
        "apiVersion": f"{group}.toolkit.fluxcd.io/v1",
        "kind": kind,
        "metadata": metadata,
        "spec": {"dependsOn": waits},
    }


@pytest.mark.parametrize("destination", [{"server": "https://a.example.com"}, {"name": "a"}, {}])
def test_a_cluster_has_a_name_or_an_address(destination: dict[str, str]) -> None:
    assert found(ENGINE_OBJECT, rendered(_application(destination=destination))) == []


def test_a_cluster_with_both_is_an_error() -> None:
    destination = {"server": "https://a.example.com", "name": "a"}
    [finding] = found(ENGINE_OBJECT, rendered(_application(destination=destination)))

    assert (finding.severity, finding.path) == ("error", "spec.destination")
    assert finding.hint == "leave `name` or `server` out"


def test_applications_of_a_set_are_judged_and_their_templates_are_not() -> None:
    sync = {"syncOptions": ["CreateNamespaces=true", "{{option}}", "Prune={{prune}}"]}
    template = {"spec": {"destination": {"server": "{{server}}", "name": "a"}, "syncPolicy": sync}}
    kind = {"kind": "ApplicationSet", "spec": {"template": template}}
    findings = found(ENGINE_OBJECT, rendered({**_application(), **kind}))

    assert [each.path for each in findings] == [
        "spec.template.spec.destination",
        "spec.template.spec.syncPolicy.syncOptions[0]",
    ]


@pytest.mark.parametrize(
    ("option", "hint"),
    [
        ("CreateNamespaces=true", "did you mean 'CreateNamespace'?"),
        ("CreateNamespace=yes", "write CreateNamespace= and one of true, false"),
        ("ServerSideApply", "write ServerSideApply= and one of true, false"),
        ("PrunePropagationPolicy=Foreground", None),
    ],
)
def test_an_option_that_argo_cd_does_not_know_is_told(option: str, hint: str | None) -> None:
    [finding] = found(ENGINE_OBJECT, rendered(_application(syncPolicy={"syncOptions": ["PruneLast=true", option]})))

    assert (finding.severity, finding.path) == ("warning", "spec.syncPolicy.syncOptions[1]")
    assert hint is None or finding.hint == hint


def test_options_of_one_object_stand_in_an_annotation() -> None:
    key = "argocd.argoproj.io/sync-options"
    item = config_map()
    item["metadata"]["annotations"] = {key: "Prune=false, Delete=confirm,Forces=true"}
    [finding] = found(ENGINE_OBJECT, rendered(item))

    assert (finding.path, finding.hint) == (f'metadata.annotations["{key}"]', "did you mean 'Force'?")


def test_a_circle_is_told_once_with_its_way() -> None:
    findings = found(
        ENGINE_OBJECT,
        rendered(_waits("c", "a"), _waits("a", "b", "far"), _waits("b", "flux-system/c"), _waits("d", "a")),
    )

    assert [(each.object, each.text) for each in findings] == [
        ("Kustomization flux-system/a", "waits for itself: a → b → c → a")
    ]


@pytest.mark.parametrize(
    "objects",
    [
        (_waits("a", "b"), _waits("b")),
        (_waits("a", "b"), _waits("b", "a", namespace="other")),
        (_waits("a", "b"), _waits("b", "a", kind="HelmRelease")),
    ],
)
def test_what_waits_for_others_is_fine(objects: tuple[Manifest, ...]) -> None:
    assert found(ENGINE_OBJECT, rendered(*objects)) == []


def test_a_release_that_waits_for_itself_is_told() -> None:
    [finding] = found(ENGINE_OBJECT, rendered(_waits("a", "a", kind="HelmRelease")))

    assert finding.text == "waits for itself: a → a"
