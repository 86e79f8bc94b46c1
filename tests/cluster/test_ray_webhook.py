"""The admission webhook that KubeRay has as a choice, at 1.6.2, with the account and variables that its component renders.

Played: cert-manager, which makes its certificate and has the API server trust it, and the way from the Service to it.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from copy import deepcopy
from pathlib import Path

import pytest

from tests.cluster import pki
from tests.cluster.client import Manifest
from tests.cluster.control_plane import ControlPlane, until
from tests.cluster.controllers import START_SECONDS
from tests.cluster.pods import Program
from tests.cluster.snapshots import snapshot
from tests.cluster.stacks import crds_of, rendered_stack
from tests.cluster.waves import CUSTOM, DEFINITIONS, apply_in_waves, refusals, wave

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

NAME, HOOK = "kuberay-operator", "vraycluster.kb.io"
STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.36"}
components:
  cert-manager: {}
  kuberay-operator: {release: "1.6.2", webhook: true}
"""
GROUP: Manifest = {
    "groupName": "workers",
    "replicas": 1,
    "rayStartParams": {},
    "template": {"spec": {"containers": [{"name": "ray-worker", "image": "ray:1"}]}},
}
CLUSTER: Manifest = {
    "apiVersion": "ray.io/v1",
    "kind": "RayCluster",
    "metadata": {"name": "shared", "namespace": "default"},
    "spec": {
        "headGroupSpec": {
            "rayStartParams": {},
            "template": {"spec": {"containers": [{"name": "ray-head", "image": "ray:1"}]}},
        },
        "workerGroupSpecs": [GROUP],
    },
}


def named(*groups: str) -> Manifest:
    """A cluster with groups of these names."""
    made = deepcopy(CLUSTER)
    made["spec"]["workerGroupSpecs"] = [{**GROUP, "groupName": name} for name in groups]
    return made


@pytest.fixture(scope="module")
def judging(programs: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """An API server that asks the webhook."""
    stack = rendered_stack(tmp_path_factory.mktemp("ray"), STACK, name="ray")
    objects = [item.manifest for name in ("namespaces", NAME) for item in stack.components[name].objects]
    with ControlPlane(programs, data=snapshot(programs, crds_of(objects))) as control_plane:
        stored = [item for item in objects if wave(item) not in (DEFINITIONS, CUSTOM)]
        assert not refusals(found := apply_in_waves(control_plane.api, stored)), refusals(found)
        operator = Program(control_plane, objects, NAME, NAME)
        certify(operator)
        operator.start(programs[NAME], operator.flags)
        answers = f'"{HOOK}" denied the request'
        wrong = named("one", "one")
        operator.wait(lambda: answers in control_plane.api.apply(wrong, dry_run=True).refusal, f"{HOOK} judges")
        yield control_plane


def certify(operator: Program) -> None:
    """The parts of cert-manager, the kubelet and kube-proxy: its certificate, trust, and the Service's address."""
    control_plane, api = operator.control_plane, operator.control_plane.api
    (configuration,) = (item for item in operator.objects if item["kind"] == "ValidatingWebhookConfiguration")
    (hook,) = configuration["webhooks"]
    service = hook["clientConfig"]["service"]
    (wanted,) = (item["spec"] for item in operator.objects if item["kind"] == "Certificate")
    made = pki.serving(control_plane.folder / "serving", wanted["dnsNames"])
    mounts = {mount["name"]: mount["mountPath"] for mount in operator.spec["volumeMounts"]}
    (volume,) = (each for each in operator.pod["volumes"] if each["secret"]["secretName"] == wanted["secretName"])
    folder = operator.tmp / Path(mounts[volume["name"]]).relative_to("/tmp")
    folder.mkdir(parents=True)
    for file in (made.certificate, made.key):
        (folder / file.name).write_bytes(file.read_bytes())
    trusted = deepcopy(configuration)
    trusted["webhooks"][0]["clientConfig"]["caBundle"] = base64.b64encode(made.authority.read_bytes()).decode()
    until(lambda: not api.apply(trusted).refusal, seconds=START_SECONDS, what="the webhook is trusted")
    stored = api.read(operator.object("Service", service["name"])).body["spec"]
    (port,) = (each for each in stored["ports"] if each["port"] == service.get("port", 443))
    control_plane.sandbox.relay(stored["clusterIP"], port["port"], target=9443)


def test_a_cluster_whose_groups_have_one_name_is_refused_when_it_is_stored(judging: ControlPlane) -> None:
    refusal = judging.api.apply(named("one", "two", "one")).refusal

    assert HOOK in refusal
    assert "worker group names must be unique" in refusal


def test_a_cluster_that_the_operator_can_run_is_stored(judging: ControlPlane) -> None:
    made = named("one", "two")
    refusal = judging.api.apply(made).refusal

    assert refusal == ""
    assert judging.api.read(made).status == 200
