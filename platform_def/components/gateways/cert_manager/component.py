"""cert-manager: issues certificates, renews them, and injects their authorities into webhooks and CRDs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import Field

from platform_def.apis.cert_manager.v1 import CLUSTER_ISSUER
from platform_def.apis.core.core_v1 import Container, ContainerPort, PodSpec
from platform_def.apis.core.rbac_v1 import PolicyRule
from platform_def.capabilities import CertificateIssuer, GatewayPath
from platform_def.components.gateways.cert_manager import issuers, roles
from platform_def.components.gateways.cert_manager.issuers import Issuer
from platform_def.components.gateways.cert_manager.metrics import EXPORTED, alerts
from platform_def.config.model import Name, Subdomain
from platform_def.constructs import (
    APACHE,
    KUBERNETES,
    RESTRICTED,
    RESTRICTED_LEVEL,
    Account,
    Alerts,
    Component,
    ComponentConfig,
    Crds,
    Deployment,
    Hook,
    NetworkPolicy,
    Offers,
    Problem,
    Release,
    Resource,
    Service,
    Setting,
    Support,
    Upkeep,
    Vulnerability,
    Webhooks,
    Withdrawn,
    aggregated,
    env,
    from_cluster,
    from_everywhere,
    from_field,
    from_namespace,
    http_probe,
    port,
    releases,
    rule,
)
from platform_def.constructs.route import gateway_of

ACME_SOLVER = "acme-solver"
HTTP_ROUTE = "HTTPRoute.gateway.networking.k8s.io"


@dataclass(frozen=True, kw_only=True)
class CertManagerRelease(Release):
    """What differs between releases."""

    metrics: str = "http-metrics"
    """Name of the port with metrics in the controller's Service."""
    tokens: bool = False
    """Whether it may ask for tokens of its own account, which issuers that name that account need."""
    rules: Mapping[str, Sequence[PolicyRule]] = field(default_factory=dict)
    """Of the controller, by role, beyond those that all need."""


def _release(version: str, kubernetes: str, **facts: object) -> CertManagerRelease:
    registry = "quay.io/jetstack/cert-manager"
    images = {name: f"{registry}-{name}:v{version}" for name in ("cainjector", "webhook")}
    solver = f"{registry}-acmesolver:v{version}"
    return CertManagerRelease(
        version,
        kubernetes=kubernetes,
        kubernetes_by="upstream",
        image=f"{registry}-controller:v{version}",
        images={**images, ACME_SOLVER: solver},
        runtime_images=(solver,),
        **facts,  # type: ignore[arg-type]
    )


_BY_CHALLENGES = "people who edit a namespace can use the credentials of any ClusterIssuer"
_LINE_1_19 = Upkeep(Support.ENDED, (Vulnerability("GHSA-8rvj-mm4h-c258", _BY_CHALLENGES, "1.19.6"),))
# Upstream's own ranges. It maintains the two newest lines, and 1.19 no longer. The proxy of Go modules does not serve
# 1.19.6, its last release, so only the programs of 1.21.2 run in the cluster tests.
RELEASES = releases(
    _release("1.21.2", "1.33-1.36", rules=roles.SINCE_1_21, upkeep=Upkeep(Support.CURRENT)),
    _release(
        "1.19.6",
        "1.31-1.35",
        metrics="tcp-prometheus-servicemonitor",
        tokens=True,
        upkeep=_LINE_1_19,
        kept="1.21 is not for Kubernetes 1.31 and 1.32",
    ),
    license=APACHE,
)
WITHDRAWN = (
    Withdrawn(
        "1.19.4",
        instead="1.21.2",
        changes="the metrics port is called http-metrics; issuers need a Role for tokens of cert-manager's own account;"
        " on Kubernetes 1.31 and 1.32 write '1.19.6', with other images alone",
        upkeep=_LINE_1_19,
    ),
)

CONTROLLER, CAINJECTOR, WEBHOOK = "cert-manager", "cert-manager-cainjector", "cert-manager-webhook"
"""Names of the programs; the controller and the injector compete for leases that are compiled into them."""
CONTROLLER_LEASES = "cert-manager-controller"
CAINJECTOR_LEASES = "cert-manager-cainjector-leader-election cert-manager-cainjector-leader-election-core"
WEBHOOK_SECRET = "cert-manager-webhook-ca"  # noqa: S105 - the name of a Secret that the webhook writes itself
SKIP_VALIDATION = "cert-manager.io/disable-validation"

METRICS, HEALTH, WEBHOOK_HEALTH, WEBHOOK_PORT = 9402, 9403, 6080, 10250


Nameserver = Annotated[str, Field(pattern=r"^(https://[^\s,]+|\[[0-9a-fA-F:]+\]:[0-9]+|[A-Za-z0-9.-]+:[0-9]+)$")]
"""Host and port, or the address of DNS over HTTPS."""


class CertManagerConfig(ComponentConfig):
    """What a stack may choose about cert-manager."""

    releases = RELEASES
    withdrawn = WITHDRAWN

    namespace: Name = "cert-manager"
    """Namespace of its programs, and of the Secrets that ClusterIssuers refer to."""
    issuers: dict[Subdomain, Issuer] = Field(default_factory=dict)
    """ClusterIssuers by name, which `tls: {issuer: …}` and annotations of yours refer to; the first signs for
    components that ask for one and name none."""
    self_signed_issuer: Subdomain | None = None
    """Name of a ClusterIssuer that signs each certificate with its own key, for clusters without an authority."""
    recursive_nameservers: list[Nameserver] = Field(default_factory=list)
    """Name servers that are asked whether a record is there, before the authority is told to look, such as
    `["1.1.1.1:53"]` or `https://1.1.1.1/dns-query`; no others are asked then. Needed where the cluster's own answer for
    a zone of the inside (split DNS)."""
    network_policies: bool = True
    """Close the namespace to other pods, save for the webhook's port and, where the stack has Prometheus, metrics."""


class CertManager(Component[CertManagerConfig, CertManagerRelease]):
    """CRDs, controller, CA injector and admission webhook of cert-manager."""

    pod_security = RESTRICTED_LEVEL
    gives = (CertificateIssuer, GatewayPath)

    @classmethod
    def offers(cls, at: Setting[CertManagerConfig]) -> Offers:
        """Certificates of Services, and of hosts where it has an issuer for them."""
        signs = at.config.self_signed_issuer or next(iter(at.config.issuers), None)
        named = tuple(issuers.secrets(at.config.issuers, at.config.namespace))
        # Nothing asks the authority for a login, also where a page at `/` does.
        public = [GatewayPath(path=issuers.CHALLENGES, access="public")] if issuers.over_http(at.config.issuers) else []
        return Offers(capabilities=(CertificateIssuer(cluster_issuer=signs), *public), existing=named)

    @classmethod
    def problems(cls, at: Setting[CertManagerConfig]) -> Iterator[Problem]:
        """Issuers that could never prove a domain, and two of one name."""
        yield from issuers.problems(at.config.issuers, at.platform, f"components.{at.name}.issuers")
        if at.config.self_signed_issuer in at.config.issuers:
            text = f"components.{at.name}.issuers.{at.config.self_signed_issuer}: `selfSignedIssuer` has that name too"
            yield Problem(text, hint="rename one of the two")

    def build(self) -> None:
        """The three programs with their rights, the webhook configurations, and an issuer where one is asked for."""
        Crds(self)
        self._rights()
        self._programs()
        self._services()
        self._admission()
        self.makes("Secret", WEBHOOK_SECRET)
        if self.config.network_policies:
            self._network_policies()
        if self.config.self_signed_issuer:
            Resource(self, CLUSTER_ISSUER, self.config.self_signed_issuer, spec={"selfSigned": {}}, part="after")
        asked = issuers.over_http(self.config.issuers)
        gateway = gateway_of(self.platform) if asked else None
        for name, each in self.config.issuers.items():
            issuers.issuer(self, name, each, gateway if name in asked else None)
        if gateway and gateway.api == "emissary":
            issuers.answered(self, gateway)

    def _rights(self) -> None:
        controller = Account(self, CONTROLLER)
        for role, rules in roles.CONTROLLER.items():
            controller.allow([*rules, *self.release.rules.get(role, ())], role=role)
        if self.release.tokens:
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
            aggregated(self, name, rules, KUBERNETES, *groups.split())

    def _programs(self) -> None:
        """Replicas with `ha` are those that upstream's advice for production names."""
        images = self.release.images
        controller = controller_container(self.release.image, self.image(images[ACME_SOLVER]))
        if self._answers_at_a_gateway():
            controller["args"].append("--enable-gateway-api")
            self.awaits(HTTP_ROUTE)
        if self.config.recursive_nameservers:
            servers = ",".join(self.config.recursive_nameservers)
            controller["args"] += [f"--dns01-recursive-nameservers={servers}", "--dns01-recursive-nameservers-only"]
        Deployment(self, CONTROLLER, pod=pod(CONTROLLER, controller), ha_replicas=2)
        Deployment(self, CAINJECTOR, pod=pod(CAINJECTOR, cainjector_container(images["cainjector"])), ha_replicas=2)
        Deployment(self, WEBHOOK, pod=pod(WEBHOOK, webhook_container(images["webhook"])), ha_replicas=3)

    def _answers_at_a_gateway(self) -> bool:
        """Whether challenges are HTTPRoutes: the controller asks for their kinds when it starts, and never again."""
        if not issuers.over_http(self.config.issuers):
            return False
        gateway = gateway_of(self.platform)
        return gateway is not None and gateway.api == "gateway-api"

    def _services(self) -> None:
        metrics = self.release.metrics
        Service(self, CONTROLLER, ports=[port(metrics, METRICS, "http-metrics")]).monitor(metrics, honor_labels=True)
        Service(self, CAINJECTOR, ports=[port("http-metrics", METRICS)]).monitor("http-metrics")
        ports = [port("https", 443, "https"), port("metrics", METRICS, "http-metrics")]
        Service(self, WEBHOOK, ports=ports).monitor("metrics")
        Alerts(self, alerts(CONTROLLER), tables=[EXPORTED])

    def _admission(self) -> None:
        ca = f"cert-manager.io/inject-ca-from-secret={self.namespace}/{WEBHOOK_SECRET}"
        Webhooks(self, WEBHOOK, kind="mutating", service=WEBHOOK, hooks=[MUTATING], ca_from=ca)
        Webhooks(self, WEBHOOK, kind="validating", service=WEBHOOK, hooks=[VALIDATING], ca_from=ca)

    def _network_policies(self) -> None:
        """As Kubeflow has them; upstream's own release has none. Theirs would also keep Prometheus out."""
        # Its own pods alone: an empty selector would cut off whatever else lives in the namespace.
        own = {"app.kubernetes.io/instance": self.name}
        inside = [from_namespace(), *([from_cluster(METRICS)] if self.monitored else [])]
        NetworkPolicy(self, "default-allow-same-namespace-cert-manager", pods=own, openings=inside)
        NetworkPolicy(self, WEBHOOK, openings=[from_everywhere(WEBHOOK_PORT)])


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
    made["livenessProbe"] = http_probe(
        "/livez", "http-healthz", scheme="HTTP", delay=10, period=10, timeout=15, failures=8
    )
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
    made["livenessProbe"] = http_probe("/livez", "healthcheck", scheme="HTTP", delay=60, period=10)
    made["readinessProbe"] = http_probe("/healthz", "healthcheck", scheme="HTTP", delay=5, period=5)
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
        "env": env({"POD_NAMESPACE": from_field("metadata.namespace")}),
        "ports": numbered,
        "resources": {"requests": {"cpu": "10m", "memory": memory}, "limits": {"memory": "512Mi"}},
        "securityContext": RESTRICTED,  # upstream's own
    }
