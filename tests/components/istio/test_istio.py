"""Istio's control plane."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
import yaml

from platform_def.capabilities import AuthorizationService, Mesh, MeshRedirection, Metrics
from platform_def.components.gateways.istio.component import Istio
from platform_def.config.capability import EXTERNAL, Provision
from platform_def.config.platform import ComponentFact, Platform
from platform_def.manifests.admission import selects
from tests.cluster.scrape import read
from tests.cluster.targets import kept
from tests.unit.built import Objects, built, grants, setting, told

CNI = Provision.of(MeshRedirection(api="istio"), "istio-cni")


def mesh_settings(made: Objects, name: str = "istio") -> dict[str, Any]:
    """The mesh's settings."""
    found: dict[str, Any] = yaml.safe_load(made.one("ConfigMap", name)["data"]["mesh"])
    return found


def templates(made: Objects) -> dict[str, str]:
    """The injector's templates."""
    found: dict[str, str] = yaml.safe_load(made.one("ConfigMap", "istio-sidecar-injector")["data"]["config"])[
        "templates"
    ]
    return found


def filled(template: str) -> list[Any]:
    """A template's documents with a word for each expression, and loops run once: what is left must be YAML."""
    words = r"(?:\$\w+ :?=|range|if|end)[^}]*"
    trimmed = re.sub(rf"\s*\{{\{{- ?{words}(?:-\}}\}}\s*|\}}\}})", "", template)
    once = re.sub(rf"\{{\{{ ?{words}\}}\}}", "", trimmed)
    return list(yaml.safe_load_all(re.sub(r"\{\{.*?\}\}", "word", once)))


def test_the_default_revision_has_upstreams_names() -> None:
    made = built(Istio)

    assert made.names("Deployment") == ["istiod"]
    assert made.names("ConfigMap") == ["istio", "istio-sidecar-injector"]
    assert made.names("MutatingWebhookConfiguration") == ["istio-sidecar-injector"]
    assert made.names("ValidatingWebhookConfiguration") == ["istio-validator-istio-system", "istiod-default-validator"]
    assert "istiod-clusterrole-istio-system" in made.names("ClusterRole")


def test_another_instance_is_a_revision_with_names_of_its_own() -> None:
    there = {name: ComponentFact("", "istio-system", component="istio") for name in ("istio", "istio-next")}
    made = built(Istio, Platform(components=there), name="istio-next")

    assert made.names("Deployment") == ["istiod-next"]
    assert mesh_settings(made, "istio-next")["defaultConfig"]["discoveryAddress"] == (
        "istiod-next.istio-system.svc:15012"
    )
    assert made.names("CustomResourceDefinition") == []
    assert made.names("PeerAuthentication") == []


def test_all_revisions_share_the_kinds_of_the_newest() -> None:
    there = {
        name: ComponentFact(release, "istio-system", component="istio")
        for name, release in (("istio", "1.30.4"), ("istio-next", "1.31.1"))
    }
    old, both = built(Istio, release="1.30.4"), built(Istio, Platform(components=there), release="1.30.4")

    def rewrites(made: Objects) -> bool:
        (version, *_) = made.one("CustomResourceDefinition", "virtualservices.networking.istio.io")["spec"]["versions"]
        rules = version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["http"]["items"]
        return "prefixRewrite" in rules["properties"]["redirect"]["properties"]

    assert (rewrites(old), rewrites(both)) == (False, True)


def test_istiod_finds_its_webhooks_by_the_revision_in_their_label() -> None:
    made = built(Istio, name="istio-next")

    for kind in ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"):
        assert made.of(kind)[0]["metadata"]["labels"]["istio.io/rev"] == "next"
    variables = {each["name"]: each.get("value") for each in made.container("Deployment")["env"]}
    assert variables["REVISION"] == "next"
    assert variables["INJECTION_WEBHOOK_CONFIG_NAME"] == "istio-sidecar-injector-next"


def test_only_the_default_revision_takes_pods_that_name_none() -> None:
    first = {each["name"] for each in built(Istio).one("MutatingWebhookConfiguration")["webhooks"]}
    next_one = {
        each["name"] for each in built(Istio, name="istio-next").one("MutatingWebhookConfiguration")["webhooks"]
    }

    assert first - next_one == {"namespace.sidecar-injector.istio.io", "object.sidecar-injector.istio.io"}


def judged_by(made: Objects, labels: dict[str, str]) -> list[str]:
    """Who is asked about an object of Istio's with these labels."""
    return [
        each["metadata"]["name"]
        for each in made.of("ValidatingWebhookConfiguration")
        if selects(each["webhooks"][0]["objectSelector"], labels)
    ]


def test_objects_that_name_no_revision_are_judged_by_the_default_one() -> None:
    first, following = built(Istio), built(Istio, name="istio-next")

    assert judged_by(first, {}) == ["istiod-default-validator"]
    assert judged_by(first, {"istio.io/rev": "default"}) == ["istio-validator-istio-system"]
    assert judged_by(first, {"istio.io/rev": "next"}) == []
    assert judged_by(following, {}) == []
    assert judged_by(following, {"istio.io/rev": "next"}) == ["istio-validator-next-istio-system"]


def test_every_injector_matches_only_what_somebody_chose() -> None:
    """They refuse a pod while istiod is away, so none may reach a pod that nobody put into the mesh."""
    for hook in built(Istio).one("MutatingWebhookConfiguration")["webhooks"]:
        chosen = [
            each
            for selector in (hook["namespaceSelector"], hook["objectSelector"])
            for each in selector["matchExpressions"]
            if each["operator"] == "In"
        ]

        assert chosen, hook["name"]


def test_no_injector_is_asked_about_the_pods_that_answer_it() -> None:
    """The last of them could not come back: it would wait for its own answer."""
    made = built(Istio)
    labels = made.one("Deployment")["spec"]["template"]["metadata"]["labels"]
    chosen = [
        hook["name"]
        for hook in made.one("MutatingWebhookConfiguration")["webhooks"]
        if selects(hook["namespaceSelector"], {}) and selects(hook["objectSelector"], labels)
    ]

    assert chosen == []


def test_what_istiod_writes_is_no_drift() -> None:
    drifts = {(each.kind, each.name): each.pointers for each in built(Istio).build.drifts}

    assert drifts["ValidatingWebhookConfiguration", "istio-validator-istio-system"] == (
        "/webhooks/0/clientConfig/caBundle",
        "/webhooks/0/failurePolicy",
    )
    assert len(drifts["MutatingWebhookConfiguration", "istio-sidecar-injector"]) == 4


@pytest.mark.parametrize(("word", "mode"), [("strict", "STRICT"), ("permissive", "PERMISSIVE")])
def test_mutual_tls_is_as_strict_as_the_stack_says(word: str, mode: str) -> None:
    assert built(Istio, mtls=word).one("PeerAuthentication")["spec"] == {"mtls": {"mode": mode}}


def test_everything_is_refused_by_default_where_asked_for() -> None:
    assert built(Istio).names("AuthorizationPolicy") == []
    assert built(Istio, deny_by_default=True).one("AuthorizationPolicy", "global-deny-all")["spec"] == {}


def test_paths_are_compared_without_doubled_slashes() -> None:
    """`//admin` would pass a policy about `/admin`, and reach a program that reads both alike."""
    assert mesh_settings(built(Istio))["pathNormalization"] == {"normalization": "MERGE_SLASHES"}


def test_settings_follow_the_stack() -> None:
    usual, other = mesh_settings(built(Istio)), mesh_settings(built(Istio, access_log=True, registry_only=True))

    assert "accessLogFile" not in usual
    assert "outboundTrafficPolicy" not in usual
    assert other["accessLogFile"] == "/dev/stdout"
    assert other["outboundTrafficPolicy"] == {"mode": "REGISTRY_ONLY"}


def test_an_authorization_service_is_a_provider_that_policies_may_name() -> None:
    asked = AuthorizationService(name="who", host="who.auth.svc", port=4180, path_prefix="/oauth2", adds=("user",))
    given = mesh_settings(built(Istio, Platform(provisions=(Provision.of(asked, EXTERNAL),))))

    assert given["extensionProviders"] == [
        {
            "name": "who",
            "envoyExtAuthzHttp": {
                "service": "who.auth.svc",
                "port": 4180,
                "pathPrefix": "/oauth2",
                "includeRequestHeadersInCheck": ["authorization", "cookie"],
                "headersToUpstreamOnAllow": ["user"],
                "headersToDownstreamOnDeny": ["content-type", "location", "set-cookie"],
            },
        }
    ]
    assert "extensionProviders" not in mesh_settings(built(Istio))


def test_the_sidecar_is_a_native_one_behind_what_leads_traffic_to_it() -> None:
    (pod,) = filled(templates(built(Istio))["sidecar"])
    init, proxy = pod["spec"]["initContainers"]

    assert (init["name"], init["securityContext"]["capabilities"]["add"]) == ("istio-init", ["NET_ADMIN", "NET_RAW"])
    assert proxy["restartPolicy"] == "Always"
    assert proxy["securityContext"]["runAsUser"] == 1337
    mounted = {each["name"] for each in proxy["volumeMounts"]}
    assert mounted == {each["name"] for each in pod["spec"]["volumes"]}


def test_with_a_cni_plugin_no_pod_gets_rights() -> None:
    (pod,) = filled(templates(built(Istio, Platform(provisions=(CNI,))))["sidecar"])
    init = pod["spec"]["initContainers"][0]

    assert init["name"] == "istio-validation"
    assert "add" not in init["securityContext"]["capabilities"]
    assert init["securityContext"]["runAsNonRoot"] is True
    assert "--run-validation" in init["args"]


def test_images_of_proxies_come_through_the_mirror() -> None:
    made = built(Istio, Platform(registry="registry.example.com"))

    found = re.findall(r"`([^`]*proxyv2[^`]*)`", templates(made)["sidecar"])
    assert set(found) == {"registry.example.com/docker.io/istio/proxyv2:1.31.1"}
    assert Istio.runtime_images(setting(Istio)) == ("docker.io/istio/proxyv2:1.31.1",)


def test_gateways_of_gateway_api_are_made_where_asked_for() -> None:
    usual, other = built(Istio), built(Istio, manages_gateways=True)
    account, deployment, service = filled(templates(other)["kube-gateway"])

    assert "kube-gateway" not in templates(usual)
    assert "istiod-gateway-controller-istio-system" not in usual.names("ClusterRole")
    assert "create" in grants(
        other.rules("ClusterRole", "istiod-gateway-controller-istio-system"), "apps", "deployments"
    )
    assert [account["kind"], deployment["kind"], service["kind"]] == ["ServiceAccount", "Deployment", "Service"]
    (proxy,) = deployment["spec"]["template"]["spec"]["containers"]
    assert proxy["securityContext"]["runAsNonRoot"] is True


def test_accounts_of_gateways_that_istiod_makes_name_the_stacks_pull_secrets() -> None:
    made = built(Istio, Platform(pull_secrets=["registry"]), manages_gateways=True)
    account, *_ = filled(templates(made)["kube-gateway"])

    assert account["imagePullSecrets"] == [{"name": "registry"}]
    assert "imagePullSecrets" not in filled(templates(built(Istio, manages_gateways=True))["kube-gateway"])[0]


def test_the_injectors_values_are_few() -> None:
    values = yaml.safe_load(built(Istio).one("ConfigMap", "istio-sidecar-injector")["data"]["values"])

    assert values["global"]["proxy"]["image"] == "docker.io/istio/proxyv2:1.31.1"
    assert json.dumps(values)


def test_namespaces_in_the_mesh_are_labelled_for_their_revision() -> None:
    config = {"inject": ["models"]}
    (first,) = Istio.offers(setting(Istio, config)).namespaces
    (second,) = Istio.offers(setting(Istio, {**config, "revision": "next"})).namespaces

    assert (first.labels, first.pod_security) == ((("istio-injection", "enabled"),), "privileged")
    assert second.labels == (("istio.io/rev", "next"),)


def test_the_mesh_says_where_proxies_ask() -> None:
    (given,) = Istio.offers(
        setting(Istio, {"revision": "next", "mtls": "permissive", "inject": ["models"]})
    ).capabilities

    assert isinstance(given, Mesh)
    assert given == Mesh(
        api="istio",
        revision="next",
        root_namespace="istio-system",
        discovery="istiod-next.istio-system.svc:15012",
        redirected=False,
        strict=False,
        namespaces=("models",),
        gateway_kinds=given.gateway_kinds,
    )


@pytest.mark.parametrize(
    ("release", "bundle", "env", "reads"),
    [
        ("1.31.1", "", {}, ["ListenerSet", "TLSRoute", "TCPRoute"]),
        ("1.31.1", "1.6.1-experimental", {}, ["ListenerSet", "TLSRoute", "TCPRoute"]),
        ("1.31.1", "1.5.1", {}, ["ListenerSet", "TLSRoute"]),
        ("1.31.1", "1.4.0", {}, []),
        ("1.30.4", "1.5.1", {}, ["ListenerSet", "TLSRoute"]),
        ("1.30.4", "1.5.1", {"PILOT_ENABLE_ALPHA_GATEWAY_API": "true"}, ["ListenerSet", "TLSRoute", "TCPRoute"]),
    ],
)
def test_which_kinds_of_gateway_api_are_read_goes_by_release_and_bundle(
    release: str, bundle: str, env: dict[str, str], reads: list[str]
) -> None:
    workloads = {"istiod": {"containers": {"discovery": {"env": env}}}}
    there = Platform(components={"gateway-api": ComponentFact(bundle, "default", component="gateway-api")})
    config = Istio.config_model().from_file({"release": release, "workloads": workloads})
    (given,) = Istio.offers(type(setting(Istio))("istio", config, there)).capabilities

    assert isinstance(given, Mesh)
    assert given.gateway_kinds is not None
    assert [
        each for each in given.gateway_kinds if each in ("ListenerSet", "TLSRoute", "TCPRoute", "UDPRoute")
    ] == reads


def test_revisions_share_a_namespace() -> None:
    found = told(Istio, {"namespace": "mesh"}, beside={})
    assert found == []

    there = {
        "istio": ComponentFact("", "istio-system", component="istio"),
        "istio-next": ComponentFact("", "mesh", component="istio"),
    }
    config = Istio.config_model()(namespace="mesh")
    at = setting(Istio)
    problems = list(Istio.problems(type(at)("istio-next", config, Platform(components=there))))
    assert [each.text for each in problems] == [
        (
            "components.istio-next: its namespace mesh is not that of istio, and pods of one revision would not trust "
            "those of the other"
        )
    ]


def test_two_control_planes_take_neither_one_revision_nor_one_namespace() -> None:
    other = Mesh(api="istio", revision="next", root_namespace="istio-system", namespaces=("models", "web"))
    beside = Platform(provisions=(Provision.of(other, "istio"),))
    config = Istio.config_model()(inject=["models", "shop"])
    at = setting(Istio)

    def problems(name: str) -> list[str]:
        return [each.text for each in Istio.problems(type(at)(name, config, beside))]

    assert problems("istio-next") == [
        "components.istio-next.revision: istio is the revision next already, and pods would ask the one or the other",
        "components.istio-next.inject: istio puts its proxies into models as well, and a namespace has one revision",
    ]
    assert problems("istio-other") == [
        "components.istio-other.inject: istio puts its proxies into models as well, and a namespace has one revision"
    ]
    assert problems("a-first-one") == []


def test_people_see_routes_and_write_none() -> None:
    """Whoever writes a VirtualService at the shared gateway gets the requests of others."""
    made = built(Istio)

    for role in ("kubeflow-istio-edit", "kubeflow-istio-view"):
        assert grants(made.rules("ClusterRole", role), "networking.istio.io", "virtualservices") == {
            "get",
            "list",
            "watch",
        }


def test_the_api_server_reaches_the_webhooks_where_policies_close_the_rest() -> None:
    made = built(Istio, Platform(network_policies=True))
    [rule] = made.one("NetworkPolicy", "istiod-webhook")["spec"]["ingress"]

    assert rule == {"ports": [{"port": 15017, "protocol": "TCP"}]}
    assert (
        made.one("NetworkPolicy", "istiod-webhook")["spec"]["podSelector"]
        == (made.one("NetworkPolicy", "istiod")["spec"]["podSelector"])
    )


def test_traces_go_to_the_collector_that_is_named() -> None:
    told = mesh_settings(built(Istio, tracing={"host": "collector.tracing.svc.cluster.local", "percent": 5}))

    assert told["extensionProviders"] == [
        {"name": "traces", "opentelemetry": {"service": "collector.tracing.svc.cluster.local", "port": 4317}}
    ]
    assert told["defaultProviders"] == {"metrics": ["prometheus"], "tracing": ["traces"]}
    assert told["defaultConfig"]["tracing"] == {"sampling": 5.0}
    assert told["defaultConfig"]["discoveryAddress"] == "istiod.istio-system.svc:15012"
    assert mesh_settings(built(Istio))["defaultProviders"] == {"metrics": ["prometheus"]}


def test_the_mesh_knows_the_namespaces_that_are_chosen() -> None:
    told = mesh_settings(built(Istio, discovery_selectors=[{"mesh": "yes"}, {"a": "b"}]))

    assert told["discoverySelectors"] == [{"matchLabels": {"mesh": "yes"}}, {"matchLabels": {"a": "b"}}]
    assert "discoverySelectors" not in mesh_settings(built(Istio))


def test_networks_go_past_the_proxy_with_and_without_the_plugin() -> None:
    """The plugin reads annotations, and istio-init a flag."""
    networks = ["10.8.0.0/16", "10.9.0.0/16"]
    word = "annotation .ObjectMeta `traffic.sidecar.istio.io/excludeOutboundIPRanges`"
    plugin = Platform(provisions=(Provision.of(MeshRedirection(api="istio"), "istio-cni"),))

    assert templates(built(Istio, excluded_ranges=networks))["sidecar"].count(f"{word} `10.8.0.0/16,10.9.0.0/16`") == 1
    assert templates(built(Istio, plugin, excluded_ranges=networks))["sidecar"].count(f"{word} `10.8.0.0/16,10.9") == 2
    assert templates(built(Istio))["sidecar"].count(f"{word} ``") == 1


def test_proxies_are_as_large_as_the_stack_says() -> None:
    sizes = {"cpu": "50m", "memory": "64Mi", "cpu_limit": "1", "memory_limit": "256Mi"}
    told, usual = templates(built(Istio, proxy_resources=sizes))["sidecar"], templates(built(Istio))["sidecar"]

    for word, chosen, default in (
        ("proxyCPU", "50m", "100m"),
        ("proxyMemory", "64Mi", "128Mi"),
        ("proxyCPULimit", "1", "2"),
        ("proxyMemoryLimit", "256Mi", "1Gi"),
    ):
        assert told.count(f"`sidecar.istio.io/{word}` `{chosen}`") == 2
        assert usual.count(f"`sidecar.istio.io/{word}` `{default}`") == 2


def watched(*, name: str = "istio", **facts: Any) -> Objects:
    """The mesh in a stack with a Prometheus."""
    prometheus = Provision.of(Metrics(labels={"release": "prometheus"}), "prometheus")
    return built(Istio, Platform(provisions=(prometheus,), **facts), name=name)


def test_proxies_of_all_namespaces_are_read_where_the_stack_has_a_prometheus() -> None:
    monitor = watched().one("PodMonitor", "istio-proxies")
    (end,) = monitor["spec"]["podMetricsEndpoints"]

    assert monitor["metadata"]["labels"]["release"] == "prometheus"
    assert monitor["spec"]["namespaceSelector"] == {"any": True}
    assert (end["port"], end["path"]) == ("http-envoy-prom", "/stats/prometheus")
    assert built(Istio).names("PodMonitor") == []


@pytest.mark.parametrize("template", ["sidecar", "kube-gateway"])
def test_the_monitor_selects_what_the_injector_makes(template: str) -> None:
    (chosen,) = watched().one("PodMonitor", "istio-proxies")["spec"]["selector"]["matchExpressions"]
    text = templates(built(Istio, manages_gateways=True))[template]
    specs = [each["spec"] for each in filled(text) if each.get("kind", "Deployment") == "Deployment"]
    (spec,) = (each.get("template", {}).get("spec", each) for each in specs)
    ports = [
        port
        for part in ("initContainers", "containers")
        for each in spec.get(part, [])
        for port in each.get("ports", [])
    ]

    # Labels of a gateway's pods are an expression, whose text has the name.
    assert (chosen["operator"], chosen["key"] in text) == ("Exists", True)
    assert {"containerPort": 15090, "name": "http-envoy-prom", "protocol": "TCP"} in ports


def test_proxies_are_read_once_however_many_revisions_there_are() -> None:
    there = {name: ComponentFact("", "istio-system", component="istio") for name in ("istio", "istio-next")}
    both = [watched(name=name, components=there) for name in there]

    assert [each.names("PodMonitor") for each in both] == [["istio-proxies"], []]
    assert [
        [
            rule["alert"]
            for group in each.one("PrometheusRule")["spec"]["groups"]
            for rule in group["rules"]
            if rule["alert"].startswith("IstioService")
        ]
        for each in both
    ] == [["IstioServiceFails", "IstioServiceUnreachable"], []]


ENVOY = """
istio_requests_total{reporter="source",source_principal="a",response_code="200"} 3
istio_requests_total{reporter="source",source_principal="b",response_code="200"} 4
istio_request_bytes_sum{reporter="source",source_principal="a"} 90
envoy_cluster_upstream_cx_total{cluster_name="x"} 4
"""
BOUNDS = [
    "0.5",
    "1",
    "5",
    "10",
    "25",
    "50",
    "100",
    "250",
    "500",
    "1000",
    "2500",
    "5000",
    "10000",
    "30000",
    "60000",
    "300000",
    "600000",
    "1800000",
    "3600000",
    "+Inf",
]


def test_series_that_differ_by_a_label_stay_two_and_what_nothing_shows_is_dropped() -> None:
    found = [*kept(read(ENVOY), watched().one("PodMonitor", "istio-proxies"))]

    keys = [(name, *sorted(labels.items())) for name, labels, _ in found]
    assert len(keys) == len({*keys})
    assert [(name, labels.get("source_principal")) for name, labels, _ in found] == [
        ("istio_requests_total", "a"),
        ("istio_requests_total", "b"),
        ("up", None),
    ]


def test_a_kind_of_answer_makes_as_many_series_as_the_page_says() -> None:
    lines = [f'istio_request_duration_milliseconds_bucket{{le="{each}"}} 1' for each in BOUNDS]
    lines += ["istio_requests_total 1"]
    lines += [f"istio_request_duration_milliseconds_{each} 1" for each in ("sum", "count")]
    page = read("\n".join(lines))
    found = [
        (name, labels) for name, labels, _ in kept(page, watched().one("PodMonitor", "istio-proxies")) if name != "up"
    ]

    assert len(found) == 16
    assert {"5", "100", "1000", "300000", "+Inf"} <= {labels.get("le") for _, labels in found}
