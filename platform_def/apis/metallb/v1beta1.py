"""MetalLB 0.16 (metallb.io): pools of addresses, and how networks learn of them."""
# ruff: noqa: D101, E501

from __future__ import annotations

from typing import Annotated, Literal, Required

from platform_def.apis.core import core_v1, meta_v1
from platform_def.crds.model import Api, Column, Definition, WebhookConversion
from platform_def.crds.schema import Cel, Default, EmptyObject, Int32, Int64, Maximum, Minimum, MinItems, Ref
from platform_def.crds.typed_dict import TypedDict

_POOL = Ref("IPAddressPool", group="metallb.io", weak=True)


class BFDProfileSpec(TypedDict, total=False):
    """How fast a dead link to a router is noticed."""

    detectMultiplier: Annotated[Int32, Maximum(255), Minimum(2)]
    """Packets in a row that may be lost."""
    echoInterval: Annotated[Int32, Maximum(60000), Minimum(10)]
    """Least time between echo packets, in milliseconds."""
    echoMode: bool
    """Use echo packets too."""
    minimumTtl: Annotated[Int32, Maximum(254), Minimum(1)]
    """Least TTL of packets over several hops."""
    passiveMode: bool
    """Wait for the other side to begin."""
    receiveInterval: Annotated[Int32, Maximum(60000), Minimum(10)]
    """Least time between packets received, in milliseconds."""
    transmitInterval: Annotated[Int32, Maximum(60000), Minimum(10)]
    """Least time between packets sent, in milliseconds."""


class BFDProfile(TypedDict, total=False):
    spec: BFDProfileSpec
    status: EmptyObject


class BGPAdvertisementSpec(TypedDict, total=False):
    """Routers learn by BGP through which nodes an address is reached."""

    aggregationLength: Annotated[Int32, Default(32), Minimum(1)]
    """Announce networks of this length instead of single addresses; 32 if left out."""
    aggregationLengthV6: Annotated[Int32, Default(128)]
    """The same for IPv6; 128 if left out."""
    asPathPrepend: Annotated[int, Minimum(1), Maximum(10)]
    """Times that the cluster's number is put before the path, so that it looks longer; only with FRR-K8s."""
    communities: list[str]
    """BGP communities, as `65535:65282` or names of a Community."""
    ipAddressPoolSelectors: list[meta_v1.LabelSelector]
    """Pools with these labels."""
    ipAddressPools: list[Annotated[str, _POOL]]
    """Pools by name; all if neither is said."""
    localPref: Int32
    """Preference inside one's own autonomous system."""
    nodeSelectors: list[meta_v1.LabelSelector]
    """Nodes that are announced; all if left out."""
    peers: list[str]
    """Peers that learn of it, by name; all if left out."""
    serviceSelectors: list[meta_v1.LabelSelector]
    """Services that it is for; all if left out."""


class BGPAdvertisement(TypedDict, total=False):
    spec: Annotated[
        BGPAdvertisementSpec,
        Cel(
            "!has(self.serviceSelectors) || self.serviceSelectors.size() == 0 || ((!has(self.aggregationLength) || self.aggregationLength == 32) && (!has(self.aggregationLengthV6) || self.aggregationLengthV6 == 128))",
            "serviceSelectors need single addresses: aggregationLength 32, aggregationLengthV6 128",
        ),
    ]
    status: EmptyObject


class BGPPeerSpec(TypedDict, total=False):
    """A router that learns the addresses."""

    bfdProfile: str
    """BFDProfile by which a dead link is noticed; not with MetalLB's own BGP."""
    connectTime: Annotated[
        str,
        Cel(
            "duration(self).getSeconds() >= 1 && duration(self).getSeconds() <= 65535",
            "between 1 and 65535 seconds",
        ),
        Cel("duration(self).getMilliseconds() % 1000 == 0", "whole seconds"),
    ]
    """Time between attempts to connect."""
    disableMP: Annotated[bool, Default(False)]
    """No longer used."""
    dualStackAddressFamily: Annotated[bool, Default(False)]
    """Announce IPv4 and IPv6 over one session."""
    dynamicASN: Literal["internal", "external"]
    """Take the router's number as it comes: internal or external."""
    ebgpMultiHop: bool
    """The router is more than one hop away."""
    enableGracefulRestart: Annotated[bool, Cel("self == oldSelf", "cannot be changed later")]
    """Routes stay while MetalLB restarts; cannot be changed later."""
    holdTime: str
    """Time without a sign of life until the session ends."""
    interface: str
    """Interface for a session without an address."""
    keepaliveTime: str
    """Time between signs of life."""
    localASN: Annotated[Int64, Maximum(4294967295), Minimum(1)]
    """Number that this peer sees instead of one's own."""
    myASN: Required[Annotated[Int64, Maximum(4294967295), Minimum(0)]]
    """One's own number."""
    nodeSelectors: list[meta_v1.LabelSelector]
    """Nodes that talk to it; all if left out."""
    password: str
    """Password in the clear: use passwordSecret."""
    passwordSecret: core_v1.SecretReference
    """Secret of type kubernetes.io/basic-auth with the password, in MetalLB's namespace."""
    peerASN: Annotated[Int64, Maximum(4294967295), Minimum(0)]
    """The router's number."""
    peerAddress: str
    """The router's address."""
    peerPort: Annotated[int, Default(179), Maximum(16384), Minimum(1)]
    """Its port; 179 if left out."""
    routerID: str
    """Router id to announce; the node's address if left out."""
    sourceAddress: str
    """Address that the session comes from."""
    vrf: str
    """Routing domain on the node."""


class BGPPeer(TypedDict, total=False):
    spec: BGPPeerSpec
    status: EmptyObject


class MatchExpression(TypedDict, total=False):
    key: Required[str]
    operator: Required[str]
    values: Required[Annotated[list[str], MinItems(1)]]


class NodeSelector(TypedDict, total=False):
    matchExpressions: list[MatchExpression]
    matchLabels: dict[str, str]


class BGPPeerV1beta1Spec(TypedDict, total=False):
    bfdProfile: str
    ebgpMultiHop: bool
    holdTime: str
    keepaliveTime: str
    myASN: Required[Annotated[Int64, Maximum(4294967295), Minimum(0)]]
    nodeSelectors: list[NodeSelector]
    password: str
    peerASN: Required[Annotated[Int64, Maximum(4294967295), Minimum(0)]]
    peerAddress: Required[str]
    peerPort: Annotated[int, Maximum(16384), Minimum(0)]
    routerID: str
    sourceAddress: str


class BGPPeerV1beta1(TypedDict, total=False):
    spec: BGPPeerV1beta1Spec
    status: EmptyObject


class CommunityCommunity(TypedDict, total=False):
    """A name for a community."""

    name: str
    """Its name."""
    value: str
    """Its value, `65535:65282`."""


class CommunitySpec(TypedDict, total=False):
    """Names for BGP communities."""

    communities: list[CommunityCommunity]
    """Names and values."""


class Community(TypedDict, total=False):
    spec: CommunitySpec
    status: EmptyObject


class ServiceAllocation(TypedDict, total=False):
    """Who may have the addresses of a pool."""

    namespaceSelectors: list[meta_v1.LabelSelector]
    """Services of namespaces with these labels."""
    namespaces: list[str]
    """Services of these namespaces."""
    priority: int
    """Of several pools the one with the lowest number is asked first; 0 comes last."""
    serviceSelectors: list[meta_v1.LabelSelector]
    """Services with these labels."""


class IPAddressPoolSpec(TypedDict, total=False):
    """Addresses that Services of type LoadBalancer may get."""

    addresses: Required[list[str]]
    """Networks (`10.0.0.192/28`) or ranges (`10.0.0.200-10.0.0.210`)."""
    autoAssign: Annotated[bool, Default(True)]
    """Give them to Services that name no pool; true if left out."""
    avoidBuggyIPs: Annotated[bool, Default(False)]
    """Leave out addresses that end with .0 or .255."""
    serviceAllocation: ServiceAllocation
    """Which Services may have them; all if left out."""


class IPAddressPoolStatus(TypedDict, total=False):
    assignedIPv4: Required[Int64]
    assignedIPv6: Required[Int64]
    availableIPv4: Required[Int64]
    availableIPv6: Required[Int64]


class PreferredNodeSelector(TypedDict, total=False):
    """Nodes that answer rather than others."""

    preference: Required[meta_v1.LabelSelector]
    """The nodes by their labels; all if it is empty."""
    weight: Required[Annotated[Int32, Maximum(100), Minimum(1)]]
    """How much rather; those of all selectors that a node fits are added up."""


class L2AdvertisementSpec(TypedDict, total=False):
    """One node answers for each address, by ARP or NDP."""

    interfaces: list[str]
    """Interfaces of the node that it answers on; all if left out."""
    ipAddressPoolSelectors: list[meta_v1.LabelSelector]
    """Pools with these labels."""
    ipAddressPools: list[Annotated[str, _POOL]]
    """Pools by name; all if neither is said."""
    nodeSelectors: list[meta_v1.LabelSelector]
    """Nodes that may answer; all if left out."""
    preferredNodeSelectors: list[PreferredNodeSelector]
    """Nodes among these that answer rather than others; any of them if left out."""
    serviceSelectors: list[meta_v1.LabelSelector]
    """Services that it is for; all if left out. These cannot share an address with others."""


class L2Advertisement(TypedDict, total=False):
    spec: L2AdvertisementSpec
    status: EmptyObject


BFD_PROFILE = Api(
    group="metallb.io",
    version="v1beta1",
    kind="BFDProfile",
    plural="bfdprofiles",
    spec=BFDProfileSpec,
    top=BFDProfile,
    status_subresource=True,
    columns=(
        Column("Passive Mode", ".spec.passiveMode", type="boolean"),
        Column("Transmit Interval", ".spec.transmitInterval", type="integer"),
        Column("Receive Interval", ".spec.receiveInterval", type="integer"),
        Column("Multiplier", ".spec.detectMultiplier", type="integer"),
    ),
)

BGP_ADVERTISEMENT = Api(
    group="metallb.io",
    version="v1beta1",
    kind="BGPAdvertisement",
    plural="bgpadvertisements",
    spec=BGPAdvertisementSpec,
    top=BGPAdvertisement,
    core="1.37",
    status_subresource=True,
    columns=(
        Column("IPAddressPools", ".spec.ipAddressPools"),
        Column("IPAddressPool Selectors", ".spec.ipAddressPoolSelectors"),
        Column("Peers", ".spec.peers"),
        Column("Node Selectors", ".spec.nodeSelectors", priority=10),
    ),
)

BGP_PEER = Api(
    group="metallb.io",
    version="v1beta2",
    kind="BGPPeer",
    plural="bgppeers",
    spec=BGPPeerSpec,
    top=BGPPeer,
    core="1.37",
    status_subresource=True,
    columns=(
        Column("Address", ".spec.peerAddress"),
        Column("ASN", ".spec.peerASN"),
        Column("BFD Profile", ".spec.bfdProfile"),
        Column("Multi Hops", ".spec.ebgpMultiHop"),
    ),
)

BGP_PEER_V1BETA1 = Api(
    group="metallb.io",
    version="v1beta1",
    kind="BGPPeer",
    plural="bgppeers",
    spec=BGPPeerV1beta1Spec,
    top=BGPPeerV1beta1,
    status_subresource=True,
    columns=(
        Column("Address", ".spec.peerAddress"),
        Column("ASN", ".spec.peerASN"),
        Column("BFD Profile", ".spec.bfdProfile"),
        Column("Multi Hops", ".spec.ebgpMultiHop"),
    ),
    storage=False,
    deprecated=True,
    deprecation_warning="write metallb.io/v1beta2",
)

COMMUNITY = Api(
    group="metallb.io",
    version="v1beta1",
    kind="Community",
    plural="communities",
    spec=CommunitySpec,
    top=Community,
    status_subresource=True,
)

IP_ADDRESS_POOL = Api(
    group="metallb.io",
    version="v1beta1",
    kind="IPAddressPool",
    plural="ipaddresspools",
    spec=IPAddressPoolSpec,
    status=IPAddressPoolStatus,
    required=("spec",),
    core="1.37",
    status_subresource=True,
    columns=(
        Column("Auto Assign", ".spec.autoAssign", type="boolean"),
        Column("Avoid Buggy IPs", ".spec.avoidBuggyIPs", type="boolean"),
        Column("Addresses", ".spec.addresses"),
    ),
)

L2_ADVERTISEMENT = Api(
    group="metallb.io",
    version="v1beta1",
    kind="L2Advertisement",
    plural="l2advertisements",
    spec=L2AdvertisementSpec,
    top=L2Advertisement,
    core="1.37",
    status_subresource=True,
    columns=(
        Column("IPAddressPools", ".spec.ipAddressPools"),
        Column("IPAddressPool Selectors", ".spec.ipAddressPoolSelectors"),
        Column("Interfaces", ".spec.interfaces"),
        Column("Node Selectors", ".spec.nodeSelectors", priority=10),
    ),
)

CRDS = (
    Definition((BFD_PROFILE,)),
    Definition((BGP_ADVERTISEMENT,)),
    Definition(
        (BGP_PEER_V1BETA1, BGP_PEER),
        conversion=WebhookConversion(
            service="metallb-webhook-service",
            namespace="metallb-system",
            path="/convert",
            review_versions=("v1beta1", "v1beta2"),
        ),
    ),
    Definition((COMMUNITY,)),
    Definition((IP_ADDRESS_POOL,)),
    Definition((L2_ADVERTISEMENT,)),
)
