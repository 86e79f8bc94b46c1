"""Routes and receivers of a stack, as the operator's AlertmanagerConfig writes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from platform_def.components.monitoring.alertmanager.config import Email, PagerDuty, Receiver, RouteTo, Slack, Webhook
from platform_def.constructs import SecretSource, secret_of
from platform_def.constructs.component import AnyComponent

NO_ONE = "no-one"
"""The receiver that sends nothing."""


def configuration(component: AnyComponent) -> dict[str, object]:
    """The whole configuration; Secrets are made in the component's namespace."""
    config = component.config
    known = [_receiver(component, each) for each in config.receivers]
    first = config.receivers[0].name if config.receivers else NO_ONE
    route: dict[str, object] = {
        "receiver": first,
        "groupBy": config.group_by,
        "groupWait": config.group_wait,
        "groupInterval": "5m",
        "repeatInterval": config.repeat,
        "routes": [*map(_route, config.routes), *_quiet(config.routes)],
    }
    return {"route": route, "receivers": [*known, {"name": NO_ONE}], "inhibitRules": [*INHIBITED]}


def _quiet(routes: list[RouteTo]) -> list[dict[str, object]]:
    """What only shows that alerts work, or explains others, reaches those alone who ask for it."""
    asked = {(label, value) for each in routes for label, value in each.match.items()}
    quiet = [("alertname", "Watchdog"), ("severity", "info")]
    return [{"receiver": NO_ONE, "matchers": [_matcher(*each)]} for each in quiet if each not in asked]


def _route(wanted: RouteTo) -> dict[str, object]:
    made: dict[str, object] = {
        "receiver": wanted.receiver,
        "matchers": [_matcher(label, value) for label, value in sorted(wanted.match.items())],
    }
    if wanted.go_on:
        made["continue"] = True
    if wanted.repeat:
        made["repeatInterval"] = wanted.repeat
    return made


def _matcher(label: str, value: str, how: str = "=") -> dict[str, object]:
    return {"name": label, "value": value, "matchType": how}


INHIBITED: tuple[Mapping[str, object], ...] = (
    {
        "sourceMatch": [_matcher("severity", "critical")],
        "targetMatch": [_matcher("severity", "warning|info", "=~")],
        "equal": ["namespace", "alertname"],
    },
)
"""An alert is not sent where a more severe one of the same name holds in the namespace."""


def _receiver(component: AnyComponent, wanted: Receiver) -> dict[str, object]:
    made: dict[str, object] = {"name": wanted.name}
    ways: dict[str, list[dict[str, object]]] = {
        "slackConfigs": [_slack(component, f"{wanted.name}-slack", *each) for each in enumerate(wanted.slack)],
        "webhookConfigs": [_webhook(component, f"{wanted.name}-webhook", *each) for each in enumerate(wanted.webhooks)],
        "emailConfigs": [_email(component, f"{wanted.name}-email", *each) for each in enumerate(wanted.email)],
        "pagerdutyConfigs": [_pager(component, f"{wanted.name}-pager", *each) for each in enumerate(wanted.pagerduty)],
    }
    return {**made, **{kind: each for kind, each in ways.items() if each}}


def _secret(component: AnyComponent, name: str, index: int, source: SecretSource, key: str) -> Any:
    called = f"alertmanager-{name}" + (f"-{index + 1}" if index else "")
    return secret_of(component, called, source, keys=(key,)).ref(key)


def _slack(component: AnyComponent, name: str, index: int, wanted: Slack) -> dict[str, object]:
    return {
        "channel": wanted.channel,
        "apiURL": _secret(component, name, index, wanted.url, "url"),
        "sendResolved": True,
        "title": TITLE,
        "text": TEXT,
    }


def _webhook(component: AnyComponent, name: str, index: int, wanted: Webhook) -> dict[str, object]:
    if wanted.secret:
        return {"urlSecret": _secret(component, name, index, wanted.secret, "url"), "sendResolved": True}
    return {"url": str(wanted.url), "sendResolved": True}


def _email(component: AnyComponent, name: str, index: int, wanted: Email) -> dict[str, object]:
    made: dict[str, object] = {
        "to": ", ".join(wanted.to),
        "from": wanted.sender,
        "smarthost": wanted.smarthost,
        "requireTLS": wanted.require_tls,
        "sendResolved": True,
    }
    if wanted.username:
        made["authUsername"] = wanted.username
    if wanted.password:
        made["authPassword"] = _secret(component, name, index, wanted.password, "password")
    return made


def _pager(component: AnyComponent, name: str, index: int, wanted: PagerDuty) -> dict[str, object]:
    return {"routingKey": _secret(component, name, index, wanted.routing_key, "routingKey"), "sendResolved": True}


TITLE = "{{ .Status | toUpper }}: {{ .CommonLabels.alertname }} ({{ len .Alerts }})"
TEXT = (
    "{{ range .Alerts }}{{ .Annotations.summary }}\n{{ .Annotations.description }}\n"
    "{{ if .GeneratorURL }}<{{ .GeneratorURL }}|query>\n{{ end }}{{ end }}"
)
