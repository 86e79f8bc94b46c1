"""What Emissary's component renders for each way in which traffic may enter."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from platform_def.components.gateways.emissary import Emissary, EmissaryConfig
from platform_def.config.cluster import Ingress, Tls
from platform_def.config.platform import Platform
from platform_def.constructs.render import Build, render
from platform_def.constructs.resource import Manifest

HOST = "platform.example.com"
SECRET = Tls(secret="platform-tls")
ISSUER = Tls(issuer="letsencrypt")


def build(ingress: Ingress | None = None, *, config: EmissaryConfig | None = None, **facts: object) -> Build:
    platform = Platform(**{"gateway": "emissary", "ingress": ingress or Ingress(), **facts})  # type: ignore[arg-type]
    return render(lambda scope: Emissary(scope, config=config, platform=platform))


def found(made: Build, kind: str) -> dict[str, Manifest]:
    bodies = (item.manifest for item in made.objects)
    return {body["metadata"]["name"]: body for body in bodies if body["kind"] == kind}


def pod_spec(made: Build) -> Manifest:
    spec: Manifest = found(made, "Deployment")["emissary-ingress"]["spec"]["template"]["spec"]
    return spec


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

    assert certificate["dnsNames"] == [HOST]
    assert certificate["issuerRef"] == {"kind": "ClusterIssuer", "name": "letsencrypt"}
    assert found(made, "Host")["emissary-ingress"]["spec"]["tlsSecret"] == {"name": certificate["secretName"]}


def test_an_issuer_needs_cert_manager_and_a_secret_does_not() -> None:
    def needs(tls: Tls) -> tuple[str, ...]:
        return Emissary.requires_of(EmissaryConfig(), Platform(ingress=Ingress(host=HOST, tls=tls)))

    assert needs(ISSUER) == ("cert-manager",)
    assert needs(SECRET) == ()


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
    assert found(made, "TLSContext")["emissary-ingress"]["spec"]["hosts"] == [HOST, f"{HOST}:*"]


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
        (need,) = Emissary.namespaces_of(EmissaryConfig(), Platform(ingress=ingress))
        return need.pod_security

    assert level(Ingress(kind="cloud")) == "baseline"
    assert level(Ingress(kind="hostNetwork")) == "privileged"


def test_what_configures_the_gateway_waits_for_it() -> None:
    parts = {item.manifest["kind"]: item.part for item in build(Ingress(host=HOST, tls=ISSUER)).objects}

    assert {kind for kind, part in parts.items() if part == "after"} == {
        "Certificate", "Host", "Listener", "Mapping", "Module", "TLSContext",
    }  # fmt: skip


def test_the_health_route_opens_one_path_of_the_admin_port() -> None:
    made = build(config=EmissaryConfig(namespace="gateway"))

    assert found(made, "Mapping")["emissary-health"]["spec"] == {
        "hostname": "*",
        "prefix": "/healthz",
        "prefix_exact": True,
        "rewrite": "/ambassador/v0/check_ready",
        "service": "emissary-ingress-admin.gateway:8877",
        "timeout_ms": 10_000,
    }


def test_another_namespace_leaves_no_trace_of_upstreams() -> None:
    made = build(Ingress(kind="cloud", host=HOST, tls=ISSUER), config=EmissaryConfig(namespace="gateway"))
    homes = {item.manifest["metadata"].get("namespace", "gateway") for item in made.objects}

    assert homes == {"gateway"}
    assert {
        subject["namespace"] for subject in found(made, "ClusterRoleBinding")["emissary-ingress"]["subjects"]
    } == homes


def test_the_role_is_plain_so_that_no_controller_writes_it() -> None:
    role = found(build(), "ClusterRole")["emissary-ingress"]

    assert role["rules"]
    assert "aggregationRule" not in role


def test_replicas_follow_the_knob_and_availability() -> None:
    def replicas(made: Build) -> int:
        count: int = found(made, "Deployment")["emissary-ingress"]["spec"]["replicas"]
        return count

    assert replicas(build()) == 1
    assert replicas(build(availability="ha")) == 3
    assert replicas(build(availability="ha", config=EmissaryConfig(replicas=5))) == 5


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
    assert not found(build(config=EmissaryConfig(ingress_class=None)), "IngressClass")


def test_crds_have_no_conversion_webhook() -> None:
    crds = found(build(), "CustomResourceDefinition")

    assert len(crds) == 14
    assert all("webhook" not in crd["spec"].get("conversion", {}) for crd in crds.values())
