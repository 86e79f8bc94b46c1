"""The inference extension: pools with the light picker, and the mesh that serves them."""

from __future__ import annotations

from typing import Any

from platform_def.capabilities import ModelServing
from platform_def.components.gateways.istio.component import Istio
from platform_def.components.serving.gateway_api_inference_extension.component import GatewayApiInferenceExtension
from platform_def.config.capability import Provision
from platform_def.constructs import Setting
from tests.unit.built import Objects, built, grants, platform, setting, told

POOLS: dict[str, Any] = {"assistant": {"pods": {"app": "assistant"}, "port": 8080}}


def made(**config: Any) -> Objects:
    return built(GatewayApiInferenceExtension, pools=POOLS, **config)


def test_without_pools_nothing_runs() -> None:
    alone = built(GatewayApiInferenceExtension)

    assert alone.names("Deployment") == []
    assert alone.names("CustomResourceDefinition") == [
        "inferencepoolimports.inference.networking.x-k8s.io",
        "inferencepools.inference.networking.k8s.io",
    ]


def test_a_pool_names_the_service_of_its_picker() -> None:
    found = made()
    spec = found.one("InferencePool", "assistant")["spec"]
    service = found.one("Service", "assistant-picker")

    assert spec["endpointPickerRef"]["name"] == service["metadata"]["name"]
    assert spec["targetPorts"] == [{"number": 8080}]
    assert spec["selector"] == {"matchLabels": {"app": "assistant"}}
    assert {each["name"]: each.get("appProtocol") for each in service["spec"]["ports"]}["grpc"] == "http2"


def test_a_picker_reads_pods_of_its_namespace_alone() -> None:
    found = made(namespace="team-language")

    assert found.names("ClusterRole") == [
        f"kubeflow-gateway-api-inference-extension-{each}" for each in ("admin", "edit", "view")
    ]
    assert grants(found.rules("Role", "assistant-picker"), "", "pods") == {"get", "list", "watch"}
    assert "--pool-namespace=team-language" in found.arguments("Deployment")


def test_pools_without_gateway_api_are_refused() -> None:
    assert any("Gateway API" in each for each in told(GatewayApiInferenceExtension, {"pools": POOLS}))
    assert told(GatewayApiInferenceExtension) == []


def test_pools_beside_language_models_of_kserves_are_refused() -> None:
    def said(*, llm: bool) -> list[str]:
        models = ModelServing(mode="standard", domain="models.example.com", llm=llm)
        apis = frozenset({"HTTPRoute.gateway.networking.k8s.io"})
        facts = platform(apis=apis, provisions=(Provision.of(models, "kserve"),))
        config = GatewayApiInferenceExtension.config_model().from_file({"pools": POOLS})
        return [str(each) for each in GatewayApiInferenceExtension.problems(Setting("pools", config, facts))]

    (found,) = said(llm=True)
    assert "components.pools.pools: the picker 1.6.0 answers Istio so that every request fails" in found
    assert said(llm=False) == []


def test_a_second_instance_is_for_another_namespace() -> None:
    second = built(
        GatewayApiInferenceExtension,
        setting(GatewayApiInferenceExtension).platform,
        name="pools-b",
        namespace="team-b",
        pools=POOLS,
    )

    assert second.one("InferencePool")["metadata"]["namespace"] == "team-b"


def test_istio_serves_pools_where_the_stack_has_them() -> None:
    there = platform(apis=frozenset({"InferencePool.inference.networking.k8s.io"}))
    name = "ENABLE_GATEWAY_API_INFERENCE_EXTENSION"
    alone, beside = built(Istio), built(Istio, there)

    assert name not in {each["name"] for each in alone.container("Deployment", "istiod")["env"]}
    assert name in {each["name"] for each in beside.container("Deployment", "istiod")["env"]}
    role = "istiod-clusterrole-istio-system"
    assert "create" not in grants(alone.rules("ClusterRole", role), "", "services")
    assert "create" in grants(beside.rules("ClusterRole", role), "", "services")
