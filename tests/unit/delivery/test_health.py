"""When objects are ready: what the engines make of the rules that they are given."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.apis.kubeflow.profile_v1 import PROFILE, PROFILE_V1BETA1
from platform_def.crds.health import READY, AnyHealth, FinalizerHealth, HealthConditions, StateHealth
from platform_def.delivery.health import cel, lua
from platform_def.manifests.rendered import Manifest

from .verdicts import argocd, flux

HEALTH = HealthConditions(
    ready=("Up", "Reachable"), failed=("Broken",), suspended=("Paused",), false_is_failed=("Valid",)
)


def thing(*, generation: int = 1, **status: Any) -> Manifest:
    return {"metadata": {"generation": generation}, "status": status}


def told(health: AnyHealth, item: Manifest) -> tuple[str, str]:
    """The verdicts of Argo CD and Flux."""
    return argocd(lua.judged(health), item)[0], flux(item, current=cel.current(health), failed=cel.failed(health))


def conditions(**holds: str) -> dict[str, Any]:
    return {"conditions": [{"type": name, "status": status} for name, status in holds.items()]}


@pytest.mark.parametrize(
    ("holds", "in_argocd", "in_flux"),
    [
        ({}, "Progressing", "InProgress"),
        ({"Up": "True"}, "Progressing", "InProgress"),
        ({"Up": "True", "Reachable": "False"}, "Progressing", "InProgress"),
        ({"Up": "True", "Reachable": "Unknown"}, "Progressing", "InProgress"),
        ({"Up": "True", "Reachable": "True"}, "Healthy", "Current"),
        ({"Up": "True", "Reachable": "True", "Broken": "False"}, "Healthy", "Current"),
        ({"Up": "True", "Reachable": "True", "Broken": "True"}, "Degraded", "Failed"),
        ({"Up": "True", "Reachable": "True", "Valid": "False"}, "Degraded", "Failed"),
        ({"Up": "True", "Reachable": "True", "Valid": "True"}, "Healthy", "Current"),
        ({"Paused": "True"}, "Suspended", "Current"),
        ({"Paused": "False"}, "Progressing", "InProgress"),
    ],
)
def test_conditions_decide_alike_in_both_engines(holds: dict[str, str], in_argocd: str, in_flux: str) -> None:
    assert told(HEALTH, thing(**conditions(**holds))) == (in_argocd, in_flux)


@pytest.mark.parametrize("health", [HEALTH, READY, StateHealth("status.phase", ready=("Done",), failed=("Lost",))])
def test_an_object_without_a_status_is_waited_for(health: HealthConditions | StateHealth) -> None:
    assert told(health, {"metadata": {"generation": 1}}) == ("Progressing", "InProgress")


def test_a_kind_that_can_only_fail_is_ready_until_it_does() -> None:
    health = HealthConditions(failed=("Broken",))

    assert told(health, thing(**conditions())) == ("Healthy", "Current")
    assert argocd(lua.judged(health), thing(**conditions(Broken="True")))[0] == "Degraded"


@pytest.mark.parametrize(
    ("seen", "condition_seen", "in_argocd", "in_flux"),
    [
        (2, 2, "Healthy", "Current"),
        (None, None, "Healthy", "Current"),
        (2, None, "Healthy", "Current"),
        (2, 1, "Progressing", "InProgress"),
    ],
)
def test_a_condition_of_an_earlier_generation_does_not_count(
    seen: int | None, condition_seen: int | None, in_argocd: str, in_flux: str
) -> None:
    ready = {"type": "Ready", "status": "True"}
    status: dict[str, Any] = {
        "conditions": [ready | ({"observedGeneration": condition_seen} if condition_seen else {})]
    }

    item = thing(generation=2, **status, **({"observedGeneration": seen} if seen else {}))

    assert told(READY, item) == (in_argocd, in_flux)


def test_argo_cd_waits_for_the_controller_to_see_the_last_change() -> None:
    item = thing(generation=2, observedGeneration=1, **conditions(Ready="True"))

    assert argocd(lua.judged(READY), item) == ("Progressing", "its controller has not seen the last change")
    assert argocd(lua.judged(HealthConditions(ready=("Ready",))), item)[0] == "Healthy"


def test_argo_cd_tells_which_condition_it_waits_for_and_why_one_failed() -> None:
    broken = {"type": "Broken", "status": "True", "message": "no disk"}
    invalid = {"type": "Valid", "status": "False", "message": "no name"}
    paused = {"type": "Paused", "status": "True", "message": "by hand"}

    assert argocd(lua.judged(HEALTH), thing(**conditions(Up="True")))[1] == "waits for Reachable"
    assert argocd(lua.judged(HEALTH), thing(conditions=[broken]))[1] == "Broken: no disk"
    assert argocd(lua.judged(HEALTH), thing(conditions=[invalid]))[1] == "Valid: no name"
    assert argocd(lua.judged(HEALTH), thing(conditions=[paused]))[1] == "Paused: by hand"
    assert argocd(lua.judged(READY), thing(**conditions(Ready="False")))[1] == "waits for Ready"


STATE = StateHealth("status.state.phase", ready=("Done",), failed=("Failed",), suspended=("Held",))


@pytest.mark.parametrize(
    ("phase", "in_argocd", "in_flux"),
    [
        ("Done", "Healthy", "Current"),
        ("Failed", "Degraded", "Failed"),
        ("Held", "Suspended", "Current"),
        ("Running", "Progressing", "InProgress"),
    ],
)
def test_a_state_decides_alike_in_both_engines(phase: str, in_argocd: str, in_flux: str) -> None:
    assert told(STATE, thing(state={"phase": phase})) == (in_argocd, in_flux)


@pytest.mark.parametrize("status", [{}, {"state": {}}])
def test_a_state_that_is_not_there_yet_is_waited_for(status: dict[str, Any]) -> None:
    assert told(STATE, thing(**status)) == ("Progressing", "InProgress")


def test_argo_cd_tells_the_state_that_it_sees() -> None:
    assert argocd(lua.judged(STATE), thing(state={"phase": "Running"}))[1] == "status.state.phase is Running"


@pytest.mark.parametrize(
    ("ready", "seen", "verdicts"),
    [
        (True, True, ("Healthy", "Current")),
        (True, False, ("Progressing", "InProgress")),
        (1, 1, ("Healthy", "Current")),
        (1, 0, ("Progressing", "InProgress")),
    ],
)
def test_a_state_is_a_boolean_or_a_number_too(ready: bool | int, seen: bool | int, verdicts: tuple[str, str]) -> None:
    assert told(StateHealth("status.ready", ready=(ready,)), thing(ready=seen)) == verdicts


HELD = "profile-finalizer"


@pytest.mark.parametrize(
    ("metadata", "verdicts"),
    [
        ({}, ("Progressing", "InProgress")),
        ({"finalizers": []}, ("Progressing", "InProgress")),
        ({"finalizers": ["foregroundDeletion"]}, ("Progressing", "InProgress")),
        ({"finalizers": [HELD]}, ("Healthy", "Current")),
        ({"finalizers": ["foregroundDeletion", HELD]}, ("Healthy", "Current")),
        ({"finalizers": [HELD], "deletionTimestamp": "2026-01-01T00:00:00Z"}, ("Progressing", "InProgress")),
    ],
)
def test_a_profile_is_ready_when_its_controller_has_added_its_finalizer(
    metadata: dict[str, Any], verdicts: tuple[str, str]
) -> None:
    assert PROFILE.health
    assert PROFILE_V1BETA1.health == PROFILE.health == FinalizerHealth(HELD)
    assert told(PROFILE.health, {"metadata": {"generation": 1, **metadata}, "spec": {}}) == verdicts


def test_argo_cd_says_where_to_look_while_a_finalizer_is_missing() -> None:
    status, message = argocd(lua.judged(FinalizerHealth(HELD)), {"metadata": {"generation": 1}})

    assert (status, message) == ("Progressing", f"waits for {HELD}, which its controller adds last; see its log")
    assert cel.failed(FinalizerHealth(HELD)) == ""


SERVICE = {"name": "a", "namespace": "b"}


@pytest.mark.parametrize(
    ("clients", "verdicts"),
    [
        ([{"service": SERVICE, "caBundle": "Zm9v"}], ("Healthy", "Current")),
        ([{"service": SERVICE}], ("Progressing", "InProgress")),
        ([{"service": SERVICE, "caBundle": ""}], ("Progressing", "InProgress")),
        ([{"service": SERVICE, "caBundle": "Zm9v"}, {"service": SERVICE}], ("Progressing", "InProgress")),
        ([{"url": "https://hook.example.com"}], ("Healthy", "Current")),
    ],
)
def test_webhooks_behind_a_service_are_waited_for_until_they_have_a_ca(
    clients: list[dict[str, Any]], verdicts: tuple[str, str]
) -> None:
    item = {"webhooks": [{"name": f"{place}.example.com", "clientConfig": each} for place, each in enumerate(clients)]}

    status, message = argocd(lua.WEBHOOKS, item)

    assert (status, flux(item, current=cel.WEBHOOKS)) == verdicts
    assert message == ("" if status == "Healthy" else f"{len(clients) - 1}.example.com waits for its CA")


@pytest.mark.parametrize(
    ("phase", "storage_class", "verdicts"),
    [
        ("Bound", "fast", ("Healthy", "Current")),
        ("Bound", None, ("Healthy", "Current")),
        ("Pending", "fast", ("Progressing", "InProgress")),
        ("Pending", "faster", ("Progressing", "InProgress")),
        ("Pending", "late", ("Healthy", "Current")),
        ("Pending", None, ("Healthy", "Current")),
        ("Lost", "late", ("Degraded", "Failed")),
        (None, "late", ("Progressing", "InProgress")),
    ],
)
def test_a_claim_is_waited_for_where_its_class_binds_at_once(
    phase: str | None, storage_class: str | None, verdicts: tuple[str, str]
) -> None:
    item: Manifest = {"spec": {"storageClassName": storage_class} if storage_class else {}}
    item |= {"status": {"phase": phase}} if phase else {}
    classes = ("fast", "faster")

    status = argocd(lua.claims(classes), item)[0]

    assert (status, flux(item, current=cel.claims(classes), failed=cel.CLAIM_FAILED)) == verdicts


def established(**holds: str) -> tuple[str, str]:
    return argocd(lua.DEFINITION, {"metadata": {}, "status": conditions(**holds)})


def test_a_definition_is_waited_for_until_it_is_served_and_has_not_failed_before() -> None:
    assert argocd(lua.DEFINITION, {"metadata": {}})[0] == "Progressing"
    assert established() == ("Progressing", "waits to be established")
    assert established(NamesAccepted="True")[0] == "Progressing"
    assert established(NamesAccepted="True", Established="False")[0] == "Progressing"
    assert established(NamesAccepted="True", Established="True") == ("Healthy", "")


def test_a_definition_whose_names_are_taken_has_failed_and_one_that_goes_is_not_ready() -> None:
    taken = {"type": "NamesAccepted", "status": "False", "message": "jobs is already in use"}
    going = {"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}, "status": conditions(Established="True")}

    assert argocd(lua.DEFINITION, {"metadata": {}, "status": {"conditions": [taken]}}) == (
        "Degraded",
        "jobs is already in use",
    )
    assert established(NamesAccepted="False", Established="True")[0] == "Degraded"
    assert argocd(lua.DEFINITION, going) == ("Progressing", "is being deleted")


@pytest.mark.parametrize(
    ("status", "verdicts"),
    [
        ({"desiredNumberScheduled": 0}, ("Healthy", "Current")),
        ({"desiredNumberScheduled": 8}, ("Progressing", "InProgress")),
        ({"desiredNumberScheduled": 8, "updatedNumberScheduled": 8}, ("Progressing", "InProgress")),
        ({"desiredNumberScheduled": 8, "numberAvailable": 8}, ("Progressing", "InProgress")),
        (
            {"desiredNumberScheduled": 8, "updatedNumberScheduled": 1, "numberAvailable": 7},
            ("Healthy", "Current"),
        ),
        ({"desiredNumberScheduled": 8, "updatedNumberScheduled": 8, "numberAvailable": 8}, ("Healthy", "Current")),
    ],
)
def test_a_daemon_set_is_ready_with_one_pod_and_whole_with_all(
    status: dict[str, int], verdicts: tuple[str, str]
) -> None:
    assert daemon_set("RollingUpdate", observedGeneration=1, **status) == verdicts


def test_a_daemon_set_is_waited_for_until_its_controller_has_seen_it() -> None:
    all_up = {"desiredNumberScheduled": 1, "updatedNumberScheduled": 1, "numberAvailable": 1}

    assert daemon_set("RollingUpdate", **all_up) == ("Progressing", "InProgress")
    assert daemon_set("RollingUpdate", observedGeneration=0, **all_up) == ("Progressing", "InProgress")


def test_a_daemon_set_that_is_updated_by_hand_counts_its_old_pods() -> None:
    status = {"observedGeneration": 1, "desiredNumberScheduled": 2, "numberAvailable": 2}

    assert daemon_set("OnDelete", **status) == ("Healthy", "Current")


def test_argo_cd_tells_how_many_pods_of_a_daemon_set_there_are() -> None:
    status = {"observedGeneration": 1, "desiredNumberScheduled": 8, "numberAvailable": 7, "updatedNumberScheduled": 8}

    assert argocd(lua.DAEMON_SET, {"metadata": {"generation": 1}, "status": status}) == (
        "Healthy",
        "7 of 8 pods are available, 8 up to date",
    )


def daemon_set(strategy: str, **status: int) -> tuple[str, str]:
    item = {"metadata": {"generation": 1}, "spec": {"updateStrategy": {"type": strategy}}, "status": status}
    return argocd(lua.DAEMON_SET, item)[0], flux(item, current=cel.DAEMON_SET)


def test_a_state_that_cannot_fail_has_no_failing_expression() -> None:
    assert cel.failed(StateHealth("status.phase", ready=("Done",))) == ""
