"""Prometheus operator: runs the Prometheus and Alertmanager servers that a stack asks for, and their configuration."""

from __future__ import annotations

from platform_def.apis.core.core_v1 import Container, PodSpec
from platform_def.components.monitoring.prometheus_operator.metrics import ALERTS, METRICS
from platform_def.components.monitoring.rbac_proxy import PROXY, REVIEWS, rbac_proxy
from platform_def.config.model import Name
from platform_def.constructs import (
    APACHE,
    READ,
    RESTRICTED_LEVEL,
    Account,
    Alerts,
    Component,
    ComponentConfig,
    Crds,
    Deployment,
    ImageFacts,
    NetworkPolicy,
    Release,
    Service,
    allow,
    env,
    from_cluster,
    http_probe,
    port,
    releases,
    secured,
)

NAME = "prometheus-operator"
REGISTRY = "quay.io/prometheus-operator"
HTTP, HTTPS = 8080, 8443
RELEASES = releases(
    # Compiled against Kubernetes 1.36; it asks for APIs that servers have since 1.25.
    Release(
        "0.93.1",
        kubernetes="1.25-1.37",
        image=f"{REGISTRY}/prometheus-operator:v0.93.1",
        images={"proxy": PROXY},
        runtime_images=(f"{REGISTRY}/prometheus-config-reloader:v0.93.1",),
        exports=(METRICS,),
    ),
    license=APACHE,
)
SERVERS = "alertmanagers prometheusagents prometheuses thanosrulers"
SOURCES = "podmonitors probes prometheusrules scrapeconfigs servicemonitors"
LOOKED_FOR = tuple(
    f"{kind}.monitoring.coreos.com"
    for kind in ("Alertmanager", "Prometheus", "PrometheusAgent", "ScrapeConfig", "ThanosRuler")
)
"""Kinds that it asks for once, as it starts (v0.93.0, checkPrerequisites): of one that is missing it makes nothing, and
says that it is healthy."""
FACTS = ImageFacts(runs_as=65534, read_only=True, source="the example manifests in the tree of v0.93.0 run it so")

# Upstream's. Its `*` are those of its own kinds and of the objects that it makes, in whatever namespace a server is.
RULES = (
    allow("monitoring.coreos.com", SERVERS, verbs="*"),
    allow("monitoring.coreos.com", " ".join(f"{each}/finalizers {each}/status" for each in SERVERS.split()), verbs="*"),
    allow("monitoring.coreos.com", "alertmanagerconfigs", verbs="*"),
    allow("monitoring.coreos.com", " ".join(f"{each} {each}/status" for each in SOURCES.split()), verbs="*"),
    allow("apps", "statefulsets", verbs="*"),
    allow("", "configmaps secrets", verbs="*"),
    allow("", "pods", verbs="list delete"),
    allow("", "services services/finalizers", verbs="get create update delete"),
    allow("", "nodes", verbs="list watch"),
    allow("", "namespaces", verbs=READ),
    allow("events.k8s.io", "events", verbs="patch create"),
    allow("networking.k8s.io", "ingresses", verbs=READ),
    allow("storage.k8s.io", "storageclasses", verbs="get"),
    # The Service kube-system/kubelet.
    allow("", "endpoints", verbs="get create update delete"),
    allow("discovery.k8s.io", "endpointslices", verbs="get list create update delete"),
)


class PrometheusOperatorConfig(ComponentConfig):
    """What a stack may choose about Prometheus operator."""

    releases = RELEASES

    namespace: Name = "monitoring"
    """Namespace of the operator."""
    kubelets: bool = True
    """Keep the Service kube-system/kubelet with the addresses of all nodes, through which Prometheus reads kubelets.
    Turn it off where the cluster has another operator that does."""


class PrometheusOperator(Component[PrometheusOperatorConfig]):
    """CRDs and the operator, whose metrics are read through kube-rbac-proxy."""

    pod_security = RESTRICTED_LEVEL

    def build(self) -> None:
        """Everything that runs servers."""
        Crds(self)
        self.awaits(*LOOKED_FOR)
        Account(self, NAME).allow([*RULES, *REVIEWS])
        # It has no leader election: two would write the same objects in turn.
        Deployment(self, NAME, pod=self.pod())
        service = Service(self, NAME, ports=[port("https", HTTPS, "https")])
        service.monitor("https", scheme="https", token=True)
        if self.config.kubelets:
            self.makes("Service", "kubelet", namespace="kube-system")
        if self.platform.network_policies:
            NetworkPolicy(self, NAME, openings=[from_cluster("https")])
        Alerts(self, ALERTS)

    def pod(self) -> PodSpec:
        """The operator beside its proxy."""
        (reloader,) = self.release.runtime_images
        kubelets = ["--kubelet-service=kube-system/kubelet"] if self.config.kubelets else []
        container: Container = {
            "name": NAME,
            "image": self.release.image,
            "args": [
                *kubelets,
                f"--prometheus-config-reloader={self.image(reloader)}",
                "--watch-referenced-objects-in-all-namespaces=true",
                "--disable-unmanaged-prometheus-configuration=true",
                # Servers read EndpointSlices; Kubernetes has deprecated Endpoints since 1.33.
                "--kubelet-endpoints=false",
                f"--kubelet-endpointslice={str(self.config.kubelets).lower()}",
            ],
            "env": env({"GOGC": "30"}),
            "ports": [{"name": "http", "containerPort": HTTP, "protocol": "TCP"}],
            "livenessProbe": http_probe("/healthz", "http", delay=5),
            "readinessProbe": http_probe("/healthz", "http", delay=5),
            "resources": {"requests": {"cpu": "100m", "memory": "100Mi"}, "limits": {"memory": "400Mi"}},
            "securityContext": secured(FACTS),
        }
        proxy = rbac_proxy(self.release.images["proxy"], HTTPS, upstream=HTTP)
        return {"serviceAccountName": NAME, "containers": [container, proxy]}
