"""Argo Workflows: what its configuration says, whose rights workflows have, and who reaches the server."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
import yaml

from platform_def.capabilities import Identity, ObjectStore, SqlDatabase, WorkflowEngine, WorkflowNamespaces
from platform_def.capabilities.databases import SharedDatabase
from platform_def.capabilities.stores import StoreAdministrator
from platform_def.components.pipelines.argo_workflows.component import ArgoWorkflows
from platform_def.config.capability import Provision
from platform_def.config.platform import Platform
from platform_def.config.secrets import SecretSource
from platform_def.config.teams import PodSecurity, Team
from platform_def.constructs.component import Setting
from tests.unit.built import Objects, built, grants, setting

STORE = ObjectStore(host="s3.example.com", credentials=SecretSource(existing="artifacts"))


def told(made: Objects) -> dict[str, Any]:
    data = made.one("ConfigMap", "workflow-controller-configmap")["data"]
    return {key: yaml.safe_load(value) for key, value in data.items()}


def test_what_is_not_said_is_the_programs_default() -> None:
    assert told(built(ArgoWorkflows)) == {"metricsConfig": {"enabled": True, "secure": False}}


def test_limits_and_retention_are_told() -> None:
    made = told(
        built(
            ArgoWorkflows,
            parallelism=9,
            teamParallelism=3,
            instance="research",
            retention={"failed": 5, "afterHours": 2},
        )
    )

    assert (made["parallelism"], made["namespaceParallelism"], made["instanceID"]) == (9, 3, "research")
    assert made["retentionPolicy"] == {"failed": 5}
    assert made["workflowDefaults"] == {"spec": {"ttlStrategy": {"secondsAfterCompletion": 7200}}}


def test_workflows_of_a_team_run_under_an_account_that_may_report_results_alone() -> None:
    made = built(ArgoWorkflows, Platform(teams=(Team(name="vision"),)))

    assert told(made)["workflowDefaults"] == {"spec": {"serviceAccountName": "workflow"}}
    (subject,) = made.one("RoleBinding", "argo-executor")["subjects"]
    assert (subject["namespace"], subject["name"]) == ("team-vision", "workflow")
    assert grants(made.rules("Role", "argo-executor"), "argoproj.io", "workflowtaskresults") == {"create", "patch"}


def test_workflows_may_make_claims_where_the_stack_says_so() -> None:
    def verbs(**config: Any) -> set[str]:
        made = built(ArgoWorkflows, Platform(teams=(Team(name="vision"),)), **config)
        return grants(made.rules("Role", "argo-executor"), "", "persistentvolumeclaims")

    assert verbs() == set()
    assert {"create", "delete", "get"} <= verbs(claims=True)


def test_the_executor_gives_up_what_a_restricted_namespace_refuses() -> None:
    def executor(*levels: PodSecurity) -> Any:
        teams = tuple(Team(name=f"team-{number}", pod_security=level) for number, level in enumerate(levels))
        return told(built(ArgoWorkflows, Platform(teams=teams))).get("executor")

    assert executor("baseline", "privileged") is None
    assert executor("baseline", "restricted") == {
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "runAsNonRoot": True,
            "runAsUser": 8737,
            "seccompProfile": {"type": "RuntimeDefault"},
        }
    }


def test_artifacts_are_kept_in_the_stacks_store() -> None:
    platform = Platform(provisions=(Provision.of(STORE, "external"),), teams=(Team(name="vision"),))
    repository = told(built(ArgoWorkflows, platform))["artifactRepository"]

    assert repository["s3"]["endpoint"] == "s3.example.com:443"
    assert repository["s3"]["accessKeySecret"] == {"name": "artifacts", "key": "accessKey"}
    assert "artifactRepository" not in told(built(ArgoWorkflows, platform, artifacts=False))


def repository_of(made: Objects, home: str) -> Any:
    (found,) = (
        each
        for each in made.of("ConfigMap")
        if (each["metadata"]["name"], each["metadata"]["namespace"]) == ("artifact-repositories", home)
    )
    assert found["metadata"]["annotations"]["workflows.argoproj.io/default-artifact-repository"] == "default"
    return yaml.safe_load(found["data"]["default"])


def test_each_team_has_a_key_of_its_own_to_its_own_part_of_the_bucket() -> None:
    administrator = StoreAdministrator(secret="administrator")
    store = ObjectStore(
        host="seaweedfs.seaweedfs.svc", port=8333, tls=False, namespace="seaweedfs", administrator=administrator
    )
    teams = (Team(name="vision"), Team(name="language"))
    made = built(ArgoWorkflows, Platform(provisions=(Provision.of(store, "seaweedfs"),), teams=teams))

    secrets = set()
    for home in ("team-vision", "team-language"):
        repository = repository_of(made, home)
        assert repository["archiveLogs"] is True
        assert repository["s3"]["keyFormat"] == home + "/{{workflow.name}}/{{pod.name}}"
        secrets.add(repository["s3"]["accessKeySecret"]["name"])
    assert secrets == {"argo-workflows-team-vision-bucket", "argo-workflows-team-language-bucket"}
    plan = json.loads(made.one("ConfigMap", "argo-workflows-bucket")["data"]["plan.json"])
    assert {user["name"]: user["prefix"] for user in plan["users"]} == {
        "argo-workflows": "",
        "argo-workflows-team-vision": "team-vision/",
        "argo-workflows-team-language": "team-language/",
    }


def test_a_namespace_whose_artifacts_another_keeps_has_no_second_repository() -> None:
    spaces = WorkflowNamespaces(namespaces=["team-vision"], accounts=["pipeline-runner"], artifacts=True)
    provisions = (Provision.of(STORE, "external"), Provision.of(spaces, "kfp"))
    made = built(ArgoWorkflows, Platform(provisions=provisions, teams=(Team(name="vision"), Team(name="language"))))

    assert [
        each["metadata"]["namespace"] for each in made.of("ConfigMap") if "repositories" in each["metadata"]["name"]
    ] == ["team-language"]


def test_further_accounts_get_the_executors_rights() -> None:
    made = built(ArgoWorkflows, Platform(teams=(Team(name="vision"),)), executors=["batch"])

    assert [each["name"] for each in made.one("RoleBinding", "argo-executor")["subjects"]] == ["workflow", "batch"]
    assert made.names("ServiceAccount") == ["argo", "argo-server", "workflow"]


def test_jobs_know_the_engine_and_what_namespaces_have_for_workflows() -> None:
    config = {"release": "3.7.18-full", "instance": "research", "retention": {"failed": 5}, "executors": ["batch"]}
    platform = Platform(provisions=(Provision.of(STORE, "external"),), teams=(Team(name="vision"),))
    chosen = ArgoWorkflows.config_model().from_file({**config, "ui": {"enabled": False}})
    at = Setting("argo-workflows", chosen, platform)
    engine, spaces = ArgoWorkflows.offers(at).capabilities

    assert engine == WorkflowEngine(release="3.7.18", instance="research", account="workflow", deletes_ended=True)
    known = WorkflowNamespaces(namespaces=["team-vision"], accounts=["workflow", "batch"], artifacts=True)
    assert spaces == known.model_copy(update={"makes": {"workflow": []}})
    at = replace(at, config=chosen.model_copy(update={"claims": True}))
    _, spaces = ArgoWorkflows.offers(at).capabilities
    assert spaces == known.model_copy(update={"makes": {"workflow": ["PersistentVolumeClaim"]}})
    (alone,) = ArgoWorkflows.offers(setting(ArgoWorkflows, {"ui": {"enabled": False}})).capabilities
    assert alone == WorkflowEngine(release="4.0.10")


@pytest.mark.parametrize(("engine", "port"), [("mysql", 3306), ("postgresql", 5432)])
def test_ended_workflows_are_archived_in_the_stacks_database(engine: Any, port: int) -> None:
    share = SharedDatabase(database="argo", credentials=SecretSource(existing="argo-database"))
    server = SqlDatabase(engine=engine, host="db.example.com", port=port, shares={"argo-workflows": share})
    platform = Platform(provisions=(Provision.of(server, "external"),))
    persistence = told(built(ArgoWorkflows, platform, archive={"keepDays": 30}))["persistence"]

    assert persistence["archive"] is True
    assert persistence["archiveTTL"] == "30d"
    assert persistence[engine]["host"] == "db.example.com"
    assert persistence[engine]["passwordSecret"] == {"name": "argo-database", "key": "password"}


def test_a_login_needs_an_identity_provider() -> None:
    config = {"ui": {"sso": {"existing": "login"}}}

    needed = [each.capability for each in ArgoWorkflows.needs_of(setting(ArgoWorkflows, config)) if not each.optional]
    assert needed == [Identity]


def test_the_server_asks_for_a_token_and_has_no_route_without_a_gateway() -> None:
    made = built(ArgoWorkflows)

    assert "--auth-mode=client" in made.arguments("Deployment", "argo-server")
    assert made.names("Mapping") == []


def test_the_executor_image_is_said_and_not_left_to_the_program() -> None:
    arguments = built(ArgoWorkflows, release="3.7.18").arguments("Deployment", "workflow-controller")

    assert arguments == ["--executor-image=quay.io/argoproj/argoexec:v3.7.18"]
