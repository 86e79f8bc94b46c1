"""cert-manager: issues certificates, renews them, and injects their authorities into webhooks and CRDs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from platform_def.apis import cert_manager_v1
from platform_def.apis.cert_manager_v1 import CLUSTER_ISSUER
from platform_def.apis.core.core_v1 import Container, ContainerPort, EnvVar, PodSpec
from platform_def.apis.core.networking_v1 import NETWORK_POLICY, NetworkPolicyIngressRule
from platform_def.apis.core.rbac_v1 import CLUSTER_ROLE
from platform_def.components.gateways import cert_manager_roles as roles
from platform_def.config.component import ComponentConfig
from platform_def.config.model import Name, Subdomain
from platform_def.config.platform import NamespaceNeed, Offers
from platform_def.constructs.component import Component
from platform_def.constructs.crds import Crds
from platform_def.constructs.rbac import Account
from platform_def.constructs.release import Release, releases
from platform_def.constructs.resource import Resource
from platform_def.constructs.service import Service, port
from platform_def.constructs.webhook import Hook, Webhooks, rule
from platform_def.constructs.workload import RESTRICTED, Deployment

ACME_SOLVER = "acme-solver"


def _release(version: str) -> Release:
    registry = "quay.io/jetstack/cert-manager"
    solver = f"{registry}-acmesolver:v{version}"
    return Release(
        version=version,
        image=f"{registry}-controller:v{version}",
        images={
            "cainjector": f"{registry}-cainjector:v{version}",
            "webhook": f"{registry}-webhook:v{version}",
            ACME_SOLVER: solver,
        },
        runtime_images=(solver,),
        apis=cert_manager_v1.CRDS,
    )


RELEASES = releases(_release("1.19.4"))

CONTROLLER, CAINJECTOR, WEBHOOK = "cert-manager", "cert-manager-cainjector", "cert-manager-webhook"
"""Names of the programs; the controller and the injector compete for leases that are compiled into them."""
CONTROLLER_LEASES = "cert-manager-controller"
CAINJECTOR_LEASES = "cert-manager-cainjector-leader-election cert-manager-cainjector-leader-election-core"
WEBHOOK_SECRET = "cert-manager-webhook-ca"  # noqa: S105 - the name of a Secret that the webhook writes itself
SKIP_VALIDATION = "cert-manager.io/disable-validation"
AGGREGATE = "rbac.authorization.k8s.io/aggregate-to-"

METRICS, HEALTH, WEBHOOK_HEALTH, WEBHOOK_PORT = 9402, 9403, 6080, 10250


class CertManagerConfig(ComponentConfig):
    """What a stack may choose about cert-manager."""

    releases = RELEASES

    namespace: Name = "cert-manager"
    """Namespace of its programs, and of the Secrets that ClusterIssuers refer to."""
    self_signed_issuer: Subdomain | None = None
    """Name of a ClusterIssuer that signs each certificate with its own key, for clusters without an authority."""
    network_policies: bool = True
    """Close the namespace to other pods, save for the webhook's port and, where the stack has Prometheus, metrics."""


class CertManager(Component[CertManagerConfig]):
    """CRDs, controller, CA injector and admission webhook of cert-manager."""

    @classmethod
    def offers(cls, config: CertManagerConfig) -> Offers:
        """Its APIs; its pods keep to the restricted level, and Kubeflow's manifests enforce it too."""
        return replace(super().offers(config), namespaces=(NamespaceNeed(config.namespace, "restricted"),))

    def build(self) -> None:
        """The three programs with their rights, the webhook configurations, and an issuer where one is asked for."""
        Crds(self, apis=self.release.apis)
        self._rights()
        self._programs()
        self._services()
        self._admission()
        self.makes("Secret", WEBHOOK_SECRET)
        if self.config.network_policies:
            self._network_policies()
        if self.config.self_signed_issuer:
            Resource(self, CLUSTER_ISSUER, self.config.self_signed_issuer, spec={"selfSigned": {}}, part="after")

    def _rights(self) -> None:
        controller = Account(self, CONTROLLER)
        for role, rules in roles.CONTROLLER.items():
            controller.allow(rules, role=role)
        controller.allow_in(self.namespace, roles.tokens_of(CONTROLLER), role="cert-manager-tokenrequest")
        # Upstream's leases are in kube-system, which some clusters (GKE Autopilot) and Argo CD projects keep closed.
        # The flag takes any namespace; with its own, cert-manager needs nothing outside.
        controller.allow_in(
            self.namespace, roles.leader_election(CONTROLLER_LEASES), role="cert-manager:leaderelection"
        )
        injector = Account(self, CAINJECTOR).allow(roles.CAINJECTOR)
        injector.allow_in(self.namespace, roles.leader_election(CAINJECTOR_LEASES), role=f"{CAINJECTOR}:leaderelection")
        webhook = Account(self, WEBHOOK).allow(roles.WEBHOOK, role=f"{WEBHOOK}:subjectaccessreviews")
        webhook.allow_in(self.namespace, roles.serving_secret(WEBHOOK_SECRET), role=f"{WEBHOOK}:dynamic-serving")
        for name, (groups, rules) in roles.USERS.items():
            labels = {f"{AGGREGATE}{group}": "true" for group in groups.split()}
            Resource(self, CLUSTER_ROLE, name, fields={"rules": [*rules]}, labels=labels)

    def _programs(self) -> None:
        """Replicas with `ha` are those that upstream's advice for production names."""
        images = self.release.images
        controller = controller_container(self.release.image, self.image(images[ACME_SOLVER]))
        Deployment(self, CONTROLLER, pod=pod(CONTROLLER, controller), ha_replicas=2)
        Deployment(self, CAINJECTOR, pod=pod(CAINJECTOR, cainjector_container(images["cainjector"])), ha_replicas=2)
        Deployment(self, WEBHOOK, pod=pod(WEBHOOK, webhook_container(images["webhook"])), ha_replicas=3)

    def _services(self) -> None:
        controller = Service(self, CONTROLLER, ports=[port("tcp-prometheus-servicemonitor", METRICS, "http-metrics")])
        controller.monitor("tcp-prometheus-servicemonitor")
        Service(self, CAINJECTOR, ports=[port("http-metrics", METRICS)]).monitor("http-metrics")
        ports = [port("https", 443, "https"), port("metrics", METRICS, "http-metrics")]
        Service(self, WEBHOOK, ports=ports).monitor("metrics")

    def _admission(self) -> None:
        ca = f"cert-manager.io/inject-ca-from-secret={self.namespace}/{WEBHOOK_SECRET}"
        Webhooks(self, WEBHOOK, kind="mutating", service=WEBHOOK, hooks=[MUTATING], ca_from=ca)
        Webhooks(self, WEBHOOK, kind="validating", service=WEBHOOK, hooks=[VALIDATING], ca_from=ca)

    def _network_policies(self) -> None:
        """As Kubeflow has them; upstream's own release has none. Theirs would also keep Prometheus out."""
        own = {"app.kubernetes.io/instance": self.slug}
        inside: list[NetworkPolicyIngressRule] = [{"from": [{"podSelector": {}}]}]
        if self.monitored:
            inside.append({"ports": [{"port": METRICS, "protocol": "TCP"}]})
        Resource(
            self,
            NETWORK_POLICY,
            "default-allow-same-namespace-cert-manager",
            # Its own pods alone: an empty selector would cut off whatever else lives in the namespace.
            spec={"podSelector": {"matchLabels": own}, "policyTypes": ["Ingress"], "ingress": inside},
        )
        Resource(
            self,
            NETWORK_POLICY,
            WEBHOOK,
            spec={
                "podSelector": {"matchLabels": self.selector(WEBHOOK)},
                "policyTypes": ["Ingress"],
                # The API server is no pod: no selector can name it.
                "ingress": [{"ports": [{"port": WEBHOOK_PORT, "protocol": "TCP"}]}],
            },
        )


MUTATING = Hook(
    name="webhook.cert-manager.io",
    path="/mutate",
    rules=(rule("cert-manager.io", "v1", "certificaterequests", "CREATE"),),
    timeout_seconds=30,
)
VALIDATING = Hook(
    name="webhook.cert-manager.io",
    path="/validate",
    rules=tuple(rule(group, "v1", "*/*", "CREATE UPDATE") for group in ("cert-manager.io", "acme.cert-manager.io")),
    timeout_seconds=30,
    namespace_selector={"matchExpressions": [{"key": SKIP_VALIDATION, "operator": "NotIn", "values": ["true"]}]},
)

OWN_NAMESPACE = "$(POD_NAMESPACE)"
POD_NAMESPACE: EnvVar = {"name": "POD_NAMESPACE", "valueFrom": {"fieldRef": {"fieldPath": "metadata.namespace"}}}


def pod(account: str, container: Container) -> PodSpec:
    """A pod of one of the programs."""
    return {
        "serviceAccountName": account,
        "enableServiceLinks": False,
        "nodeSelector": {"kubernetes.io/os": "linux"},
        "containers": [container],
    }


def controller_container(image: str, solver: str) -> Container:
    """The controller; `solver` is what it runs for HTTP-01 challenges, as the cluster pulls it."""
    flags = (
        f"--cluster-resource-namespace={OWN_NAMESPACE}",
        f"--leader-election-namespace={OWN_NAMESPACE}",
        f"--acme-http01-solver-image={solver}",
        "--max-concurrent-challenges=60",
    )
    made = _container("cert-manager-controller", image, flags, memory="64Mi", ports=(("http-healthz", HEALTH),))
    # The thresholds of Kubernetes' own controller manager: it fails only when leader election is stuck.
    made["livenessProbe"] = {
        "httpGet": {"path": "/livez", "port": "http-healthz", "scheme": "HTTP"},
        "initialDelaySeconds": 10,
        "periodSeconds": 10,
        "timeoutSeconds": 15,
        "failureThreshold": 8,
    }
    return made


def cainjector_container(image: str) -> Container:
    """The CA injector; it has no health endpoint."""
    return _container(CAINJECTOR, image, (f"--leader-election-namespace={OWN_NAMESPACE}",), memory="64Mi")


def webhook_container(image: str) -> Container:
    """The admission webhook, which makes its serving certificate itself."""
    names = [WEBHOOK, f"{WEBHOOK}.{OWN_NAMESPACE}", f"{WEBHOOK}.{OWN_NAMESPACE}.svc"]
    flags = (
        f"--secure-port={WEBHOOK_PORT}",
        f"--dynamic-serving-ca-secret-namespace={OWN_NAMESPACE}",
        f"--dynamic-serving-ca-secret-name={WEBHOOK_SECRET}",
        *(f"--dynamic-serving-dns-names={name}" for name in names),
    )
    ports = (("https", WEBHOOK_PORT), ("healthcheck", WEBHOOK_HEALTH))
    made = _container(WEBHOOK, image, flags, memory="32Mi", ports=ports)
    made["livenessProbe"] = {
        "httpGet": {"path": "/livez", "port": "healthcheck", "scheme": "HTTP"},
        "initialDelaySeconds": 60,
        "periodSeconds": 10,
    }
    made["readinessProbe"] = {
        "httpGet": {"path": "/healthz", "port": "healthcheck", "scheme": "HTTP"},
        "initialDelaySeconds": 5,
        "periodSeconds": 5,
    }
    return made


def _container(
    name: str, image: str, flags: Sequence[str], *, memory: str, ports: Sequence[tuple[str, int]] = ()
) -> Container:
    """What the three have in common. Upstream asks for no resources; these are small, and only memory is limited."""
    numbered: list[ContainerPort] = [
        {"name": label, "containerPort": number, "protocol": "TCP"}
        for label, number in (("http-metrics", METRICS), *ports)
    ]
    return {
        "name": name,
        "image": image,
        "args": ["--v=2", *flags],
        "env": [POD_NAMESPACE],
        "ports": numbered,
        "resources": {"requests": {"cpu": "10m", "memory": memory}, "limits": {"memory": "512Mi"}},
        "securityContext": RESTRICTED,  # upstream's own
    }
