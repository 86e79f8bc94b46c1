"""Emissary-ingress, the successor of Ambassador: the gateway that brings traffic from outside to components' routes.

Release 4.1 serves getambassador.io/v3alpha1 alone, so it needs no conversion webhook beside it.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from platform_def.apis import emissary_v3alpha1
from platform_def.apis.cert_manager_v1 import CERTIFICATE
from platform_def.apis.core.core_v1 import Container, PodSpec
from platform_def.apis.core.networking_v1 import INGRESS_CLASS
from platform_def.apis.emissary_v3alpha1 import HOST, LISTENER, MODULE, TLS_CONTEXT
from platform_def.components.gateways import emissary_ingress as entrance
from platform_def.components.gateways.emissary_ingress import ADMIN, ISSUED, NAME
from platform_def.config.cluster import Ingress
from platform_def.config.component import ComponentConfig
from platform_def.config.model import Name
from platform_def.config.platform import NamespaceNeed, Platform
from platform_def.constructs.component import Component
from platform_def.constructs.crds import Crds
from platform_def.constructs.rbac import Account, allow
from platform_def.constructs.release import Release, releases
from platform_def.constructs.resource import Resource
from platform_def.constructs.route import Route
from platform_def.constructs.service import Service, port
from platform_def.constructs.workload import Deployment
from platform_def.errors import ConfigError

RELEASES = releases(
    Release(
        version="4.1.0",
        image="ghcr.io/emissary-ingress/emissary:4.1.0",
        apis=emissary_v3alpha1.CRDS,
    ),
)

READ = "get list watch"
RULES = (
    allow("", "configmaps endpoints namespaces secrets services", verbs=READ),
    allow("apiextensions.k8s.io", "customresourcedefinitions", verbs=f"{READ} delete"),  # upstream's; it never deletes
    allow("getambassador.io", "*", verbs=f"{READ} create delete patch update"),
    allow("getambassador.io", "mappings/status", verbs="update"),
    allow("gateway.getambassador.io", "*", verbs=f"{READ} create delete patch update"),
    allow("extensions", "ingressclasses ingresses", verbs=READ),
    allow("extensions", "ingresses/status", verbs="update"),
    allow("networking.k8s.io", "ingressclasses ingresses", verbs=READ),
    allow("networking.k8s.io", "ingresses/status", verbs="update"),
    allow("networking.x-k8s.io", "*", verbs=READ),
    allow("networking.internal.knative.dev", "clusteringresses ingresses", verbs=READ),
    allow("networking.internal.knative.dev", "clusteringresses/status ingresses/status", verbs="update"),
)

ADMIN_SERVICE = "emissary-ingress-admin"
"""Upstream's name, which dashboards and users know."""
SNAPSHOT = 8005
MODULE_NAME = "ambassador"
"""The only name under which Emissary reads its Module."""
USER = 8888
"""User of the image; its group is root's, which owns /ambassador, where the gateway writes its configuration."""


class EmissaryConfig(ComponentConfig):
    """What a stack may choose about Emissary; how traffic reaches it is the stack's `ingress`."""

    releases = RELEASES

    namespace: Name = "emissary"
    """Namespace of the gateway; upstream's."""
    replicas: Annotated[int, Field(ge=1, le=20)] = 1
    """Gateway pods: one is enough for a small cluster. With availability `ha` at least three, upstream's number."""
    ingress_class: Name | None = "ambassador"
    """Name of the IngressClass for plain Ingress objects, as upstream's chart has it; null for none."""


class Emissary(Component[EmissaryConfig]):
    """CRDs, gateway, its Services, and what opens it: Listeners, Hosts and a route to its own health."""

    @classmethod
    def requires_of(cls, config: EmissaryConfig, platform: Platform) -> tuple[str, ...]:  # noqa: ARG003 - the base's form
        """cert-manager where it signs the host's certificate."""
        return ("cert-manager",) if platform.ingress.tls and platform.ingress.tls.issuer else ()

    @classmethod
    def namespaces_of(cls, config: EmissaryConfig, platform: Platform) -> tuple[NamespaceNeed, ...]:
        """Its namespace: baseline, unless the gateway listens on the nodes' own network."""
        if platform.ingress.kind == "hostNetwork":
            why = "ingress.kind is hostNetwork: the gateway listens on the nodes' own network"
            return (NamespaceNeed(config.namespace, "privileged", why=why),)
        return (NamespaceNeed(config.namespace),)

    def build(self) -> None:
        """The gateway with its rights and Services, and the objects that tell it what to serve."""
        ingress = self.platform.ingress
        Crds(self, apis=self.release.apis)
        # Upstream gathers this role from two others by label. A plain one grants the same, and nothing rewrites it.
        Account(self, NAME).allow(RULES)
        Deployment(
            self,
            NAME,
            pod=pod(self.release.image, ingress),
            replicas=self.config.replicas,
            ha_replicas=3,
            more=entrance.strategy(ingress),
        )
        self._services(ingress)
        self._serve(ingress)
        self._certificate(ingress)
        Route(
            self,
            "emissary-health",
            path="/healthz",
            exact=True,  # as a prefix it would open more of the admin port than its health
            service=ADMIN_SERVICE,
            port=ADMIN,
            rewrite="/ambassador/v0/check_ready",
            timeout_seconds=10,
        )

    def _services(self, ingress: Ingress) -> None:
        Service(self, NAME, ports=entrance.service_ports(ingress), more=entrance.service_type(ingress))
        ports = [port("ambassador-admin", ADMIN, "admin"), port("ambassador-snapshot", SNAPSHOT)]
        labels = {"service": "ambassador-admin"}  # what monitors made for upstream's chart select
        Service(self, ADMIN_SERVICE, workload=NAME, ports=ports, labels=labels).monitor("ambassador-admin")

    def _serve(self, ingress: Ingress) -> None:
        # Upstream lets every pod of the cluster read the diagnostics on the admin port, with all hosts and routes; here
        # only a port-forward does.
        diagnostics = {"enabled": False, "allow_non_local": False}
        Resource(self, MODULE, MODULE_NAME, spec={"config": {"diagnostics": diagnostics}}, part="after")
        for name, listener in entrance.listeners(ingress):
            Resource(self, LISTENER, name, spec=listener, part="after")
        for name, host in entrance.hosts(ingress):
            Resource(self, HOST, name, spec=host, part="after")
        for name, context in entrance.tls_contexts(ingress):
            Resource(self, TLS_CONTEXT, name, spec=context, part="after")
        if self.config.ingress_class:
            controller = "getambassador.io/ingress-controller"
            Resource(self, INGRESS_CLASS, self.config.ingress_class, spec={"controller": controller})

    def _certificate(self, ingress: Ingress) -> None:
        if ingress.tls is None or ingress.tls.issuer is None:
            return
        if ingress.host is None:
            raise ConfigError(
                "ingress.tls.issuer: a certificate is for a name, and ingress.host is not set",
                hint="set `host:`, or name an existing `secret:` instead of the issuer",
            )
        Resource(
            self,
            CERTIFICATE,
            NAME,
            spec={
                "secretName": ISSUED,
                "dnsNames": [ingress.host],
                "issuerRef": {"kind": "ClusterIssuer", "name": ingress.tls.issuer},
            },
            part="after",
        )


def pod(image: str, ingress: Ingress) -> PodSpec:
    """The gateway's pod: upstream's, on the node's network where the stack says so."""
    made: PodSpec = {
        "serviceAccountName": NAME,
        # Upstream's user. Capabilities and the root file system stay as they are: Envoy and the programs beside it
        # write below /ambassador and /tmp, and whether they bear less is not recorded.
        "securityContext": {"runAsUser": USER, "runAsNonRoot": True},
        "containers": [container(image, ingress)],
        "volumes": [
            {
                "name": "ambassador-pod-info",
                "downwardAPI": {"items": [{"path": "labels", "fieldRef": {"fieldPath": "metadata.labels"}}]},
            }
        ],
    }
    if ingress.kind == "hostNetwork":
        made["hostNetwork"] = True
        made["dnsPolicy"] = "ClusterFirstWithHostNet"  # else the names of Services would not resolve
    return made


def container(image: str, ingress: Ingress) -> Container:
    """The gateway: Envoy and the programs that write its configuration, with upstream's probes and resources."""
    pod_info = "/tmp/ambassador-pod-info"  # noqa: S108 - where Emissary looks for its labels
    return {
        "name": NAME,
        "image": image,
        "ports": entrance.container_ports(ingress),
        "env": [
            {"name": "AMBASSADOR_NAMESPACE", "valueFrom": {"fieldRef": {"fieldPath": "metadata.namespace"}}},
            {"name": "HOST_IP", "valueFrom": {"fieldRef": {"fieldPath": "status.hostIP"}}},
        ],
        "livenessProbe": {
            "httpGet": {"path": "/ambassador/v0/check_alive", "port": "admin"},
            "initialDelaySeconds": 30,
            "periodSeconds": 3,
        },
        "readinessProbe": {
            "httpGet": {"path": "/ambassador/v0/check_ready", "port": "admin"},
            "initialDelaySeconds": 30,
            "periodSeconds": 3,
        },
        "resources": {"requests": {"cpu": "200m", "memory": "300Mi"}, "limits": {"memory": "600Mi"}},
        "securityContext": {"allowPrivilegeEscalation": False},
        "volumeMounts": [{"name": "ambassador-pod-info", "mountPath": pod_info, "readOnly": True}],
    }
