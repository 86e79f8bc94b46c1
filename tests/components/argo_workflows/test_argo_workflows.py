"""Argo Workflows: what its configuration says, whose rights workflows have, and who reaches the server."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from platform_def.capabilities import Identity, ObjectStore, SqlDatabase
from platform_def.capabilities.databases import SharedDatabase
from platform_def.components.pipelines.argo_workflows.component import ArgoWorkflows
from platform_def.config.capability import Provision
from platform_def.config.platform import Platform
from platform_def.config.secrets import SecretSource
from platform_def.config.teams import Team
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


def test_artifacts_are_kept_in_the_stacks_store_whose_secret_is_where_workflows_are() -> None:
    platform = Platform(provisions=(Provision.of(STORE, "external"),), teams=(Team(name="vision"),))
    repository = told(built(ArgoWorkflows, platform))["artifactRepository"]

    assert repository["s3"]["endpoint"] == "s3.example.com:443"
    assert repository["s3"]["accessKeySecret"] == {"name": "artifacts", "key": "accessKey"}
    assert "artifactRepository" not in told(built(ArgoWorkflows, platform, artifacts=False))


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

    assert [each.capability for each in ArgoWorkflows.needs_of(setting(ArgoWorkflows, config))] == [Identity]


def test_the_server_asks_for_a_token_and_has_no_route_without_a_gateway() -> None:
    made = built(ArgoWorkflows)

    assert "--auth-mode=client" in made.arguments("Deployment", "argo-server")
    assert made.names("Mapping") == []


def test_the_executor_image_is_said_and_not_left_to_the_program() -> None:
    arguments = built(ArgoWorkflows, release="3.7.18").arguments("Deployment", "workflow-controller")

    assert arguments == ["--executor-image=quay.io/argoproj/argoexec:v3.7.18"]
