"""When the API server lets an engine's objects come and go."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.config.cluster import Delivery
from platform_def.delivery.deliver import deliver
from platform_def.delivery.gates import READY, REMOVAL
from platform_def.delivery.target import part_labels
from platform_def.manifests.rendered import Manifest

from .samples import ARGOCD, CERT_MANAGER, FLUX, NAMESPACES, ordered
from .verdicts import holds

WHOLE = ordered(NAMESPACES, CERT_MANAGER)

SYNCED = {"status": "Synced", "revision": "2"}
DRIFTED = {"status": "OutOfSync", "revision": "2"}
HEALTHY = {"status": "Healthy"}
DONE = {"phase": "Succeeded", "finishedAt": "2026-01-01T00:00:00Z", "syncResult": {"revision": "2"}}
LATER = "2026-01-01T00:00:01Z"


def ready(**fields: Any) -> bool:
    return holds(READY, {"params": {"metadata": {"name": "a"}, **fields}})


def has_come(**status: Any) -> bool:
    return ready(status=status)


def test_an_application_lets_others_come_once_it_is_synced_and_healthy() -> None:
    assert has_come(sync=SYNCED, operationState=DONE, health=HEALTHY)
    assert has_come(sync=SYNCED, operationState=DONE, health={"status": "Suspended"})


@pytest.mark.parametrize("health", ["Progressing", "Degraded", "Missing", "Unknown"])
def test_an_application_is_waited_for_while_its_objects_are_not_healthy(health: str) -> None:
    assert not has_come(sync=SYNCED, operationState=DONE, health={"status": health})


@pytest.mark.parametrize(
    "found",
    [
        {},
        {"status": {}},
        {"status": {"health": HEALTHY}},
        {"status": {"sync": SYNCED}},
        {"status": {"sync": SYNCED, "health": {}}},
        {"status": {"sync": {"status": "Unknown"}, "health": HEALTHY}},
    ],
)
def test_an_application_that_is_new_is_waited_for(found: Manifest) -> None:
    assert not ready(**found)


@pytest.mark.parametrize("phase", ["Running", "Terminating"])
def test_an_application_is_waited_for_while_it_syncs(phase: str) -> None:
    assert not has_come(sync=SYNCED, operationState=DONE | {"phase": phase}, health=HEALTHY)


def test_an_application_is_waited_for_once_a_sync_is_asked_for() -> None:
    assert not ready(operation={}, status={"sync": SYNCED, "operationState": DONE, "health": HEALTHY})


def test_what_was_there_already_needs_no_sync() -> None:
    assert has_come(sync=SYNCED, health=HEALTHY)


def test_a_drift_that_never_ends_holds_nobody_back_once_git_was_applied_and_health_seen_after_that() -> None:
    assert has_come(sync=DRIFTED, operationState=DONE, health=HEALTHY, reconciledAt=LATER)
    assert not has_come(sync=DRIFTED, operationState=DONE, health=HEALTHY, reconciledAt=DONE["finishedAt"])
    assert not has_come(sync=DRIFTED, operationState=DONE | {"phase": "Failed"}, health=HEALTHY, reconciledAt=LATER)
    assert not has_come(sync=DRIFTED | {"revision": "3"}, operationState=DONE, health=HEALTHY, reconciledAt=LATER)
    assert not has_come(sync=DRIFTED, health=HEALTHY, reconciledAt=LATER)


def goes(engine: Delivery, removed: Manifest, *others: Manifest) -> bool:
    """Whether the API server would take the deletion of an object while others are there."""
    found = {item.kind: item.manifest for item in deliver(WHOLE, engine, {}).delivery if item.name == REMOVAL}
    policy, binding = (found[f"ValidatingAdmissionPolicy{end}"]["spec"] for end in ("", "Binding"))
    chosen = binding["matchResources"]["objectSelector"]["matchLabels"].items()
    asked = chosen <= removed["metadata"]["labels"].items() and all(
        holds(each["expression"], {"oldObject": removed}) for each in policy["matchConditions"]
    )
    wanted = binding["paramRef"]["selector"]["matchLabels"].items()
    seen = [each for each in others if wanted <= each["metadata"]["labels"].items()]
    return not asked or all(
        holds(each["expression"], {"oldObject": removed, "params": other})
        for each in policy["validations"]
        for other in seen
    )


def part(component: str, kind: str, **fields: Any) -> Manifest:
    """The object of a part, as both engines have it in the cluster."""
    labels = part_labels(component, kind)
    return {"metadata": {"name": f"{component}-{kind}", "labels": labels, "finalizers": ["a"]}, "spec": fields}


@pytest.mark.parametrize("engine", [ARGOCD, FLUX], ids=["argocd", "flux"])
def test_an_operator_goes_after_the_custom_resources_of_its_component(engine: Delivery) -> None:
    main, after = part("a", "main"), part("a", "after")

    assert not goes(engine, main, after)
    assert goes(engine, main)
    assert goes(engine, after, main)
    assert goes(engine, main, part("b", "after"), part("a", "crds"))
    assert goes(engine, part("a", "crds"), after)


def test_what_takes_nothing_along_may_go_in_any_order() -> None:
    bare = part("a", "main")
    del bare["metadata"]["finalizers"]

    assert goes(ARGOCD, bare, part("a", "after"))
    assert goes(FLUX, part("a", "main", deletionPolicy="Orphan"), part("a", "after"))
    assert not goes(FLUX, part("a", "main", deletionPolicy="Delete"), part("a", "after"))
