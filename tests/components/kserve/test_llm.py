"""KServe's language models: kinds by choice, one owner each, presets that a Go template and a shell can read."""

from __future__ import annotations

import re
import subprocess
from typing import Any

import pytest

from platform_def.capabilities import Gateway
from platform_def.components.serving.kserve.component import Kserve
from platform_def.components.serving.kserve.llm.commands import Start
from platform_def.config.capability import Provision
from platform_def.config.platform import Platform
from platform_def.constructs.component import Setting
from tests.unit.built import Objects, built, grants, platform

KINDS = ("HTTPRoute.gateway.networking.k8s.io", "InferencePool.inference.networking.k8s.io")
GATEWAY = Gateway(
    api="gateway-api",
    controller="istio",
    name="istio-ingressgateway",
    namespace="istio-system",
    service="istio-ingressgateway",
    pods={"istio": "ingressgateway"},
    host="ml.example.com",
)


def stack(*more: str, gateway: Gateway = GATEWAY) -> Platform:
    apis = frozenset({"Gateway.gateway.networking.k8s.io", *KINDS, *more})
    return platform(provisions=(Provision.of(gateway, "gate"),), gateway="gate", apis=apis)


def made(**config: Any) -> Objects:
    return built(Kserve, stack(), llm=config)


def told(at: Platform, **config: Any) -> list[str]:
    chosen = Kserve.config_model().from_file({"llm": config})
    return [str(each) for each in Kserve.problems(Setting("kserve", chosen, at))]


def test_without_the_choice_there_is_neither_kind_nor_controller() -> None:
    alone = built(Kserve)

    assert not any("llm" in name for kind in ("CustomResourceDefinition", "Deployment") for name in alone.names(kind))


def test_the_two_kinds_are_converted_by_the_controller_in_its_namespace() -> None:
    crd = built(Kserve, stack(), namespace="models", llm={}).one(
        "CustomResourceDefinition", "llminferenceservices.serving.kserve.io"
    )

    assert crd["spec"]["conversion"]["webhook"]["clientConfig"]["service"]["namespace"] == "models"
    assert crd["metadata"]["annotations"]["cert-manager.io/inject-ca-from"] == "models/llmisvc-serving-cert"


def test_kinds_of_others_are_not_brought() -> None:
    names = made().names("CustomResourceDefinition")

    assert not any(name.endswith(("llm-d.ai", "networking.k8s.io", "networking.x-k8s.io")) for name in names)


def test_what_the_stack_lacks_is_named_with_its_component() -> None:
    found = told(platform(provisions=(Provision.of(GATEWAY, "gate"),), gateway="gate"))

    assert any("InferencePool" in each and "gateway-api-inference-extension" in each for each in found)
    assert told(stack()) == []


def test_emissary_cannot_lead_to_language_models() -> None:
    emissary = Gateway(
        api="emissary", name="default", namespace="emissary", ingress_class="ambassador", host="ml.example.com"
    )

    assert any("HTTPRoutes alone" in each for each in told(stack(gateway=emissary)))


def test_presets_wait_for_the_webhook_that_judges_them() -> None:
    found = made()

    assert len(found.names("LLMInferenceServiceConfig")) == 9
    assert {found.part("LLMInferenceServiceConfig", name) for name in found.names("LLMInferenceServiceConfig")} == {
        "after"
    }
    assert "kserve-config-llm-tracing" in made(traces="http://otel:4317").names("LLMInferenceServiceConfig")


def test_git_may_take_presets_away() -> None:
    variables = made().container("Deployment", "llmisvc-controller-manager")["env"]

    assert {"name": "PREVENT_WELL_KNOWN_CONFIG_DELETION", "value": "false"} in variables


def test_images_of_presets_are_slots() -> None:
    found = made(images={"server": "registry.example.com/vllm:1"})
    template = found.one("LLMInferenceServiceConfig", "kserve-config-llm-template")["spec"]["template"]

    assert template["containers"][0]["image"] == "registry.example.com/vllm:1"
    assert any("no image for 'sever'" in each for each in told(stack(), images={"sever": "a.example.com/b:1"}))


def test_the_gateway_asks_the_picker_in_plain_words() -> None:
    scheduler = made().one("LLMInferenceServiceConfig", "kserve-config-llm-scheduler")["spec"]["router"]["scheduler"]
    (picker,) = (each for each in scheduler["template"]["containers"] if each["name"] == "main")

    assert "--secure-serving={{ if .GlobalConfig.EnableTLS }}true{{ else }}false{{ end }}" in picker["command"]


def test_rights_on_neighbours_come_with_the_neighbour() -> None:
    role = "kserve-llmisvc-manager-role"
    beside = built(Kserve, stack("LeaderWorkerSet.leaderworkerset.x-k8s.io"), llm={}).rules("ClusterRole", role)

    assert grants(made().rules("ClusterRole", role), "leaderworkerset.x-k8s.io", "leaderworkersets") == set()
    assert "create" in grants(beside, "leaderworkerset.x-k8s.io", "leaderworkersets")


def test_its_servers_are_read_where_somebody_monitors() -> None:
    at = stack("PodMonitor.monitoring.coreos.com", "ServiceMonitor.monitoring.coreos.com")
    found = built(Kserve, at, llm={})

    relabelings = found.one("PodMonitor", "kserve-llms")["spec"]["podMetricsEndpoints"][0]["relabelings"]
    assert {each["targetLabel"] for each in relabelings if "targetLabel" in each} == {
        "__address__",
        "inference_service",
    }
    assert built(Kserve, at).names("PodMonitor") == ["kserve-models"]


def test_alerts_on_queues_come_with_language_models() -> None:
    at = stack("PrometheusRule.monitoring.coreos.com")

    def alerts(found: Objects) -> set[str]:
        rules = [
            rule for each in found.of("PrometheusRule") for group in each["spec"]["groups"] for rule in group["rules"]
        ]
        return {rule["alert"] for rule in rules if "alert" in rule}

    assert {"LanguageModelQueue", "LanguageModelSlow"} <= alerts(built(Kserve, at, llm={}))
    assert not any(name.startswith("Language") for name in alerts(built(Kserve, at)))


def test_it_has_the_rights_that_it_grants_to_pickers() -> None:
    rules = made().rules("ClusterRole", "kserve-llmisvc-manager-role")

    for group, kind in (
        ("inference.networking.x-k8s.io", "inferencepools"),
        ("inference.networking.k8s.io", "inferenceobjectives"),
        ("llm-d.ai", "inferencemodelrewrites"),
        ("discovery.k8s.io", "endpointslices"),
        ("coordination.k8s.io", "leases"),
    ):
        assert {"get", "list", "watch"} <= grants(rules, group, kind)


def test_each_version_of_a_service_is_judged_once() -> None:
    for kind in ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"):
        hooks = made().one(kind, "llminferenceservice.serving.kserve.io")["webhooks"]

        assert [hook["matchPolicy"] for hook in hooks] == ["Exact", "Exact"]


STARTS = [
    Start(),
    Start(port=8001, spread=True),
    Start(spread=True, follows=True, pod=".Spec.Worker"),
    Start(part=".Spec.Prefill", pod=".Spec.Prefill.Template", published=False),
    Start(stages=True),
    Start(stages=True, follows=True, pod=".Spec.Worker"),
]


QUOTED = """'{"name": "legal", "path": "/mnt/lora/legal"}'"""


@pytest.mark.parametrize("start", STARTS, ids=["one", "decode", "follows", "prefill", "stages", "last stage"])
def test_no_action_of_a_start_command_holds_a_double_quote(start: Start) -> None:
    actions = re.findall(r"{{(.*?)}}", start.script())

    assert actions
    assert not any('"' in action for action in actions)


@pytest.mark.parametrize("start", STARTS, ids=["one", "decode", "follows", "prefill", "stages", "last stage"])
def test_a_shell_reads_the_start_command_and_keeps_the_services_own_arguments_last(start: Start) -> None:
    script = re.sub(r"{{ if [^}]*}}", "", start.script())
    script = re.sub(r"{{ (else }}[^{]*{{ )?end }}", "", script)
    script = re.sub(r"{{[^}]*}}", "1", script)
    tools = 'vllm() { if [ "$1" = --version ]; then echo "vLLM 0.20.0"; else printf "%s|" "$@"; fi; }\n'
    tools += "getent() { echo '10.0.0.1 leader'; }\n"
    told = subprocess.run(
        [
            "/bin/bash",
            "-c",
            tools + script.replace("exec vllm", "vllm"),
            "--",
            "--lora-modules",
            QUOTED,
            "--x",
            "4 '096",
        ],
        capture_output=True,
        text=True,
        check=True,
        env={"PATH": "/usr/bin:/bin", "VLLM_ADDITIONAL_ARGS": "--a 'b c'", "LWS_WORKER_INDEX": "2"},
    ).stdout.split("|")

    assert told[:2] == ["serve", "/mnt/models"]
    # KServe quotes what it adds of adapters for a shell.
    assert told[-5:-1] == ["--lora-modules", QUOTED.strip("'"), "--x", "4 '096"]
    assert told[told.index("--a") : told.index("--a") + 2] == ["--a", "b c"]
    assert ("--headless" in told) is start.follows
    if start.spread:
        assert told[told.index("--data-parallel-address") + 1] == "10.0.0.1"
    if start.stages:
        assert told[told.index("--master-addr") + 1] == "10.0.0.1"
        assert told[told.index("--node-rank") + 1] == "2"
        assert told[told.index("--nnodes") + 1] == told[told.index("--pipeline-parallel-size") + 1] == "1"
        assert told[told.index("--distributed-executor-backend") + 1] == "mp"
