"""Prometheus: reads the monitors of the stack, keeps what it read, evaluates rules; or only forwards, as an agent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from platform_def.apis.core.core_v1 import Container
from platform_def.apis.core.meta_v1 import LabelSelector
from platform_def.apis.core.rbac_v1 import PolicyRule
from platform_def.capabilities import AlertRouter, Metrics
from platform_def.capabilities.secrets import needs_of
from platform_def.components.monitoring.prometheus import metrics
from platform_def.components.monitoring.prometheus.config import PrometheusConfig
from platform_def.components.monitoring.prometheus.kubernetes import monitors
from platform_def.components.monitoring.prometheus.remote import remote_write
from platform_def.components.monitoring.servers import MonitoringServer, operator_problems
from platform_def.constructs import (
    READ,
    RESTRICTED_LEVEL,
    Account,
    Alerts,
    Claim,
    Component,
    Dashboards,
    Need,
    Offers,
    Problem,
    Resource,
    Setting,
    allow,
    from_cluster,
    need,
)
from platform_def.constructs.rbac import allow_urls

INSTANCE, NAME = "k8s", "prometheus-k8s"
"""kube-prometheus' names, which people and dashboards know."""
WEB = 9090
RULES: tuple[PolicyRule, ...] = (
    allow_urls("/metrics /metrics/slis", verbs="get"),
    allow("", "nodes/metrics", verbs="get"),
    # Of all namespaces, where upstream has a Role in three: components and teams have their monitors in their own.
    allow("", "pods services", verbs=READ),
    allow("discovery.k8s.io", "endpointslices", verbs=READ),
    allow("networking.k8s.io", "ingresses", verbs=READ),
)
OWN_RULES = (allow("", "configmaps", verbs="get"),)


class Prometheus(Component[PrometheusConfig]):
    """A server, or an agent, of the operator's; its account; monitors of Kubernetes itself."""

    pod_security = RESTRICTED_LEVEL
    gives = (Metrics,)

    @classmethod
    def needs_of(cls, at: Setting[PrometheusConfig]) -> tuple[Need[Any], ...]:
        """Who keeps Secrets, and where alerts go if the stack has such a place."""
        sources = [source for each in at.config.remote_write for source in (each.basic, each.token)]
        stores = [found for source in sources for found in needs_of(source)]
        return (*stores, *(() if at.config.agent else (need(AlertRouter, order="any", optional=True),)))

    @classmethod
    def offers(cls, at: Setting[PrometheusConfig]) -> Offers:
        """What reads metrics; an agent answers no queries."""
        config = at.config
        host = f"{NAME}.{config.namespace}.svc.{at.platform.dns_domain}"
        read = [*config.kubernetes, *(["cadvisor"] if "kubelet" in config.kubernetes else [])]
        address = None if config.agent else f"http://{host}:{WEB}"
        given = Metrics(
            address=address,
            rules=not config.agent,
            labels=config.select,
            exporters=read,
            namespace=config.namespace,
            pods={"app.kubernetes.io/name": _kind(config), "app.kubernetes.io/instance": INSTANCE},
        )
        return Offers(capabilities=(given,))

    @classmethod
    def problems(cls, at: Setting[PrometheusConfig]) -> Iterator[Problem]:
        """A stack without the operator, which makes the pods."""
        yield from operator_problems(at, "PrometheusAgent" if at.config.agent else "Prometheus")

    @classmethod
    def runtime_images(cls, at: Setting[PrometheusConfig]) -> tuple[str, ...]:
        """The server's, which the operator runs."""
        return (cls.release_of(at.config).image,)

    def build(self) -> None:
        """Everything that reads metrics."""
        config = self.config
        router = None if config.agent else self.maybe(AlertRouter)
        account = Account(self, NAME).allow(RULES)
        account.allow_in(self.namespace, OWN_RULES, role=f"{NAME}-config")
        self._server(router.value if router else None)
        monitors(self)
        Alerts(
            self,
            [*metrics.alerts(NAME, agent=config.agent, remote=bool(config.remote_write), router=router is not None)],
        )
        if not config.agent:
            Dashboards(self, [metrics.dashboard()])

    def _server(self, router: AlertRouter | None) -> None:
        from platform_def.apis.prometheus_operator.rest_v1 import PROMETHEUS_AGENT  # large, and rarely needed
        from platform_def.apis.prometheus_operator.servers_v1 import PROMETHEUS, PrometheusSpec

        container: Container = {
            "name": "prometheus",
            "image": self.release.image,
            "resources": {"requests": {"cpu": "200m", "memory": "2Gi"}, "limits": {"memory": "8Gi"}},
        }
        size = "10Gi" if self.config.agent else "100Gi"
        claim = Claim("data", size, kind="fast")
        server = MonitoringServer(self, _kind(self.config), INSTANCE, container=container, ha_replicas=2, claim=claim)
        spec = {**server.spec(), **self._reading(), **({} if self.config.agent else self._keeping(router))}
        if self.config.agent:
            Resource(self, PROMETHEUS_AGENT, INSTANCE, spec=spec, part="after")
        else:
            Resource(self, PROMETHEUS, INSTANCE, spec=cast(PrometheusSpec, spec), part="after")
        server.around(NAME, WEB, openings=[from_cluster("web", "reloader-web")])

    def _reading(self) -> dict[str, Any]:
        """Which targets are read, and where series go."""
        config = self.config
        chosen: LabelSelector = {"matchLabels": {**config.select}} if config.select else {}
        kinds = ("serviceMonitor", "podMonitor", "probe", "scrapeConfig")
        made: dict[str, Any] = {
            "serviceAccountName": NAME,
            # All of the cluster: a selector that is left out chooses none, and without one for namespaces its own.
            **{f"{each}Selector": chosen for each in kinds},
            **{f"{each}NamespaceSelector": {} for each in kinds},
            "serviceDiscoveryRole": "EndpointSlice",
            "scrapeInterval": config.interval,
            "enforcedSampleLimit": config.series_limit,
            "externalLabels": {"cluster": self.platform.cluster, **config.external_labels},
        }
        if config.remote_write:
            made["remoteWrite"] = [remote_write(self, each) for each in config.remote_write]
        return made

    def _keeping(self, router: AlertRouter | None) -> dict[str, Any]:
        """What a server does beyond an agent: keeps, evaluates, notifies."""
        config = self.config
        made: dict[str, Any] = {
            "ruleSelector": {"matchLabels": {**config.select}} if config.select else {},
            "ruleNamespaceSelector": {},
            "evaluationInterval": config.interval,
            "retention": config.retention,
        }
        if config.retention_size:
            made["retentionSize"] = config.retention_size
        if router:
            known = {"namespace": router.namespace, "name": router.service, "port": router.port, "apiVersion": "v2"}
            made["alerting"] = {"alertmanagers": [known]}
        return made


def _kind(config: PrometheusConfig) -> str:
    """What the operator labels the pods with."""
    return "prometheus-agent" if config.agent else "prometheus"
