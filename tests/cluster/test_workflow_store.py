"""Artifacts of workflows go through a real SeaweedFS, where each team's key opens its own part of the bucket alone, and
ended workflows stay in a real PostgreSQL.

Real: the API server with its admission, Kubernetes' controllers and scheduler, Argo Workflows 3.7.18 and 4.0.5, which runs what is
rendered for 4.0.10, SeaweedFS, Debian's PostgreSQL, and the Jobs that make Secrets, bucket, users and database, each as
rendered. Played: the kubelet, which runs each container as processes, and images: SeaweedFS is newer and PostgreSQL older than
those of the stack.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from platform_def.constructs.security import RESTRICTED
from tests.cluster.client import Manifest
from tests.cluster.conftest import show_logs
from tests.cluster.flow_stores import postgres_folder, postgresql, python, seaweedfs
from tests.cluster.flows import RELEASES, TOOLS, FlowBench, flow_bench

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

HOME, OTHER = "team-vision", "team-speech"
ARCHIVED = postgres_folder() is not None
"""Whether there is a server for the archive."""
COMPONENTS = ("seaweedfs", *(("postgresql",) if ARCHIVED else ()), "argo-workflows")
STACK = f"""\
apiVersion: platform-def/v1
cluster: {{kubernetes: "1.36"}}
nodePools:
  - {{name: cpu, nodes: 2, selector: {{pool: cpu}}}}
storage:
  shared: {{driver: existing, accessModes: [ReadWriteOnce, ReadWriteMany], default: true}}
components:
  argo-workflows: {{release: "RELEASE"{", archive: {}" if ARCHIVED else ""}}}
  seaweedfs: {{}}
  {"postgresql: {}" if ARCHIVED else ""}
teams:
  - {{name: vision}}
  - {{name: speech}}
jobs:
  - {{template: workflow, name: publish, team: vision, file: workflows/publish.yaml}}
"""
PUBLISH = """\
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {generateName: publish-}
spec:
  entrypoint: main
  templates:
    - name: main
      steps:
        - - {name: train, template: train}
        - - name: publish
            template: publish
            arguments: {artifacts: [{name: model, from: "{{steps.train.outputs.artifacts.model}}"}]}
    - name: train
      container:
        image: registry.example.com/tools:1
        command: [sh, -c, "mkdir /tmp/model && echo weights > /tmp/model/weights && echo trained"]
      outputs: {artifacts: [{name: model, path: /tmp/model}]}
    - name: publish
      inputs: {artifacts: [{name: model, path: /tmp/in}]}
      container:
        image: registry.example.com/tools:1
        command: [cp, /tmp/in/weights, /tmp/found]
      outputs: {parameters: [{name: found, valueFrom: {path: /tmp/found}}]}
"""
ASKS = "SELECT name || ' ' || phase FROM argo_archived_workflows"
NUMBERS = count()


@pytest.fixture(scope="module", params=RELEASES)
def running(
    programs: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[FlowBench]:
    """The cluster with the controller of each release, store and database."""
    root = tmp_path_factory.mktemp("store")
    (root / "workflows").mkdir()
    (root / "workflows" / "publish.yaml").write_text(PUBLISH)
    images = {**python(), **seaweedfs(programs), **postgresql()}
    with flow_bench(
        root, programs, STACK.replace("RELEASE", request.param), components=COMPONENTS, images=images
    ) as bench:
        yield bench


@pytest.fixture(scope="module")
def published(running: FlowBench) -> Manifest:
    """What is said of the workflow of the stack, after its end."""
    return running.run(running.job("publish"))


@pytest.fixture
def flows(running: FlowBench, request: pytest.FixtureRequest) -> FlowBench:
    """The shared cluster; its logs are shown when the test fails."""
    show_logs(request, running.control_plane)
    return running


def node(status: Manifest, name: str) -> Manifest:
    """A node of a workflow, by the name that people see."""
    (found,) = (each for each in status["nodes"].values() if each["displayName"] == name)
    return dict(found)


def keys(status: Manifest, name: str) -> dict[str, str]:
    """Where in the bucket the artifacts of a node are."""
    return {each["name"]: each["s3"]["key"] for each in node(status, name)["outputs"]["artifacts"]}


def workflow(namespace: str, **template: Any) -> Manifest:
    """A workflow of one step, under a name of its own."""
    container = {"image": TOOLS, "command": ["sh", "-c", "cat /tmp/in 2>/dev/null || echo mine > /tmp/out"]}
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Workflow",
        "metadata": {"name": f"one-{next(NUMBERS)}", "namespace": namespace},
        "spec": {"entrypoint": "main", "templates": [{"name": "main", "container": container, **template}]},
    }


def reading(namespace: str, key: str) -> Manifest:
    """A workflow that reads an object with its team's key."""
    return workflow(namespace, inputs={"artifacts": [{"name": "in", "path": "/tmp/in", "s3": {"key": key}}]})


def writing(namespace: str, key: str) -> Manifest:
    """A workflow that writes an object with its team's key."""
    return workflow(namespace, outputs={"artifacts": [{"name": "out", "path": "/tmp/out", "s3": {"key": key}}]})


def test_an_artifact_goes_from_step_to_step_through_the_team_s_part_of_the_store(
    flows: FlowBench, published: Manifest
) -> None:
    found = keys(published, "train")

    assert node(published, "publish")["outputs"]["parameters"][0]["value"].strip() == "weights"
    assert found.keys() == {"model", "main-logs"}
    assert all(key.startswith(f"{HOME}/publish-") for key in found.values())


def test_a_team_reads_and_writes_its_own_part(flows: FlowBench, published: Manifest) -> None:
    flows.run(reading(HOME, keys(published, "train")["main-logs"]))
    flows.run(writing(OTHER, f"{OTHER}/model"))
    flows.run(reading(OTHER, f"{OTHER}/model"))


@pytest.mark.parametrize("verb", ["read", "write"])
def test_a_team_is_refused_the_other_team_s_part(flows: FlowBench, published: Manifest, verb: str) -> None:
    key = keys(published, "train")["main-logs"] if verb == "read" else f"{HOME}/model"
    one = reading(OTHER, key) if verb == "read" else writing(OTHER, key)
    flows.store(one)
    flows.wait(lambda: flows.status(one).get("phase") in ("Failed", "Error"), "it fails", one)
    told = json.dumps(flows.status(one)) + flows.log(OTHER, one["metadata"]["name"])

    assert "Access Denied" in told or "AccessDenied" in told, told


@pytest.mark.skipif(not ARCHIVED, reason="no PostgreSQL: apt-get install postgresql")
def test_a_workflow_that_ended_is_in_the_archive(flows: FlowBench, published: Manifest) -> None:
    name = flows.job("publish")["metadata"]["name"]
    secret = {"secretKeyRef": {"name": "argo-workflows-database", "key": "password"}}
    asking = f'psql -Xqt -h postgresql.postgresql -c "{ASKS}" argo_workflows'
    # The controller archives a workflow when it has ended, and not at once.
    words = ["sh", "-c", f"until {asking} | grep '{name} Succeeded'; do sleep 1; done"]
    user = {"secretKeyRef": {"name": "argo-workflows-database", "key": "username"}}
    env = [{"name": "PGPASSWORD", "valueFrom": secret}, {"name": "PGUSER", "valueFrom": user}]
    container: Manifest = {"name": "main", "image": "docker.io/library/postgres:17", "command": words, "env": env}
    # As all pods of this namespace must be.
    container["securityContext"] = {**RESTRICTED, "runAsUser": 999}
    spec = {"containers": [container], "restartPolicy": "Never", "activeDeadlineSeconds": 240}
    asks = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "asks", "namespace": "argo"}, "spec": spec}
    flows.store(asks)
    flows.wait(lambda: flows.status(asks).get("phase") in ("Succeeded", "Failed"), "it has asked")

    assert f"{name} Succeeded" in flows.log("argo", "asks")
