"""PodDefaults: which pods wait for the webhook, and what each team is offered."""

from __future__ import annotations

from typing import Any

from platform_def.capabilities import ObjectStore, PipelineServer
from platform_def.components.notebooks.admission_webhook.component import AdmissionWebhook
from platform_def.config.secrets import SecretSource
from platform_def.config.teams import Team
from platform_def.constructs import Setting
from tests.unit.built import Objects, built, grants
from tests.unit.meshed import meshed

TEAM = Team.from_file({"name": "vision", "members": [{"name": "li@example.com", "quota": {"cpu": "8"}}]})
STORE = ObjectStore(host="s3.example.com", credentials=SecretSource(existing="store"))


def webhook(platform: dict[str, Any] | None = None, **config: Any) -> Objects:
    return built(AdmissionWebhook, meshed(STORE, **{"teams": (TEAM,), **(platform or {})}), **config)


def default(made: Objects, name: str, home: str = "team-vision") -> dict[str, Any]:
    (found,) = (
        each
        for each in made.of("PodDefault")
        if (each["metadata"]["name"], each["metadata"]["namespace"]) == (name, home)
    )
    spec: dict[str, Any] = found["spec"]
    return spec


def values(spec: dict[str, Any]) -> dict[str, Any]:
    return {each["name"]: each.get("value") for each in spec["env"]}


def test_only_pods_of_labelled_namespaces_wait_for_it_and_it_has_two_pods() -> None:
    made = webhook()
    (hook,) = made.one("MutatingWebhookConfiguration")["webhooks"]

    assert hook["namespaceSelector"] == {"matchLabels": {"app.kubernetes.io/part-of": "kubeflow-profile"}}
    assert hook["failurePolicy"] == "Fail"
    assert made.one("Deployment")["spec"]["replicas"] == 2
    assert (
        webhook(injection_failure="Ignore").one("MutatingWebhookConfiguration")["webhooks"][0]["failurePolicy"]
        == "Ignore"
    )


def test_namespaces_of_teams_bear_the_label_and_its_own_does_not() -> None:
    at = Setting("admission-webhook", AdmissionWebhook.config_model()(), meshed(teams=(TEAM,)))
    labelled = {each.name: dict(each.labels) for each in AdmissionWebhook.offers(at).namespaces}

    assert {*labelled} == {"team-vision", "team-vision-li"}
    assert all(each == {"app.kubernetes.io/part-of": "kubeflow-profile"} for each in labelled.values())


def test_it_reads_pod_defaults_and_nothing_else() -> None:
    rules = webhook().rules("ClusterRole", "poddefaults-webhook-cluster-role")

    assert grants(rules, "kubeflow.org", "poddefaults") == {"get", "list", "watch"}
    assert len(rules) == 1


def test_teams_are_offered_what_the_stack_has() -> None:
    assert webhook().of("PodDefault") == []

    indexes = webhook({"package_indexes": {"pip": "https://pypi.example.com/simple"}})

    assert values(default(indexes, "package-indexes")) == {"PIP_INDEX_URL": "https://pypi.example.com/simple"}
    assert default(indexes, "package-indexes", "team-vision-li")["selector"] == {
        "matchLabels": {"package-indexes": "true"}
    }


def test_the_token_of_pipelines_is_for_their_api_and_lies_where_their_client_looks() -> None:
    spec = default(webhook({"apis": frozenset({"ScheduledWorkflow.kubeflow.org"})}), "access-ml-pipeline")
    (source,) = spec["volumes"][0]["projected"]["sources"]

    assert source["serviceAccountToken"]["audience"] == "pipelines.kubeflow.org"
    assert values(spec)["KF_PIPELINES_SA_TOKEN_PATH"] == f"{spec['volumeMounts'][0]['mountPath']}/token"


def test_the_token_of_pipelines_is_for_whom_their_server_says() -> None:
    server = PipelineServer(host="ml-pipeline", account="pipeline-runner", audience="pipelines.example.com")
    spec = default(built(AdmissionWebhook, meshed(STORE, server, teams=(TEAM,))), "access-ml-pipeline")

    (source,) = spec["volumes"][0]["projected"]["sources"]
    assert source["serviceAccountToken"]["audience"] == "pipelines.example.com"


def test_the_object_store_is_offered_by_a_secret_of_the_namespace() -> None:
    spec = default(webhook(object_store=True), "object-store")
    key = next(each for each in spec["env"] if each["name"] == "AWS_SECRET_ACCESS_KEY")

    assert values(spec)["AWS_ENDPOINT_URL"] == "https://s3.example.com:443"
    assert key["valueFrom"]["secretKeyRef"] == {"name": "store", "key": "secretKey"}


def test_the_proxy_leaves_the_cluster_out() -> None:
    proxy = {"https": "http://proxy.example.com:3128", "noProxy": ["10.0.0.0/8"]}
    chosen = AdmissionWebhook.config_model().from_file({"teamProxy": proxy})
    found = values(default(webhook(team_proxy=chosen.team_proxy), "proxy"))

    assert found["HTTPS_PROXY"] == found["https_proxy"] == "http://proxy.example.com:3128"
    assert found["NO_PROXY"] == found["no_proxy"]
    assert found["NO_PROXY"].split(",") == [
        *("10.0.0.0/8", "localhost", "127.0.0.1", "$(KUBERNETES_SERVICE_HOST)", ".svc", ".cluster.local")
    ]
