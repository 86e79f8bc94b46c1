"""When the API server lets an engine's objects come and go."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from platform_def.config.cluster import Delivery
from platform_def.delivery.deliver import deliver
from platform_def.delivery.gates import AFTER, ARE_THERE, MAY_COME, MAY_GO_ON, READY, REMOVAL, goes_before, waiting
from platform_def.delivery.target import part_labels
from platform_def.manifests.rendered import Manifest

from .samples import ARGOCD, CERT_MANAGER, FLUX, GATES, NAMESPACES, ordered
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


def part(component: str, kind: str, *needs: str, **fields: Any) -> Manifest:
    """The object of a part, as both engines have it in the cluster; `needs` are names of others."""
    labels = part_labels(component, kind) | waiting(needs)
    fields |= {"dependsOn": [{"name": need} for need in needs]} if needs else {}
    return {"metadata": {"name": f"{component}-{kind}", "labels": labels, "finalizers": ["a"]}, "spec": fields}


@pytest.mark.parametrize("engine", [ARGOCD, GATES, FLUX], ids=["retries", "gates", "flux"])
def test_a_part_goes_after_those_that_need_it(engine: Delivery) -> None:
    main, after, other = part("a", "main"), part("a", "after", "a-main"), part("b", "main", "c-crds", "a-main")

    assert not goes(engine, main, after)
    assert not goes(engine, main, part("a", "crds"), other)
    assert goes(engine, main, main)
    assert goes(engine, after, main, other)
    assert goes(engine, main, part("b", "after", "b-main"), part("a", "crds"))


@pytest.mark.parametrize("engine", [ARGOCD, GATES, FLUX], ids=["retries", "gates", "flux"])
def test_who_serves_custom_resources_goes_after_the_parts_that_hold_them(engine: Delivery) -> None:
    operator, user = part("a", "main"), part("b", "main")
    user["metadata"]["labels"] |= goes_before(["a-main"])

    assert not goes(engine, operator, user)
    assert goes(engine, user, operator)


def test_what_takes_nothing_along_may_go_in_any_order() -> None:
    bare, after = part("a", "main"), part("a", "after", "a-main")
    del bare["metadata"]["finalizers"]

    assert goes(ARGOCD, bare, after)
    assert goes(GATES, bare, after)
    assert goes(FLUX, part("a", "main", deletionPolicy="Orphan"), after)
    assert not goes(FLUX, part("a", "main", deletionPolicy="Delete"), after)


def comes(params: Manifest, rule: str = MAY_COME, **labels: str) -> bool:
    """Whether something with these labels may be made while the Application that it may wait for is so."""
    made = {"request": {"operation": "CREATE"}, "object": labelled(labels), "oldObject": None}
    return holds(rule, {**made, "params": params})


def goes_on(params: Manifest, before: Mapping[str, str], now: Mapping[str, str], rule: str = MAY_COME) -> bool:
    """Whether an Application or a marker may be changed while the other one is so."""
    change = {"request": {"operation": "UPDATE"}, "object": labelled(now), "oldObject": labelled(before)}
    return holds(rule, {**change, "params": params})


def labelled(labels: Mapping[str, str]) -> Manifest:
    return {
        "metadata": {"name": "b", "labels": {"app": "b"} | {f"{AFTER}{name}": each for name, each in labels.items()}}
    }


def application(health: str, **annotations: str) -> Manifest:
    status = {"sync": SYNCED, "operationState": DONE, "health": {"status": health}}
    return {"metadata": {"name": "a", "annotations": annotations}, "status": status}


def test_what_waits_comes_when_the_application_is_ready() -> None:
    assert comes(application("Healthy"), a="true")
    assert not comes(application("Degraded"), a="true")
    assert comes(application("Degraded"), c="true")


def test_a_part_goes_on_when_what_it_needs_anew_is_ready() -> None:
    before, now = {"a": "1", "c": "1"}, {"a": "2", "c": "1"}

    assert goes_on(application("Healthy"), before, now)
    assert not goes_on(application("Progressing"), before, now)
    assert not goes_on(application("Progressing"), {}, now)


def test_what_became_of_contents_that_were_waited_for_already_holds_nobody_back() -> None:
    before, now = {"a": "1", "c": "1"}, {"a": "1", "c": "2"}

    assert goes_on(application("Degraded"), before, now)
    assert goes_on(marker("3"), before, now, MAY_GO_ON)


def test_a_part_that_stops_waiting_goes_on() -> None:
    assert goes_on(application("Degraded"), {"a": "1"}, {})
    assert goes_on(marker("3"), {"a": "1"}, {}, MAY_GO_ON)


def marker(content: str, *, state: str = "Synced") -> Manifest:
    """An Application whose last comparison found this marker."""
    other = {"kind": "Service", "name": "a", "status": "Synced"}
    found = {"kind": "ConfigMap", "name": "a", "status": state, "syncWave": -int(content)}
    return {"metadata": {"name": "a"}, "status": {"resources": [other, found]}}


def test_a_part_goes_on_when_what_it_needs_has_the_content_that_is_meant() -> None:
    before, now = {"a": "1"}, {"a": "2"}

    assert goes_on(marker("2"), before, now, MAY_GO_ON)
    assert not goes_on(marker("1"), before, now, MAY_GO_ON)
    assert not goes_on(marker("2", state="OutOfSync"), before, now, MAY_GO_ON)
    assert not goes_on({"metadata": {"name": "a"}}, before, now, MAY_GO_ON)
    assert not holds(
        MAY_GO_ON, {"request": {"operation": "CREATE"}, "object": labelled({"a": "2"}), "params": marker("1")}
    )
    assert comes(marker("1"), MAY_GO_ON, a="true")


def test_what_a_part_needs_anew_is_to_be_there() -> None:
    there = {"kind": "Application", "name": "c", "status": "Synced"}
    root = {"status": {"resources": [{"kind": "ConfigMap", "name": "c", "status": "Synced"}, there]}}
    missing = {"status": {"resources": [there | {"status": "OutOfSync"}]}}
    before, now = {"a": "1"}, {"a": "2", "c": "1"}

    assert goes_on(root, before, now, ARE_THERE)
    assert not goes_on(missing, before, now, ARE_THERE)
    assert not goes_on({"status": {}}, before, now, ARE_THERE)
    assert goes_on(missing, before, before, ARE_THERE)
    assert not goes_on(missing, {}, before, ARE_THERE)
    assert comes(root, ARE_THERE, c="1")
    assert comes(missing, ARE_THERE)
    assert not comes(missing, ARE_THERE, c="1")


def test_a_person_can_let_others_go_on_before_a_part_is_ready() -> None:
    assert comes(application("Degraded", **{"platform-def/ready": "yes"}), a="true")
    assert not comes(application("Degraded", other="yes"), a="true")
    assert comes({"metadata": {"name": "a", "annotations": {"platform-def/ready": ""}}}, a="true")
