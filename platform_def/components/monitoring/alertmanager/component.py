"""Alertmanager: groups alerts and sends them to people, by receivers whose secrets the stack names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from platform_def.apis.core.core_v1 import Container
from platform_def.capabilities import AlertRouter
from platform_def.capabilities.secrets import needs_of
from platform_def.components.monitoring.alertmanager.config import AlertmanagerConfig
from platform_def.components.monitoring.alertmanager.metrics import ALERTS, NAME
from platform_def.components.monitoring.alertmanager.receivers import configuration
from platform_def.components.monitoring.servers import MonitoringServer, operator_problems
from platform_def.constructs import (
    RESTRICTED_LEVEL,
    Account,
    Alerts,
    Claim,
    Component,
    Need,
    Offers,
    Problem,
    Resource,
    Setting,
    from_cluster,
    from_pods,
)

INSTANCE = "main"
WEB, MESH = 9093, 9094
MARK = "platform-def.dev/global-configuration"
TEAMS = {"matchExpressions": [{"key": MARK, "operator": "DoesNotExist"}]}
"""All AlertmanagerConfigs but the stack's own, which holds for all namespaces already."""


class Alertmanager(Component[AlertmanagerConfig]):
    """A server of the operator's, or three that agree, with the stack's routes and receivers."""

    pod_security = RESTRICTED_LEVEL
    gives = (AlertRouter,)

    @classmethod
    def needs_of(cls, at: Setting[AlertmanagerConfig]) -> tuple[Need[Any], ...]:
        """What keeps the Secrets of receivers."""
        return tuple(found for each in at.config.receivers for source in each.secrets() for found in needs_of(source))

    @classmethod
    def offers(cls, at: Setting[AlertmanagerConfig]) -> Offers:
        """Where Prometheus sends alerts."""
        namespace = at.config.namespace
        address = f"http://{NAME}.{namespace}.svc.{at.platform.dns_domain}:{WEB}"
        return Offers(capabilities=(AlertRouter(service=NAME, namespace=namespace, address=address),))

    @classmethod
    def problems(cls, at: Setting[AlertmanagerConfig]) -> Iterator[Problem]:
        """A stack without the operator, which makes the pods."""
        yield from operator_problems(at, "Alertmanager")

    @classmethod
    def runtime_images(cls, at: Setting[AlertmanagerConfig]) -> tuple[str, ...]:
        """The server's, which the operator runs."""
        return (cls.release_of(at.config).image,)

    def build(self) -> None:
        """Everything that sends alerts."""
        from platform_def.apis.prometheus_operator.rest_v1 import ALERTMANAGER_CONFIG  # large, and rarely needed
        from platform_def.apis.prometheus_operator.servers_v1 import ALERTMANAGER, AlertmanagerSpec

        Account(self, NAME)
        container: Container = {
            "name": "alertmanager",
            "image": self.release.image,
            "resources": {"requests": {"cpu": "10m", "memory": "100Mi"}, "limits": {"memory": "200Mi"}},
        }
        claim = Claim("data", "1Gi", kind="fast")
        server = MonitoringServer(self, "alertmanager", INSTANCE, container=container, ha_replicas=3, claim=claim)
        labels = {MARK: "true"}
        Resource(self, ALERTMANAGER_CONFIG, NAME, spec=configuration(self), labels=labels, part="after")
        spec = {
            **server.spec(),
            "serviceAccountName": NAME,
            "automountServiceAccountToken": False,
            "retention": self.config.retention,
            "alertmanagerConfiguration": {"name": NAME},
        }
        if self.config.teams:
            spec |= {"alertmanagerConfigSelector": TEAMS, "alertmanagerConfigNamespaceSelector": {}}
        Resource(self, ALERTMANAGER, INSTANCE, spec=cast(AlertmanagerSpec, spec), part="after")
        peers = from_pods(server.pods, MESH)
        server.around(NAME, WEB, openings=[from_cluster("web", "reloader-web"), peers])
        Alerts(self, ALERTS)
