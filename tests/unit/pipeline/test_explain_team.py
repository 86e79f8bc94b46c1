"""What a team becomes, and how its pods reach pipelines."""

from __future__ import annotations

from pathlib import Path

import pytest

from platform_def.capabilities import PipelineServer
from platform_def.config.platform import Platform
from platform_def.explain.team import client_lines, explain_team, token_of
from tests.unit.pipeline.repository import HEAD, write

SERVER = PipelineServer(host="ml-pipeline.kubeflow.svc.cluster.local", account="pipeline-runner")
STACK = (
    HEAD + "teams: [{name: vision, members: [{name: li@example.com, quota: {cpu: '8'}}], quota: {cpu: '64'}}]\n"
    "components: {argo-workflows: {ui: {enabled: false}}, kubeflow-roles: {}, kueue: {}}\n"
)


def test_a_team_makes_namespaces_quotas_bindings_and_what_components_put_there(tmp_path: Path) -> None:
    write(tmp_path, {"stacks/a.yaml": STACK})
    found = explain_team(tmp_path, "a", "vision", state=tmp_path / "state")

    lines = found["makes"]
    assert isinstance(lines, list)
    assert "Namespace: team-vision, team-vision-li" in lines
    assert "team-vision RoleBinding: argo-executor" in "\n".join(lines)
    assert any(line.startswith("team-vision ResourceQuota: ") for line in lines)
    assert any(line.startswith("team-vision-li ResourceQuota: ") for line in lines)
    assert "team-vision ServiceAccount: workflow" in lines
    assert "pipelines" not in found
    assert explain_team(tmp_path, "a", 0, state=tmp_path / "state") == found


@pytest.mark.parametrize(
    ("host", "port", "client"),
    [
        ("ml-pipeline.kubeflow.svc.cluster.local", 8888, "kfp.Client()"),
        ("ml-pipeline.flows.svc.cluster.local", 8888, 'kfp.Client(namespace="flows")'),
        ("ml-pipeline.kubeflow.svc.example.com", 8888, ('kfp.Client(host="http://ml-pipeline.kubeflow.svc.example.com:8888", '
         "credentials=kfp.client.ServiceAccountTokenVolumeCredentials())")),
        ("kfp.example.com", 80, ('kfp.Client(host="http://kfp.example.com:80", '
         "credentials=kfp.client.ServiceAccountTokenVolumeCredentials())")),
    ],
)  # fmt: skip
def test_three_lines_of_python_start_a_run(host: str, port: int, client: str) -> None:
    server = SERVER.model_copy(update={"host": host, "port": port})

    assert client_lines(server, "team-vision") == [
        "import kfp",
        f"client = {client}",
        'client.create_run_from_pipeline_package("pipeline.yaml", namespace="team-vision")',
    ]


def test_a_pod_gets_the_token_by_a_label_where_there_are_pod_defaults() -> None:
    told = "a token for pipelines.kubeflow.org at /var/run/secrets/kubeflow/pipelines/token"

    assert token_of(SERVER, Platform()) == f"a pod of the account pipeline-runner with {told}"
    offered = token_of(SERVER, Platform(apis=frozenset({"PodDefault.kubeflow.org"})))
    assert offered == f'a pod with the label access-ml-pipeline: "true", which gives it {told}'
