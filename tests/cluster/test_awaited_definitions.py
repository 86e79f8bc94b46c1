"""A pod whose program looks for definitions only when it starts is refused before they are there, and then comes by itself.

Real: the API server, the controllers that make pods, and the Prometheus operator. Played: kubelets (kwok), so the operator is
started once its pod is there. `order: retries` is what the policy is for; objects come in the worst order here, by hand.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from platform_def.components.monitoring.prometheus_operator.component import LOOKED_FOR
from platform_def.delivery.pods.definitions import NAME
from tests.cluster.client import Manifest
from tests.cluster.control_plane import ControlPlane, until
from tests.cluster.controllers import CONTROLLERS, START_SECONDS, WORKLOAD_CONTROLLERS, start_kubernetes
from tests.cluster.monitors import HOME, OPERATOR, Operator
from tests.cluster.samples import namespace
from tests.cluster.stacks import crds_of, rendered_stack
from tests.cluster.waves import apply_in_waves, refusals

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.36"}
components:
  prometheus-operator: {}
  prometheus: {select: {platform: "true"}}
  kube-state-metrics: {}
delivery: {engine: argocd, order: retries, repository: "https://git.example.com/platform.git"}
"""
LAST = "thanosrulers.monitoring.coreos.com"
"""The definition that comes last, and at first is not established: another one has its kind."""
IN_ITS_PLACE = "others.monitoring.coreos.com"
ELSEWHERE = "kube-state-metrics"
"""A program that looks for none."""
IDLE = re.compile(r'resource \\"(\w+)\\" \(group: \\"monitoring\.coreos\.com/\w+\\"\) not installed in the cluster')


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> tuple[Sequence[Manifest], Sequence[Manifest]]:
    """The policies, and everything else."""
    made = rendered_stack(tmp_path_factory.mktemp("monitoring"), STACK, name="monitored")
    policies = [item.manifest for item in made.delivery if item.name.startswith(NAME)]
    return policies, [item.manifest for each in made.components.values() for item in each.objects]


def test_a_pod_waits_for_the_definitions_of_its_program_which_then_works(
    rendered: tuple[Sequence[Manifest], Sequence[Manifest]], binaries: Mapping[str, Path], programs: Mapping[str, Path]
) -> None:
    policies, every = rendered
    assert len(policies) == 1 + len(LOOKED_FOR)
    crds = {each["metadata"]["name"]: each for each in crds_of(every)}
    homes = [each for each in every if each["kind"] == "Namespace"]
    custom = [each for each in every if each["apiVersion"].startswith("monitoring.coreos.com/")]
    rest = [each for each in every if each not in [*homes, *custom, *crds.values()]]
    with ControlPlane(binaries) as control_plane, control_plane.explaining():
        api = control_plane.api

        def store(objects: Sequence[Manifest]) -> None:
            assert refusals(apply_in_waves(api, objects)) == []

        def pods(name: str) -> list[Manifest]:
            found: list[Manifest] = api.get(f"/api/v1/namespaces/{HOME}/pods").body["items"]
            return [each for each in found if each["metadata"]["labels"]["app.kubernetes.io/name"] == name]

        def refused() -> str:
            events = api.get(f"/api/v1/namespaces/{HOME}/events").body["items"]
            return "\n".join(each["message"] for each in events if each["reason"] == "FailedCreate")

        start_kubernetes(control_plane, programs, controllers=(*CONTROLLERS, *WORKLOAD_CONTROLLERS))
        store([*homes, namespace("argocd"), *policies])
        until(lambda: "params" in _tried(control_plane, rest), seconds=START_SECONDS, what="the policy is in force")
        store(rest)
        until(lambda: bool(pods(ELSEWHERE)), seconds=START_SECONDS, what="pods of another program come")
        until(lambda: NAME in refused(), seconds=START_SECONDS, what="it is refused")
        assert pods(OPERATOR) == []

        foreign = {**crds[LAST], "metadata": {"name": IN_ITS_PLACE}}
        foreign["spec"] = {**foreign["spec"], "names": {**foreign["spec"]["names"], "plural": "others"}}
        assert not (said := api.apply(foreign).refusal), said
        until(lambda: _established(control_plane, IN_ITS_PLACE), seconds=START_SECONDS, what="another has its kind")
        assert not [said for each in crds.values() if (said := api.apply(each).refusal)]
        waits = f"the pod {OPERATOR}-[a-z0-9-]+ waits for the definition {LAST}"
        until(
            lambda: bool(re.search(waits, refused())), seconds=START_SECONDS, what="it waits until this is established"
        )
        assert pods(OPERATOR) == []

        assert (
            api.request("DELETE", f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{IN_ITS_PLACE}").status
            == 200
        )
        until(lambda: bool(pods(OPERATOR)), seconds=START_SECONDS, what="the pod comes")
        operator = Operator(control_plane, every, OPERATOR, OPERATOR)
        operator.start(programs[OPERATOR], [*operator.spec["args"]])
        store(custom)
        operator.stateful_sets(["prometheus-k8s"])


def test_the_operator_looks_once_for_the_definitions_that_its_component_awaits(
    rendered: tuple[Sequence[Manifest], Sequence[Manifest]], binaries: Mapping[str, Path], programs: Mapping[str, Path]
) -> None:
    _, every = rendered
    crds = crds_of(every)
    rest = [each for each in every if each not in crds and not each["apiVersion"].startswith("monitoring.coreos.com/")]
    with ControlPlane(binaries) as control_plane, control_plane.explaining():
        assert refusals(apply_in_waves(control_plane.api, rest)) == []
        operator = Operator(control_plane, every, OPERATOR, OPERATOR)
        operator.start(programs[OPERATOR], [*operator.spec["args"]])
        awaited = {each["metadata"]["name"].partition(".")[0] for each in crds if _name(each) in LOOKED_FOR}

        operator.wait(lambda: {*IDLE.findall(operator.log.read_text())} >= awaited, "it has looked for them")
        assert {*IDLE.findall(operator.log.read_text())} == awaited


def _name(crd: Manifest) -> str:
    return f"{crd['spec']['names']['kind']}.{crd['spec']['group']}"


def _tried(control_plane: ControlPlane, objects: Sequence[Manifest]) -> str:
    """What the API server says to a pod like the operator's, under an account that is there."""
    (found,) = (each for each in objects if each["kind"] == "Deployment" and each["metadata"]["name"] == OPERATOR)
    template = found["spec"]["template"]
    head = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "tried", "labels": template["metadata"]["labels"]}}
    pod: Manifest = {**head, "spec": {**template["spec"], "serviceAccountName": "default"}}
    return control_plane.api.request("POST", f"/api/v1/namespaces/{HOME}/pods?dryRun=All", pod).message


def _established(control_plane: ControlPlane, name: str) -> bool:
    found = control_plane.api.get(f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{name}").body
    conditions = found.get("status", {}).get("conditions") or ()
    return any(each["type"] == "Established" and each["status"] == "True" for each in conditions)
