"""Language models: what they become with KServe and without, the memory that is counted, and what cannot be."""

from __future__ import annotations

from typing import Any

import pytest

from platform_def.capabilities import AuthorizationService, BinPacker, Gateway, JobQueue, Metrics
from platform_def.config.capability import EXTERNAL, Provision
from platform_def.config.platform import Platform
from platform_def.config.pools import Gpu, NodePool, Sharing
from platform_def.config.teams import Quota, Team
from platform_def.serving.llm.memory import device_gib, memory
from platform_def.serving.llm.shapes import KNOWN, ModelShape, billions_in, shape_of
from platform_def.serving.templates import template
from tests.unit.serving.platforms import CUT, PLATFORM, SERVING, configured, objects, problems

H100 = NodePool(name="h100", nodes=4, selector={"pool": "h100"}, gpu=Gpu(model="h100-80gb", per_node=8))
SHARED = NodePool(
    name="shared", nodes=1, gpu=Gpu(model="l4", per_node=4, sharing=Sharing(mode="mps", replicas=2, rename=True))
)
PROMETHEUS = Metrics(address="http://prometheus.monitoring.svc:9090", namespace="monitoring")
LLAMA = "hf://meta-llama/Llama-3.1-8B-Instruct"


def platform(*given: Any, gateway: str = "none") -> Platform:
    """A cluster without KServe that has these."""
    return PLATFORM.with_facts(
        node_pools=(H100, CUT, SHARED, *PLATFORM.node_pools),
        apis=frozenset({"LeaderWorkerSet.leaderworkerset.x-k8s.io", "ScaledObject.keda.sh"}),
        resources=frozenset({"nvidia.com/gpu", "nvidia.com/gpu.shared", "nvidia.com/mig-3g.40gb"}),
        provisions=tuple(Provision.of(each, EXTERNAL) for each in given),
        gateway=gateway,
    )


PLAIN = platform()
KSERVE = platform(SERVING.model_copy(update={"llm": True}), PROMETHEUS)


def made(on: Platform = PLAIN, **values: Any) -> dict[str, dict[str, Any]]:
    return objects("llm", on, **{"team": "search", "pool": "h100", **values})


def told(on: Platform = PLAIN, **values: Any) -> list[str]:
    return problems("llm", on, **{"team": "search", "pool": "h100", **values})


# --- memory


def test_weights_are_parameters_by_their_bits_and_the_cache_is_what_is_left() -> None:
    llama = KNOWN["meta-llama/llama-3.1-8b-instruct"]
    found = memory(llama, 80, tensor=1, pipeline=1)

    assert found.weights == pytest.approx(8.03e9 * 2 / 2**30)
    assert found.token == 2 * 8 * 128 * 32 * 2 / 2**30
    assert found.cache == pytest.approx(80 * 0.9 - 2 - 14.957, abs=0.001)
    assert found.tokens == 450_911
    assert found.answers(131_072) == 3
    assert (
        found.words(131_072) == "weights 15.0 GiB, KV cache 55.0 GiB for 3 answers of 131072 tokens, of 80 GiB a card"
    )


def test_layers_and_heads_are_shared_out_and_a_latent_vector_is_not() -> None:
    shape = ModelShape(billions=70, layers=81, kv_heads=4, head_size=128)

    assert memory(shape, 80, tensor=8, pipeline=2).token == 2 * 128 * 41 * 2 / 2**30
    assert memory(shape, 80, tensor=2, pipeline=1, cache_bits=8).token == 2 * 2 * 128 * 81 / 2**30
    assert memory(shape, 80, tensor=8, pipeline=2).weights == pytest.approx(70e9 * 2 / 16 / 2**30)
    assert memory(shape, 80, tensor=1, pipeline=1, weights="int4").weights == pytest.approx(70e9 * 4.75 / 8 / 2**30)
    assert memory(KNOWN["deepseek-ai/deepseek-r1"], 80, tensor=8, pipeline=2).token == 576 * 31 * 2 / 2**30


def test_the_longest_context_is_the_models_or_what_fits() -> None:
    found = memory(KNOWN["meta-llama/llama-3.1-8b-instruct"], 24, tensor=1, pipeline=1)

    assert found.tokens == 38_035
    assert found.longest(131_072) == 37_888
    assert found.longest(8192) == 8192


def test_a_device_is_a_card_or_a_part_of_one() -> None:
    assert device_gib(H100, "") == 80
    assert device_gib(CUT, "3g.40gb") == 40
    assert device_gib(CUT, "") == 40
    assert device_gib(NodePool(name="odd", gpu=Gpu(model="x9", per_node=1)), "") is None
    assert device_gib(NodePool(name="none"), "") is None


def test_a_shape_is_found_by_its_repository_however_it_is_written() -> None:
    assert shape_of(LLAMA) is KNOWN["meta-llama/llama-3.1-8b-instruct"]
    assert shape_of("hf://Qwen/Qwen3-8B:main") is KNOWN["qwen/qwen3-8b"]
    assert shape_of("s3://models/llama") is None
    assert all(name == name.lower() for name in KNOWN)


def test_base_and_quantized_models_have_the_shape_of_the_tuned_one() -> None:
    llama = KNOWN["meta-llama/llama-3.1-8b-instruct"]
    qwen = KNOWN["qwen/qwen2.5-72b-instruct"]

    assert shape_of("hf://meta-llama/Llama-3.1-8B") is llama
    assert shape_of("hf://meta-llama/Llama-3.1-8B-Instruct-FP8") == llama.model_copy(update={"weights": "fp8"})
    assert shape_of("hf://Qwen/Qwen2.5-72B-Instruct-AWQ") == qwen.model_copy(update={"weights": "int4"})
    assert shape_of("hf://Qwen/Qwen2.5-72B-Instruct-GPTQ-Int4") == qwen.model_copy(update={"weights": "int4"})
    assert shape_of("hf://Qwen/Qwen2.5-72B-Instruct-GPTQ-Int8") == qwen.model_copy(update={"weights": "int8"})
    assert shape_of("hf://example/own-AWQ") is None


@pytest.mark.parametrize(
    ("address", "billions"),
    [
        ("hf://example/own-405B", 405.0),
        ("hf://example/own-1.5b-chat", 1.5),
        ("hf://example/Own-235B-A22B", 235.0),
        ("hf://example/own-8x7B", None),
        ("hf://example/own", None),
        ("s3://models/own-405b", None),
    ],
)
def test_a_name_says_how_many_parameters_there_are(address: str, billions: float | None) -> None:
    assert billions_in(address) == billions


def test_what_follows_is_explained() -> None:
    found = configured("llm", pool="h100").derived(PLAIN)

    assert found["contextLength"][0] == 131_072
    assert found["concurrency"][0] == 3
    assert "weights 15.0 GiB" in found["concurrency"][1]
    unknown = configured("llm", model="hf://example/own", pool="h100").derived(PLAIN)
    assert unknown["concurrency"] == (
        None,
        "the shape of the model is not known: say `shape:`, and `pool:` with its `gpu:`",
    )
    spread = configured("llm", pool="h100", gpus=8, nodes=2).derived(PLAIN)
    assert (spread["tensorParallel"][0], spread["pipelineParallel"][0]) == (8, 2)


# --- without KServe


def test_one_node_is_a_deployment_with_an_openai_server() -> None:
    found = made(tokenSecret="hub", replicas=2, gpus=2, concurrency=64, cache="fp8")

    deployment = found["Deployment"]
    assert deployment["spec"]["replicas"] == 2
    assert deployment["metadata"]["annotations"]["platform-def/gpu-memory"].startswith("weights 7.5 GiB, KV cache 62.5")
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    assert container["image"] == "docker.io/vllm/vllm-openai:v0.20.0"
    assert container["command"] == ["vllm", "serve"]
    assert container["lifecycle"] == {"preStop": {"sleep": {"seconds": 10}}}
    assert container["args"] == [
        "meta-llama/Llama-3.1-8B-Instruct",
        "--served-model-name=one",
        "--port=8000",
        "--tensor-parallel-size=2",
        "--gpu-memory-utilization=0.9",
        "--max-model-len=131072",
        "--max-num-seqs=64",
        "--kv-cache-dtype=fp8",
    ]
    assert {"name": "HF_TOKEN", "valueFrom": {"secretKeyRef": {"name": "hub", "key": "HF_TOKEN"}}} in container["env"]
    assert container["resources"]["limits"]["nvidia.com/gpu"] == "2"
    assert container["readinessProbe"]["httpGet"] == {"path": "/health", "port": "http"}
    chosen = {"app.kubernetes.io/name": "one", "app.kubernetes.io/component": "llm"}
    assert deployment["spec"]["selector"] == {"matchLabels": chosen}
    assert found["Service"]["spec"]["selector"] == chosen
    assert set(found) == {"Deployment", "Service"}


def test_several_nodes_are_a_leader_worker_set_whose_leader_answers() -> None:
    found = made(model="hf://meta-llama/Llama-3.1-405B-Instruct", gpus=8, nodes=2, contextLength=32768)

    template = found["LeaderWorkerSet"]["spec"]["leaderWorkerTemplate"]
    assert template["size"] == 2
    (leader,) = template["leaderTemplate"]["spec"]["containers"]
    (worker,) = template["workerTemplate"]["spec"]["containers"]
    met = [
        "--tensor-parallel-size=8",
        "--pipeline-parallel-size=2",
        "--distributed-executor-backend=mp",
        "--nnodes=2",
        "--node-rank=$(LWS_WORKER_INDEX)",
        "--master-addr=$(LWS_LEADER_ADDRESS)",
    ]
    assert leader["args"][3:9] == met
    assert worker["args"][3:10] == [*met, "--headless"]
    assert "readinessProbe" in leader
    assert "readinessProbe" not in worker
    assert found["Service"]["spec"]["selector"]["leaderworkerset.sigs.k8s.io/worker-index"] == "0"
    # With the other policy the set's own Service, which makes its pods known by name, would have the name of this one.
    assert found["Service"]["metadata"]["name"] == found["LeaderWorkerSet"]["metadata"]["name"]
    assert found["LeaderWorkerSet"]["spec"]["networkConfig"] == {"subdomainPolicy": "UniquePerReplica"}


QUEUES = {
    "volcano": JobQueue(implementation="volcano", annotation="volcano/queue", scheduler="volcano"),
    "kai": JobQueue(implementation="kai", pod_label="kai/queue", scheduler="kai"),
}


def queued(implementation: str) -> Platform:
    """A cluster whose pods with cards ask for a scheduler that keeps the queues of teams."""
    team = Team(name="search", queue="search", quota=Quota(gpus=16))
    given = QUEUES[implementation], BinPacker(scheduler=implementation)
    return platform(*given).with_facts(teams=(team,))


@pytest.mark.parametrize("nodes", [1, 2])
def test_pods_wait_in_the_queue_that_their_scheduler_keeps(nodes: int) -> None:
    several = {"gpus": 8, "nodes": nodes, "contextLength": 8192}

    for implementation, place in (("volcano", "annotations"), ("kai", "labels")):
        found = made(queued(implementation), **several)
        if nodes == 1:
            templates = [found["Deployment"]["spec"]["template"]]
        else:
            pods = found["LeaderWorkerSet"]["spec"]["leaderWorkerTemplate"]
            templates = [pods["leaderTemplate"], pods["workerTemplate"]]
        for each in templates:
            assert each["metadata"][place][f"{implementation}/queue"] == "search"
    if nodes == 2:
        set_ = made(queued("volcano"), **several)["LeaderWorkerSet"]
        assert set_["metadata"]["annotations"]["volcano/queue"] == "search"


def test_pods_of_kserve_wait_in_the_queue_too() -> None:
    on = queued("kai").with_facts(
        provisions=(*queued("kai").provisions, *KSERVE.provisions),
        apis=frozenset({"InferenceService.serving.kserve.io"}),
    )

    assert made(on)["LLMInferenceService"]["spec"]["labels"]["kai/queue"] == "search"


def test_a_scheduler_that_keeps_no_queue_is_told_of_none() -> None:
    on = queued("kai").with_facts(
        provisions=tuple(Provision.of(each, EXTERNAL) for each in (QUEUES["kai"], BinPacker(scheduler="packer")))
    )

    assert "kai/queue" not in made(on)["Deployment"]["spec"]["template"]["metadata"]["labels"]


@pytest.mark.parametrize(
    ("api", "kind"), [("emissary", "Mapping"), ("istio", "VirtualService"), ("gateway-api", "HTTPRoute")]
)
def test_each_gateway_leads_to_the_openai_path(api: Any, kind: str) -> None:
    gateway = Gateway(api=api, name="gateway", namespace="gateways", service="gateway", controller="istio")
    on = PLAIN.with_facts(gateway="gate", provisions=(Provision.of(gateway, "gate"),))
    found = made(on)

    assert "/team-search/one/" in str(found[kind])
    assert kind not in made(on, public=False)


def test_everyone_may_call_where_the_stack_says_so() -> None:
    gateway = Gateway(api="emissary", name="gateway", namespace="gateways", service="gateway")
    asks = AuthorizationService(name="login", host="login.example.com", port=80)
    on = PLAIN.with_facts(gateway="gate", provisions=(Provision.of(gateway, "gate"), Provision.of(asks, EXTERNAL)))

    assert made(on, access="everyone")["Mapping"]["spec"]["bypass_auth"] is True
    assert "bypass_auth" not in made(on)["Mapping"]["spec"]


def test_volumes_hold_the_model_its_adapters_and_downloads() -> None:
    found = made(
        model="pvc://weights/llama",
        adapters=[{"name": "law", "address": "pvc://loras/law"}, {"name": "code", "address": "hf://a/code"}],
        adapterRank=32,
        modelCache={"claim": "cache"},
    )

    pod = found["Deployment"]["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert container["args"][0] == "/mnt/models"
    assert container["args"][-6:] == [
        "--enable-lora",
        "--max-loras=2",
        "--max-lora-rank=32",
        "--lora-modules",
        "law=/adapters/law",
        "code=a/code",
    ]
    mounted = {each["mountPath"]: (each["name"], each.get("subPath")) for each in container["volumeMounts"]}
    assert mounted["/mnt/models"] == ("model", "llama")
    assert mounted["/adapters/law"] == ("adapter-law", "law")
    assert mounted["/models"] == ("model-cache", None)
    assert {"name": "HF_HOME", "value": "/models"} in container["env"]
    assert {"name": "model", "persistentVolumeClaim": {"claimName": "weights", "readOnly": True}} in pod["volumes"]


def test_keda_asks_prometheus_how_many_requests_wait() -> None:
    found = made(platform(PROMETHEUS), scaling={"min": 1, "max": 4, "waiting": 8})

    spec = found["ScaledObject"]["spec"]
    assert spec["scaleTargetRef"] == {"apiVersion": "apps/v1", "kind": "Deployment", "name": "one"}
    assert (spec["minReplicaCount"], spec["maxReplicaCount"]) == (1, 4)
    (trigger,) = spec["triggers"]
    assert trigger["metadata"] == {
        "serverAddress": "http://prometheus.monitoring.svc:9090",
        "query": 'sum(vllm:num_requests_waiting{namespace="team-search",inference_service="one"})',
        "threshold": "8",
    }
    assert trigger["metricType"] == "AverageValue"
    assert "replicas" not in found["Deployment"]["spec"]
    endpoint = found["ServiceMonitor"]["spec"]["endpoints"][0]
    assert endpoint["relabelings"] == [{"targetLabel": "inference_service", "replacement": "one"}]
    several = made(platform(PROMETHEUS), nodes=2, scaling={"max": 4})["ScaledObject"]["spec"]["scaleTargetRef"]
    assert several["kind"] == "LeaderWorkerSet"


# --- with KServe


def test_kserve_gets_an_llm_service_that_begins_with_its_preset() -> None:
    found = made(KSERVE, tokenSecret="hub", adapters=[{"name": "law", "address": "hf://a/law"}], callers=[])

    spec = found["LLMInferenceService"]["spec"]
    assert spec["model"] == {
        "name": "one",
        "uri": LLAMA,
        "lora": {"adapters": [{"name": "law", "uri": "hf://a/law"}], "maxRank": 16, "maxAdapters": 1},
    }
    assert spec["parallelism"] == {"tensor": 1}
    assert spec["replicas"] == 1
    assert spec["router"] == {"gateway": {}, "route": {}, "scheduler": {}}
    (container,) = spec["template"]["containers"]
    assert container["name"] == "main"
    assert container["args"] == ["--gpu-memory-utilization=0.9", "--max-model-len=131072"]
    assert not container.keys() & {"image", "command"}
    assert container["env"][0]["name"] == "HF_TOKEN"
    assert found["NetworkPolicy"]["spec"]["podSelector"]["matchLabels"] == {
        "app.kubernetes.io/name": "one",
        "app.kubernetes.io/part-of": "llminferenceservice",
    }
    staged = made(KSERVE, gpus=4, tensorParallel=2)["LLMInferenceService"]["spec"]
    assert staged["template"]["containers"][0]["args"][0] == "--pipeline-parallel-size=2"
    assert staged["parallelism"] == {"tensor": 2}
    assert "router" not in made(KSERVE, public=False)["LLMInferenceService"]["spec"]


def test_what_fetches_a_model_has_the_rights_of_a_restricted_team_in_pods_of_servers_and_of_the_picker() -> None:
    careful = KSERVE.with_facts(teams=(Team(name="search", pod_security="restricted"),))
    spec = made(careful, nodes=2)["LLMInferenceService"]["spec"]

    picker = spec["router"]["scheduler"]["template"]
    assert [each["name"] for each in picker["containers"]] == ["main"]
    for pod in (spec["template"], spec["worker"], picker):
        (fetcher,) = pod["initContainers"]
        assert fetcher == {
            "name": "storage-initializer",
            "securityContext": {
                "allowPrivilegeEscalation": False,
                "capabilities": {"drop": ["ALL"]},
                "runAsNonRoot": True,
                "runAsUser": 1000,
                "seccompProfile": {"type": "RuntimeDefault"},
            },
        }
    mounted = made(careful, model="pvc://models/llama")["LLMInferenceService"]["spec"]
    assert "initContainers" not in mounted["template"]
    assert mounted["router"]["scheduler"] == {}


def test_a_service_called_as_the_program_is_gives_it_no_port() -> None:
    plain = made()["Deployment"]["spec"]["template"]["spec"]
    operated = made(KSERVE)["LLMInferenceService"]["spec"]["template"]

    assert [pod["enableServiceLinks"] for pod in (plain, operated)] == [False, False]


def test_kserve_gets_leader_and_workers_for_several_nodes_and_keda_scales_what_it_makes() -> None:
    found = made(KSERVE, gpus=8, nodes=2, scaling={"max": 2}, model="llama")

    spec = found["LLMInferenceService"]["spec"]
    assert spec["model"]["uri"] == "s3://models/llama"
    assert spec["template"]["serviceAccountName"] == "models"
    assert spec["parallelism"] == {"tensor": 8, "pipeline": 2}
    assert spec["worker"] == spec["template"]
    assert spec["template"]["containers"][0]["args"] == ["--gpu-memory-utilization=0.9"]
    assert "replicas" not in spec
    target = found["ScaledObject"]["spec"]["scaleTargetRef"]
    assert (target["kind"], target["name"]) == ("LeaderWorkerSet", "one-kserve-mn")
    one = made(KSERVE, scaling={"max": 2})["ScaledObject"]["spec"]["scaleTargetRef"]
    assert (one["kind"], one["name"]) == ("Deployment", "one-kserve")


# --- what cannot be


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (
            {"model": "hf://meta-llama/Llama-3.3-70B-Instruct"},
            (
                "model: its weights are 131 GiB, 131.4 GiB on each of 1 cards of 80 GiB: no room is left for a KV cache; use "
                "more `gpus` or `nodes`, a pool with larger cards, or quantized `weights`"
            ),
        ),
        (
            {"pool": "serve", "contextLength": 100000},
            (
                "contextLength: the KV cache has 4.6 GiB of each card, which is 38035 tokens: one answer of 100000 does not "
                "fit (weights 15.0 GiB, KV cache 4.6 GiB for 0 answers of 100000 tokens, of 24 GiB a card); write 37888 or "
                "less, `cache: fp8`, or use more `gpus`"
            ),
        ),
        (
            {"contextLength": 200000},
            "contextLength: the model was made for 131072 tokens; write 131072 or less",
        ),
        (
            {"gpus": 4, "tensorParallel": 2, "pipelineParallel": 1},
            (
                "tensorParallel: 2 parts of 1 stages are 2 GPUs, and a replica has 4; leave `tensorParallel` and "
                "`pipelineParallel` out, or change `gpus`"
            ),
        ),
        ({"gpus": 0}, "gpus: vLLM serves language models on GPUs; ask for 1 or more"),
        (
            {"pool": "shared"},
            (
                "pool: pool shared shares its cards, and vLLM takes the memory of a whole one; choose a pool of whole cards "
                "or of MIG devices"
            ),
        ),
        (
            {"model": "s3://models/llama"},
            (
                "model: without KServe a model comes from Hugging Face or a volume, not from s3://models/llama; write "
                "hf://owner/name or pvc://claim/path, or add `kserve: {llm: {}}` under components"
            ),
        ),
        (
            {"scaling": {"max": 2}},
            (
                "scaling: KEDA asks Prometheus how many requests wait, and the stack has none with an address; add "
                "`prometheus: {}` under components, or name one under `external:`"
            ),
        ),
        ({"access": "everyone"}, "access: it is not reached by a gateway; leave `access` out"),
    ],
)
def test_what_cannot_be_is_told_with_its_field(said: dict[str, Any], expected: str) -> None:
    assert told(**said) == [expected]


def test_what_kserve_decides_or_lacks_is_told() -> None:
    assert told(KSERVE, access="people") == [
        (
            "access: KServe says for all models who may call them by the gateway; write `access:` under KServe's component, "
            "and leave it out here"
        )
    ]
    assert told(KSERVE, gpus=8, nodes=2, tensorParallel=16) == [
        (
            "pipelineParallel: KServe gives each of the 2 pods of a replica a stage, not 1; leave `tensorParallel` and "
            "`pipelineParallel` out"
        )
    ]
    assert told(KSERVE, scaling={"min": 0, "max": 2}) == [
        "scaling: nothing counts requests while no replica runs, so it would never start again; write `min: 1`"
    ]


def test_a_model_that_is_not_known_is_not_judged_until_its_shape_is_said() -> None:
    assert told(model="hf://example/own") == []
    large = {"billions": 100.5, "layers": 80, "kvHeads": 8, "headSize": 128}
    assert "its weights are 187 GiB" in told(model="hf://example/own", shape=large)[0]
    assert told(model="hf://example/own", shape=large, weights="int4") == []


def test_a_model_whose_name_says_that_it_cannot_fit() -> None:
    (found,) = told(model="hf://example/own-405B", gpus=2)
    assert found == (
        "model: its name says 405 billion parameters, which are 224 GiB even at 4 bits; there are 2 cards of 80 GiB; "
        "use more `gpus` or `nodes`, or say its `shape:` where the name misleads"
    )
    assert told(model="hf://example/own-405B", gpus=4) == []
    (text,) = told(model="hf://example/own-405B", gpus=4, weights="bfloat16")
    assert "which are 754 GiB as bfloat16; there are 4 cards of 80 GiB" in text
    assert told(model="hf://example/own-405B", gpus=4, nodes=3, weights="bfloat16") == []


def test_it_asks_the_stack_for_the_kinds_that_it_becomes() -> None:
    kind = template("llm").config_model()
    said = {"template": "llm", "name": "one", "model": LLAMA}

    assert kind.from_file(said).apis() == ()
    assert kind.from_file({**said, "nodes": 2, "scaling": {"max": 2}}).apis() == (
        "ScaledObject.keda.sh",
        "LeaderWorkerSet.leaderworkerset.x-k8s.io",
    )
