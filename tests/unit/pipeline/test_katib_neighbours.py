"""Katib in a stack: its database, issuer, gateway and people come from anywhere, and each that is missing is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from platform_def.errors import ConfigError
from platform_def.manifests.rendered import RenderedStack
from tests.unit.pipeline.repository import stack, write

HEAD = """apiVersion: platform-def/v1
cluster: {kubernetes: "1.34"}
gateway: emissary
ingress: {kind: cloud}
"""
KATIB = "  emissary: {}\n  katib: {}\n"
IDENTITY = '  identity: {issuer: "https://id.example.com"}\n'
SHARED = "shares: {katib: {credentials: {existing: katib-database}}}"
SERVER = f"{{engine: mysql, host: sql.example.com, port: 3306, {SHARED}}}"
ISSUER = "  cert-manager: {}\n"

HERE = f"external:\n{IDENTITY}components:\n{KATIB}{ISSUER}  mysql: {{}}\n"
PROVIDED = (
    f"external:\n{IDENTITY}components:\n{KATIB}{ISSUER}"
    f'  mysql: {{provided: "8.4", provides: {{sqlDatabase: {SERVER}}}}}\n'
)
OWN = f"external:\n{IDENTITY}components:\n{KATIB}{ISSUER}  db: {{path: apps/db, provides: {{sqlDatabase: {SERVER}}}}}\n"
OUTSIDE = f"external:\n{IDENTITY}  sqlDatabase: {SERVER}\ncomponents:\n{KATIB}{ISSUER}"


def made(root: Path, text: str) -> RenderedStack:
    service = "apiVersion: v1\nkind: Service\nmetadata: {name: sql, namespace: db}\nspec: {ports: [{port: 3306}]}\n"
    return stack(write(root, {"stacks/a.yaml": HEAD + text, "apps/db/service.yaml": service}))


def katib(rendered: RenderedStack) -> dict[str, str]:
    """Its objects as text, but for those that make its database and its Secret."""
    found = rendered.components["katib"].objects
    return {str(each): each.text for each in found if "-database" not in each.name}


def refused(root: Path, text: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        made(root, text)
    return [problem.text for problem in caught.value.problems]


@pytest.mark.parametrize("text", [PROVIDED, OWN, OUTSIDE], ids=["provided", "path", "external"])
def test_only_the_db_manager_notices_where_the_database_is(tmp_path: Path, text: str) -> None:
    here, elsewhere = katib(made(tmp_path / "here", HERE)), katib(made(tmp_path / "elsewhere", text))
    differing = [name for name in here if here[name] != elsewhere.get(name)]

    assert here.keys() == elsewhere.keys()
    assert differing == ["Deployment kubeflow/katib-db-manager"]
    assert any("sql.example.com" in each for each in elsewhere.values())
    assert any("mysql.mysql.svc.cluster.local" in each for each in here.values())


def test_a_database_that_nobody_gives_is_named(tmp_path: Path) -> None:
    assert refused(tmp_path, HERE.replace("  mysql: {}\n", "")) == [
        "components.katib: needs a SQL database, and nothing in the stack gives one"
    ]


def test_two_databases_are_a_choice(tmp_path: Path) -> None:
    (said,) = refused(tmp_path, OUTSIDE + "  mysql: {}\n")

    assert said == "components.katib: needs a SQL database, and external and mysql give one"


def test_an_issuer_that_nobody_gives_is_named(tmp_path: Path) -> None:
    assert refused(tmp_path, HERE.replace(ISSUER, "")) == [
        "components.katib: needs a certificate issuer, and nothing in the stack gives one"
    ]
    assert made(tmp_path / "own", HERE.replace(ISSUER, "").replace("katib: {}", "katib: {certificates: katib}"))


def test_people_whom_nobody_knows_are_named(tmp_path: Path) -> None:
    (said,) = refused(tmp_path, HERE.replace(f"external:\n{IDENTITY}", ""))

    assert said.startswith("components.katib.ui.access: nothing in the stack says who a request is from")


def test_the_controller_is_delivered_after_the_definitions_of_its_trials(tmp_path: Path) -> None:
    needs = made(tmp_path, HERE + "  training-operator: {}\n").needs["katib/main"]

    assert "training-operator/crds" in needs


def test_teams_namespaces_take_experiments(tmp_path: Path) -> None:
    rendered = made(tmp_path, HERE + "teams: [{name: vision, podSecurity: privileged}]\n")
    (home,) = (each.manifest for each in rendered.components["namespaces"].objects if each.name == "team-vision")
    labels = home["metadata"]["labels"]

    assert labels["katib.kubeflow.org/metrics-collector-injection"] == "enabled"
    assert labels["pod-security.kubernetes.io/enforce"] == "privileged"
