"""Workflows of a team run to their end through Argo's real controller and executor, under the accounts, rights and
configuration that the component renders, and without one of these rights they do not.

Real: the API server with its admission, Kubernetes' controllers and scheduler, Argo Workflows 3.7.18 and 4.0.5, which runs what is
rendered for 4.0.10. Played: the kubelet, which runs each container as processes, and images.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from platform_def.components.pipelines.argo_workflows.observation import SERVICE
from platform_def.components.pipelines.argo_workflows.releases import RELEASES as OFFERED
from tests.cluster.client import Manifest
from tests.cluster.conftest import show_logs
from tests.cluster.fed import unfed
from tests.cluster.flows import CONTROLLER, LINES, RELEASES, TOOLS, FlowBench, flow_bench
from tests.cluster.scrape import faults, page_of_service
from tests.cluster.whole import released

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

COMPONENTS, HOME = ("argo-workflows",), "team-vision"
STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.36"}
nodePools:
  - {name: cpu, nodes: 2, selector: {pool: cpu}}
storage:
  shared: {driver: existing, accessModes: [ReadWriteOnce, ReadWriteMany], default: true}
components:
  argo-workflows: {release: RELEASE}
teams:
  - {name: vision}
  - {name: speech, podSecurity: restricted}
jobs:
  - {template: workflow, name: train, team: vision, file: workflows/train.yaml, parameters: {count: "2"}}
  - {template: cron-workflow, name: often, team: vision, file: workflows/often.yaml}
"""
TRAIN = """\
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {generateName: train-}
spec:
  entrypoint: main
  arguments: {parameters: [{name: count, value: "9"}]}
  volumeClaimTemplates:
    - metadata: {name: shards}
      spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
  templates:
    - name: main
      steps:
        - - {name: prepare, template: prepare}
        - - name: train
            template: train
            arguments: {parameters: [{name: shard, value: "{{item}}"}]}
            withParam: "{{steps.prepare.outputs.result}}"
          - name: more
            template: train
            when: "{{steps.prepare.outputs.parameters.count}} > 2"
            arguments: {parameters: [{name: shard, value: c}]}
        - - {name: list, template: list, when: "{{steps.prepare.outputs.parameters.count}} == 2"}
    - name: prepare
      script:
        image: registry.example.com/tools:1
        command: [sh]
        source: |
          echo {{workflow.parameters.count}} > /tmp/count
          echo '["a", "b"]'
      outputs: {parameters: [{name: count, valueFrom: {path: /tmp/count}}]}
    - name: train
      inputs: {parameters: [{name: shard}]}
      retryStrategy: {limit: 2}
      container:
        image: registry.example.com/tools:1
        command:
          - sh
          - -c
          - test -e /shards/{{inputs.parameters.shard}} || { touch /shards/{{inputs.parameters.shard}}; exit 3; }
        volumeMounts: [{name: shards, mountPath: /shards}]
    - name: list
      container:
        image: registry.example.com/tools:1
        command: [sh, -c, ls /shards > /tmp/found]
        volumeMounts: [{name: shards, mountPath: /shards}]
      outputs: {parameters: [{name: found, valueFrom: {path: /tmp/found}}]}
"""
OFTEN = """\
apiVersion: argoproj.io/v1alpha1
kind: CronWorkflow
metadata: {name: often}
spec:
  schedules: ["* * * * *"]
  workflowSpec:
    entrypoint: main
    templates:
      - {name: main, container: {image: "registry.example.com/tools:1", command: [date]}}
"""
NUMBERS = count()


@pytest.fixture(scope="module", params=RELEASES)
def running(
    programs: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[FlowBench]:
    """The cluster with the controller of each release, on which a workflow starts every minute."""
    root = tmp_path_factory.mktemp("flows")
    (root / "workflows").mkdir()
    (root / "workflows" / "train.yaml").write_text(TRAIN)
    (root / "workflows" / "often.yaml").write_text(OFTEN)
    with flow_bench(
        root, programs, STACK.replace("RELEASE", f'"{request.param}"'), components=COMPONENTS, images={}
    ) as bench:
        bench.store(bench.job("often"))
        yield bench


@pytest.fixture
def flows(running: FlowBench, request: pytest.FixtureRequest) -> FlowBench:
    """The shared cluster; its logs are shown when the test fails."""
    show_logs(request, running.control_plane)
    return running


def workflow(*, namespace: str = HOME, container: Mapping[str, Any] | None = None, **spec: Any) -> Manifest:
    """A workflow of one step that hands a parameter on, under a name of its own."""
    script = {"image": TOOLS, "command": ["sh", "-c", "echo 7 > /tmp/loss"], **(container or {})}
    outputs = {"parameters": [{"name": "loss", "valueFrom": {"path": "/tmp/loss"}}]}
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Workflow",
        "metadata": {"name": f"one-{next(NUMBERS)}", "namespace": namespace},
        "spec": {
            "entrypoint": "main",
            "templates": [{"name": "main", "container": script, "outputs": outputs}],
            **spec,
        },
    }


def node(status: Manifest, name: str) -> Manifest:
    """A node of a workflow, by the name that people see."""
    (found,) = (each for each in status["nodes"].values() if each["displayName"] == name)
    return dict(found)


def test_a_workflow_with_parameters_a_condition_a_loop_retries_and_a_volume_ends_well(flows: FlowBench) -> None:
    status = flows.run(flows.job("train"))

    phases = {each["displayName"]: each["phase"] for each in status["nodes"].values()}
    loop = {name: phase for name, phase in phases.items() if name.startswith("train(")}
    # The first try of each leaves a file on the volume and fails; the second one finds it.
    tries = {f"train({index}:{shard})": "Succeeded" for index, shard in enumerate("ab")}
    failed = {f"{name}(0)": "Failed" for name in tries}
    assert loop == {**tries, **failed, **{f"{name}(1)": "Succeeded" for name in tries}}
    assert phases["more"] == "Skipped"
    assert node(status, "list")["outputs"]["parameters"][0]["value"].split() == ["a", "b"]
    assert json.loads(node(status, "prepare")["outputs"]["result"]) == ["a", "b"]


def test_a_workflow_without_an_account_has_the_team_s_and_reports_by_it(flows: FlowBench) -> None:
    status = flows.run(workflow())

    (main,) = status["nodes"].values()
    assert main["outputs"]["parameters"][0]["value"] == "7"
    assert flows.control_plane.api.get(f"/api/v1/namespaces/{HOME}/serviceaccounts/workflow").status == 200


def test_a_workflow_runs_where_pods_must_be_restricted(flows: FlowBench) -> None:
    context = {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "runAsNonRoot": True,
        "runAsUser": 1000,
        "seccompProfile": {"type": "RuntimeDefault"},
    }

    assert flows.run(workflow(namespace="team-speech", container={"securityContext": context}))["progress"] == "1/1"


@pytest.mark.parametrize(
    ("kind", "role", "account", "right"),
    [
        ("Role", "argo-executor", "team-vision:workflow", ("argoproj.io", "workflowtaskresults", "create patch")),
        ("ClusterRole", "argo-cluster-role", "argo:argo", ("", "pods", "create")),
        ("ClusterRole", "argo-cluster-role", "argo:argo", ("", "persistentvolumeclaims", "create")),
    ],
)
def test_without_one_of_the_rights_a_workflow_fails_and_says_so(
    flows: FlowBench, kind: str, role: str, account: str, right: tuple[str, str, str]
) -> None:
    found = flows.object(kind, role, HOME if kind == "Role" else None)
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    one = workflow(volumeClaimTemplates=[{"metadata": {"name": "work"}, "spec": claim}])
    with flows.without(found, right, account=account, namespace=HOME):
        flows.store(one)
        flows.wait(lambda: flows.status(one).get("phase") in ("Failed", "Error"), "it fails", one)
    told = json.dumps(flows.status(one)) + flows.log(HOME, one["metadata"]["name"])

    assert re.search(rf'cannot \w+ resource \\*"{right[1]}\\*"', told), told


def test_what_the_controller_counts_is_what_its_table_says(flows: FlowBench, programs: Mapping[str, Path]) -> None:
    flows.run(workflow())
    home = flows.object("Service", SERVICE)["metadata"]["namespace"]
    page = page_of_service(flows, SERVICE, home, 9090)
    image = flows.object("Deployment", CONTROLLER)["spec"]["template"]["spec"]["containers"][0]["image"]
    tag = image.rpartition(":")[2]
    ((version, tables),) = ((each.version, each.exports) for each in OFFERED if f"v{each.version}" == tag)

    assert faults(page, tables, program=programs[f"workflow-controller{LINES[tag[:2]]}"]) == []
    found = released("argo-workflows", version)
    assert unfed("argo-workflows", [page], engine=programs["prometheus-engine"], found=found) == []


def test_a_cron_workflow_starts_again_and_again_and_a_second_sync_leaves_it_as_it_is(flows: FlowBench) -> None:
    cron = flows.job("often")
    path = f"/apis/argoproj.io/v1alpha1/namespaces/{HOME}/workflows"

    def ended() -> set[str]:
        label = f"workflows.argoproj.io/cron-workflow={cron['metadata']['name']}"
        found = flows.control_plane.api.get(f"{path}?labelSelector={label}").body["items"]
        return {each["metadata"]["name"] for each in found if each.get("status", {}).get("phase") == "Succeeded"}

    flows.wait(lambda: bool(ended()), "it has started", cron)
    before, earlier = flows.control_plane.api.read(cron).body, ended()
    flows.store(cron)
    flows.wait(lambda: bool(ended() - earlier), "it has started again", cron)
    after = flows.control_plane.api.read(cron).body

    assert before["metadata"]["uid"] == after["metadata"]["uid"]
    assert before["spec"] == after["spec"]
    assert before["status"]["lastScheduledTime"] <= after["status"]["lastScheduledTime"]
