"""Pipelines of the v1 SDK of Kubeflow Pipelines, compiled by kfp 1.8.22, run to their end on Argo Workflows in a team's
namespace, by the template `pipeline` and under the account, rights and store that the stack renders for workflows.

Real: the SDK and its compiler, the API server with its admission, Kubernetes' controllers and scheduler, Argo Workflows
3.7.18, SeaweedFS, and the Jobs that make Secrets, bucket and users. Played: the kubelet, which runs each container as
processes, and images.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.client import Manifest
from tests.cluster.conftest import or_skip, show_logs
from tests.cluster.flow_stores import python, seaweedfs
from tests.cluster.flows import FlowBench, flow_bench
from tests.cluster.pipelines import compile_v1, steps

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

HOME = "team-vision"
COMPONENTS = ("seaweedfs", "argo-workflows")
JOBS = ("calculate", "sequential", "unwanted", "lines", "often")
STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.36"}
nodePools:
  - {name: cpu, nodes: 2, selector: {pool: cpu}}
storage:
  shared: {driver: existing, accessModes: [ReadWriteOnce, ReadWriteMany], default: true}
components:
  argo-workflows: {release: "3.7.18", claims: true}
  seaweedfs: {}
teams:
  - {name: vision}
jobs:
  - {template: pipeline, name: calculate, team: vision, file: pipelines/calculation.yaml, v1: true, parameters: {a: "1", b: "2"}}
  - {template: pipeline, name: sequential, team: vision, file: pipelines/sequential.yaml, v1: true}
  - {template: pipeline, name: unwanted, team: vision, file: pipelines/sequential.yaml, v1: true, parameters: {message: hamlet}}
  - {template: pipeline, name: lines, team: vision, file: pipelines/lines.yaml, v1: true}
  - {template: pipeline, name: often, team: vision, file: pipelines/hello.yaml, v1: true, schedule: {cron: "* * * * *"}}
"""


@pytest.fixture(scope="module")
def running(programs: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[FlowBench]:
    """The cluster with controller and store, on which all pipelines run at once."""
    root = tmp_path_factory.mktemp("pipelines")
    sdk = or_skip(lambda: compile_v1(root / "pipelines"))
    images = {**steps(sdk), **python(), **seaweedfs(programs)}
    with flow_bench(root, programs, STACK, components=COMPONENTS, images=images) as bench:
        for name in JOBS:
            bench.store(bench.job(name))
        yield bench


@pytest.fixture
def flows(running: FlowBench, request: pytest.FixtureRequest) -> FlowBench:
    """The shared cluster; its logs are shown when the test fails."""
    show_logs(request, running.control_plane)
    return running


def node(status: Manifest, name: str) -> dict[str, Any]:
    """A node of a workflow, by the name that people see."""
    (found,) = (each for each in status["nodes"].values() if each["displayName"] == name)
    return dict(found)


def output(status: Manifest, name: str, parameter: str) -> str:
    """What a step put out."""
    given = node(status, name)["outputs"]["parameters"]
    return next(str(each["value"]) for each in given if each["name"] == parameter)


def test_functions_hand_numbers_on_each_in_its_image(flows: FlowBench) -> None:
    status = flows.run(flows.job("calculate"))

    assert output(status, "add", "add-Output") == "5.0"
    assert output(status, "my-divmod", "my-divmod-quotient") == "2.0"


def test_a_volume_is_made_and_a_condition_that_holds_reads_from_it(flows: FlowBench) -> None:
    workflow = flows.job("sequential")
    status = flows.run(workflow)

    claim = output(status, "create-pvc", "create-pvc-name")
    assert claim == f"{workflow['metadata']['name']}-my-pvc-2"
    assert flows.control_plane.api.get(f"/api/v1/namespaces/{HOME}/persistentvolumeclaims/{claim}").status == 200
    assert node(status, "read")["phase"] == "Succeeded"


def test_without_the_right_to_make_claims_a_pipeline_fails_and_says_so(flows: FlowBench) -> None:
    workflow = flows.job("sequential")
    workflow["metadata"]["name"] = "refused"
    role, right = flows.object("Role", "argo-executor", HOME), ("", "persistentvolumeclaims", "create")
    with flows.without(role, right, account=f"{HOME}:workflow", namespace=HOME):
        status = flows.run(workflow, ends="Failed")

    assert "cannot create resource" in node(status, "create-pvc")["message"] + flows.log(HOME, "refused")


def test_a_condition_that_does_not_hold_skips_its_steps(flows: FlowBench) -> None:
    status = flows.run(flows.job("unwanted"))

    assert node(status, "condition-wanted-1")["phase"] == "Skipped"
    assert "read" not in {each["displayName"] for each in status["nodes"].values()}


def test_files_go_through_the_team_s_part_of_the_store(flows: FlowBench) -> None:
    status = flows.run(flows.job("lines"))

    keys = [node(status, name)["outputs"]["artifacts"][0]["s3"]["key"] for name in ("get-lines", "get-lines-2")]
    assert all(key.startswith(f"{HOME}/lines-") for key in keys), keys


def test_a_pipeline_starts_on_its_schedule_and_keeps_what_the_sdk_wrote_about_it(flows: FlowBench) -> None:
    cron = flows.job("often")
    path = f"/apis/argoproj.io/v1alpha1/namespaces/{HOME}/workflows"
    label = f"workflows.argoproj.io/cron-workflow={cron['metadata']['name']}"

    def ended() -> dict[str, Manifest]:
        found = flows.control_plane.api.get(f"{path}?labelSelector={label}").body["items"]
        return {each["metadata"]["name"]: each for each in found if each.get("status", {}).get("phase") == "Succeeded"}

    flows.wait(lambda: bool(ended()), "it has run", cron)

    first = next(iter(ended().values()))
    assert first["metadata"]["labels"]["pipelines.kubeflow.org/kfp_sdk_version"] == "1.8.22"
    said = json.loads(first["metadata"]["annotations"]["pipelines.kubeflow.org/pipeline_spec"])
    assert said["name"] == "my-first-pipeline"
