"""MetalLB: gives Services of type LoadBalancer an address where no cloud does, and tells the network where it is.

The stack's `ingress.addresses` are its first pool, those of gateways with an ingress of their own the next.
Speakers answer for addresses on layer 2, or tell routers by BGP.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Any

from pydantic import Field

from platform_def.apis.core.core_v1 import SECRET
from platform_def.apis.metallb.v1beta1 import (
    BGP_ADVERTISEMENT,
    BGP_PEER,
    IP_ADDRESS_POOL,
    L2_ADVERTISEMENT,
    BGPAdvertisementSpec,
    BGPPeerSpec,
    L2AdvertisementSpec,
)
from platform_def.capabilities import LoadBalancer
from platform_def.components.gateways.metallb import pools
from platform_def.components.gateways.metallb.pods import (
    EXCLUDED,
    MEMBERS,
    SPEAKER,
    WEBHOOK,
    WEBHOOK_SECRET,
    controller_pod,
    speaker_pod,
)
from platform_def.components.gateways.metallb.pools import Pool, Ways
from platform_def.components.gateways.metallb.rules import (
    ALL,
    CONTROLLER,
    CONTROLLER_RULES,
    GROUP,
    KINDS,
    READER_RULES,
    SPEAKER_RULES,
)
from platform_def.config.model import Host, LabelKey, Model, Name, Subdomain, conflict
from platform_def.constructs import (
    APACHE,
    READ,
    Account,
    Component,
    ComponentConfig,
    Crds,
    DaemonSet,
    Definition,
    Deployment,
    Drift,
    ExistingObject,
    Hook,
    NetworkPolicy,
    Offers,
    PodSecurityNeed,
    Problem,
    Release,
    Resource,
    Service,
    Setting,
    Support,
    Upkeep,
    Webhooks,
    Withdrawn,
    allow,
    config_map,
    from_everywhere,
    port,
    releases,
    rule,
    yaml_file,
)

WEBHOOK_SERVICE = "metallb-webhook-service"

_LINE_0_16 = Upkeep(Support.CURRENT)
# Upstream names no range; it calls stable APIs alone.
RELEASES = releases(
    Release(
        "0.16.2",
        kubernetes="1.30-1.37",
        image="quay.io/metallb/controller:v0.16.2",
        images={"speaker": "quay.io/metallb/speaker:v0.16.2"},
        upkeep=_LINE_0_16,
    ),
    license=APACHE,
)
WITHDRAWN = (
    Withdrawn(
        "0.16.1",
        instead="0.16.2",
        changes="speakers of the two do not hear each other until all are replaced",
        upkeep=_LINE_0_16,
    ),
)
Number = Annotated[int, Field(ge=1, le=4294967295)]


class Peer(Model):
    """A router that learns by BGP where addresses are."""

    address: Host
    """Its address."""
    asn: Number
    """Number of its autonomous system."""
    own_asn: Number
    """Number of the cluster's."""
    password_secret: Subdomain | None = None
    """Existing Secret of type `kubernetes.io/basic-auth` with the session's password, in MetalLB's namespace."""
    port: Annotated[int, Field(ge=1, le=16384)] | None = None
    """Its port; 179 unless given."""
    source_address: Host | None = None
    """Address that the nodes speak from."""
    hold_seconds: Annotated[int, Field(ge=3, le=65535)] | None = None
    """Time without a word after which a session is given up; 90 unless given."""
    keepalive_seconds: Annotated[int, Field(ge=1, le=65535)] | None = None
    """Time between words; 30 unless given."""
    multi_hop: bool = False
    """It is not in the nodes' own network, and of another autonomous system."""
    nodes: dict[LabelKey, str] = Field(default_factory=dict)
    """Labels of the nodes that speak to it, such as `{topology.kubernetes.io/zone: rack-1}`; by default all."""

    @conflict
    def _hops(self) -> Iterator[ValueError]:
        if self.multi_hop and self.asn == self.own_asn:
            yield ValueError("multiHop is for a router of another autonomous system, and asn is ownAsn")
        if self.keepalive_seconds and self.keepalive_seconds >= (self.hold_seconds or 90):
            yield ValueError(f"keepaliveSeconds must be less than holdSeconds, {self.hold_seconds or 90}")


class MetallbConfig(ComponentConfig):
    """What a stack may choose about MetalLB."""

    releases = RELEASES
    withdrawn = WITHDRAWN

    namespace: Name = "metallb-system"
    """Namespace of its programs, pools and peers, at the privileged Pod Security level: speakers are on the nodes'
    network."""
    advertise: Ways = "l2"
    """`l2`: a node answers for each address by ARP or NDP, in the nodes' own network; `bgp`: routers learn them;
    `both`: each pool as its `advertise` says."""
    nodes: dict[LabelKey, str] = Field(default_factory=dict)
    """Labels of the nodes that announce addresses; by default all."""
    ignore_exclude_label: bool = False
    """Announce addresses from nodes with the label `node.kubernetes.io/exclude-from-external-load-balancers` too, which
    kubeadm gives to control-plane nodes: a cluster of these alone announces nothing without it."""
    interfaces: list[Annotated[str, Field(pattern=r"^[A-Za-z0-9_.@-]{1,15}$")]] = Field(default_factory=list)
    """Interfaces of nodes to answer on, with `l2`; all but those of containers where none is named."""
    peers: dict[Name, Peer] = Field(default_factory=dict)
    """Routers by name, with `bgp`."""
    pools: dict[Name, Pool] = Field(default_factory=dict)
    """Pools next to that of the stack's `ingress.addresses`, which is called `ingress`, and those of gateways with an
    `ingress` of their own, which are called as the gateway."""


class Metallb(Component[MetallbConfig]):
    """CRDs, controller and speakers, the pools, and how they are announced."""

    gives = (LoadBalancer,)
    pod_security = PodSecurityNeed("privileged", "speakers answer for addresses on the nodes' own network")

    @classmethod
    def served_by(cls, at: Setting[MetallbConfig]) -> tuple[Definition, ...]:
        """Its kinds; old BGPPeers are converted by the controller, wherever that is."""
        return tuple(
            replace(each, conversion=replace(each.conversion, namespace=at.config.namespace))
            if each.conversion
            else each
            for each in super().served_by(at)
        )

    @classmethod
    def offers(cls, at: Setting[MetallbConfig]) -> Offers:
        """Addresses for Services; Secrets of peers, which the cluster has."""
        named = (each.password_secret for each in at.config.peers.values())
        secrets = (ExistingObject("Secret", name, at.config.namespace) for name in named if name)
        return Offers(capabilities=(LoadBalancer(implementation="metallb"),), existing=tuple(secrets))

    @classmethod
    def problems(cls, at: Setting[MetallbConfig]) -> Iterator[Problem]:
        """Knobs of the other way to announce, and nothing to give out."""
        config, knob = at.config, f"components.{at.name}"
        if config.advertise != "l2" and not config.peers:
            yield Problem(f"{knob}.peers: `advertise: {config.advertise}` needs at least one router", hint=_PEER)
        if config.advertise == "l2" and config.peers:
            yield Problem(f"{knob}.peers: layer 2 has no peers", hint="write `advertise: bgp`, or `both`")
        if config.advertise == "bgp" and config.interfaces:
            hint = "take it out: a node's route to the router says which it is"
            yield Problem(f"{knob}.interfaces: BGP asks for none", hint=hint)
        for name, pool in config.pools.items():
            if pool.advertise and config.advertise not in (pool.advertise, "both"):
                text = f"{knob}.pools.{name}.advertise: its pools are announced by {config.advertise}"
                yield Problem(text, hint=f"write `advertise: both` under {knob}")
        yield from pools.taken(knob, config.pools, at.platform)
        found = pools.of(config.pools, at.platform)
        yield from pools.overlaps(knob, found)
        if not found:
            text = f"{knob}: it has no address to give out"
            yield Problem(
                text, hint="write `ingress: {kind: metallb, addresses: [10.0.0.200-10.0.0.210]}`, or `pools:`"
            )

    def build(self) -> None:
        """The two programs with their rights, the admission of their kinds, and their settings."""
        Crds(self)
        for definition in self.served:
            if definition.conversion:
                pointer = ("/spec/conversion/webhook/clientConfig/caBundle",)
                self.mutated(Drift("apiextensions.k8s.io/v1", "CustomResourceDefinition", definition.name, pointer))
        self._rights()
        Deployment(self, CONTROLLER, pod=controller_pod(self.release.image), pod_labels=_LABELS)
        files = {"excludel2.yaml": yaml_file({"announcedInterfacesToExclude": [*CONTAINERS]})}
        config_map(self, EXCLUDED, files)
        labels = ",".join(f"{key}={value}" for key, value in self.selector(SPEAKER).items())
        pod = speaker_pod(self.release.images["speaker"], labels, *self._flags())
        DaemonSet(self, SPEAKER, pod=pod, pod_labels=_LABELS)
        self._admission()
        self.makes("Secret", MEMBERS)
        if self.platform.network_policies:
            NetworkPolicy(self, CONTROLLER, openings=[from_everywhere(WEBHOOK)])
        self._told()

    def _rights(self) -> None:
        controller = Account(self, CONTROLLER).allow(self._everywhere(), role=f"{self.namespace}:{CONTROLLER}")
        controller.allow_in(self.namespace, CONTROLLER_RULES)
        speaker = Account(self, SPEAKER).allow(SPEAKER_RULES, role=f"{self.namespace}:{SPEAKER}")
        # Upstream binds one role, pod-lister, to both.
        speaker.allow_in(self.namespace, READER_RULES, role="pod-lister")
        controller.allow_in(self.namespace, READER_RULES, role="controller-pod-lister")

    def _everywhere(self) -> list[Any]:
        crds = " ".join(f"{kind}.{GROUP}" for kind in f"{KINDS} configurationstates".split())
        return [
            allow("", "namespaces services", verbs=READ),
            allow("", "nodes", verbs="list"),
            allow("", "services/status", verbs="update"),
            allow("", "events", verbs="create patch"),
            allow(
                "admissionregistration.k8s.io",
                "validatingwebhookconfigurations",
                verbs=ALL,
                names=WEBHOOK_CONFIGURATION,
            ),
            allow("admissionregistration.k8s.io", "validatingwebhookconfigurations", verbs="list watch"),
            allow("apiextensions.k8s.io", "customresourcedefinitions", verbs=ALL, names=crds),
            allow("apiextensions.k8s.io", "customresourcedefinitions", verbs="list watch"),
            allow(GROUP, "configurationstates", verbs=ALL),
            allow(GROUP, "configurationstates/status", verbs="get patch update"),
        ]

    def _admission(self) -> None:
        """The controller signs its certificate itself, and writes the Secret and the CA."""
        Resource(self, SECRET, WEBHOOK_SECRET, fields={"type": "Opaque"})
        self.mutated(Drift("v1", "Secret", WEBHOOK_SECRET, ("/data",)))
        Service(self, WEBHOOK_SERVICE, workload=CONTROLLER, ports=[port("webhook", 443, WEBHOOK)])
        Webhooks(self, WEBHOOK_CONFIGURATION, kind="validating", service=WEBHOOK_SERVICE, hooks=HOOKS)

    def _flags(self) -> list[str]:
        return ["--ignore-exclude-lb"] if self.config.ignore_exclude_label else []

    def _told(self) -> None:
        found = pools.of(self.config.pools, self.platform)
        for name, pool in found.items():
            Resource(
                self,
                IP_ADDRESS_POOL,
                name,
                spec={"addresses": [*pool.addresses], "autoAssign": pool.automatic, "avoidBuggyIPs": True},
                part="after",
            )
        chosen, nodes = self.config.advertise, self.config.nodes
        if near := [name for name, pool in found.items() if pool.announced("l2", chosen)]:
            local: L2AdvertisementSpec = {"ipAddressPools": near}
            if self.config.interfaces:
                local["interfaces"] = [*self.config.interfaces]
            if nodes:
                local["nodeSelectors"] = [{"matchLabels": {**nodes}}]
            Resource(self, L2_ADVERTISEMENT, "pools", spec=local, part="after")
        if far := [name for name, pool in found.items() if pool.announced("bgp", chosen)]:
            routed: BGPAdvertisementSpec = {"ipAddressPools": far}
            if nodes:
                routed["nodeSelectors"] = [{"matchLabels": {**nodes}}]
            Resource(self, BGP_ADVERTISEMENT, "pools", spec=routed, part="after")
        for name, peer in self.config.peers.items():
            Resource(self, BGP_PEER, name, spec=_peer(peer, self.namespace), part="after")


def _peer(peer: Peer, namespace: str) -> BGPPeerSpec:
    """A router in MetalLB's words."""
    spec: BGPPeerSpec = {"myASN": peer.own_asn, "peerASN": peer.asn, "peerAddress": peer.address}
    if peer.password_secret:
        spec["passwordSecret"] = {"name": peer.password_secret, "namespace": namespace}
    if peer.port:
        spec["peerPort"] = peer.port
    if peer.source_address:
        spec["sourceAddress"] = peer.source_address
    if peer.hold_seconds:
        spec["holdTime"] = f"{peer.hold_seconds}s"
    if peer.keepalive_seconds:
        spec["keepaliveTime"] = f"{peer.keepalive_seconds}s"
    if peer.multi_hop:
        spec["ebgpMultiHop"] = True
    if peer.nodes:
        spec["nodeSelectors"] = [{"matchLabels": {**peer.nodes}}]
    return spec


_PEER = "write `peers: {rack-1: {address: 10.0.0.1, asn: 64513, ownAsn: 64512}}`"
_LABELS = {"app": "metallb"}
CONTAINERS = tuple(
    f"^{name}"
    for name in (
        *("docker.*", "cbr.*", "dummy.*", "virbr.*", "lxcbr.*", "veth.*", "lo$", "cali.*", "tunl.*", "flannel.*"),
        *("kube-ipvs.*", "cni.*", "nodelocaldns.*", "lxc.*"),
    )
)
"""Interfaces of containers and of the node itself, as regular expressions, which no client outside uses; upstream's."""

WEBHOOK_CONFIGURATION = "metallb-webhook-configuration"
"""Compiled into the controller, which writes the CA there."""


def _hook(kind: str, plural: str, *, version: str = "v1beta1", operations: str = "CREATE UPDATE") -> Hook:
    return Hook(
        name=f"{kind}validationwebhook.{GROUP}",
        path=f"/validate-metallb-io-{version}-{kind}",
        rules=(rule(GROUP, version, plural, operations),),
    )


HOOKS = (
    _hook("bgppeer", "bgppeers", version="v1beta2"),
    _hook("bfdprofile", "bfdprofiles", operations="CREATE DELETE"),
    _hook("bgpadvertisement", "bgpadvertisements"),
    _hook("community", "communities"),
    _hook("ipaddresspool", "ipaddresspools"),
    _hook("l2advertisement", "l2advertisements"),
)
