"""Pods that come before the injector of Istio's sidecar are refused, and come with their sidecars by themselves.

Real: the API server, the controllers that make pods, and istiod with its webhook. Played: kubelets (kwok), and the way from
the Service to istiod. `order: retries` is what the policy is for; objects come in the worst order here, by hand.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from platform_def.delivery.pods.injectors import NAME
from tests.cluster.client import Manifest
from tests.cluster.control_plane import ControlPlane, until
from tests.cluster.controllers import CONTROLLERS, START_SECONDS, WORKLOAD_CONTROLLERS, start_kubernetes
from tests.cluster.mesh import WEBHOOK
from tests.cluster.pods import Program
from tests.cluster.samples import namespace
from tests.cluster.snapshots import snapshot
from tests.cluster.stacks import crds_of, rendered_stack
from tests.cluster.waves import apply_in_waves, refusals

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

LABELLED, CHOSEN = "shop", "market"
"""A namespace whose pods all get sidecars, and one in which a pod says so itself."""
STACK = f"""\
apiVersion: platform-def/v1
cluster: {{kubernetes: "1.36"}}
components:
  istio: {{inject: [{LABELLED}]}}
  istio-cni: {{}}
  apps: {{path: apps/apps, namespace: {CHOSEN}}}
teams: [{{name: shop, namespace: {LABELLED}}}]
delivery: {{engine: argocd, order: retries, repository: "https://git.example.com/platform.git"}}
"""
INJECT = "sidecar.istio.io/inject"
STATUS = "sidecar.istio.io/status"
"""istiod's note in each pod that it has changed."""
CASES: Mapping[str, tuple[str, str, str | None]] = {
    "plain": (LABELLED, "Deployment", None),
    "left-out": (LABELLED, "Deployment", "false"),
    "named": (CHOSEN, "Deployment", "true"),
    "set": (LABELLED, "StatefulSet", None),
    "job": (LABELLED, "Job", None),
    "elsewhere": (CHOSEN, "Deployment", None),
}
"""Workloads: where each is, its kind, and what its pods say themselves."""
BEFORE = {"left-out", "elsewhere"}
"""Those whose pods are none of the injector's."""


def workload(name: str) -> Manifest:
    """One of the cases."""
    home, kind, inject = CASES[name]
    labels = {"app": name, **({INJECT: inject} if inject else {})}
    pod: Manifest = {"containers": [{"name": "main", "image": "example.com/web:1"}]}
    template = {"metadata": {"labels": labels}, "spec": pod}
    if kind == "Job":
        pod["restartPolicy"] = "Never"
        return {**_head("batch/v1", kind, name, home), "spec": {"template": template}}
    selector = {"matchLabels": {"app": name}}
    more = {"serviceName": name} if kind == "StatefulSet" else {}
    return {**_head("apps/v1", kind, name, home), "spec": {"selector": selector, "template": template, **more}}


def _head(api: str, kind: str, name: str, home: str) -> Manifest:
    return {"apiVersion": api, "kind": kind, "metadata": {"name": name, "namespace": home}}


def test_pods_wait_for_the_injector_and_come_with_sidecars_without_a_person(
    binaries: Mapping[str, Path], programs: Mapping[str, Path], tmp_path: Path
) -> None:
    folder = tmp_path / "stack" / "apps" / "apps"
    folder.mkdir(parents=True)
    chosen = workload("named")
    (folder / "web.yaml").write_text(json.dumps(chosen))
    stack = rendered_stack(tmp_path / "stack", STACK, name="shop")
    policies = [item.manifest for item in stack.delivery if item.name.startswith(NAME)]
    assert len(policies) == 3
    every = [item.manifest for each in stack.components.values() for item in each.objects]
    crds = crds_of(every)
    homes = [each for each in every if each["kind"] == "Namespace"]
    rest = [each for each in every if each not in homes and each not in crds and each != chosen]
    with ControlPlane(binaries, data=snapshot(binaries, crds)) as control_plane, control_plane.explaining():
        api = control_plane.api

        def store(objects: list[Manifest]) -> None:
            assert refusals(apply_in_waves(api, objects)) == []

        def pods() -> dict[str, Manifest]:
            found = [
                each for home in (LABELLED, CHOSEN) for each in api.get(f"/api/v1/namespaces/{home}/pods").body["items"]
            ]
            return {each["metadata"]["labels"]["app"]: each for each in found}

        start_kubernetes(control_plane, programs, controllers=(*CONTROLLERS, *WORKLOAD_CONTROLLERS))
        store([*policies, *homes, namespace("argocd")])
        until(lambda: "params" in _refusal(control_plane), seconds=START_SECONDS, what="the policy is in force")
        store([workload(name) for name in CASES])
        until(lambda: {*pods()} == BEFORE, seconds=START_SECONDS, what="pods of no injector's come")
        for name in {*CASES} - BEFORE:
            until(lambda name=name: name in _refused(control_plane), seconds=START_SECONDS, what=f"{name} is refused")  # type: ignore[misc]
        assert {*pods()} == BEFORE

        store(rest)
        istiod = Program(control_plane, every, "istiod", "discovery")
        istiod.start(programs["istiod"], [*istiod.spec["args"]])
        service = api.read(istiod.object("Service", "istiod")).body["spec"]
        control_plane.sandbox.relay(service["clusterIP"], 443, target=WEBHOOK)
        istiod.wait(lambda: {*pods()} == {*CASES}, "all pods come")
        assert {name for name, each in pods().items() if STATUS in (each["metadata"].get("annotations") or {})} == {
            *CASES
        } - BEFORE


def _refusal(control_plane: ControlPlane) -> str:
    """What the API server says to a pod in the labelled namespace."""
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "tried"},
        "spec": workload("plain")["spec"]["template"]["spec"],
    }
    return control_plane.api.request("POST", f"/api/v1/namespaces/{LABELLED}/pods?dryRun=All", pod).message


def _refused(control_plane: ControlPlane) -> set[str]:
    """Workloads of which a controller could not make a pod."""
    events = [
        each
        for home in (LABELLED, CHOSEN)
        for each in control_plane.api.get(f"/api/v1/namespaces/{home}/events").body["items"]
        if each["reason"] == "FailedCreate" and NAME in each["message"]
    ]
    owners = {each["involvedObject"]["name"] for each in events}
    return {name for name in CASES if any(owner == name or owner.startswith(f"{name}-") for owner in owners)}
