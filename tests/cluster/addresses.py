"""MetalLB's two programs as a stack renders them: account, rights, files, the webhooks' certificate."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.cluster.client import Manifest
from tests.cluster.control_plane import ControlPlane
from tests.cluster.pods import Program
from tests.cluster.waves import apply_in_waves, refusals

CONTROLLER, SPEAKER = "controller", "speaker"
HOOKS = "metallb-webhook-service"
CERTIFICATES = "k8s-webhook-server/serving-certs"
NODE = "node-1"
BESIDE = ["--health-probe-port=17473", "--port=9121"]
"""Ports of the speaker, which has a network with the controller here."""


@dataclass(frozen=True)
class Member(Program):
    """One of the programs; it looks up its own pod, which has the name of its workload here."""

    def run(self, binary: Path, *more: str) -> None:
        """Start it with its files in place."""
        volumes = {each["name"]: each for each in self.pod["volumes"]}
        for mount in self.spec["volumeMounts"]:
            self._mount(volumes[mount["name"]], mount["mountPath"])
        self.start(binary, [*self.spec["args"], *more])

    def hand_over_certificate(self) -> None:
        """The kubelet's part once the controller has written its Secret, and kube-proxy's of its webhooks."""
        (mount,) = self.spec["volumeMounts"]
        (volume,) = self.pod["volumes"]
        self.wait(lambda: bool(self._secret(volume)), "it has made its certificate")
        self._mount(volume, mount["mountPath"])
        service = self.object("Service", HOOKS)
        stored = self.control_plane.api.read(service).body["spec"]
        (port,) = stored["ports"]
        self.control_plane.sandbox.relay(stored["clusterIP"], port["port"], target=port["targetPort"])

    def _mount(self, volume: Manifest, path: str) -> None:
        inside = Path(path).relative_to("/")
        folder = self.tmp.parent / inside if inside.parts[0] == "etc" else self.tmp / inside.relative_to("tmp")
        folder.mkdir(parents=True, exist_ok=True)
        if "configMap" in volume:
            for key, text in self.object("ConfigMap", volume["configMap"]["name"])["data"].items():
                (folder / key).write_text(text)
        else:
            for key, value in self._secret(volume).items():
                (folder / key).write_bytes(base64.b64decode(value))

    def _secret(self, volume: Manifest) -> Mapping[str, str]:
        path = f"/api/v1/namespaces/{self.home}/secrets/{volume['secret']['secretName']}"
        found: Mapping[str, str] = self.control_plane.api.get(path).body.get("data") or {}
        return found


def pod_of(program: Program) -> Manifest:
    """The pod that a program looks up, to own what it makes."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": program.deployment, "namespace": program.home},
        "spec": {
            "nodeName": NODE,
            "serviceAccountName": program.pod["serviceAccountName"],
            "containers": [{"name": "any", "image": "registry.example.com/any:1"}],
        },
    }


def start_metallb(
    control_plane: ControlPlane,
    programs: Mapping[str, Path],
    objects: Sequence[Manifest],
    told: Sequence[Manifest],
) -> tuple[Member, Member]:
    """Start controller and speaker of some objects, and tell them what comes after them: pools and advertisements."""
    api = control_plane.api
    controller = Member(control_plane, objects, CONTROLLER, CONTROLLER)
    speaker = Member(control_plane, objects, SPEAKER, SPEAKER, kind="DaemonSet", node=NODE)
    node: Manifest = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": NODE}}
    results = apply_in_waves(api, [*objects, node, pod_of(controller), pod_of(speaker)])
    assert not refusals(results), "\n".join(refusals(results))
    ready = {"conditions": [{"type": "Ready", "status": "True", "reason": "Test", "message": ""}]}
    path = f"{api.path(node)}/status"
    assert api.request("PATCH", path, {"status": ready}, content="application/merge-patch+json").status == 200
    controller.run(programs["metallb-controller"])
    controller.hand_over_certificate()
    controller.wait(lambda: not any(api.refusals(told)), "its webhooks take what it is told")
    results = apply_in_waves(api, told)
    assert not refusals(results), "\n".join(refusals(results))
    speaker.run(programs["metallb-speaker"], *BESIDE)
    return controller, speaker
