"""What Emissary's component renders for each way in which traffic may enter."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from platform_def.capabilities import AuthorizationService, Gateway
from platform_def.components.gateways.emissary.component import Emissary, EmissaryConfig
from platform_def.config.capability import EXTERNAL, Provision
from platform_def.config.cluster import Ingress, Tls
from platform_def.config.platform import ComponentFact, Platform
from platform_def.constructs import Setting
from tests.unit.built import Objects, built

HOST = "platform.example.com"
SECRET = Tls(secret="platform-tls")
ISSUER = Tls(issuer="letsencrypt")
Manifest = dict[str, Any]


def build(ingress: Ingress | None = None, *, name: str = "", config: Manifest | None = None, **facts: Any) -> Objects:
    platform = Platform(**{"gateway": "emissary", "ingress": ingress or Ingress(), **facts})
    return built(Emissary, platform, name=name, **(config or {}))


def found(made: Objects, kind: str) -> dict[str, Manifest]:
    return {each["metadata"]["name"]: each for each in made.of(kind)}


def pod_spec(made: Objects) -> Manifest:
    return made.pod("Deployment", "emissary-ingress")


def setting(**facts: Any) -> Setting[EmissaryConfig]:
    return Setting("emissary", EmissaryConfig(), Platform(**facts))


@pytest.mark.parametrize(
    ("ingress", "kind"),
    [
        (Ingress(kind="cloud"), "LoadBalancer"),
        (Ingress(kind="metallb", addresses=["10.0.0.200-10.0.0.210"]), "LoadBalancer"),
        (Ingress(kind="nodePort"), "NodePort"),
        (Ingress(kind="hostNetwork"), "ClusterIP"),
        (Ingress(), "ClusterIP"),
    ],
)
def test_the_service_is_of_the_kind_that_something_serves(ingress: Ingress, kind: str) -> None:
    assert found(build(ingress), "Service")["emissary-ingress"]["spec"]["type"] == kind


def test_the_balancer_is_told_what_the_stack_says_and_whom_to_let_in() -> None:
    said = {"networking.example.com/internal": "true"}
    made = build(Ingress(kind="cloud", annotations=said, source_ranges=["203.0.113.0/24"]))
    service = found(made, "Service")["emissary-ingress"]

    assert service["metadata"]["annotations"] == said
    assert service["spec"]["loadBalancerSourceRanges"] == ["203.0.113.0/24"]
    assert "annotations" not in found(made, "Service")["emissary-ingress-admin"]["metadata"]


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"kind": "nodePort", "annotations": {"a": "b"}}, "annotations are a LoadBalancer's: kind is 'nodePort'"),
        ({"sourceRanges": ["203.0.113.0/24"]}, "sourceRanges are a LoadBalancer's"),
        ({"kind": "cloud", "sourceRanges": ["203.0.113.7/24"]}, "'203.0.113.7/24' is no network"),
        (
            {"kind": "hostNetwork", "externalTrafficPolicy": "Local"},
            (
                "externalTrafficPolicy is of a Service with a port on the nodes: kind is 'hostNetwork', not cloud, metallb or "
                "nodePort"
            ),
        ),
        (
            {"kind": "metallb", "addresses": ["10.0.0.0/28"], "loadBalancerClass": "a.io/b"},
            "loadBalancerClass is a cloud's: MetalLB would leave the Service alone",
        ),
        ({"kind": "nodePort", "loadBalancerClass": "a.io/b"}, "loadBalancerClass is a cloud's: kind is 'nodePort'"),
        ({"balancer": {}}, "balancer: nothing is in front of a gateway of the kind none"),
        (
            {"kind": "cloud", "host": "a.example.com", "balancer": {"tls": True}, "tls": {"secret": "a"}},
            "balancer.tls: the certificate is the balancer's, leave out `tls:`",
        ),
        ({"kind": "cloud", "balancer": {"trustedHops": 0}}, "trustedHops"),
        ({"kind": "cloud", "balancer": {"trustedHops": 17}}, "trustedHops"),
        (
            {"kind": "cloud", "tls": {"secret": "a", "durationHours": 24}},
            "durationHours and renewBeforeHours are of a certificate that an issuer signs",
        ),
        (
            {"kind": "cloud", "tls": {"secret": "a", "renewBeforeHours": 24}},
            "durationHours and renewBeforeHours are of a certificate that an issuer signs",
        ),
        (
            {"kind": "cloud", "host": "a.example.com", "tls": {"issuer": "a", "renewBeforeHours": 2160}},
            "renewBeforeHours must be less than durationHours, 2160",
        ),
        (
            {
                "kind": "cloud",
                "host": "a.example.com",
                "tls": {"issuer": "a", "durationHours": 5, "renewBeforeHours": 5},
            },
            "renewBeforeHours must be less than durationHours, 5",
        ),
    ],
)
def test_what_no_balancer_reads_is_refused(fields: dict[str, Any], told: str) -> None:
    with pytest.raises(ValidationError, match=told):
        Ingress.from_file(fields)


@pytest.mark.parametrize(
    ("ingress", "said"),
    [
        ({"kind": "cloud", "externalTrafficPolicy": "Local"}, {"externalTrafficPolicy": "Local"}),
        ({"kind": "nodePort", "externalTrafficPolicy": "Cluster"}, {"externalTrafficPolicy": "Cluster"}),
        ({"kind": "cloud", "loadBalancerClass": "service.k8s.aws/nlb"}, {"loadBalancerClass": "service.k8s.aws/nlb"}),
        ({"kind": "cloud"}, {}),
    ],
)
def test_client_addresses_and_the_maker_of_the_balancer_are_chosen(ingress: Manifest, said: Manifest) -> None:
    service = found(build(Ingress.from_file(ingress)), "Service")["emissary-ingress"]["spec"]

    assert {key: service[key] for key in ("externalTrafficPolicy", "loadBalancerClass") if key in service} == said


def test_a_balancer_with_the_certificate_is_believed_and_plain_requests_are_sent_to_https() -> None:
    ingress = Ingress.from_file({"kind": "cloud", "host": HOST, "balancer": {"trustedHops": 2, "tls": True}})
    made = build(ingress)
    listeners = {each["spec"]["port"]: each["spec"].get("l7Depth") for each in made.of("Listener")}
    (host,) = (each["spec"] for each in made.of("Host"))

    assert listeners == {8080: 2}
    assert host == {"hostname": HOST, "requestPolicy": {"insecure": {"action": "Redirect"}}}
    assert ingress.address() == f"https://{HOST}"
    assert "l7Depth" not in build(Ingress(kind="cloud", host=HOST)).one("Listener")["spec"]


def test_ports_of_nodes_behind_a_balancer_are_no_part_of_the_address() -> None:
    plain = {"kind": "nodePort", "host": HOST, "httpPort": 30080}

    assert Ingress.from_file(plain).address() == f"http://{HOST}:30080"
    assert Ingress.from_file({**plain, "balancer": {}}).address() == f"http://{HOST}"


def test_a_certificate_lasts_as_long_as_the_stack_says() -> None:
    tls = {"issuer": "letsencrypt", "durationHours": 720, "renewBeforeHours": 240}
    told = build(Ingress.from_file({"kind": "cloud", "host": HOST, "tls": tls})).one("Certificate")["spec"]
    plain = build(Ingress(kind="cloud", host=HOST, tls=ISSUER)).one("Certificate")["spec"]

    assert (told["duration"], told["renewBefore"]) == ("720h0m0s", "240h0m0s")
    assert not {"duration", "renewBefore"} & set(plain)


def test_without_a_certificate_only_http_is_open() -> None:
    made = build(Ingress(kind="cloud", host=HOST))

    assert [port["port"] for port in found(made, "Service")["emissary-ingress"]["spec"]["ports"]] == [80]
    assert [item["spec"]["port"] for item in found(made, "Listener").values()] == [8080]
    assert not found(made, "TLSContext")
    assert {item["spec"]["requestPolicy"]["insecure"]["action"] for item in found(made, "Host").values()} == {"Route"}


def test_without_a_host_name_every_name_is_served() -> None:
    assert found(build(), "Host")["emissary-ingress"]["spec"]["hostname"] == "*"


def test_with_a_certificate_http_is_redirected() -> None:
    made = build(Ingress(kind="cloud", host=HOST, tls=SECRET))
    host = found(made, "Host")["emissary-ingress"]["spec"]

    assert host["hostname"] == HOST
    assert host["tlsSecret"] == {"name": "platform-tls"}
    assert host["requestPolicy"]["insecure"]["action"] == "Redirect"
    assert sorted(item["spec"]["port"] for item in found(made, "Listener").values()) == [8080, 8443]


def test_a_missing_certificate_does_not_open_the_platform_in_the_clear() -> None:
    """With no Host left Emissary makes one that routes everything; one that refuses is always left."""
    closed = found(build(Ingress(kind="cloud", host=HOST, tls=SECRET)), "Host")["emissary-ingress-closed"]["spec"]

    assert "tlsSecret" not in closed
    assert closed["requestPolicy"]["insecure"]["action"] == "Reject"


def test_an_issuer_signs_the_certificate_that_the_host_names() -> None:
    made = build(Ingress(kind="cloud", host=HOST, tls=ISSUER))
    certificate = found(made, "Certificate")["emissary-ingress"]["spec"]

    # Without a Secret Emissary serves nothing of the host, the challenge included.
    noted = found(made, "Certificate")["emissary-ingress"]["metadata"]["annotations"]
    assert noted == {"cert-manager.io/issue-temporary-certificate": "true"}
    assert certificate["dnsNames"] == [HOST]
    assert certificate["issuerRef"] == {"kind": "ClusterIssuer", "name": "letsencrypt"}
    assert found(made, "Host")["emissary-ingress"]["spec"]["tlsSecret"] == {"name": certificate["secretName"]}


def test_an_issuer_needs_cert_manager_and_a_secret_does_not() -> None:
    def needs(tls: Tls) -> list[str]:
        return [
            each.kind for each in Emissary.needs_of(setting(ingress=Ingress(host=HOST, tls=tls))) if not each.optional
        ]

    assert needs(ISSUER) == ["certificateIssuer"]
    assert needs(SECRET) == []


def test_an_issuer_without_a_host_name_is_an_error() -> None:
    with pytest.raises(ValidationError, match="an issuer signs a name"):
        Ingress(kind="cloud", tls=ISSUER)


def test_node_ports_are_those_of_the_stack() -> None:
    ingress = Ingress(kind="nodePort", host=HOST, tls=SECRET, http_port=30080, https_port=30443)
    ports = found(build(ingress), "Service")["emissary-ingress"]["spec"]["ports"]

    assert {port["port"]: port["nodePort"] for port in ports} == {80: 30080, 443: 30443}


def test_a_port_in_the_host_header_is_served_under_the_same_certificate() -> None:
    """Emissary refuses two TLS Hosts of one name unless they share a TLSContext that lists both."""
    made = build(Ingress(kind="nodePort", host=HOST, tls=SECRET))
    hosts = found(made, "Host")
    named = [hosts[name]["spec"] for name in ("emissary-ingress", "emissary-ingress-port")]

    assert [host["hostname"] for host in named] == [HOST, f"{HOST}:*"]
    assert {host["tlsContext"]["name"] for host in named} == set(found(made, "TLSContext"))
    context = found(made, "TLSContext")["emissary-ingress"]["spec"]
    assert context["hosts"] == [HOST, f"{HOST}:*"]
    # What gRPC over HTTPS asks for in the handshake.
    assert context["alpn_protocols"] == "h2,http/1.1"


def test_on_the_nodes_network_an_update_frees_the_ports_first() -> None:
    made = build(Ingress(kind="hostNetwork", http_port=80))
    spec = pod_spec(made)

    assert spec["hostNetwork"] is True
    assert spec["dnsPolicy"] == "ClusterFirstWithHostNet"
    assert all(port["hostPort"] == port["containerPort"] for port in spec["containers"][0]["ports"])
    assert [item["spec"]["port"] for item in found(made, "Listener").values()] == [80]
    assert found(made, "Deployment")["emissary-ingress"]["spec"]["strategy"]["rollingUpdate"]["maxSurge"] == 0


def test_only_the_nodes_network_needs_a_privileged_namespace() -> None:
    def level(ingress: Ingress) -> str:
        (need,) = Emissary.offered(setting(ingress=ingress)).namespaces
        return need.pod_security

    assert level(Ingress(kind="cloud")) == "baseline"
    assert level(Ingress(kind="hostNetwork")) == "privileged"


def test_what_configures_the_gateway_waits_for_it() -> None:
    parts = {item.manifest["kind"]: item.part for item in build(Ingress(host=HOST, tls=ISSUER)).build.objects}

    assert {kind for kind, part in parts.items() if part == "after"} == {
        "Certificate", "Host", "Listener", "Mapping", "Module", "TLSContext",
    }  # fmt: skip


def test_the_health_route_opens_one_path_of_the_admin_port() -> None:
    made = build(config={"namespace": "gateway"})

    assert found(made, "Mapping")["emissary-health"]["spec"] == {
        "hostname": "*",
        "prefix": "/healthz",
        "prefix_exact": True,
        "rewrite": "/ambassador/v0/check_ready",
        "service": "emissary-ingress-admin.gateway:8877",
        "timeout_ms": 10_000,
    }


def test_another_namespace_leaves_no_trace_of_upstreams() -> None:
    made = build(Ingress(kind="cloud", host=HOST, tls=ISSUER), config={"namespace": "gateway"})
    homes = {each["metadata"].get("namespace", "gateway") for each in made.all}

    assert homes == {"gateway"}
    assert {
        subject["namespace"] for subject in found(made, "ClusterRoleBinding")["emissary-ingress"]["subjects"]
    } == homes


def test_the_role_is_plain_so_that_no_controller_writes_it() -> None:
    role = found(build(), "ClusterRole")["emissary-ingress"]

    assert role["rules"]
    assert "aggregationRule" not in role


def test_replicas_follow_availability_and_what_the_stack_says() -> None:
    def replicas(made: Objects) -> int:
        count: int = made.one("Deployment")["spec"]["replicas"]
        return count

    assert replicas(build()) == 1
    assert replicas(build(availability="ha")) == 3
    five = {"workloads": {"emissary-ingress": {"replicas": 5}}}
    assert replicas(build(availability="ha", config=five)) == 5


def test_diagnostics_are_closed_to_other_pods() -> None:
    config = found(build(), "Module")["ambassador"]["spec"]["config"]

    assert config["diagnostics"] == {"enabled": False, "allow_non_local": False}


def test_metrics_are_scraped_on_the_admin_service_alone() -> None:
    monitors = found(build(apis=frozenset({"ServiceMonitor.monitoring.coreos.com"})), "ServiceMonitor")

    assert {name: body["spec"]["endpoints"][0]["port"] for name, body in monitors.items()} == {
        "emissary-ingress-admin": "ambassador-admin"
    }


def test_the_ingress_class_can_be_left_out() -> None:
    assert set(found(build(), "IngressClass")) == {"ambassador"}
    assert not found(build(config={"ingress_class": None}), "IngressClass")


def test_crds_have_no_conversion_webhook() -> None:
    crds = found(build(), "CustomResourceDefinition")

    assert len(crds) == 14
    assert all("webhook" not in crd["spec"].get("conversion", {}) for crd in crds.values())


TWO = {name: ComponentFact("", name, component="emissary") for name in ("emissary", "inside")}


def test_a_second_gateway_reads_only_what_names_it() -> None:
    made = build(name="inside", components=TWO, config={"namespace": "inside"})
    routed = [each for each in made.all if each["apiVersion"].startswith("getambassador.io/")]

    assert {each["kind"] for each in routed} == {"Host", "Listener", "Mapping", "Module"}
    assert all(each["spec"]["ambassador_id"] == ["inside"] for each in routed)
    assert {"name": "AMBASSADOR_ID", "value": "inside"} in made.container("Deployment")["env"]
    note = made.one("IngressClass", "inside-ambassador")["metadata"]["annotations"]
    assert note == {"getambassador.io/ambassador-id": "inside"}
    assert made.one("Mapping")["spec"]["service"] == "inside-ingress-admin.inside:8877"


def test_two_gateways_share_definitions_and_nothing_else() -> None:
    first = build(components=TWO)
    second = build(name="inside", components=TWO, config={"namespace": "inside"})

    def names(made: Objects) -> set[tuple[str, str, str]]:
        return {
            (each["kind"], each["metadata"].get("namespace", ""), each["metadata"]["name"])
            for each in made.all
            if each["kind"] != "CustomResourceDefinition"
        }

    assert not names(first) & names(second)
    assert first.names("CustomResourceDefinition")
    assert not second.names("CustomResourceDefinition")


def test_the_stacks_ingress_belongs_to_the_gateway_that_the_stack_names() -> None:
    outside = Ingress(kind="cloud", host=HOST)

    def kind(name: str, **more: Any) -> str:
        config = {"namespace": name, **more.pop("config", {})}
        made = build(outside, name=name, components=TWO, config=config, **more)
        service: str = made.one("Service", "emissary-ingress" if name == "emissary" else "inside-ingress")["spec"][
            "type"
        ]
        return service

    assert (kind("emissary"), kind("inside")) == ("LoadBalancer", "ClusterIP")
    assert (kind("emissary", gateway="inside"), kind("inside", gateway="inside")) == ("ClusterIP", "LoadBalancer")
    assert kind("inside", config={"ingress": {"kind": "nodePort"}}) == "NodePort"


def test_what_is_given_says_whether_routes_must_name_the_gateway() -> None:
    def given(name: str) -> Gateway:
        (found,) = Emissary.offers(Setting(name, EmissaryConfig(), Platform())).capabilities
        assert isinstance(found, Gateway)
        return found

    assert (given("emissary").name, given("emissary").identified) == ("default", False)
    assert (given("inside").name, given("inside").identified) == ("inside", True)
    assert given("inside").service == "inside-ingress"


def test_two_gateways_in_one_namespace_are_refused() -> None:
    same = {name: ComponentFact("", "emissary", component="emissary") for name in ("emissary", "inside")}

    def texts(name: str) -> list[str]:
        return [each.text for each in Emissary.problems(Setting(name, EmissaryConfig(), Platform(components=same)))]

    assert texts("inside") == ["components.inside: its namespace emissary is that of emissary, and each needs its own"]
    assert texts("emissary") == []


def test_what_an_ingress_of_its_own_names_is_the_clusters() -> None:
    ingress = {"kind": "cloud", "host": HOST, "tls": {"secret": "inner-tls"}}
    config = EmissaryConfig.from_file({"ingress": ingress, "namespace": "inside"})

    (existing,) = Emissary.offers(Setting("inside", config, Platform())).existing
    assert (existing.kind, existing.namespace, existing.name) == ("Secret", "inside", "inner-tls")


def test_policies_leave_the_doors_open_and_the_admin_port_to_the_cluster() -> None:
    made = build(Ingress(kind="cloud", host=HOST, tls=SECRET), network_policies=True)

    assert made.one("NetworkPolicy")["spec"]["ingress"] == [
        {"ports": [{"port": 8080, "protocol": "TCP"}, {"port": 8443, "protocol": "TCP"}]},
        {
            "from": [{"namespaceSelector": {}}],
            "ports": [{"port": 8877, "protocol": "TCP"}, {"port": 8005, "protocol": "TCP"}],
        },
    ]
    assert not build().of("NetworkPolicy")


def test_nobody_is_asked_where_the_stack_has_nobody() -> None:
    made = build()

    assert made.names("AuthService") == []
    assert "bypass_auth" not in made.one("Mapping", "emissary-health")["spec"]


def test_the_stacks_authorization_service_is_asked_about_all_but_health() -> None:
    asked = AuthorizationService(name="who", host="who.auth.svc", port=4180, path_prefix="/oauth2", adds=("x-user",))
    made = build(provisions=(Provision.of(asked, EXTERNAL),))

    assert made.one("AuthService")["spec"] == {
        "auth_service": "who.auth.svc:4180",
        "proto": "http",
        "path_prefix": "/oauth2",
        "allowed_request_headers": ["authorization", "cookie"],
        "allowed_authorization_headers": ["x-user"],
        "failure_mode_allow": False,
        "timeout_ms": 5000,
    }
    assert made.one("Mapping", "emissary-health")["spec"]["bypass_auth"] is True


def test_the_entrance_of_a_stack_belongs_to_the_gateway_that_it_names() -> None:
    """Two gateways at one node port, or two balancers for one host, would be one too many."""
    made = build(Ingress(kind="cloud"), gateway="istio-ingress-gateway")

    assert made.one("Service", "emissary-ingress")["spec"]["type"] == "ClusterIP"


def former(**facts: Any) -> Objects:
    return build(config={"release": "3.10.0"}, **facts)


def test_the_former_line_brings_what_converts_its_objects() -> None:
    made = former()
    container = made.container("Deployment", "emissary-apiext")

    assert container["image"] == "docker.io/emissaryingress/emissary:3.10.0"
    assert container["command"] == ["apiext", "emissary-apiext"]
    assert [port["port"] for port in found(made, "Service")["emissary-apiext"]["spec"]["ports"]] == [443]
    assert "emissary-apiext" not in found(build(), "Deployment")


def test_definitions_are_those_that_the_webhook_looks_for() -> None:
    """It takes the label for its selector, and writes the authority into those with several versions."""
    made = former()
    selector = made.arguments("Deployment", "emissary-apiext")[-1]
    crds = [each for each in made.of("CustomResourceDefinition") if "conversion" in each["spec"]]
    names = {each["metadata"]["name"] for each in crds}
    rules = made.rules("ClusterRole", "emissary-apiext")
    (written,) = [rule["resourceNames"] for rule in rules if "update" in rule["verbs"]]

    assert len(crds) == 13
    assert {f"{key}={value}" for each in crds for key, value in each["metadata"]["labels"].items()} > {selector}
    assert {each["spec"]["conversion"]["webhook"]["clientConfig"]["service"]["namespace"] for each in crds} == {
        "emissary"
    }
    assert set(written) == names
    assert {drift.name for drift in made.build.drifts} == names
    assert {pointer for drift in made.build.drifts for pointer in drift.pointers} == {
        "/spec/conversion/webhook/clientConfig/caBundle"
    }


def test_the_gateway_waits_until_its_objects_can_be_read() -> None:
    (waiting,) = pod_spec(former())["initContainers"]

    assert waiting["image"] == "docker.io/emissaryingress/emissary:3.10.0"
    assert waiting["command"][-1] == "emissary-apiext.emissary.svc"
    assert "initContainers" not in pod_spec(build())


def test_a_second_gateway_shares_the_first_ones_webhook() -> None:
    there = {
        "emissary": ComponentFact("3.10.0", "doors", component="emissary"),
        "inside": ComponentFact("3.10.0", "inside", component="emissary"),
    }
    made = build(name="inside", config={"release": "3.10.0", "namespace": "inside"}, components=there)

    assert set(found(made, "Deployment")) == {"inside-ingress"}
    assert made.pod("Deployment", "inside-ingress")["initContainers"][0]["command"][-1] == "emissary-apiext.doors.svc"


def test_two_lines_of_releases_do_not_share_definitions() -> None:
    there = {
        "emissary": ComponentFact("4.1.0", "emissary", component="emissary"),
        "inside": ComponentFact("3.10.0", "inside", component="emissary"),
    }
    config = EmissaryConfig(release="3.10.0", namespace="inside")
    (problem,) = Emissary.problems(Setting("inside", config, Platform(components=there)))

    assert "3.10.0 and 4.1.0 of emissary share CRDs" in str(problem)


def test_objects_bear_the_id_that_conversion_would_write() -> None:
    """What is stored would else differ from what is in Git for ever."""
    made = former(ingress=Ingress(kind="cloud", host=HOST, tls=SECRET))
    ours = [each for each in made.all if each["apiVersion"].startswith("getambassador.io/")]
    at = Setting("emissary", EmissaryConfig(release="3.10.0"), Platform())
    (gateway,) = Emissary.offers(at).capabilities

    assert {tuple(each["spec"]["ambassador_id"]) for each in ours} == {("default",)}
    assert isinstance(gateway, Gateway)
    assert (gateway.name, gateway.identified) == ("default", True)


def served(made: Objects) -> dict[str, dict[str, bool]]:
    """Versions by definition, and whether each is stored."""
    crds = found(made, "CustomResourceDefinition")
    return {name: {each["name"]: each["storage"] for each in crd["spec"]["versions"]} for name, crd in crds.items()}


def test_release_4_serves_former_versions_where_the_stack_asks() -> None:
    """As upstream's `enableLegacyVersions` and `enableV1` have it: v2 is stored, and Listeners have one version."""
    plain, second = build(), build(config={"legacyVersions": ["v2"]})
    both = build(config={"legacyVersions": ["v1", "v2"], "storedVersion": "v3alpha1"})

    assert served(plain)["mappings.getambassador.io"] == {"v3alpha1": True}
    assert served(second)["mappings.getambassador.io"] == {"v2": True, "v3alpha1": False}
    assert served(both)["mappings.getambassador.io"] == {"v1": False, "v2": False, "v3alpha1": True}
    assert served(both)["hosts.getambassador.io"] == {"v2": False, "v3alpha1": True}
    assert served(second)["listeners.getambassador.io"] == {"v3alpha1": True}
    assert "emissary-apiext" not in found(plain, "Deployment")


def test_release_4_converts_with_an_image_of_its_own_and_waits_for_it() -> None:
    made = build(config={"legacyVersions": ["v2"]})
    variables = {each["name"]: each.get("value") for each in made.container("Deployment", "emissary-ingress")["env"]}
    (rule,) = made.rules("Role", "emissary-ingress-apiext-reader")

    assert made.container("Deployment", "emissary-apiext")["image"] == "ghcr.io/emissary-ingress/apiext:4.1.0"
    assert "initContainers" not in pod_spec(made)
    assert {key: value for key, value in variables.items() if "APIEXT" in key} == {
        "AMBASSADOR_APIEXT_WAIT": "true",
        "AMBASSADOR_APIEXT_DEPLOYMENT_NAME": "emissary-apiext",
        "AMBASSADOR_APIEXT_DEPLOYMENT_NAMESPACE": "emissary",
    }
    assert (rule["resources"], rule["resourceNames"], rule["verbs"]) == (["deployments"], ["emissary-apiext"], ["get"])
    assert "AMBASSADOR_APIEXT_WAIT" not in {
        each["name"] for each in build().container("Deployment", "emissary-ingress")["env"]
    }


def test_objects_of_release_4_name_their_gateway_while_they_are_converted() -> None:
    made = build(config={"legacyVersions": ["v2"]})
    (gateway,) = Emissary.offers(Setting("emissary", EmissaryConfig(legacy_versions=["v2"]), Platform())).capabilities

    assert made.one("Mapping", "emissary-health")["spec"]["ambassador_id"] == ["default"]
    assert isinstance(gateway, Gateway)
    assert gateway.identified


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"legacyVersions": ["v1"]}, "v1 is served only with v2; write \\[v1, v2\\]"),
        ({"storedVersion": "v2"}, "storedVersion: without legacyVersions there is v3alpha1 alone; leave it out"),
    ],
)
def test_versions_that_upstream_has_not_are_refused(fields: Manifest, told: str) -> None:
    with pytest.raises(ValidationError, match=told):
        EmissaryConfig(**fields)


def test_former_versions_are_said_once_and_where_there_is_a_choice() -> None:
    there = {
        "emissary": ComponentFact("4.1.0", "emissary", component="emissary"),
        "inside": ComponentFact("4.1.0", "inside", component="emissary"),
    }
    further = Setting("inside", EmissaryConfig(namespace="inside", legacy_versions=["v2"]), Platform(components=there))
    always = Setting("emissary", EmissaryConfig(release="3.10.0", legacy_versions=["v2"]), Platform())
    (second,), (old,) = Emissary.problems(further), Emissary.problems(always)

    assert second.text == "components.inside.legacyVersions: the CRDs are those of emissary"
    assert second.hint == "write it under components.emissary"
    assert old.text == "components.emissary.legacyVersions: 3.10.0 always serves v1 and v2"
    assert old.hint == "leave it out"


@pytest.mark.parametrize(
    ("families", "policy", "bound"),
    [(["IPv6"], "SingleStack", "::"), (["IPv4"], "SingleStack", None), (["IPv6", "IPv4"], "RequireDualStack", None)],
)
def test_the_service_has_the_address_families_of_the_stack(families: list[str], policy: str, bound: str | None) -> None:
    made = build(Ingress.from_file({"kind": "cloud", "ipFamilies": families}))
    service = found(made, "Service")["emissary-ingress"]["spec"]
    variables = {each["name"]: each.get("value") for each in pod_spec(made)["containers"][0]["env"]}

    assert (service["ipFamilies"], service["ipFamilyPolicy"]) == (families, policy)
    assert variables.get("AMBASSADOR_ENVOY_BIND_ADDRESS") == bound
    assert "ipFamilies" not in found(build(Ingress(kind="cloud")), "Service")["emissary-ingress"]["spec"]


def test_emissary_listens_on_one_address_family() -> None:
    both = setting(gateway="emissary", ingress=Ingress.from_file({"kind": "cloud", "ipFamilies": ["IPv4", "IPv6"]}))
    (problem,) = Emissary.problems(both)

    assert problem.text == "ingress.ipFamilies: Emissary listens on addresses of one family"
    one = setting(gateway="emissary", ingress=Ingress.from_file({"kind": "cloud", "ipFamilies": ["IPv6"]}))
    assert list(Emissary.problems(one)) == []


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"kind": "cloud", "ipFamilies": ["IPv4", "IPv4"]}, "ipFamilies names one family twice"),
        (
            {"kind": "metallb", "addresses": ["10.0.0.0/28"], "ipFamilies": ["IPv4", "IPv6"]},
            "ipFamilies: no address of IPv6 is among the addresses",
        ),
        (
            {"kind": "metallb", "addresses": ["fd00::/120"], "ipFamilies": ["IPv4"]},
            "ipFamilies: no address of IPv4 is among the addresses",
        ),
    ],
)
def test_families_that_no_address_serves_are_refused(fields: dict[str, Any], told: str) -> None:
    with pytest.raises(ValidationError, match=told):
        Ingress.from_file(fields)


@pytest.mark.parametrize("version", ["3.10.0", "4.1.0"])
def test_it_awaits_all_its_kinds_since_it_never_watches_one_that_is_missing_at_start(version: str) -> None:
    made = build(config={"release": version})
    kinds = {each["spec"]["names"]["kind"] for each in made.of("CustomResourceDefinition")}

    assert {*made.build.awaits} == {f"{kind}.getambassador.io" for kind in kinds}
