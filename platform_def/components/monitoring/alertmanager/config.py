"""What a stack may choose about Alertmanager: who gets which alerts, and by what; and its releases."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from platform_def.components.monitoring.alertmanager.metrics import METRICS
from platform_def.config.model import MisfitError, Model, Name, Url, conflict
from platform_def.constructs import APACHE, ComponentConfig, Release, SecretSource, releases

Duration = Annotated[str, Field(pattern=r"^([1-9][0-9]*(h|m|s))+$", max_length=20)]
LabelName = Annotated[str, Field(pattern=r"^[a-zA-Z_][a-zA-Z0-9_]*$", max_length=100)]
Address = Annotated[str, Field(pattern=r"^[^@\s]+@[^@\s]+$", max_length=250)]

RELEASES = releases(
    # It calls no API of Kubernetes.
    Release("0.34.0", kubernetes="1.25-1.37", image="quay.io/prometheus/alertmanager:v0.34.0", exports=(METRICS,)),
    license=APACHE,
)


class Slack(Model):
    """A channel of Slack, or of what takes the same messages (Mattermost)."""

    channel: Annotated[str, Field(min_length=1, max_length=100)]
    """The channel: `#gpu-alerts`."""
    url: SecretSource
    """Secret with the key `url`: the address of an incoming webhook, which is a secret."""


class Webhook(Model):
    """A program of yours that takes alerts as JSON."""

    url: Url | None = None
    """Its address, where that is no secret."""
    secret: SecretSource | None = None
    """Secret with the key `url`, where it is."""

    @conflict
    def _one_way(self) -> Iterator[ValueError]:
        if (self.url is None) == (self.secret is None):
            yield ValueError("name one of url, secret")


class Email(Model):
    """Mail."""

    to: Annotated[list[Address], Field(min_length=1)]
    """Who gets it."""
    sender: Address
    """Who it is from."""
    smarthost: Annotated[str, Field(pattern=r"^[A-Za-z0-9.-]+:[0-9]+$", max_length=250)]
    """The mail server, as `host:port`."""
    username: str | None = None
    """Who signs in there."""
    password: SecretSource | None = None
    """Secret with the key `password`."""
    require_tls: bool = True
    """Refuse a mail server without STARTTLS."""


class PagerDuty(Model):
    """PagerDuty."""

    routing_key: SecretSource
    """Secret with the key `routingKey`, of an integration by Events API v2."""


class Receiver(Model):
    """Who gets alerts, by one way or several."""

    name: Name
    """What routes call it."""
    slack: list[Slack] = Field(default_factory=list)
    """Channels of Slack."""
    webhooks: list[Webhook] = Field(default_factory=list)
    """Programs of yours."""
    email: list[Email] = Field(default_factory=list)
    """Mail."""
    pagerduty: list[PagerDuty] = Field(default_factory=list)
    """PagerDuty."""

    def secrets(self) -> Iterator[SecretSource]:
        """Where its secrets come from."""
        yield from (each.url for each in self.slack)
        yield from (each.secret for each in self.webhooks if each.secret)
        yield from (each.password for each in self.email if each.password)
        yield from (each.routing_key for each in self.pagerduty)


class RouteTo(Model):
    """Which alerts a receiver gets: the first that fits takes an alert."""

    receiver: Name
    """The receiver."""
    match: dict[LabelName, str] = Field(default_factory=dict)
    """Labels that the alert must have: `{severity: critical, namespace: vision}`."""
    go_on: bool = False
    """Look at the routes below as well."""
    repeat: Duration | None = None
    """How long until an alert that goes on is sent once more."""


class AlertmanagerConfig(ComponentConfig):
    """What a stack may choose about Alertmanager."""

    releases = RELEASES

    namespace: Name = "monitoring"
    """Namespace of the server."""
    receivers: list[Receiver] = Field(default_factory=list)
    """Who may get alerts. The first is the default: it gets what no route sends elsewhere. Without any, alerts are
    shown on Alertmanager's page and sent to no one."""
    routes: list[RouteTo] = Field(default_factory=list)
    """Which alerts another receiver gets."""
    group_by: list[LabelName] = Field(default_factory=lambda: ["alertname", "namespace"])
    """Alerts that have these labels in common are one message."""
    group_wait: Duration = "30s"
    """How long it waits for further alerts of a new group."""
    repeat: Duration = "12h"
    """How long until an alert that goes on is sent once more."""
    retention: Duration = "120h"
    """How long silences that are over, and what was sent, are kept."""
    teams: bool = False
    """Let AlertmanagerConfigs of all namespaces add routes, each for the alerts of its own namespace."""

    @conflict
    def _known_receivers(self) -> Iterator[ValueError]:
        names = [each.name for each in self.receivers]
        for index, name in enumerate(names):
            if name in names[:index]:
                yield MisfitError(f"two receivers are called '{name}'", "receivers", index, "name")
        for index, route in enumerate(self.routes):
            if route.receiver not in names:
                known = f"; known: {', '.join(names)}" if names else ": there are none"
                yield MisfitError(f"no receiver is called '{route.receiver}'{known}", "routes", index, "receiver")
