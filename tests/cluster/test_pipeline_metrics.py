"""Kubeflow Pipelines counts runs as its table says: its server, what watches workflows for it, and what starts recurring runs.

No registry of packages has them: they are of a checkout of upstream at tag 2.17.0 (`checkouts.py`), and skipped without.

Real: these three, under accounts, rights and variables of the stack, Debian's MariaDB in place of MySQL, SeaweedFS, the API server with
its controllers, and the Jobs that make Secrets, bucket and databases. Played: the workflow controller, by the status that it would
write; ML Metadata, which only signs in; the kubelet, and images.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from platform_def.components.pipelines.kfp.observation import METRICS, SCHEDULER, SERVER
from tests.cluster.backups import said
from tests.cluster.checkouts import PIPELINES
from tests.cluster.client import Manifest
from tests.cluster.conftest import or_skip, show_logs
from tests.cluster.fed import unfed
from tests.cluster.flow_stores import has_mariadb, mysql, python, seaweedfs
from tests.cluster.flows import FlowBench, flow_bench
from tests.cluster.kubelet.image import Image
from tests.cluster.machines import LOOKUP, PROGRAMS
from tests.cluster.scrape import Page, differences, page_of_service, unserved
from tests.cluster.whole import whole

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.own_network,
    pytest.mark.skipif(not has_mariadb(), reason="no MariaDB: apt-get install mariadb-server"),
]

HOME, EDITOR = "team-vision", "li@example.com"
COMPONENTS = ("kubeflow-roles", "profiles", "argo-workflows", "mysql", "seaweedfs", "kfp")
COMMANDS = {
    SERVER: ["apiserver"],
    SCHEDULER: None,
    "ml-pipeline-persistenceagent": None,
    "metadata-grpc-deployment": ["sh", "/programs/mysql/metadata.sh"],
}
"""Deployments that run here; the command of those whose own is a path of their image."""
KINDS = (
    "Namespace", "ServiceAccount", "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding", "ConfigMap", "Secret", "Service",
    "StatefulSet", "Job", "PersistentVolumeClaim",
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
components:
  istio: {}
  istio-cni: {}
  istio-ingress-gateway: {}
  argo-workflows: {artifacts: false}
  kubeflow-roles: {}
  profiles: {}
  mysql: {nativePassword: true}
  seaweedfs: {}
  kfp: {}
teams:
  - {name: vision, members: [{name: li@example.com}]}
"""
AGENT = (
    "exec persistence_agent --logtostderr=true --namespace=$NAMESPACE --numWorker=$NUM_WORKERS --logLevel=$LOG_LEVEL"
    " --ttlSecondsAfterWorkflowFinish=$TTL_SECONDS_AFTER_WORKFLOW_FINISH --executionType=Workflow"
)
CONTROLLER = (
    "exec controller --logtostderr=true --namespace=$NAMESPACE --logLevel=$LOG_LEVEL --clientQPS=$CLIENT_QPS"
    " --clientBurst=$CLIENT_BURST --recurringRunResyncIntervalSeconds=$RESYNC_INTERVAL_SECONDS --metricsPort=$METRICS_PORT"
    ' --userIdentityHeader="$USER_IDENTITY_HEADER" --userIdentityValue="$USER_IDENTITY_VALUE"'
)
"""What their images run."""
PIPELINE: Manifest = {
    "schemaVersion": "2.1.0",
    "sdkVersion": "kfp-2.14.0",
    "pipelineInfo": {"name": "says"},
    "components": {"comp-says": {"executorLabel": "exec-says"}},
    "deploymentSpec": {
        "executors": {"exec-says": {"container": {"image": "docker.io/library/python:3.12", "command": ["true"]}}}
    },
    "root": {"dag": {"tasks": {"says": {"componentRef": {"name": "comp-says"}, "taskInfo": {"name": "says"}}}}},
}
ENDS = ("Succeeded", "Failed")
AT = "2026-01-02T03:04:05Z"


def taken(item: Manifest) -> Manifest | None:
    """What comes to the cluster: accounts, rights and stores, and the programs that run here."""
    kind, name = item["kind"], item["metadata"]["name"]
    if kind == "Deployment" and name in COMMANDS:
        made = deepcopy(item)
        if command := COMMANDS[name]:
            made["spec"]["template"]["spec"]["containers"][0]["command"] = command
        return made
    if kind == "CustomResourceDefinition":
        return item if item["spec"]["group"] in ("argoproj.io", "kubeflow.org") else None
    return item if kind in KINDS else None


@pytest.fixture(scope="module")
def running(programs: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[FlowBench]:
    """The cluster with the three programs, store and database."""
    folder = str(or_skip(PIPELINES.obtain)["apiserver"].parent)
    images = {
        "ghcr.io/kubeflow/kfp-api-server:": Image((folder,)),
        "ghcr.io/kubeflow/kfp-persistence-agent:": Image((folder,), command=("sh", "-c", AGENT)),
        "ghcr.io/kubeflow/kfp-scheduled-workflow-controller:": Image((folder,), command=("sh", "-c", CONTROLLER)),
        "gcr.io/tfx-oss-public/ml_metadata_store_server:": Image((), {}, {"/programs": str(PROGRAMS)}),
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


def asked(bench: FlowBench, path: str, body: Manifest) -> dict[str, Any]:
    """What the server answers a member of the team, whose name the gateway writes."""
    address = f"http://{SERVER}.kubeflow.svc.cluster.local:8888/apis/v2beta1/{path}"
    headers = f"-H 'kubeflow-userid: {EDITOR}' -H 'content-type: application/json'"
    env = [{"name": "BODY", "value": json.dumps(body)}]
    text = said(bench, f'curl -sS {headers} -d "$BODY" {address}', namespace=HOME, spec={}, env=env)
    found: dict[str, Any] = json.loads(text)
    assert "error" not in found, found
    return found


def page(bench: FlowBench, name: str) -> Page:
    """What a program says to Prometheus, at the port of the Service that the component's monitor names."""
    (monitor,) = (each for each in whole("kfp").monitors if each["metadata"]["name"] == name)
    (end,) = monitor["spec"]["endpoints"]
    ports = bench.object("Service", name, "kubeflow")["spec"]["ports"]
    (port,) = (each["port"] for each in ports if each["name"] == end["port"])
    return page_of_service(bench, name, "kubeflow", port, path=end["path"])


def end(bench: FlowBench, workflow: Manifest, phase: str) -> None:
    """Write what the workflow controller writes when a workflow ends."""
    path = f"{bench.control_plane.api.path(workflow)}"
    done = {"phase": phase, "startedAt": AT, "finishedAt": AT}
    labels = {"workflows.argoproj.io/completed": "true", "workflows.argoproj.io/phase": phase}
    patch = {"metadata": {"labels": labels}, "status": done}
    reply = bench.control_plane.api.request("PATCH", path, patch, content="application/merge-patch+json")
    assert reply.status == 200, reply.message


def test_runs_are_counted_by_namespace_and_workflow_as_the_table_says(
    pipelines: FlowBench, programs: Mapping[str, Path]
) -> None:
    early = {name: page(pipelines, name) for name in (SERVER, SCHEDULER)}
    experiment = asked(pipelines, "experiments", {"display_name": "first", "namespace": HOME})["experiment_id"]
    run = {"experiment_id": experiment, "pipeline_spec": PIPELINE}
    for phase in ENDS:
        asked(pipelines, "runs", {**run, "display_name": phase})
    trigger = {"periodic_schedule": {"interval_second": "3600"}}
    often = {"display_name": "often", "mode": "ENABLE", "max_concurrency": "1", "trigger": trigger}
    asked(pipelines, "recurringruns", {**run, **often})
    path = f"/apis/argoproj.io/v1alpha1/namespaces/{HOME}/workflows"
    workflows = pipelines.control_plane.api.get(path).body["items"]
    kind = {"apiVersion": "argoproj.io/v1alpha1", "kind": "Workflow"}
    for workflow, phase in zip(workflows, ENDS, strict=True):
        end(pipelines, {**workflow, **kind}, phase)
    counted = {"resource_manager_workflow_runs_success", "resource_manager_workflow_runs_failed"}
    pipelines.wait(lambda: counted <= page(pipelines, SERVER).samples.keys(), "both ends are counted")
    late = {name: page(pipelines, name) for name in (SERVER, SCHEDULER)}

    assert set.intersection(*(unserved(each, [METRICS]) for each in late.values())) == set()
    assert [each for page_ in late.values() for each in differences(page_, [METRICS])] == []
    named = {each["metadata"]["name"] for each in workflows}
    assert {
        (each["profile"], each["workflow"] in named) for name in counted for each in late[SERVER].samples[name]
    } == {(HOME, True)}
    pages = {name: [early[name], late[name]] for name in late}
    assert unfed("kfp", pages, engine=programs["prometheus-engine"]) == []
