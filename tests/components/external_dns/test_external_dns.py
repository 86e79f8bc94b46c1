"""external-dns: what it reads follows from the gateways, where it writes from their hosts."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import ValidationError

from platform_def.capabilities import Gateway, HostRecords
from platform_def.components.gateways.emissary.component import Emissary
from platform_def.components.gateways.external_dns.component import ExternalDns, ExternalDnsConfig
from platform_def.components.gateways.istio_ingress_gateway.component import IstioIngressGateway
from platform_def.config.capability import EXTERNAL, Capability, Provision
from platform_def.config.cluster import Ingress
from platform_def.config.platform import Platform
from platform_def.constructs import Setting
from tests.unit.built import Objects, built, grants

HOST = "platform.example.com"
APIS = {
    "emissary": "Host.getambassador.io",
    "gateway-api": "HTTPRoute.gateway.networking.k8s.io",
    "istio": "Gateway.networking.istio.io",
}
AWS: dict[str, Any] = {"aws": {}}


def door(api: Any = "emissary", **fields: Any) -> Gateway:
    said = {"host": HOST, "balanced": True, **fields}
    return Gateway(api=api, name="door", namespace="doors", **said)


def platform(*gateways: Gateway, **facts: Any) -> Platform:
    """A stack with these gateways, called a, b, c."""
    given = tuple(Provision.of(each, name) for name, each in zip("abc", gateways, strict=False))
    return Platform(cluster="train", provisions=given, **{"apis": frozenset(APIS.values()), **facts})


def made(*gateways: Gateway, name: str = "", provider: dict[str, Any] | None = None, **config: Any) -> Objects:
    return built(ExternalDns, platform(*(gateways or (door(),))), name=name, provider=provider or AWS, **config)


def told(at: Platform, **config: Any) -> list[str]:
    chosen = ExternalDnsConfig.from_file({"provider": AWS, **config})
    return [str(each) for each in ExternalDns.problems(Setting("external-dns", chosen, at))]


def flags(objects: Objects, name: str = "external-dns") -> list[str]:
    return objects.arguments("Deployment", name)


@pytest.mark.parametrize(
    ("api", "source", "group", "resources"),
    [
        ("emissary", "ambassador-host", "getambassador.io", ["hosts"]),
        ("gateway-api", "gateway-httproute", "gateway.networking.k8s.io", ["gateways", "httproutes"]),
        ("istio", "istio-gateway", "networking.istio.io", ["gateways"]),
    ],
)
def test_a_gateways_own_objects_are_read_and_no_others(api: str, source: str, group: str, resources: list[str]) -> None:
    found = made(door(api))
    rules = found.rules("ClusterRole")

    assert [each for each in flags(found) if each.startswith("--source")] == [f"--source={source}"]
    assert all(grants(rules, group, each) == {"get", "list", "watch"} for each in resources)
    assert {each["apiGroups"][0] for each in rules} <= {group, "", "networking.k8s.io"}
    assert not grants(rules, "", "pods") | grants(rules, "", "secrets")
    assert tuple(found.build.awaits) == (APIS[api],)


def test_further_sources_bring_their_rights() -> None:
    rules = made(sources=["service"]).rules("ClusterRole")

    assert grants(rules, "", "nodes") == {"list", "watch"}
    assert grants(rules, "discovery.k8s.io", "endpointslices") == {"get", "list", "watch"}


def test_it_writes_in_the_domains_of_the_hosts_under_the_clusters_name() -> None:
    found = flags(made(door(), door("istio", host="models.example.org")))

    assert [each for each in found if "domain" in each] == [
        "--domain-filter=example.com",
        "--domain-filter=example.org",
    ]
    assert {"--policy=upsert-only", "--registry=txt", "--txt-owner-id=train"} <= set(found)


def test_hosts_of_other_gateways_are_left_out() -> None:
    found = flags(made(door(), door(host="inside.example.com"), gateways=["a"]))

    assert "--exclude-domains=inside.example.com" in found
    assert not [each for each in flags(made(door(), door(host="inside.example.com"))) if "exclude" in each]


def test_a_second_instance_is_an_owner_of_its_own() -> None:
    found = made(name="inside-dns")

    assert "--txt-owner-id=train-inside-dns" in flags(found, "inside-dns")
    assert found.names("ClusterRole") == ["inside-dns"]


def test_two_pods_never_run_at_once() -> None:
    spec = made().one("Deployment")["spec"]

    assert (spec["replicas"], spec["strategy"]) == (1, {"type": "Recreate"})


@pytest.mark.parametrize(
    ("provider", "variables"),
    [
        (
            {"aws": {"credentials": {"existing": "dns", "keys": {"accessKeyId": "id"}}}},
            {"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secretAccessKey"},
        ),
        ({"cloudflare": {"credentials": {"existing": "dns"}}}, {"CF_API_TOKEN": "apiToken"}),
        (
            {"pdns": {"server": "https://pdns.example.com", "credentials": {"existing": "dns"}}},
            {"EXTERNAL_DNS_PDNS_API_KEY": "apiKey"},
        ),
        (
            {"rfc2136": {"host": "10.0.0.53", "zones": ["a.b"], "keyName": "k", "credentials": {"existing": "dns"}}},
            {"EXTERNAL_DNS_RFC2136_TSIG_SECRET": "tsigSecret"},
        ),
    ],
)
def test_credentials_are_variables_from_a_secret(provider: dict[str, Any], variables: dict[str, str]) -> None:
    container = made(provider=provider).container("Deployment")
    found = {each["name"]: each["valueFrom"]["secretKeyRef"] for each in container["env"]}

    assert found == {name: {"name": "dns", "key": key} for name, key in variables.items()}
    assert f"--provider={next(iter(provider))}" in container["args"]


def test_google_and_azure_are_given_files() -> None:
    key = {"credentials": {"existing": "dns"}}
    google = made(provider={"google": {"project": "my-zones", "zoneVisibility": "public", **key}})
    azure = made(provider={"azure": {"resourceGroup": "dns", **key}})

    assert google.container("Deployment")["env"] == [
        {"name": "GOOGLE_APPLICATION_CREDENTIALS", "value": "/etc/credentials/credentials.json"}
    ]
    assert google.pod("Deployment")["volumes"][0]["secret"]["items"][0]["path"] == "credentials.json"
    assert {"--google-project=my-zones", "--google-zone-visibility=public"} <= set(flags(google))
    assert azure.container("Deployment")["volumeMounts"] == [
        {"name": "azure", "mountPath": "/etc/kubernetes", "readOnly": True}
    ]
    assert azure.pod("Deployment")["volumes"][0]["secret"]["secretName"] == "dns"


def test_azures_workload_identity_needs_no_secret() -> None:
    numbers = {"tenantId": f"{0:08x}-0000-0000-0000-{1:012x}", "subscriptionId": f"{0:08x}-0000-0000-0000-{2:012x}"}
    found = made(provider={"azure": {"private": True, "resourceGroup": "dns", **numbers}})
    told_by = json.loads(found.one("ConfigMap")["data"]["azure.json"])
    labels = found.one("Deployment")["spec"]["template"]["metadata"]["labels"]

    assert "--provider=azure-private-dns" in flags(found)
    assert told_by == {**numbers, "resourceGroup": "dns", "useWorkloadIdentityExtension": True}
    assert labels["azure.workload.identity/use"] == "true"


@pytest.mark.parametrize(
    ("provider", "said"),
    [
        ({}, "name one of aws, azure"),
        ({"aws": {}, "google": {"project": "my-zones"}}, "name one of aws, azure"),
        ({"azure": {"resourceGroup": "dns"}}, "workload identity needs tenantId, subscriptionId"),
        ({"cloudflare": {"credentials": {"generate": {}}}}, "a generated password opens nothing there"),
        ({"aws": {"assumeRole": "admin"}}, "assumeRole"),
    ],
)
def test_a_provider_that_could_not_be_reached_is_refused(provider: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        ExternalDnsConfig.from_file({"provider": provider})


def test_a_stack_without_a_host_is_told() -> None:
    (problem,) = told(platform(door(host=None)))

    assert "no gateway of the stack has a host" in problem
    assert "ingress: {host: …}" in problem


def test_sources_alone_must_say_where_they_may_write() -> None:
    assert "domains" in told(platform(), sources=["service"])[0]
    assert told(platform(), sources=["service"], domains=["example.com"]) == []


def test_a_gateway_that_is_none_is_told() -> None:
    assert "components.external-dns.gateways: z is no gateway" in told(platform(door()), gateways=["z"])[0]
    assert "a has no host" in told(platform(door(host=None)), gateways=["a"])[0]


def test_a_host_outside_the_domains_is_told() -> None:
    (problem,) = told(platform(door()), domains=["example.org"])

    assert f"{HOST}, of a, lies in none of them" in problem


def test_a_gateway_without_a_load_balancer_needs_targets() -> None:
    there = platform(door(balanced=False))

    assert "no load balancer" in told(there)[0]
    assert told(there, targets=["203.0.113.7"]) == []
    outside = Platform(provisions=(Provision.of(door(balanced=False), EXTERNAL),), apis=frozenset(APIS.values()))
    assert told(outside) == []


def test_a_source_that_nobody_serves_is_told() -> None:
    (problem,) = told(platform(door("istio"), apis=frozenset()))

    assert "Gateway.networking.istio.io" in problem


def gateway(component: Any, *given: Capability, **config: Any) -> Objects:
    provisions = tuple(Provision.of(each, f"dns-{index}") for index, each in enumerate(given))
    if component is IstioIngressGateway:
        from platform_def.capabilities import Mesh

        provisions += (Provision.of(Mesh(api="istio", root_namespace="istio-system"), "istio"),)
    there = Platform(gateway=component.slug, ingress=Ingress(kind="cloud", host=HOST), provisions=provisions)
    return built(component, there, **config)


def test_a_host_of_emissary_names_its_service_for_records_alone() -> None:
    def annotations(*given: Capability) -> Any:
        return gateway(Emissary, *given).one("Host")["metadata"].get("annotations")

    assert annotations() is None
    assert annotations(HostRecords(gateways=["another"])) is None
    assert annotations(HostRecords()) == {"external-dns.ambassador-service": "emissary/emissary-ingress"}


@pytest.mark.parametrize("api", ["istio", "gateway-api"])
def test_targets_are_said_on_the_gateway_that_they_are_for(api: str) -> None:
    target = {"external-dns.kubernetes.io/target": "203.0.113.7,203.0.113.8"}
    mine = HostRecords(gateways=["istio-ingress-gateway"], targets=["203.0.113.7", "203.0.113.8"])
    others = HostRecords(gateways=["emissary"], targets=["10.0.0.1"])
    found = gateway(IstioIngressGateway, mine, others, api=api).one("Gateway")

    assert found["metadata"]["annotations"] == target
    assert "annotations" not in gateway(IstioIngressGateway, others, api=api).one("Gateway")["metadata"]
