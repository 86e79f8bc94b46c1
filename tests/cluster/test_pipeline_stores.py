"""The API server of Kubeflow Pipelines starts on the database and the store of its stack and keeps there what it keeps, and
what one team's run has left another team does not read. What it keeps outlives its database by the backup.

Real: the API server of Kubernetes with RBAC, controllers and scheduler, SeaweedFS, Debian's MariaDB in place of MySQL, and the
Jobs that make Secrets, bucket, keys and databases, each as rendered. Played: the server of Kubeflow Pipelines by `go/pipeline-server`,
with its libraries and its configuration, under its account; ML Metadata, which only signs in; the kubelet, and images.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.backups import FETCHES, backed_up, fetching, said, secret
from tests.cluster.client import Manifest
from tests.cluster.conftest import show_logs
from tests.cluster.flow_stores import has_mariadb, mysql, python, seaweedfs
from tests.cluster.flows import FlowBench, flow_bench
from tests.cluster.kubelet.image import Image
from tests.cluster.machines import LOOKUP, PROGRAMS

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.own_network,
    pytest.mark.skipif(not has_mariadb(), reason="no MariaDB: apt-get install mariadb-server"),
]

HOME = "team-vision"
SERVER = "http://ml-pipeline.kubeflow.svc.cluster.local:8888"
EDITOR, VIEWER, STRANGER = "li@example.com", "guest@example.com", "kim@example.com"
COMPONENTS = ("kubeflow-roles", "profiles", "argo-workflows", "mysql", "spare", "seaweedfs", "kfp")
PLAYED = {"ml-pipeline": ["pipeline-server"], "metadata-grpc-deployment": ["sh", "/programs/mysql/metadata.sh"]}
"""Commands of Deployments that run here; what they say otherwise is a path of their image."""
KINDS = (
    "Namespace", "ServiceAccount", "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding", "ConfigMap", "Secret", "Service",
    "StatefulSet", "Job", "CronJob", "PersistentVolumeClaim",
)  # fmt: skip
STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.36"}
gateway: istio-ingress-gateway
ingress: {kind: cloud, host: ml.example.com, tls: {secret: ml-example-com}}
nodePools:
  - {name: cpu, nodes: 2, selector: {pool: cpu}}
storage:
  shared: {driver: existing, accessModes: [ReadWriteOnce, ReadWriteMany], default: true}
external:
  identity: {issuer: "https://id.example.com"}
uses: {sqlDatabase: mysql}
components:
  istio: {}
  istio-cni: {}
  istio-ingress-gateway: {}
  argo-workflows: {artifacts: false}
  kubeflow-roles: {}
  profiles: {}
  mysql: {nativePassword: true, backup: {}}
  spare: {component: mysql, namespace: spare}
  seaweedfs: {}
  kfp: {}
teams:
  - {name: vision, members: [{name: li@example.com}, {name: guest@example.com, role: view}]}
  - {name: speech, members: [{name: kim@example.com}]}
"""
ASKED = (
    ("first", "POST", "experiments/first", EDITOR),
    ("second", "POST", "experiments/second", EDITOR),
    ("pipeline", "POST", "pipelines/one?text=steps", EDITOR),
    ("text", "GET", "pipelines/one", EDITOR),
    ("run", "POST", "runs/one?artifact=pipelines/one", EDITOR),
    ("run of who may look", "POST", "runs/two", VIEWER),
    ("run of a stranger", "POST", "runs/three", STRANGER),
    ("details", "GET", "runs/one", EDITOR),
    ("artifact", "GET", "runs/one/artifact", EDITOR),
    ("artifact for who may look", "GET", "runs/one/artifact", VIEWER),
    ("artifact for a stranger", "GET", "runs/one/artifact", STRANGER),
)
RESTORES = f"""\
{FETCHES}
gunzip -c /tmp/dump.sql.gz | MYSQL_PWD=$EMPTY mysql --no-defaults -h spare.spare.svc.cluster.local -u root
MYSQL_PWD=$FULL mysql --no-defaults -h spare.spare.svc.cluster.local -u root -Ne 'SELECT UUID, Namespace FROM mlpipeline.run_details'
"""
"""As the page of mysql says it: root has the password of the server that was dumped, afterwards."""


def taken(item: Manifest) -> Manifest | None:
    """What comes to the cluster: accounts, rights and stores whole, of what serves pipelines the server and what it waits for."""
    kind, name = item["kind"], item["metadata"]["name"]
    if kind == "Deployment" and name in PLAYED:
        made = deepcopy(item)
        made["spec"]["template"]["spec"]["containers"][0]["command"] = PLAYED[name]
        return made
    if kind == "CustomResourceDefinition":
        return item if item["spec"]["group"] == "argoproj.io" else None
    return item if kind in KINDS else None


@pytest.fixture(scope="module")
def running(programs: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[FlowBench]:
    """The cluster with server, store and database."""
    files = {"/programs": str(PROGRAMS)}
    images = {
        "ghcr.io/kubeflow/kfp-api-server:": Image((str(programs["pipeline-server"].parent),)),
        "gcr.io/tfx-oss-public/ml_metadata_store_server:": Image((), {}, files),
        "docker.io/alpine:": LOOKUP,
        **python(),
        **seaweedfs(programs),
        **mysql(),
    }
    root = tmp_path_factory.mktemp("pipelines")
    with flow_bench(root, programs, STACK, components=COMPONENTS, images=images, taken=taken) as bench:
        yield bench


@pytest.fixture
def pipelines(running: FlowBench, request: pytest.FixtureRequest) -> FlowBench:
    """The shared cluster; its logs are shown when the test fails."""
    show_logs(request, running.control_plane)
    return running


@pytest.fixture(scope="module")
def answers(running: FlowBench) -> dict[str, tuple[int, Any]]:
    """Status and answer of each request, in their order, by people whose names the gateway writes."""
    lines = [
        f"curl -sS -o /tmp/said -w '{name}\\t%{{http_code}}\\t' -X {method} -H 'kubeflow-userid: {person}' "
        f"'{SERVER}/apis/v2beta1/{path}{'&' if '?' in path else '?'}namespace={HOME}' && cat /tmp/said"
        for name, method, path, person in ASKED
    ]
    found = said(running, "\n".join(lines), namespace=HOME, spec={})
    cells = [line.split("\t") for line in found.splitlines()]
    return {name: (int(status), json.loads(text)) for name, status, text in cells}


def test_the_server_makes_its_tables_and_finds_its_bucket_with_its_own_user_and_key(
    pipelines: FlowBench, answers: dict[str, tuple[int, Any]]
) -> None:
    assert answers["first"] == (200, {"made": True})
    # It looks once, as it starts, and goes on without an answer: the first start may come before its user is there.
    pods = "/api/v1/namespaces/kubeflow/pods?labelSelector=app.kubernetes.io/name%3Dml-pipeline"
    assert pipelines.control_plane.api.request("DELETE", pods).status == 200
    found = "Bucket mlpipeline already exists and is accessible"
    pipelines.wait(lambda: found in pipelines.log("kubeflow", "ml-pipeline"), "the server finds its bucket")


def test_a_second_experiment_of_a_name_is_told_from_other_faults(answers: dict[str, tuple[int, Any]]) -> None:
    assert answers["second"] == (200, {"made": False})


def test_texts_of_pipelines_are_below_their_prefix_of_the_bucket(answers: dict[str, tuple[int, Any]]) -> None:
    assert answers["pipeline"] == (200, "pipelines/one")
    assert answers["text"] == (200, "steps")


def test_what_belongs_to_a_run_is_one_text_that_the_database_does_not_cut(answers: dict[str, tuple[int, Any]]) -> None:
    status, found = answers["details"]

    # MySQL's own bound is 1024 characters.
    assert (status, found["tasks"]) == (200, 20)
    assert found["characters"] > 20_000


def test_a_run_becomes_a_workflow_of_the_team_under_its_account(
    pipelines: FlowBench, answers: dict[str, tuple[int, Any]]
) -> None:
    path = f"/apis/argoproj.io/v1alpha1/namespaces/{HOME}/workflows"
    found = pipelines.control_plane.api.get(path).body["items"]

    assert answers["run"] == (200, "one")
    assert [(each["metadata"]["name"], each["spec"]["serviceAccountName"]) for each in found] == [
        ("one", "pipeline-runner")
    ]


def test_who_may_only_look_and_strangers_start_no_run(answers: dict[str, tuple[int, Any]]) -> None:
    assert answers["run of who may look"] == (403, f"{VIEWER} may not create runs of {HOME}")
    assert answers["run of a stranger"] == (403, f"{STRANGER} may not create runs of {HOME}")


def test_an_artifact_is_for_people_of_its_team_alone(answers: dict[str, tuple[int, Any]]) -> None:
    assert answers["artifact"] == answers["artifact for who may look"] == (200, "steps")
    assert answers["artifact for a stranger"] == (403, f"{STRANGER} may not readArtifact runs of {HOME}")


def test_a_backup_is_restored_into_an_empty_server(pipelines: FlowBench, answers: dict[str, tuple[int, Any]]) -> None:
    told = backed_up(pipelines, "mysql")
    assert answers["run"][0] == 200
    values = {
        **fetching(pipelines, "mysql", told),
        "EMPTY": secret(pipelines, "spare", "spare-root", "password"),
        "FULL": secret(pipelines, "mysql", "mysql-root", "password"),
    }
    env = [{"name": name, "value": value} for name, value in values.items()]
    found = said(pipelines, RESTORES, namespace="spare", spec={}, env=env)

    assert [line.split() for line in found.splitlines()] == [["one", HOME]]
