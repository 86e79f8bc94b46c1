"""KServe: one domain for all that speaks of hosts, ways in by gateway, the store, servers, webhooks and caches."""

from __future__ import annotations

import json
from typing import Any

import pytest

from platform_def.capabilities import AuthorizationService, Gateway, ModelServing, ObjectStore, Serverless
from platform_def.components.serving.kserve.component import Kserve
from platform_def.components.serving.kserve.config import KserveConfig, ServerChoice
from platform_def.config.capability import Provision
from platform_def.config.platform import ComponentFact, Platform
from platform_def.config.pools import NodePool
from platform_def.config.teams import Team
from platform_def.constructs.component import Setting
from tests.unit.built import Objects, built, grants, platform, setting, told

ISTIO = Gateway(
    api="istio",
    name="istio-ingressgateway",
    namespace="istio-system",
    service="istio-ingressgateway",
    pods={"istio": "ingressgateway"},
    account="istio-ingressgateway-service-account",
    ingress_class="istio",
    host="ml.example.com",
)
EMISSARY = Gateway(
    api="emissary", name="default", namespace="emissary", ingress_class="ambassador", host="ml.example.com"
)
STORE: dict[str, Any] = {"host": "s3.example.com", "port": 8333, "ca": {"configMap": "store-ca", "key": "cabundle.crt"}}
KNATIVE = Serverless(
    domain="apps.example.com",
    scheme="https",
    ingress_gateway="knative-serving/knative-ingress-gateway",
    local_gateway="knative-serving/knative-local-gateway",
    local_service="knative-local-gateway.istio-system.svc.cluster.local",
)
GATEWAY_API = "Gateway.gateway.networking.k8s.io"


def stack(*given: tuple[str, Any], apis: tuple[str, ...] = (), **facts: Any) -> Platform:
    provisions = tuple(Provision.of(value, by) for by, value in given)
    gateway = next((by for by, value in given if isinstance(value, Gateway)), "none")
    return platform(provisions=provisions, apis=frozenset(apis), gateway=gateway, **facts)


def said(made: Objects, key: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(made.one("ConfigMap", "inferenceservice-config")["data"][key])
    return found


def store(**more: Any) -> tuple[str, ObjectStore]:
    return "external", ObjectStore.from_file({**STORE, "credentials": {"existing": "models"}, **more})


def test_without_a_gateway_pods_alone_reach_models() -> None:
    ingress = said(built(Kserve), "ingress")

    assert ingress["ingressDomain"] == "svc.cluster.local"
    assert ingress["disableIngressCreation"] is True


def test_the_domain_is_below_the_host_of_the_gateway() -> None:
    made = built(Kserve, stack(("gate", ISTIO), apis=(GATEWAY_API,)))

    assert said(made, "ingress")["ingressDomain"] == "models.ml.example.com"
    (listener,) = made.one("Gateway", "kserve-ingress-gateway")["spec"]["listeners"]
    assert listener["hostname"] == "*.models.ml.example.com"


def test_knative_says_domain_scheme_and_mode_for_both() -> None:
    made = built(Kserve, stack(("gate", ISTIO), ("knative-serving", KNATIVE)))
    ingress = said(made, "ingress")

    assert said(made, "deploy") == {"defaultDeploymentMode": "Knative"}
    assert (ingress["ingressDomain"], ingress["urlScheme"]) == ("apps.example.com", "https")
    assert ingress["localGatewayService"] == "knative-local-gateway.istio-system.svc.cluster.local"


def test_a_mode_that_the_stack_lacks_is_refused() -> None:
    assert said(built(Kserve), "deploy") == {"defaultDeploymentMode": "Standard"}
    assert any("the stack has no Knative" in each for each in told(Kserve, {"mode": "knative"}))


def test_istio_with_gateway_api_gets_http_routes_at_the_pods_of_the_gateway() -> None:
    made = built(Kserve, stack(("gate", ISTIO), apis=(GATEWAY_API,)), tls={"secret": "wildcard"})
    ingress = said(made, "ingress")
    gateway = made.one("Gateway", "kserve-ingress-gateway")

    assert ingress["enableGatewayApi"] is True
    assert ingress["kserveIngressGateway"] == "istio-system/kserve-ingress-gateway"
    assert ingress["urlScheme"] == "https"
    assert gateway["spec"]["addresses"][0]["value"] == "istio-ingressgateway.istio-system.svc.cluster.local"
    assert gateway["spec"]["listeners"][1]["tls"]["certificateRefs"][0]["name"] == "wildcard"
    assert gateway["spec"]["listeners"][0]["allowedRoutes"] == {"namespaces": {"from": "Same"}}


def test_the_certificate_of_the_domain_is_expected_where_the_gateway_reads_it() -> None:
    config = Kserve.config_model().from_file({"tls": {"secret": "wildcard"}})

    (found,) = Kserve.offers(Setting("kserve", config, stack(("gate", ISTIO)))).existing

    assert (found.kind, found.namespace, found.name) == ("Secret", "istio-system", "wildcard")


def test_istio_alone_gets_ingresses_of_its_class() -> None:
    made = built(Kserve, stack(("gate", ISTIO)))

    assert said(made, "ingress")["enableGatewayApi"] is False
    assert said(made, "ingress")["ingressClassName"] == "istio"
    assert made.one("IngressClass")["spec"] == {"controller": "istio.io/ingress-controller"}


def test_emissary_gets_ingresses_of_its_class_and_a_host_for_the_domain() -> None:
    made = built(Kserve, stack(("gate", EMISSARY)), tls={"secret": "wildcard"})

    assert said(made, "ingress")["ingressClassName"] == "ambassador"
    assert made.names("IngressClass") == []
    assert made.one("Host")["spec"] == {
        "hostname": "*.models.ml.example.com",
        "requestPolicy": {"insecure": {"action": "Redirect"}},
        "tlsSecret": {"name": "wildcard"},
    }


def test_where_people_are_asked_every_host_but_the_platforms_own_is() -> None:
    service = AuthorizationService(name="oauth2-proxy", host="oauth2-proxy.auth.svc.cluster.local", port=4180)
    asked = built(Kserve, stack(("gate", ISTIO), ("oauth2-proxy", service)))
    open_to_all = built(Kserve, stack(("gate", ISTIO), ("oauth2-proxy", service)), access="everyone")

    spec = asked.one("AuthorizationPolicy")["spec"]
    assert spec["action"] == "CUSTOM"
    assert spec["rules"][0]["to"][0]["operation"] == {
        "notHosts": ["ml.example.com", "ml.example.com:*"],
        "ports": ["8080", "8443"],
    }
    assert open_to_all.names("AuthorizationPolicy") == []


def test_the_store_is_told_once_and_opened_in_each_teams_namespace() -> None:
    made = built(Kserve, stack(store(), teams=(Team(name="vision"), Team(name="language"))))
    s3 = said(made, "credentials")["s3"]

    assert s3["s3Endpoint"] == "s3.example.com:8333"
    assert (s3["s3UseHttps"], s3["s3VerifySSL"], s3["s3UseVirtualBucket"]) == ("1", "1", "false")
    assert (s3["s3AccessKeyIDName"], s3["s3SecretAccessKeyName"]) == ("accessKey", "secretKey")
    accounts = [each for each in made.of("ServiceAccount") if each["metadata"]["name"] == "models"]
    assert [each["metadata"]["namespace"] for each in accounts] == ["team-vision", "team-language"]
    assert accounts[0]["secrets"] == [{"name": "models"}]


def test_the_authority_of_the_store_is_the_one_of_downloads() -> None:
    made = built(Kserve, stack(store()))

    assert said(made, "storageInitializer")["caBundleConfigMapName"] == "store-ca"


def test_an_authority_under_another_key_is_refused() -> None:
    _, other = store(ca={"configMap": "store-ca"})
    at = Setting("kserve", Kserve.config_model()(), stack(("external", other)))

    found = [str(each) for each in Kserve.problems(at)]

    assert any("cabundle.crt" in each for each in found)


def test_images_of_servers_are_slots() -> None:
    made = built(
        Kserve,
        stack(registry="mirror.example.com"),
        servers={
            "kserve-vllmserver": {"image": "docker.io/vllm/vllm-openai:v0.21.0"},
            "kserve-torchserve": {"enabled": False},
        },
    )
    vllm = made.one("ClusterServingRuntime", "kserve-vllmserver")["spec"]["containers"][0]

    assert vllm["image"] == "mirror.example.com/docker.io/vllm/vllm-openai:v0.21.0"
    assert "kserve-torchserve" not in made.names("ClusterServingRuntime")
    assert said(made, "storageInitializer")["image"].startswith(
        "mirror.example.com/docker.io/kserve/storage-initializer"
    )


def test_a_mirror_must_hold_the_images_that_kserve_makes_of_others() -> None:
    images = Kserve.runtime_images(setting(Kserve))

    assert "docker.io/vllm/vllm-openai-cpu:v0.20.0" in images
    assert "docker.io/kserve/huggingfaceserver:v0.20.0-gpu" in images
    assert "docker.io/kserve/storage-initializer:v0.20.0" in images


def test_a_server_that_kserve_does_not_bring_is_refused() -> None:
    found = told(Kserve, {"servers": {"kserve-vllm": {}}})

    assert any("brings no server 'kserve-vllm'" in each for each in found)


def test_a_server_that_must_be_named_is_not_chosen_by_format() -> None:
    made = built(Kserve)
    formats = made.one("ClusterServingRuntime", "kserve-tritonserver")["spec"]["supportedModelFormats"]

    assert {"name": "pytorch", "version": "1", "autoSelect": False} in formats
    assert {"name": "onnx", "version": "1", "autoSelect": True, "priority": 1} in formats


def test_pods_that_are_no_models_never_wait_for_the_webhook() -> None:
    (hook,) = [
        hook
        for each in built(Kserve).of("MutatingWebhookConfiguration")
        for hook in each["webhooks"]
        if hook["rules"][0]["resources"] == ["pods"]
    ]

    assert hook["failurePolicy"] == "Fail"
    assert hook["objectSelector"]["matchExpressions"] == [
        {"key": "serving.kserve.io/inferenceservice", "operator": "Exists"}
    ]
    assert hook["namespaceSelector"]["matchExpressions"][0]["values"] == ["kserve"]


def test_its_webhook_has_two_pods_where_the_stack_is_highly_available() -> None:
    made = built(Kserve, platform(availability="ha"))

    assert made.one("Deployment")["spec"]["replicas"] == 2
    assert made.arguments("Deployment") == ["--metrics-addr=:8080", "--leader-elect"]
    assert made.one("PodDisruptionBudget")


@pytest.mark.parametrize(
    ("kind", "group", "resource"),
    [
        ("HTTPRoute.gateway.networking.k8s.io", "gateway.networking.k8s.io", "httproutes"),
        ("Service.serving.knative.dev", "serving.knative.dev", "services"),
        ("VirtualService.networking.istio.io", "networking.istio.io", "virtualservices"),
        ("ScaledObject.keda.sh", "keda.sh", "scaledobjects"),
    ],
)
def test_rights_on_neighbours_come_with_the_neighbour(kind: str, group: str, resource: str) -> None:
    alone = built(Kserve).rules("ClusterRole", "kserve-manager-role")
    beside = built(Kserve, stack(apis=(kind,))).rules("ClusterRole", "kserve-manager-role")

    assert grants(alone, group, resource) == set()
    assert {"create", "watch"} <= grants(beside, group, resource)


def test_caches_are_a_group_for_each_pool() -> None:
    pool = NodePool.from_file({"name": "serve", "selector": {"kind": "l4"}, "taints": ["gpu=yes:NoSchedule"]})
    made = built(Kserve, platform(node_pools=(pool,)), caches={"pools": ["serve"], "folder": "/mnt/models"})
    group = made.one("LocalModelNodeGroup", "serve")["spec"]
    pod = made.pod("DaemonSet")

    assert said(made, "localModel")["enabled"] is True
    assert group["persistentVolumeSpec"]["local"] == {"path": "/mnt/models"}
    assert group["persistentVolumeSpec"]["nodeAffinity"]["required"]["nodeSelectorTerms"] == [
        {"matchExpressions": [{"key": "kind", "operator": "In", "values": ["l4"]}]}
    ]
    assert pod["volumes"] == [{"name": "models", "hostPath": {"path": "/mnt/models", "type": "DirectoryOrCreate"}}]
    assert pod["tolerations"][0]["key"] == "gpu"
    assert pod["initContainers"][0]["command"] == ["chown", "1000:1000", "/mnt/models"]


def test_caches_of_a_pool_that_is_not_there_are_refused() -> None:
    found = told(Kserve, {"caches": {"pools": ["serve"]}})

    assert any("no node pool 'serve'" in each for each in found)


def test_nothing_logs_to_an_address_that_nobody_named() -> None:
    assert "defaultUrl" not in said(built(Kserve), "logger")
    assert said(built(Kserve, logReceiver="http://broker.logging"), "logger")["defaultUrl"] == "http://broker.logging"


def test_what_the_cluster_has_already_is_asked_before_the_gateway_of_the_stack() -> None:
    on = stack(
        store(),
        components={"kserve": ComponentFact("0.20.0", "kserve", provided=True, component="kserve")},
        teams=(Team(name="vision"),),
    ).with_facts(gateway="emissary")
    (given,) = Kserve.offers(Setting("kserve", KserveConfig(), on)).capabilities

    assert isinstance(given, ModelServing)
    assert (given.mode, given.public, given.account, given.bucket, given.servers) == ("standard", False, None, "", {})


def test_servers_and_their_formats_are_known_to_who_serves_models() -> None:
    config = KserveConfig(servers={"kserve-torchserve": ServerChoice(enabled=False)})
    (given,) = Kserve.offers(Setting("kserve", config, stack(store()))).capabilities

    assert isinstance(given, ModelServing)
    assert given.servers["kserve-tritonserver"] == ["onnx", "pytorch", "tensorflow", "tensorrt", "triton"]
    assert "kserve-torchserve" not in given.servers


@pytest.mark.parametrize(("distribution", "user"), [("kubeadm", {"runAsUser": 1000}), ("openshift", {})])
def test_what_fetches_models_has_the_rights_that_restricted_teams_take(distribution: str, user: dict[str, int]) -> None:
    made = built(Kserve, stack(distribution=distribution))
    container = made.one("ClusterStorageContainer")["spec"]["container"]

    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "runAsNonRoot": True,
        "seccompProfile": {"type": "RuntimeDefault"},
        **user,
    }


def test_it_says_which_of_its_servers_run_as_root() -> None:
    (given,) = Kserve.offers(setting(Kserve)).capabilities

    assert isinstance(given, ModelServing)
    assert given.as_root == ("kserve-vllmserver",)


def test_it_awaits_the_kinds_that_it_looks_for_once() -> None:
    own = "ClusterServingRuntime.serving.kserve.io"

    assert built(Kserve, stack()).build.awaits[:1] == (own,)
    route = "HTTPRoute.gateway.networking.k8s.io"
    assert {*built(Kserve, stack(apis=(route,))).build.awaits} == {own, route}
