"""What a stand-in writes for an operator is what the kind's definition takes."""

from __future__ import annotations

from platform_def.crds.health import FinalizerHealth, HealthConditions
from tests.cluster.client import Manifest
from tests.cluster.engines.statuses import READY, attached, becoming, finalizers, required

STATE = {"type": "string", "enum": ["ignored", "ready", "notReady"]}
FIELDS = {"state": STATE, "phase": {"type": "string", "enum": ["A", "B"]}, "seen": {"type": "integer"}}


def definition(status: Manifest) -> Manifest:
    """A CRD whose status is so."""
    schema = {"openAPIV3Schema": {"properties": {"status": status} if status else {}}}
    return {"spec": {"versions": [{"name": "v1", "schema": schema}, {"name": "v2", "schema": {}}]}}


def test_a_status_has_what_it_cannot_be_without_and_says_that_it_is_ready_where_it_can() -> None:
    found = required(definition({"required": ["state", "phase", "seen"], "properties": FIELDS}), "v1")

    assert found == {"state": "ready", "phase": "A", "seen": 0}
    assert required(definition({"properties": FIELDS}), "v1") == {}
    assert required(definition({}), "v1") == {}


def test_an_object_that_is_ready_lacks_nothing() -> None:
    health = HealthConditions(ready=("Ready",))
    found: Manifest = {"metadata": {"generation": 2}}

    assert becoming(health, found)["conditions"] == [READY]
    assert becoming(health, found | {"status": becoming(health, found)}) == {}


def test_a_finalizer_is_added_once_and_takes_none_away() -> None:
    health = FinalizerHealth("own")

    assert finalizers(health, {"metadata": {}}) == ["own"]
    assert finalizers(health, {"metadata": {"finalizers": ["other"]}}) == ["other", "own"]
    assert finalizers(health, {"metadata": {"finalizers": ["own"]}}) == []
    assert finalizers(HealthConditions(ready=("Ready",)), {"metadata": {}}) == []


def test_a_route_is_taken_by_each_of_its_gateways_and_once() -> None:
    gateways = [{"name": "one"}, {"name": "two"}]
    route: Manifest = {"kind": "HTTPRoute", "metadata": {"generation": 2}, "spec": {"parentRefs": gateways}}

    status = attached(route)

    assert [each["parentRef"] for each in status["parents"]] == gateways
    assert {each["observedGeneration"] for parent in status["parents"] for each in parent["conditions"]} == {2}
    assert attached({**route, "status": status}) == {}


def test_a_gateway_is_programmed_anew_when_it_changes() -> None:
    gateway: Manifest = {"kind": "Gateway", "metadata": {"generation": 1}, "spec": {}}

    status = attached(gateway)

    assert [each["type"] for each in status["conditions"]] == ["Accepted", "Programmed"]
    assert attached({**gateway, "status": status}) == {}
    assert attached({**gateway, "metadata": {"generation": 2}, "status": status}) != {}


def test_a_policy_of_a_service_is_taken_once() -> None:
    services = [{"group": "", "kind": "Service", "name": "server"}]
    policy: Manifest = {"kind": "BackendTLSPolicy", "metadata": {"generation": 1}, "spec": {"targetRefs": services}}

    status = attached(policy)

    assert [each["ancestorRef"] for each in status["ancestors"]] == services
    assert [each["type"] for each in status["ancestors"][0]["conditions"]] == ["Accepted", "ResolvedRefs"]
    assert attached({**policy, "status": status}) == {}
