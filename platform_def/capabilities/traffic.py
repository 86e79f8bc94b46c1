"""How requests reach components, and who signs certificates."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from platform_def.config.capability import Capability
from platform_def.config.model import Host, Labels, Name, Port, Subdomain

HeaderName = Annotated[str, Field(pattern=r"^[a-z0-9-]+$", max_length=100)]


class Gateway(Capability):
    """What serves routes. Several may stand in a stack; `gateway:` of the stack says whose routes are made."""

    title: ClassVar[str] = "a gateway"

    api: Literal["emissary", "istio", "gateway-api"]
    """In which kinds its routes are written."""
    controller: Literal["", "istio"] = ""
    """Whose program serves them, for `gateway-api`, where that is known: what Gateway API has no words for is said in
    that program's own kinds."""
    name: Name
    """Name of the Gateway object that routes are attached to, or the id by which this one knows its routes."""
    namespace: Name
    """Its namespace."""
    service: str = ""
    """Its Service inside the cluster."""
    pods: Labels = Field(default_factory=dict)
    """Labels of its pods, by which a NetworkPolicy lets it in; all pods of its namespace where there are none."""
    account: Name | None = None
    """Account of its pods, by which a mesh knows it."""
    on_nodes: bool = False
    """Its pods are on the nodes' network, where no NetworkPolicy tells them from others."""
    ingress_class: Name | Literal[""] = ""
    """IngressClass of the Ingresses that it serves; empty where it serves none."""
    identified: bool = False
    """Its routes must name it: a second one of its kind reads the same objects, or what stores them adds the name."""
    host: Subdomain | None = None
    """Host name under which it is reached from outside; None: any."""
    dual_stack: bool = False
    """It is reached by IPv4 and by IPv6."""
    retries: bool = False
    """Its HTTPRoutes may say when a request is sent again: Gateway API 1.7, or the experimental channel of 1.6."""
    balanced: bool = False
    """A load balancer gives its Service an address."""


class LocalGateway(Capability):
    """A gateway that pods reach, and nothing outside the cluster does."""

    title: ClassVar[str] = "a gateway for pods of the cluster"

    api: Literal["istio"]
    """In which kinds its routes are written."""
    name: Name
    """Name of the Gateway object that routes are attached to."""
    namespace: Name
    """Its namespace."""
    service: Name
    """Its Service, in the same namespace."""


class Mesh(Capability):
    """A service mesh whose proxies stand beside pods."""

    title: ClassVar[str] = "a service mesh"

    api: Literal["istio"]
    """Whose policies it reads."""
    revision: str = ""
    """Label value by which namespaces choose the revision of its injector; empty: `istio-injection: enabled`."""
    trust_domain: str = "cluster.local"
    """What its identities of workloads begin with."""
    root_namespace: Name
    """Namespace whose policies hold for the whole mesh."""
    discovery: str = "istiod.istio-system.svc:15012"
    """Where proxies ask for their configuration and their certificates, as `host:port`."""
    redirected: bool = True
    """A CNI plugin leads traffic to the proxies; otherwise each pod in the mesh needs NET_ADMIN for that, which only
    namespaces at the Pod Security level privileged allow."""
    strict: bool = False
    """Pods in the mesh accept connections only from other pods in it, unless a policy says otherwise."""
    denies_by_default: bool = False
    """A policy of the root namespace lets nothing through, so that each gateway needs one that does."""
    namespaces: tuple[Name, ...] = ()
    """Those whose pods get a proxy of this revision when they are made."""
    gateway_kinds: tuple[str, ...] | None = None
    """Kinds of Gateway API, such as TLSRoute, that its control plane reads; unknown if left out."""


class MeshRedirection(Capability):
    """What leads the traffic of pods to the mesh's proxies on every node, so that no pod needs the right to."""

    title: ClassVar[str] = "a CNI plugin of the mesh"

    api: Literal["istio"]
    """For whose proxies."""


class LoadBalancer(Capability):
    """Gives Services of type LoadBalancer an address; without one they stay pending."""

    title: ClassVar[str] = "a load balancer"

    implementation: Literal["metallb", "kube-vip", "other"] = "other"
    """Whose it is."""


class AddressPool(Capability):
    """Addresses that one gateway asks for, next to those of the stack's `ingress`, in a pool that its Service names."""

    title: ClassVar[str] = "pools of addresses"
    gathered: ClassVar[bool] = True

    pool: Subdomain
    """Name of the pool."""
    addresses: list[str]
    """Ranges (`10.0.0.200-10.0.0.210`) or networks (`10.0.0.192/28`)."""


class HostRecords(Capability):
    """Makes DNS records for the hosts of gateways."""

    title: ClassVar[str] = "DNS records of hosts"
    gathered: ClassVar[bool] = True

    gateways: list[Name] = Field(default_factory=list)
    """Components whose hosts get records; empty: all gateways."""
    targets: list[Host] = Field(default_factory=list)
    """Where the records point; by default at the address of the gateway's load balancer."""


class AuthorizationService(Capability):
    """What a gateway asks, by Envoy's external authorization over HTTP, whether a request may pass: oauth2-proxy."""

    title: ClassVar[str] = "an authorization service"

    name: Name
    """Name by which gateways and policies know it."""
    host: Host
    """Name or address under which the gateway reaches it."""
    port: Port
    """Its port."""
    path_prefix: str = ""
    """What stands before the path of the request that it is asked about."""
    sees: tuple[HeaderName, ...] = ("authorization", "cookie")
    """Headers of the request that it gets to see, in lower case."""
    adds: tuple[HeaderName, ...] = ()
    """Headers of its answer that the Service gets, in place of what the client sent under these names."""
    answers: tuple[HeaderName, ...] = ("content-type", "location", "set-cookie")
    """Headers of its answer that the client gets when the request may not pass."""


class GatewayPath(Capability):
    """A path at the gateway where requests are treated otherwise than pages of applications."""

    title: ClassVar[str] = "paths of their own kind at the gateway"
    gathered: ClassVar[bool] = True

    path: Annotated[str, Field(pattern=r"^/([A-Za-z0-9._~-]+/)*([A-Za-z0-9._~-]+)?$", max_length=400)]
    """The path; one that ends with `/` stands for all that is below it."""
    access: Literal["public", "api"]
    """`public`: no login is asked for, and headers that name a user are taken off; `api`: programs come there,
    which get a status in place of a page to sign in."""


class CertificateIssuer(Capability):
    """Signs certificates for Services and hosts, by cert-manager's kinds."""

    title: ClassVar[str] = "a certificate issuer"

    cluster_issuer: Subdomain | None = None
    """A ClusterIssuer that signs for hosts, where there is one; serving certificates of webhooks need none."""


class WebLink(Capability):
    """A page of a component that a dashboard shows."""

    title: ClassVar[str] = "links to pages"
    gathered: ClassVar[bool] = True

    text: str
    """What the link is called."""
    path: str
    """Path at the stack's gateway."""
    icon: str = ""
    """Name of a Material or Iron icon."""
    group: Literal["menu", "external", "documentation"] = "menu"
    """Where the dashboard shows it."""
