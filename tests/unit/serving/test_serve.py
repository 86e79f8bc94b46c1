"""Models that KServe serves: what a few lines become, and what they cannot."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from platform_def.capabilities import ModelServing, RegisteredModels, Serverless
from platform_def.config.capability import EXTERNAL, Provision
from platform_def.config.kubernetes import Kubernetes
from platform_def.config.platform import Platform
from platform_def.config.teams import Team
from tests.unit.serving.platforms import PLATFORM, SERVING, configured, objects, problems

KNATIVE = Serverless(
    domain="example.com",
    ingress_gateway="knative-serving/gateway",
    local_gateway="knative-serving/local",
    local_service="local.istio-system.svc",
)


def with_serving(**changes: Any) -> Platform:
    given: list[Any] = [SERVING.model_copy(update=changes), *([KNATIVE] if changes.get("mode") == "knative" else [])]
    return PLATFORM.with_facts(provisions=tuple(Provision.of(each, EXTERNAL) for each in given))


def spec(platform: Platform = PLATFORM, **values: Any) -> dict[str, Any]:
    found: dict[str, Any] = objects("serve", platform, **values)["InferenceService"]["spec"]
    return found


def test_five_lines_become_an_inference_service_of_the_teams_account() -> None:
    made = objects("serve")

    assert list(made) == ["InferenceService"]
    found = made["InferenceService"]
    assert found["metadata"]["name"] == "one"
    assert found["metadata"]["namespace"] == "team-vision"
    assert found["metadata"]["annotations"] == {"serving.kserve.io/deploymentMode": "Standard"}
    predictor = found["spec"]["predictor"]
    assert predictor["model"]["storageUri"] == "s3://models/iris/1"
    assert predictor["model"]["modelFormat"] == {"name": "sklearn"}
    assert predictor["model"]["resources"] == {
        "requests": {"cpu": "1", "memory": "2Gi"},
        "limits": {"cpu": "1", "memory": "2Gi"},
    }
    assert predictor["serviceAccountName"] == "models"
    assert (predictor["minReplicas"], predictor["maxReplicas"]) == (1, 1)
    assert "volumes" not in predictor


@pytest.mark.parametrize(
    ("kubernetes", "grace", "leaves"),
    [("1.36", 60, {"preStop": {"sleep": {"seconds": 10}}}), ("1.30", 5, {"preStop": {"sleep": {"seconds": 2}}}),
     ("1.36", 1, None), ("1.29", 60, None)],
)  # fmt: skip
def test_a_pod_that_must_go_answers_until_gateways_know(
    kubernetes: str, grace: int, leaves: dict[str, Any] | None
) -> None:
    platform = PLATFORM.model_copy(update={"kubernetes": Kubernetes(kubernetes)})

    made = spec(platform, gracePeriodSeconds=grace)["predictor"]

    assert made["model"].get("lifecycle") == leaves
    assert made["terminationGracePeriodSeconds"] == grace


def test_knative_which_drains_pods_by_itself_is_told_nothing_of_it() -> None:
    made = spec(with_serving(mode="knative"))["predictor"]["model"]

    assert "lifecycle" not in made


def test_a_pool_brings_its_cards_and_its_nodes() -> None:
    predictor = spec(format="onnx", pool="serve", gpus=2)["predictor"]

    assert predictor["model"]["resources"]["limits"] == {"cpu": "21", "memory": "86Gi", "nvidia.com/gpu": "2"}
    assert predictor["model"]["resources"]["requests"]["cpu"] == "21"
    assert predictor["nodeSelector"] == {"pool": "serve"}
    assert predictor["tolerations"][0]["value"] == "serve"
    assert predictor["volumes"] == [{"name": "shared-memory", "emptyDir": {"medium": "Memory", "sizeLimit": "43Gi"}}]
    assert spec(pool="cut", gpus=1, migProfile="3g.40gb")["predictor"]["model"]["resources"]["limits"] == {
        "cpu": spec(pool="cut", gpus=1, migProfile="3g.40gb")["predictor"]["model"]["resources"]["requests"]["cpu"],
        "memory": "16Gi",
        "nvidia.com/mig-3g.40gb": "1",
    }


ROUTES = "gateways/models"


def test_a_canary_of_standard_mode_has_its_share_by_a_route_instead_of_kserves_own() -> None:
    canary = {"model": "iris/2", "percent": 10}
    made = objects("serve", with_serving(routes=ROUTES), canary=canary, timeoutSeconds=30)

    assert made["InferenceService"]["metadata"]["labels"]["networking.kserve.io/visibility"] == "cluster-local"
    assert made["HTTPRoute"]["metadata"]["name"] == "one"
    assert made["HTTPRoute"]["spec"] == {
        "hostnames": ["one-team-vision.models.ml.example.com"],
        "parentRefs": [{"name": "models", "namespace": "gateways"}],
        "rules": [
            {
                "matches": [{"path": {"type": "PathPrefix", "value": "/"}}],
                "backendRefs": [
                    {"name": "one-predictor", "port": 80, "weight": 90},
                    {"name": "one-canary-predictor", "port": 80, "weight": 10},
                ],
                "timeouts": {"request": "30s"},
            }
        ],
    }
    (rule,) = objects("serve", with_serving(routes=ROUTES), canary=canary)["HTTPRoute"]["spec"]["rules"]
    assert "timeouts" not in rule


def test_without_a_canary_kserve_writes_the_route() -> None:
    made = objects("serve", with_serving(routes=ROUTES))

    assert "HTTPRoute" not in made
    assert "networking.kserve.io/visibility" not in made["InferenceService"]["metadata"]["labels"]
    assert "HTTPRoute" not in objects(
        "serve", with_serving(routes=ROUTES), canary={"model": "iris/2", "percent": 10}, public=False
    )


def test_a_share_that_nobody_would_lead_to_the_canary_is_said() -> None:
    canary = {"model": "iris/2", "percent": 10}
    said = (
        "canary: requests are shared with a canary by a HTTPRoute at the model's host, and it has none; let `gateway-api` "
        "open the stack's models and this one be public, or write `percent: 0`"
    )

    assert problems("serve", canary=canary) == [said]
    assert problems("serve", with_serving(routes=ROUTES), canary=canary, public=False) == [said]
    assert problems("serve", with_serving(routes=ROUTES), canary=canary) == []
    assert problems("serve", canary={**canary, "percent": 0}) == []


def test_a_model_whose_servers_speak_no_v1_says_their_protocol() -> None:
    servers = {"kserve-tritonserver": ["onnx"], "kserve-sklearnserver": ["sklearn"], "kserve-mlserver": ["sklearn"]}
    protocols = {
        "kserve-tritonserver": ["v2", "grpc-v2"],
        "kserve-sklearnserver": ["v1", "v2"],
        "kserve-mlserver": ["v2"],
    }
    on = with_serving(servers=servers, protocols=protocols)

    def said(**values: Any) -> Any:
        return spec(on, **values)["predictor"]["model"].get("protocolVersion")

    assert said(format="onnx") == "v2"
    assert said(format="onnx", protocol="grpc-v2") == "grpc-v2"
    assert said(format="sklearn") is None
    assert said(format="sklearn", runtime="kserve-mlserver") == "v2"
    assert said(format="xgboost", ownRuntime="mine") is None


def test_the_webhook_takes_a_name_for_the_container_of_a_canary_alone() -> None:
    found = spec(with_serving(routes=ROUTES), canary={"model": "iris/2", "percent": 10})

    assert "name" not in found["predictor"]["model"]
    assert found["canary"][0]["predictor"]["model"]["name"] == "kserve-container"


def test_a_canary_of_standard_mode_is_a_second_predictor() -> None:
    found = spec(
        canary={"model": "hf://a/b", "percent": 10}, scaling={"min": 2, "max": 4, "metric": "cpu", "target": 70}
    )

    (canary,) = found["canary"]
    assert canary["trafficPercent"] == 10
    assert canary["predictor"]["name"] == "canary"
    assert canary["predictor"]["minReplicas"] == 1
    assert canary["predictor"]["model"]["storageUri"] == "hf://a/b"
    assert not canary["predictor"].keys() & {"maxReplicas", "scaleTarget", "scaleMetric"}
    stable = found["predictor"]
    assert (stable["minReplicas"], stable["maxReplicas"], stable["scaleMetric"], stable["scaleTarget"]) == (
        2,
        4,
        "cpu",
        70,
    )


def test_knative_shifts_requests_between_revisions_and_sleeps() -> None:
    platform = with_serving(mode="knative")
    made = objects(
        "serve", platform, canary={"model": "iris/2", "percent": 10}, scaling={"min": 0, "max": 4}, public=False
    )

    found = made["InferenceService"]
    assert found["metadata"]["annotations"] == {"serving.kserve.io/deploymentMode": "Knative"}
    assert found["metadata"]["labels"]["networking.knative.dev/visibility"] == "cluster-local"
    predictor = found["spec"]["predictor"]
    assert predictor["canaryTrafficPercent"] == 10
    assert predictor["model"]["storageUri"] == "s3://models/iris/2"
    assert predictor["minReplicas"] == 0
    assert "canary" not in found["spec"]
    assert "terminationGracePeriodSeconds" not in predictor


def test_a_token_comes_from_an_account_of_the_models_own() -> None:
    made = objects("serve", model="hf://meta-llama/Llama-3.1-8B", tokenSecret="hugging-face", format="huggingface")

    assert made["ServiceAccount"]["secrets"] == [{"name": "hugging-face"}]
    assert made["ServiceAccount"]["automountServiceAccountToken"] is False
    assert made["InferenceService"]["spec"]["predictor"]["serviceAccountName"] == "one"


def test_callers_are_let_in_by_name_and_nobody_else() -> None:
    made = objects("serve", callers=["search"], public=False)

    policy = made["NetworkPolicy"]
    assert policy["metadata"]["name"] == "one-callers"
    assert policy["spec"]["podSelector"] == {"matchLabels": {"serving.kserve.io/inferenceservice": "one"}}
    assert policy["spec"]["ingress"] == [
        {"from": [{"podSelector": {}}]},
        {"from": [{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "team-search"}}}]},
    ]
    assert made["InferenceService"]["metadata"]["labels"]["networking.kserve.io/visibility"] == "cluster-local"
    assert "NetworkPolicy" not in objects("serve")


def test_an_image_of_ones_own_serves_what_has_no_format() -> None:
    said = {"format": None, "image": "registry.example.com/ranker:1", "model": "pvc://models/ranker"}
    (container,) = spec(PLATFORM.with_facts(registry="mirror.example.com"), **said)["predictor"]["containers"]

    assert container["name"] == "kserve-container"
    assert container["image"] == "mirror.example.com/registry.example.com/ranker:1"
    assert container["env"] == [{"name": "STORAGE_URI", "value": "pvc://models/ranker"}]


def test_words_of_jobs_reach_the_server() -> None:
    predictor = spec(
        env={"TOKEN": {"secret": "hub", "key": "token"}},
        volumes={"cache": {"claim": "cache"}},
        annotations={"example.com/note": "x"},
        concurrency=4,
        timeoutSeconds=30,
        protocol="v2",
        runtime="kserve-sklearnserver",
        version="1",
        avoid={"health": "faulty"},
    )["predictor"]

    assert predictor["model"]["env"][0]["valueFrom"] == {"secretKeyRef": {"name": "hub", "key": "token"}}
    assert predictor["model"]["volumeMounts"] == [{"name": "cache", "mountPath": "/cache"}]
    assert predictor["volumes"] == [{"name": "cache", "persistentVolumeClaim": {"claimName": "cache"}}]
    assert predictor["annotations"] == {"example.com/note": "x"}
    assert (predictor["containerConcurrency"], predictor["timeout"]) == (4, 30)
    assert predictor["model"]["protocolVersion"] == "v2"
    assert predictor["model"]["runtime"] == "kserve-sklearnserver"
    assert predictor["model"]["modelFormat"] == {"name": "sklearn", "version": "1"}
    (term,) = predictor["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"][
        "nodeSelectorTerms"
    ]
    assert term["matchExpressions"] == [{"key": "health", "operator": "NotIn", "values": ["faulty"]}]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            {"runtime": "kserve-sklearnservr"},
            (
                "runtime: KServe has no server 'kserve-sklearnservr' in this stack; did you mean 'kserve-sklearnserver'?; "
                "one of your own is `ownRuntime: kserve-sklearnservr`"
            ),
        ),
        ({"format": "sklern"}, "format: no server of KServe takes models of format 'sklern'; did you mean 'sklearn'?"),
        (
            {"format": "sklearn", "runtime": "kserve-tritonserver"},
            "format: the server kserve-tritonserver takes no models of format 'sklearn'; known: onnx, triton",
        ),
        ({"format": None}, "format: `format` is missing, by which KServe finds a server; write `format: sklearn`"),
        (
            {"runtime": "kserve-sklearnserver", "ownRuntime": "mine"},
            "ownRuntime: `runtime` and `ownRuntime` both name a server; leave one of the two out",
        ),
        ({"mode": "knative"}, "mode: the stack has no Knative; add `knative-serving: {}` under components"),
        (
            {"scaling": {"min": 0, "max": 2}},
            "scaling: only Knative scales a model to zero; write 1, or add `knative-serving: {}` under components",
        ),
        (
            {"scaling": {"max": 2, "metric": "rps"}},
            "scaling: only Knative counts requests, so `metric: rps` has no effect; write `metric: cpu` or `metric: memory`",
        ),
        (
            {"canary": {"model": "iris/2", "percent": 0, "replicas": 3}},
            (
                "canary: the canary has 3 pods, and the model may have as few as 1; KServe refuses a canary with more pods "
                "than the model"
            ),
        ),
        (
            {"tokenSecret": "hub"},
            "tokenSecret: a token is for Hugging Face, and iris/1 is no hf:// address; leave `tokenSecret` out",
        ),
        ({"callers": ["serch"]}, "callers: team 'serch' is not in teams; did you mean 'search'?"),
        (
            {"model": "model-registry://iris/1"},
            "model: nothing in the stack resolves model-registry:// addresses; add `model-registry: {}` under components",
        ),
        (
            {"pool": "serve", "gpus": 1, "replicas": 5},
            "replicas: needs 5 whole GPUs, team vision has a quota of 4; ",
        ),
        ({"pool": "serve", "gpus": 8}, "gpus: a node of pool serve offers 4, not 8; "),
    ],
)
def test_what_cannot_be_is_told_with_its_field(said: dict[str, Any], told: str) -> None:
    assert problems("serve", **said) == [told]


def test_a_path_needs_a_bucket_and_knative_knows_no_callers() -> None:
    assert problems("serve", with_serving(bucket="")) == [
        (
            "model: 'iris/1' is a path in a bucket of models, and the stack has no object store with one; write "
            "`external: {objectStore: {host: …}}`, or the whole address, such as hf://owner/name"
        )
    ]
    said = {"callers": [], "sidecars": [{"name": "log", "image": "a/b:1"}]}
    assert problems("serve", with_serving(mode="knative"), **said) == [
        (
            "callers: Knative's local gateway calls the pods for everyone, so callers cannot be told apart there; write "
            "`mode: standard`, or leave `callers` out"
        ),
        "sidecars: Knative refuses sidecars beside a model; write `mode: standard`",
    ]


REGISTERED = "mlflow-artifacts:/1/models/m-0a1b/artifacts"
"""As MLflow prints where the files of a registered version are."""


def with_registry(*teams: str) -> Platform:
    registry = RegisteredModels(bucket="runs", account="mlflow-models", teams=list(teams))
    return PLATFORM.with_facts(provisions=(*PLATFORM.provisions, Provision.of(registry, EXTERNAL)))


def test_a_model_of_mlflows_registry_is_fetched_from_its_bucket_by_its_account() -> None:
    platform = with_registry("vision")
    predictor = spec(platform, model=REGISTERED)["predictor"]

    assert predictor["model"]["storageUri"] == "s3://runs/1/models/m-0a1b/artifacts"
    assert predictor["serviceAccountName"] == "mlflow-models"
    assert problems("serve", platform, model=REGISTERED) == []
    canary = spec(platform, canary={"model": REGISTERED, "percent": 0})
    assert canary["predictor"]["serviceAccountName"] == "models"
    assert canary["canary"][0]["predictor"]["serviceAccountName"] == "mlflow-models"


def test_a_model_of_mlflows_registry_needs_mlflow_and_a_key_for_the_team() -> None:
    missing = "nothing in the stack has mlflow-artifacts:/ addresses; add `mlflow: {}` under components"
    refused = "team 'vision' has no key to the files of external; add it to `servingTeams` of external"

    assert problems("serve", model=REGISTERED) == [f"model: {missing}"]
    assert problems("serve", with_registry("search"), model=REGISTERED) == [f"model: {refused}"]
    canary = {"model": REGISTERED, "percent": 0}
    assert problems("serve", with_registry("search"), canary=canary) == [f"canary: {refused}"]


def test_a_model_in_an_image_is_refused_where_its_team_is_restricted() -> None:
    careful = PLATFORM.with_facts(teams=(Team(name="vision", pod_security="restricted"),))
    address = "oci://registry.example.com/models/iris:1"
    refused = (
        "KServe runs the image of an oci:// model with rights that Pod Security level 'restricted' of team vision refuses; "
        "keep the model in the object store or on a volume, or set `podSecurity: baseline` for the team"
    )

    assert problems("serve", careful, model=address) == [f"model: {refused}"]
    assert problems("serve", careful, canary={"model": address, "percent": 0}) == [f"canary: {refused}"]
    assert problems("serve", careful) == problems("serve", model=address) == []


def test_a_server_that_runs_as_root_is_refused_where_its_team_is_restricted_and_says_no_user() -> None:
    given = SERVING.model_copy(update={"servers": {"kserve-vllmserver": ["vLLM"]}, "as_root": ("kserve-vllmserver",)})
    careful = PLATFORM.with_facts(
        provisions=(Provision.of(given, EXTERNAL),), teams=(Team(name="vision", pod_security="restricted"),)
    )

    assert problems("serve", careful, format="vLLM") == [
        (
            "user: kserve-vllmserver runs as root, which Pod Security level 'restricted' of team vision refuses; say as "
            "whom it runs: `user: 1000`"
        )
    ]
    assert problems("serve", careful, format="vLLM", user=1000) == []


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"gpus": 0.5}, "a container gets whole devices, not 0.5 of one"),
        ({"scaling": {"min": 3, "max": 2}}, "3 is more than `max`, which is 2"),
        ({"model": "s3://user:word@host/x y"}, "is no address of a model"),
        ({"model": "mlflow-artifacts://user@host/1"}, "is no address of a model"),
        ({"model": "models:/iris/3"}, r"get_model_version_download_uri\('iris', '3'\)"),
    ],
)
def test_what_makes_no_sense_is_refused_when_it_is_read(said: dict[str, Any], told: str) -> None:
    with pytest.raises(ValidationError, match=told):
        configured("serve", **said)


def test_what_the_stack_decides_is_explained() -> None:
    found = configured("serve", pool="serve", gpus=1).derived(PLATFORM)

    assert found["mode"] == ("standard", "as the stack's models run")
    assert found["memory"][0] == "43Gi"
    assert configured("serve").derived(PLATFORM)["cpu"] == ("1", "what KServe gives a model without GPUs")


def test_servers_that_are_not_known_are_not_judged() -> None:
    assert problems("serve", with_serving(servers={}), runtime="theirs", format="theirs") == []
    assert ModelServing(mode="standard", domain="example.com").servers == {}
