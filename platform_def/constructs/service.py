"""Services of a workload, and the ServiceMonitor that scrapes them where the stack has Prometheus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, TypedDict, Unpack, cast

from platform_def.apis.core.core_v1 import SERVICE, SecretKeySelector, ServicePort, ServiceSpec
from platform_def.capabilities import Metrics
from platform_def.constructs.component import AnyComponent, Piece, Scope
from platform_def.constructs.observation.tables import HONORED_TARGET, TARGET
from platform_def.constructs.resource import Resource

if TYPE_CHECKING:
    from platform_def.apis.prometheus_operator.v1 import Endpoint, Relabeling

DROPPED = "^({})$".format("|".join(sorted({*TARGET} - {*HONORED_TARGET})))

SERVICE_LABEL = "platform-def.dev/service"


def port(name: str, number: int, target: int | str | None = None, *, protocol: str = "TCP") -> ServicePort:
    """A port of a Service; `target` is the container's port or its name, by default the same number."""
    return {"name": name, "port": number, "targetPort": number if target is None else target, "protocol": protocol}


class ScrapeOptions(TypedDict, total=False):
    """How Prometheus reads a port."""

    path: str
    """By default `/metrics`."""
    scheme: Literal["http", "https"]
    """By default `http`."""
    interval: str
    """By default `30s`."""
    token: bool
    """Prometheus shows its account's token, for programs that ask the API server who may read."""
    credentials: SecretKeySelector | None
    """It shows a token of the program's own, from a Secret in the component's namespace."""
    honor_labels: bool
    """Series say themselves which pod and namespace they are about, so the target's are dropped, also from series that
    name none: an idle GPU would else seem to be used by the exporter's pod."""
    node: bool
    """Every series gets the name of the node on which the pod runs."""


class Service(Piece):
    """A Service in front of a workload of the same component."""

    def __init__(
        self,
        scope: Scope,
        name: str,
        *,
        ports: Sequence[ServicePort],
        workload: str = "",
        labels: Mapping[str, str] | None = None,
        annotations: Mapping[str, str] | None = None,
        extra_spec: Mapping[str, object] | None = None,
    ):
        """`workload` names the Deployment or the like, by default as the Service; `extra_spec` adds to the spec."""
        super().__init__(scope, name)
        self.workload = workload or name
        spec = {
            "selector": self.component.selector(self.workload),
            "ports": [*ports],
            "type": "ClusterIP",
            **(extra_spec or {}),
        }
        own = {**self.component.labels(self.workload), **(labels or {})}
        self._service = Resource(self, SERVICE, name, spec=cast(ServiceSpec, spec), labels=own, annotations=annotations)
        self.name = name

    def monitor(self, port_name: str, *, also: Sequence[str] = (), **options: Unpack[ScrapeOptions]) -> Service:
        """Scrape the Service where the stack has the Prometheus operator. `also` are further ports of the same kind."""
        self.component.scrapes(self.name)
        chosen = self.component.selector(self.workload)
        if self.name != self.workload:  # another Service of the workload may call its port alike
            chosen[SERVICE_LABEL] = self.name
            self._service.body["metadata"]["labels"][SERVICE_LABEL] = self.name
        _monitor(self, self.name, chosen, [_endpoint(each, **options) for each in (port_name, *also)], self.workload)
        return self


def monitor_made(
    component: AnyComponent, name: str, port_name: str, *, labels: Mapping[str, str], **options: Unpack[ScrapeOptions]
) -> None:
    """Scrape a Service that an operator of the component makes, with these labels and a port of this name."""
    component.makes("Service", name)
    component.scrapes(name)
    _monitor(component, name, labels, [_endpoint(port_name, **options)], name)


def _endpoint(port_name: str, **options: Unpack[ScrapeOptions]) -> Endpoint:
    """How Prometheus reads one port of a Service."""
    scheme = options.get("scheme", "http")
    endpoint: Endpoint = {
        "port": port_name,
        "path": options.get("path", "/metrics"),
        "scheme": scheme,
        "interval": options.get("interval", "30s"),
    }
    if scheme == "https":
        endpoint["tlsConfig"] = {"insecureSkipVerify": True}
    if options.get("token"):
        endpoint["bearerTokenFile"] = "/var/run/secrets/kubernetes.io/serviceaccount/token"
    if credentials := options.get("credentials"):
        endpoint["authorization"] = {"type": "Bearer", "credentials": credentials}
    relabelings: list[Relabeling] = []
    if options.get("honor_labels"):
        endpoint["honorLabels"] = True
        relabelings.append({"action": "labeldrop", "regex": DROPPED})
    if options.get("node"):
        relabelings.append({"sourceLabels": ["__meta_kubernetes_pod_node_name"], "targetLabel": "node"})
    if relabelings:
        endpoint["relabelings"] = relabelings
    return endpoint


def _monitor(
    scope: AnyComponent | Piece, name: str, chosen: Mapping[str, str], endpoints: list[Endpoint], workload: str
) -> None:
    """The ServiceMonitor, where the stack has the Prometheus operator."""
    component = scope.component if isinstance(scope, Piece) else scope
    if not component.monitored:
        return
    from platform_def.apis.prometheus_operator.v1 import SERVICE_MONITOR  # large

    given = component.maybe(Metrics)
    asked = given.value.labels if given else {}
    Resource(
        scope,
        SERVICE_MONITOR,
        name,
        spec={"selector": {"matchLabels": dict(chosen)}, "endpoints": endpoints},
        labels={**component.labels(workload), **asked},
    )
