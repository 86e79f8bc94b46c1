"""HAMi as a stack renders it: its programs, of a checkout, and a cluster whose GPUs its scheduler gives out in parts.

The proxy of Go modules has no release of HAMi: $PLATFORM_DEF_HAMI names a checkout of upstream's repository at the tag of
`RELEASE`. What is built of it, by its own pins, is kept beside the other programs; nothing is written to the checkout.
Played: kubelet, device plugin (it needs cards), cert-manager's Secret.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from platform_def.components.gpu.hami.words import CORES, COUNT, MEMORY
from platform_def.manifests.admission import selects
from tests.cluster.client import Manifest
from tests.cluster.control_plane import ControlPlane, until
from tests.cluster.pki import serving
from tests.cluster.pods import Program, Scheduler
from tests.cluster.tools import GO_FOLDER, LeftOutError, MissingToolError, cache_folder, find_go, go_environment
from tests.cluster.waves import apply_in_waves, refusals

CHECKOUT, RELEASE = "PLATFORM_DEF_HAMI", "2.10.0"
READER = "hami-reader"
PACKAGES = {
    "scheduler": "cmd/scheduler",
    "vGPUmonitor": "cmd/vGPUmonitor",
    "nvidia-device-plugin": "cmd/device-plugin/nvidia",
    READER: f"cmd/{READER}",
}
"""Programs by what containers call them; the reader's code is ours, and is laid over the checkout."""
SCHEDULER, EXTENDER = "hami-scheduler", "vgpu-scheduler-extender"
CARDS, CARD_MEMORY = 2, 24576
"""Of a node, and the MiB of each."""
DEVICES, GIVEN = "hami.io/node-nvidia-register", "hami.io/vgpu-devices-allocated"
LOCK, PHASE = "hami.io/mutex.lock", "hami.io/bind-phase"
WAIT_SECONDS = 90.0


def obtain_hami() -> Mapping[str, Path]:
    """Its programs, built when missing.

    Who names no checkout leaves them out, CI too: no pin of ours could fetch one.
    """
    named = os.environ.get(CHECKOUT)
    if not named:
        raise LeftOutError(f"HAMi {RELEASE} is in no Go module: name a checkout of its tag v{RELEASE} in {CHECKOUT}")
    checkout = Path(named).resolve()
    said = checkout / "VERSION"
    if not said.is_file() or said.read_text().strip() != f"v{RELEASE}":
        raise MissingToolError(f"{CHECKOUT} names {named}, which is no checkout of HAMi {RELEASE}")
    source = GO_FOLDER / "hami" / "main.go"
    key = hashlib.sha256(source.read_bytes() + (checkout / "go.sum").read_bytes()).hexdigest()[:12]
    folder = cache_folder() / f"hami-v{RELEASE}-{key}"
    if not folder.is_dir():
        _build(checkout, source, folder)
    return {name: folder / name for name in PACKAGES}


def _build(checkout: Path, source: Path, folder: Path) -> None:
    arriving = folder.with_suffix(".arriving")
    with tempfile.TemporaryDirectory(prefix="platform-def-go-") as scratch:
        overlay = Path(scratch) / "overlay.json"
        ours = {str(checkout / PACKAGES[READER] / "main.go"): str(source)}
        overlay.write_text(json.dumps({"Replace": ours}))
        # NVML's functions are looked up when they are called: no library of NVIDIA's is needed to start.
        fixed = ["-mod=readonly", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -extldflags=-Wl,-z,lazy"]
        for name, package in PACKAGES.items():
            command = [
                str(find_go()),
                "build",
                *fixed,
                f"-overlay={overlay}",
                "-o",
                str(arriving / name),
                f"./{package}",
            ]
            environment = {**go_environment(), "CGO_ENABLED": "1"}
            done = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise MissingToolError(f"`{' '.join(command)}` failed: {done.stderr}")
    arriving.rename(folder)


class Extender(Program):
    """The container beside the scheduler: it filters and binds for it, and serves the webhook."""

    @property
    def name(self) -> str:
        """Apart from its pod's other container, with which it shares all folders."""
        return EXTENDER

    @property
    def flags(self) -> list[str]:
        """Its command line, with the files where the test has them: in its /tmp."""
        return [flag.replace("=/tls/", "=/tmp/").replace("=/device-", "=/tmp/device-") for flag in super().flags]


@dataclass
class SharedCards:
    """An API server on which HAMi gives out parts of cards."""

    control_plane: ControlPlane
    scheduler: Scheduler
    extender: Extender

    def submit(self, name: str, *, memory: int, cores: int = 25) -> Manifest:
        """A pod that asks for so many MiB and percent of a card, and for no scheduler."""
        parts = {COUNT: "1", MEMORY: str(memory), CORES: str(cores)}
        pod: Manifest = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name, "namespace": "default"},
            "spec": {"containers": [{"name": "main", "image": "train:1", "resources": {"limits": parts}}]},
        }
        assert not (refusal := self.control_plane.api.apply(pod).refusal), refusal
        return pod

    def placed(self, pod: Manifest) -> tuple[str, str, int, int]:
        """Node, card, MiB and percent that a pod gets; then the device plugin says that it is done, and unlocks the node."""
        self.wait(lambda: self.node(pod) != "", f"{pod['metadata']['name']} has a node")
        given = self.now(pod)["metadata"]["annotations"][GIVEN]
        card, _, memory, cores = given.partition(":")[0].split(",")
        node = self.node(pod)
        self._annotate({"apiVersion": "v1", "kind": "Node", "metadata": {"name": node}}, {LOCK: None})
        self._annotate(pod, {PHASE: "success"})
        return node, card, int(memory), int(cores)

    def waits(self, pod: Manifest) -> bool:
        """Whether a scheduler has said that no node takes it."""
        conditions = self.now(pod).get("status", {}).get("conditions", [])
        return any(each.get("reason") == "Unschedulable" for each in conditions)

    def now(self, pod: Manifest) -> Manifest:
        """The pod as stored."""
        return self.control_plane.api.read(pod).body

    def node(self, pod: Manifest) -> str:
        """Its node; empty while it has none."""
        return str(self.now(pod)["spec"].get("nodeName", ""))

    def wait(self, holds: Callable[[], bool], what: str) -> None:
        """Wait for something, as long as all programs run."""

        def still() -> bool:
            assert not self.control_plane.sandbox.ended(), self.control_plane.logs()
            return holds()

        until(still, seconds=WAIT_SECONDS, what=what)

    def clear(self) -> None:
        """Take all pods of users away."""
        path = "/api/v1/namespaces/default/pods"
        self.control_plane.api.request("DELETE", f"{path}?gracePeriodSeconds=0")
        self.wait(lambda: not self.control_plane.api.get(path).body["items"], "the pods are gone")

    def _annotate(self, item: Manifest, annotations: Mapping[str, str | None]) -> None:
        path = self.control_plane.api.path(item) or ""
        patch = {"metadata": {"annotations": dict(annotations)}}
        reply = self.control_plane.api.request("PATCH", path, patch, content="application/merge-patch+json")
        assert reply.status == 200, reply.message


def start_hami(
    control_plane: ControlPlane, programs: Mapping[str, Path], objects: Sequence[Manifest], *, hami: Mapping[str, Path]
) -> SharedCards:
    """Start both containers of the scheduler's pod, and wait until the Service chooses it.

    The extender listens at every address of the sandbox, and so at the Service's, where the API server calls the webhook.
    """
    api = control_plane.api
    own = [item for item in objects if not item["apiVersion"].startswith("cert-manager.io/")]
    service = next(item for item in own if item["kind"] == "Service" and item["metadata"]["name"] == SCHEDULER)
    extender = Extender(control_plane, own, SCHEDULER, EXTENDER)
    scheduler = Scheduler(control_plane, own, SCHEDULER, "kube-scheduler")
    made = serving(control_plane.folder / SCHEDULER / "serving", [f"{SCHEDULER}.{extender.home}.svc"])
    bundle = base64.b64encode(made.authority.read_bytes()).decode()
    for item in own:
        for hook in item.get("webhooks", []):
            hook["clientConfig"]["caBundle"] = bundle
    results = apply_in_waves(api, [*own, _pod_of(extender)])
    assert not refusals(results), refusals(results)
    extender.tmp.mkdir(parents=True, exist_ok=True)
    for source, name in ((made.certificate, "tls.crt"), (made.key, "tls.key")):
        (extender.tmp / name).write_bytes(source.read_bytes())
    devices = extender.object("ConfigMap", f"{SCHEDULER}-device")["data"]["device-config.yaml"]
    (extender.tmp / "device-config.yaml").write_text(devices)
    extender.start(hami["scheduler"], extender.flags)
    scheduler.run(programs["kube-scheduler"])
    cards = SharedCards(control_plane, scheduler, extender)
    chosen = {"matchLabels": service["spec"]["selector"]}
    pod = _pod_of(extender)
    cards.wait(lambda: selects(chosen, cards.now(pod)["metadata"]["labels"]), "the Service chooses the pod that leads")
    return cards


def _pod_of(program: Program) -> Manifest:
    """The Deployment's pod, as it is stored; it has its node already."""
    template = program.object("Deployment", program.deployment)["spec"]["template"]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": program.deployment, "namespace": program.home, "labels": template["metadata"]["labels"]},
        "spec": {"nodeName": "control", "containers": [{"name": "main", "image": "hami:1"}]},
    }


def card_node(name: str) -> Manifest:
    """A node whose cards the device plugin has told of, each in four parts."""
    amounts = {"cpu": "32", "memory": "256Gi", "pods": "110", COUNT: str(4 * CARDS)}
    cards = [
        {
            "id": f"GPU-{name}-{index}",
            "index": index,
            "count": 4,
            "devmem": CARD_MEMORY,
            "devcore": 100,
            "type": "NVIDIA L4",
            "mode": "hami-core",
            "health": True,
        }
        for index in range(CARDS)
    ]
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "annotations": {DEVICES: json.dumps(cards)}},
        "status": {"capacity": amounts, "allocatable": amounts},
    }
