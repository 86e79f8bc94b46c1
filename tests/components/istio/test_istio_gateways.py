"""Istio's gateways, and its CNI plugin."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from platform_def.capabilities import Gateway, Mesh, ModelServing
from platform_def.components.gateways.gateway_api.component import GatewayApi
from platform_def.components.gateways.istio.component import Istio
from platform_def.components.gateways.istio_cluster_local_gateway.component import IstioClusterLocalGateway
from platform_def.components.gateways.istio_cni.component import IstioCni
from platform_def.components.gateways.istio_ingress_gateway.component import IstioIngressGateway
from platform_def.config.capability import Provision
from platform_def.config.cluster import Ingress
from platform_def.config.platform import ComponentFact, Platform
from platform_def.constructs import AnyComponent, Release, Setting
from tests.unit.built import Objects, built, setting, told

MESH = Mesh(api="istio", root_namespace="istio-system", discovery="istiod-next.istio-system.svc:15012", revision="next")


def gateway(ingress: dict[str, Any] | None = None, **config: Any) -> Objects:
    """The ingress gateway in a stack whose routes it serves."""
    facts = Platform(
        gateway="istio-ingress-gateway",
        ingress=Ingress.from_file(ingress or {}),
        provisions=(Provision.of(MESH, "istio-next"),),
        network_policies=bool(config.pop("policies", False)),
    )
    return built(IstioIngressGateway, facts, **config)


@pytest.mark.parametrize(
    ("release", "api", "has_them"),
    [
        ("1.6.1", "gateway-api", False),
        ("1.6.1-experimental", "gateway-api", True),
        ("1.7.0", "gateway-api", True),
        ("2.0.0", "gateway-api", True),
        ("1.7.0", "istio", False),
        ("", "gateway-api", False),
        (None, "gateway-api", False),
    ],
)
def test_it_says_whether_http_routes_have_retries(release: str | None, api: str, has_them: bool) -> None:
    config = IstioIngressGateway.config_model().from_file({"api": api})
    facts = {} if release is None else {"gateway-api": ComponentFact(release=release, namespace="default")}
    (offered, *_) = IstioIngressGateway.offers(Setting("door", config, Platform(components=facts))).capabilities

    assert isinstance(offered, Gateway)
    assert offered.retries == has_them


def test_proxies_ask_the_revision_that_the_stack_uses() -> None:
    made = gateway()
    variables = {each["name"]: each.get("value") for each in made.container("Deployment")["env"]}

    assert variables["CA_ADDR"] == "istiod-next.istio-system.svc:15012"
    assert variables["PROXY_CONFIG"] == '{"discoveryAddress":"istiod-next.istio-system.svc:15012"}'
    assert made.one("Deployment")["spec"]["template"]["metadata"]["labels"]["istio.io/rev"] == "next"


def test_its_pods_are_whole_without_an_injector() -> None:
    """Pods that came before the webhook would stay without a proxy."""
    made = gateway()

    assert made.container("Deployment")["image"] == "docker.io/istio/proxyv2:1.31.1"
    assert made.one("Deployment")["spec"]["template"]["metadata"]["labels"]["sidecar.istio.io/inject"] == "false"


def test_without_a_certificate_only_http_is_open() -> None:
    made = gateway()
    (server,) = made.one("Gateway")["spec"]["servers"]

    assert server == {"port": {"name": "http", "number": 80, "protocol": "HTTP"}, "hosts": ["*"]}
    assert [each["name"] for each in made.one("Service")["spec"]["ports"]] == ["http", "status-port"]


def test_with_a_certificate_plain_requests_are_sent_to_https() -> None:
    made = gateway({"kind": "cloud", "host": "ml.example.com", "tls": {"issuer": "house"}})
    plain, secure = made.one("Gateway")["spec"]["servers"]

    assert plain["tls"] == {"httpsRedirect": True}
    assert secure["hosts"] == ["ml.example.com"]
    assert secure["tls"] == {"mode": "SIMPLE", "credentialName": "istio-ingressgateway-tls"}
    assert made.one("Certificate")["spec"]["secretName"] == "istio-ingressgateway-tls"
    assert made.one("Service")["spec"]["type"] == "LoadBalancer"


def test_a_balancer_learns_whom_to_let_in_and_what_the_stack_tells_it() -> None:
    made = gateway({"kind": "cloud", "sourceRanges": ["10.0.0.0/8"], "annotations": {"lb.example.com/kind": "inside"}})
    service = made.one("Service")

    assert service["spec"]["loadBalancerSourceRanges"] == ["10.0.0.0/8"]
    assert service["metadata"]["annotations"] == {"lb.example.com/kind": "inside"}


def test_a_balancer_with_the_certificate_is_believed() -> None:
    ingress = {"kind": "cloud", "host": "ml.example.com", "balancer": {"trustedHops": 2, "tls": True}}
    made = gateway(ingress)
    variables = {each["name"]: each.get("value") for each in made.container("Deployment")["env"]}
    (server,) = made.one("Gateway")["spec"]["servers"]

    assert variables["PROXY_CONFIG"] == (
        '{"discoveryAddress":"istiod-next.istio-system.svc:15012","gatewayTopology":{"numTrustedProxies":2}}'
    )
    assert server["tls"] == {"httpsRedirect": True}
    assert server["port"]["protocol"] == "HTTP"
    assert gateway(ingress, api="gateway-api").names("HTTPRoute") == []


def test_gateway_api_binds_a_gateway_to_the_same_pods() -> None:
    made = gateway({"kind": "cloud", "host": "ml.example.com", "tls": {"secret": "ml-tls"}}, api="gateway-api")
    found = made.one("Gateway")
    plain, secure = found["spec"]["listeners"]

    assert found["apiVersion"] == "gateway.networking.k8s.io/v1"
    assert found["spec"]["addresses"] == [
        {"type": "Hostname", "value": "istio-ingressgateway.istio-system.svc.cluster.local"}
    ]
    assert plain["allowedRoutes"] == {"namespaces": {"from": "Same"}}
    assert secure["tls"]["certificateRefs"] == [{"group": "", "kind": "Secret", "name": "ml-tls"}]
    assert made.one("HTTPRoute")["spec"]["rules"][0]["filters"] == [
        {"type": "RequestRedirect", "requestRedirect": {"scheme": "https", "statusCode": 301}}
    ]


def test_gateway_api_without_a_certificate_has_one_listener() -> None:
    made = gateway(api="gateway-api")

    assert [each["name"] for each in made.one("Gateway")["spec"]["listeners"]] == ["http"]
    assert made.names("HTTPRoute") == []


def test_on_the_nodes_network_it_listens_where_the_stack_says() -> None:
    made = gateway({"kind": "hostNetwork", "httpPort": 8081})
    pod = made.pod("Deployment")

    assert pod["hostNetwork"] is True
    assert pod["containers"][0]["ports"][0] == {
        "name": "http",
        "containerPort": 8081,
        "hostPort": 8081,
        "protocol": "TCP",
    }
    assert made.one("Deployment")["spec"]["strategy"]["rollingUpdate"]["maxSurge"] == 0


def test_only_what_it_serves_is_open_to_the_outside() -> None:
    rules = gateway(policies=True).one("NetworkPolicy")["spec"]["ingress"]

    # Balancers ask from outside whether the gateway is well.
    assert rules[0] == {"ports": [{"port": 8080, "protocol": "TCP"}, {"port": 15021, "protocol": "TCP"}]}
    assert rules[1]["from"] == [{"namespaceSelector": {}}]


@pytest.mark.parametrize(("denies", "policies"), [(False, []), (True, ["istio-ingressgateway"])])
def test_a_gateway_allows_everything_only_where_the_mesh_allows_nothing(denies: bool, policies: list[str]) -> None:
    """ALLOW policies add up: one that allows everything voids the lists that people write for the gateway."""
    meshes = (MESH, MESH.model_copy(update={"denies_by_default": denies}))
    provisions = tuple(Provision.of(each, name) for name, each in zip(("istio-next", "istio"), meshes, strict=True))
    made = built(IstioIngressGateway, Platform(uses={"mesh": "istio-next"}, provisions=provisions))

    assert made.names("AuthorizationPolicy") == policies
    if denies:
        assert made.one("AuthorizationPolicy")["spec"]["rules"] == [{}]
    offered = Istio.offers(setting(Istio, {"denyByDefault": denies})).capabilities[0]
    assert isinstance(offered, Mesh)
    assert offered.denies_by_default is denies


def test_a_second_gateway_has_names_and_labels_of_its_own() -> None:
    facts = Platform(
        gateway="istio-ingress-gateway",
        ingress=Ingress.from_file({"kind": "cloud"}),
        provisions=(Provision.of(MESH, "istio"),),
        components={
            name: ComponentFact("", "istio-system", component="istio-ingress-gateway")
            for name in ("istio-ingress-gateway", "inside")
        },
    )
    made = built(IstioIngressGateway, facts, name="inside")

    assert made.one("Gateway", "inside")["spec"]["selector"] == {"app": "inside", "istio": "inside"}
    assert made.one("Service", "inside")["spec"]["type"] == "ClusterIP"
    assert made.names("ServiceAccount") == ["inside-service-account"]


def test_its_service_selects_what_a_gateway_object_does() -> None:
    """By that external-dns finds the address of a Gateway's host."""
    for made in (gateway(), gateway(name="inside")):
        service = made.of("Service")[0]["spec"]["selector"]

        assert made.of("Gateway")[0]["spec"]["selector"].items() <= service.items()
        assert service.items() <= made.one("Deployment")["spec"]["template"]["metadata"]["labels"].items()


def test_others_learn_by_which_api_it_serves() -> None:
    (given,) = IstioIngressGateway.offers(setting(IstioIngressGateway, {"api": "gateway-api"})).capabilities

    assert isinstance(given, Gateway)
    assert (given.api, given.controller, given.name) == ("gateway-api", "istio", "istio-ingressgateway")
    assert given.account == "istio-ingressgateway-service-account"


def test_routes_of_an_api_that_nobody_serves_are_refused() -> None:
    assert told(IstioIngressGateway, {"api": "gateway-api"}) == [
        (
            "error: components.istio-ingress-gateway.api: the stack serves no Gateway API, in which its routes are to be "
            "written\n  hint: add `gateway-api: {}` under components, or `{provided: true}` where it is there"
        )
    ]
    assert told(IstioIngressGateway, {"api": "gateway-api"}, beside={"gateway-api": {}}) == []


def test_the_cluster_local_gateway_is_for_pods_alone() -> None:
    made = built(IstioClusterLocalGateway, Platform(provisions=(Provision.of(MESH, "istio"),)))

    assert made.one("Service")["spec"]["type"] == "ClusterIP"
    assert made.one("Gateway")["spec"]["selector"]["istio"] == "cluster-local-gateway"
    variables = {each["name"]: each.get("value") for each in made.container("Deployment")["env"]}
    assert variables["ISTIO_META_ROUTER_MODE"] == "sni-dnat"


@pytest.mark.parametrize(("release", "count"), [("1.6.1", 10), ("1.6.1-experimental", 13), ("1.5.1", 8), ("1.7.0", 10)])
def test_gateway_api_says_of_which_bundle_its_kinds_are(release: str, count: int) -> None:
    """Istio passes over CRDs that do not say it."""
    made = built(GatewayApi, release=release).of("CustomResourceDefinition")

    assert len(made) == count
    assert {each["metadata"]["annotations"]["gateway.networking.k8s.io/bundle-version"] for each in made} == {
        f"v{release.removesuffix('-experimental')}"
    }


def test_the_cni_plugin_goes_where_the_distribution_has_them() -> None:
    made = built(IstioCni, Platform(distribution="k3s"))
    volumes = {each["name"]: each["hostPath"]["path"] for each in made.pod("DaemonSet")["volumes"]}

    assert volumes["cni-bin-dir"] == "/var/lib/rancher/k3s/data/cni"
    assert volumes["cni-net-dir"] == "/var/lib/rancher/k3s/agent/etc/cni/net.d"


def test_the_cni_agent_is_held_by_no_apparmor_profile() -> None:
    """The container runtime's own, which nodes of Ubuntu have, refuses what its capabilities are for."""
    context = built(IstioCni).container("DaemonSet")["securityContext"]

    assert context["appArmorProfile"] == {"type": "Unconfined"}
    assert context["privileged"] is False


@pytest.mark.parametrize("kind", [Istio, IstioCni, IstioIngressGateway, IstioClusterLocalGateway])
def test_every_release_pulls_from_docker_hub(kind: type[AnyComponent]) -> None:
    """Upstream publishes 1.31 nowhere else, and closes its other registries in December 2026."""
    for release in kind.config_model().releases:
        assert isinstance(release, Release)
        assert release.all_images()
        assert all(
            each.startswith("docker.io/istio/") and each.endswith(f":{release.version}")
            for each in release.all_images()
        )


@pytest.mark.parametrize("kind", [Istio, IstioCni, IstioIngressGateway, IstioClusterLocalGateway])
def test_who_names_the_release_that_left_is_told_which_to_take(kind: type[AnyComponent]) -> None:
    with pytest.raises(ValidationError, match=r"support ended on 2026-10-12.*ISTIO-SECURITY-2026-006.*Write '1.30.4'"):
        kind.config_model().from_file({"release": "1.29.1"})


def test_the_cni_plugin_is_refused_where_multus_has_the_nodes() -> None:
    assert told(IstioCni) == []
    assert (
        "OpenShift's nodes take further CNI plugins through Multus alone" in told(IstioCni, distribution="openshift")[0]
    )


def test_both_address_families_are_served_by_control_plane_and_gateway() -> None:
    def variables(made: Objects) -> set[str]:
        return {each["name"] for each in made.container("Deployment")["env"]}

    ingress = {"kind": "metallb", "addresses": ["10.0.0.0/28", "fd00::/120"], "ipFamilies": ["IPv4", "IPv6"]}
    made = gateway(ingress)
    door = Gateway(api="istio", name="door", namespace="istio-system", dual_stack=True)
    istiod = built(Istio, Platform(provisions=(Provision.of(door, "door"),)))

    assert made.one("Service")["spec"]["ipFamilyPolicy"] == "RequireDualStack"
    assert "ISTIO_DUAL_STACK" in variables(made)
    assert "ISTIO_DUAL_STACK" in variables(istiod)
    assert "ISTIO_DUAL_STACK" not in variables(gateway()) | variables(built(Istio))


@pytest.mark.parametrize(
    ("models", "chosen", "named"),
    [
        (None, True, None),
        ({"llm": True}, True, "kserve-ingress-gateway"),
        ({"llm": True}, False, None),
        ({"llm": False}, True, None),
        ({"llm": True, "routes": ""}, True, None),
    ],
)
def test_its_pods_are_labelled_with_the_gateway_whose_pickers_are_asked(
    models: dict[str, Any] | None, chosen: bool, named: str | None
) -> None:
    usual: dict[str, Any] = {"mode": "standard", "domain": "a.example", "routes": "istio-system/kserve-ingress-gateway"}
    given = [] if models is None else [Provision.of(ModelServing(**{**usual, **models}), "kserve")]
    facts = Platform(
        gateway="istio-ingress-gateway" if chosen else "other",
        provisions=(Provision.of(MESH, "istio-next"), *given),
    )
    labels = built(IstioIngressGateway, facts).one("Deployment")["spec"]["template"]["metadata"]["labels"]

    assert labels.get("gateway.networking.k8s.io/gateway-name") == named
