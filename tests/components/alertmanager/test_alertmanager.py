"""Alertmanager: routes and receivers, whose secrets are references."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from platform_def.capabilities import AlertRouter
from platform_def.components.monitoring.alertmanager.component import Alertmanager
from tests.unit.built import Objects, built, stack_of, told

OPS = {"name": "ops", "slack": [{"channel": "#ops", "url": {"existing": "slack"}}]}
NIGHT = {"name": "night", "pagerduty": [{"routing_key": {"existing": "pager", "keys": {"routingKey": "key"}}}]}


def build(**config: Any) -> Objects:
    return built(Alertmanager, **config)


def configuration(**config: Any) -> dict[str, Any]:
    found: dict[str, Any] = build(**config).one("AlertmanagerConfig")["spec"]
    return found


def receiver(wanted: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = configuration(receivers=[wanted])["receivers"][0]
    return found


def test_without_receivers_nothing_is_sent() -> None:
    made = configuration()

    assert made["route"]["receiver"] == "no-one"
    assert made["receivers"] == [{"name": "no-one"}]


def test_the_first_receiver_is_the_default() -> None:
    assert configuration(receivers=[OPS, NIGHT])["route"]["receiver"] == "ops"


def test_secrets_of_every_way_are_references() -> None:
    mail = {"to": ["a@example.com"], "sender": "b@example.com", "smarthost": "m:25", "password": {"existing": "mail"}}

    assert receiver(OPS)["slackConfigs"][0]["apiURL"] == {"name": "slack", "key": "url"}
    assert receiver(NIGHT)["pagerdutyConfigs"][0]["routingKey"] == {"name": "pager", "key": "key"}
    assert receiver({"name": "m", "email": [mail]})["emailConfigs"][0]["authPassword"]["name"] == "mail"
    hooks = receiver({"name": "h", "webhooks": [{"secret": {"existing": "hook"}}, {"url": "https://h.example.com/a"}]})
    assert [*hooks["webhookConfigs"][0]] == ["urlSecret", "sendResolved"]
    assert hooks["webhookConfigs"][1]["url"] == "https://h.example.com/a"


def test_a_route_takes_the_alerts_with_its_labels() -> None:
    routes = [{"receiver": "night", "match": {"severity": "critical"}, "go_on": True, "repeat": "1h"}]
    first = configuration(receivers=[OPS, NIGHT], routes=routes)["route"]["routes"][0]

    assert first["matchers"] == [{"name": "severity", "value": "critical", "matchType": "="}]
    assert (first["receiver"], first["continue"], first["repeatInterval"]) == ("night", True, "1h")


def test_what_always_fires_and_what_only_informs_reaches_those_who_ask_for_it() -> None:
    def quiet(*routes: dict[str, Any]) -> list[str]:
        made = configuration(receivers=[OPS], routes=[*routes])["route"]["routes"]
        return [each["matchers"][0]["value"] for each in made if each["receiver"] == "no-one"]

    assert quiet() == ["Watchdog", "info"]
    assert quiet({"receiver": "ops", "match": {"alertname": "Watchdog"}}) == ["info"]


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"receivers": [OPS, OPS]}, "two receivers are called 'ops'"),
        ({"receivers": [OPS], "routes": [{"receiver": "opps"}]}, "no receiver is called 'opps'; known: ops"),
        ({"receivers": [{"name": "h", "webhooks": [{}]}]}, "name one of url, secret"),
    ],
)
def test_what_leads_nowhere_is_refused(config: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        build(**config)


def test_teams_may_add_routes_of_their_own_where_the_stack_lets_them() -> None:
    closed, opened = build().one("Alertmanager")["spec"], build(teams=True).one("Alertmanager")["spec"]
    own = build(teams=True).one("AlertmanagerConfig")["metadata"]["labels"]

    assert "alertmanagerConfigSelector" not in closed
    (mark,) = opened["alertmanagerConfigSelector"]["matchExpressions"]
    assert mark["operator"] == "DoesNotExist"
    assert mark["key"] in own


def test_three_agree_with_high_availability() -> None:
    assert build(availability="ha").one("Alertmanager")["spec"]["replicas"] == 3


def test_prometheus_finds_it_by_its_service() -> None:
    given = stack_of({"prometheus-operator": {}, "alertmanager": {}}).maybe(AlertRouter)

    assert given is not None
    assert (given.value.service, given.value.namespace) == ("alertmanager-main", "monitoring")


def test_without_the_operator_it_says_what_is_missing() -> None:
    assert "prometheus-operator: {}" in told(Alertmanager)[0]
