"""Metrics server: CPU and memory of pods and nodes, for `kubectl top` and autoscalers; it keeps no history."""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.apis.core.core_v1 import Container, PodSpec
from platform_def.capabilities import ResourceMetrics
from platform_def.components.monitoring import resource_metrics
from platform_def.config.model import Name
from platform_def.constructs import (
    APACHE,
    READ,
    RESTRICTED_LEVEL,
    Account,
    Component,
    ComponentConfig,
    Deployment,
    ImageFacts,
    NetworkPolicy,
    Offers,
    Problem,
    Release,
    Service,
    Setting,
    allow,
    from_everywhere,
    http_probe,
    port,
    releases,
    scratch,
    secured,
)

NAME, PORT = "metrics-server", 10250
RELEASES = releases(
    # Upstream's table of compatibility.
    Release("0.9.0", kubernetes="1.31-1.37", image="registry.k8s.io/metrics-server/metrics-server:v0.9.0"),
    license=APACHE,
)
FACTS = ImageFacts(runs_as=1000, read_only=True, source="manifests/base at v0.9.0 runs it so")
RULES = (
    allow("", "nodes/metrics", verbs="get"),
    allow("", "pods nodes", verbs=READ),
)


class MetricsServerConfig(ComponentConfig):
    """What a stack may choose about Metrics server."""

    releases = RELEASES

    namespace: Name = "kube-system"
    """Namespace of the server, upstream's."""
    verify_kubelets: bool = False
    """Check the certificates of kubelets against the cluster's authority. kubeadm and most others let each kubelet sign
    its own, which fails that check."""


class MetricsServer(Component[MetricsServerConfig]):
    """The server and the API that it serves."""

    pod_security = RESTRICTED_LEVEL
    gives = (ResourceMetrics,)

    @classmethod
    def offers(cls, at: Setting[MetricsServerConfig]) -> Offers:  # noqa: ARG003 - the same in every setting
        """The API."""
        return Offers(capabilities=(ResourceMetrics(),))

    @classmethod
    def problems(cls, at: Setting[MetricsServerConfig]) -> Iterator[Problem]:
        """Another server of the API."""
        yield from resource_metrics.problems(at)

    def build(self) -> None:
        """Everything that serves the API."""
        account = Account(self, NAME).allow(RULES, role="system:metrics-server")
        account.bind("system:auth-delegator", binding="metrics-server:system:auth-delegator")
        account.read_authentication(binding="metrics-server-auth-reader")
        Deployment(
            self, NAME, pod=self.pod(), ha_replicas=2, extra_spec={"strategy": {"rollingUpdate": {"maxUnavailable": 0}}}
        )
        Service(self, NAME, ports=[port("https", 443, "https")])
        resource_metrics.serve(self, NAME)
        if self.platform.network_policies:
            NetworkPolicy(self, NAME, openings=[from_everywhere("https")])

    def pod(self) -> PodSpec:
        """The server."""
        verify = [] if self.config.verify_kubelets else ["--kubelet-insecure-tls"]
        container: Container = {
            "name": NAME,
            "image": self.release.image,
            "args": [
                "--cert-dir=/tmp",
                f"--secure-port={PORT}",
                "--kubelet-preferred-address-types=InternalIP,ExternalIP,Hostname",
                "--kubelet-use-node-status-port",
                "--metric-resolution=15s",
                *verify,
            ],
            "ports": [{"name": "https", "containerPort": PORT, "protocol": "TCP"}],
            "livenessProbe": http_probe("/livez", "https", scheme="HTTPS", period=10, failures=3),
            "readinessProbe": http_probe("/readyz", "https", scheme="HTTPS", delay=20, period=10, failures=3),
            "resources": {"requests": {"cpu": "100m", "memory": "200Mi"}, "limits": {"memory": "1Gi"}},
            "securityContext": secured(FACTS),
            "volumeMounts": [{"name": "tmp-dir", "mountPath": "/tmp"}],  # noqa: S108 - in the container
        }
        return {
            "serviceAccountName": NAME,
            "nodeSelector": {"kubernetes.io/os": "linux"},
            "priorityClassName": "system-cluster-critical",
            "containers": [container],
            "volumes": scratch("tmp-dir"),
        }
