"""The kubelet of all nodes of a test cluster: `python -m tests.cluster.kubelet.agent SETTINGS`, inside the sandbox.

It starts pods that the scheduler has bound, ends those that are deleted, makes nodes ready, binds claims to folders, holds
pods to network policies, runs commands in pods, reads their logs, and carries connections to their ports. Not played: probes
of liveness, images as such, limits, Services without TCP, variables of Services but the API server's.
"""

from __future__ import annotations

import json
import sys
import threading
import time
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.cluster.client import Api, Manifest, UnreachableError
from tests.cluster.kubelet import execution, names
from tests.cluster.kubelet.image import Image, runs
from tests.cluster.kubelet.network import GATEWAY, Network
from tests.cluster.kubelet.pod import PodRun
from tests.cluster.kubelet.policies import SECONDS as POLICIES_SECONDS
from tests.cluster.kubelet.policies import Policies
from tests.cluster.kubelet.report import STRATEGIC
from tests.cluster.kubelet.services import OWN, Services

LOOK_SECONDS, SHARED_SECONDS = 0.1, 0.4
"""Between two looks: where all pods are its own, and where it looks through those of a whole platform for a few."""
MERGE = "application/merge-patch+json"
BOUND = "pv.kubernetes.io/bind-completed"


@dataclass(frozen=True)
class Settings:
    """What the tests tell the agent."""

    socket: Path
    authority: Path
    token: str
    port: int
    """Of the API server, on loopback."""
    certificate: Path
    key: Path
    folder: Path
    images: Mapping[str, Image]
    shares: bool
    """Whether pods of other images, and all claims, are another's."""
    apart: Sequence[str]
    """Namespaces of which all pods are another's."""

    @staticmethod
    def read(path: Path) -> Settings:
        """From its file."""
        said = json.loads(path.read_text())
        images = {
            prefix: Image(
                tuple(each["programs"]),
                each["variables"],
                each["files"],
                tuple(each["command"]),
                tuple(each["entrypoint"]),
                each["pulled"],
                each["keeps"],
            )
            for prefix, each in said["images"].items()
        }
        paths = {name: Path(said[name]) for name in ("socket", "authority", "certificate", "key", "folder")}
        shares, apart = said["shares"], said["apart"]
        return Settings(**paths, token=said["token"], port=said["port"], images=images, shares=shares, apart=apart)


class Agent:
    """What runs, by the uid of its pod."""

    def __init__(self, settings: Settings) -> None:
        self.api = Api(settings.socket, authority=settings.authority, token=settings.token)
        self._settings = settings
        self._network = Network()
        self._services = Services(self.api, api_server=settings.port, runs=self._is_own)
        self._policies = Policies(self.api, settings.folder / "refused.json")
        self._running: dict[str, PodRun] = {}
        self._ready: set[str] = set()

    def serve(self) -> None:
        """Look again and again at what is to run; ends with the sandbox."""
        # The API server is here, and asks webhooks of pods by their Services.
        self._services.join(OWN)
        threading.Thread(target=names.serve, args=(self.api, GATEWAY), daemon=True).start()
        keys = {"certificate": self._settings.certificate, "key": self._settings.key}
        asked = (GATEWAY, self._inside, self._said, self._reached)
        threading.Thread(target=execution.serve, args=asked, kwargs=keys, daemon=True).start()
        threading.Thread(target=self._hold, daemon=True).start()
        while True:
            try:
                self._nodes()
                if not self._settings.shares:
                    self._claims()
                self._services.look()
                self._pods()
            except Exception:  # whatever one look met, the next one is made
                traceback.print_exc()
            time.sleep(SHARED_SECONDS if self._settings.shares else LOOK_SECONDS)

    def _is_own(self, pod: Manifest) -> bool:
        """Whether the pod is to run here."""
        return not self._settings.shares or runs(pod, self._settings.images, apart=self._settings.apart)

    def _hold(self) -> None:
        """Hold pods to the policies that there are by then."""
        while True:
            try:
                self._policies.look()
            except Exception:
                traceback.print_exc()
            time.sleep(POLICIES_SECONDS)

    def _inside(self, namespace: str, name: str, container: str) -> execution.Inside | None:
        """A container of a pod, while it runs."""
        run = self._run_of(namespace, name)
        return run.containers.inside(container) if run else None

    def _said(self, namespace: str, name: str, container: str, previous: bool) -> execution.Log | None:
        """The log of a container of a pod that is there."""
        run = self._run_of(namespace, name)
        if run is None or run.containers.said(container, previous=previous) is None:
            return None
        held = run.containers
        return execution.Log(
            lambda: held.said(container, previous=previous) or b"", lambda: held.inside(container) is not None
        )

    def _reached(self, namespace: str, name: str) -> str | None:
        """The network namespace of a pod, while it runs."""
        run = self._run_of(namespace, name)
        return run.network_namespace if run else None

    def _run_of(self, namespace: str, name: str) -> PodRun | None:
        places = ((each.pod["metadata"], each) for each in [*self._running.values()])
        return next((run for at, run in places if (at["namespace"], at["name"]) == (namespace, name)), None)

    def _pods(self) -> None:
        pods = [*filter(self._is_own, self._list("/api/v1/pods"))]
        for pod in pods:
            uid, metadata = pod["metadata"]["uid"], pod["metadata"]
            run = self._running.get(uid)
            if "deletionTimestamp" in metadata:
                self._end(pod, run)
            elif run is None and pod["spec"].get("nodeName") and pod["status"].get("phase") == "Pending":
                run = PodRun(
                    pod,
                    api=self.api,
                    network=self._network,
                    services=self._services,
                    policies=self._policies,
                    folder=self._settings.folder,
                    images=self._settings.images,
                    authority=self._settings.authority,
                )
                self._running[uid] = run
                run.start()
        for uid in self._running.keys() - {pod["metadata"]["uid"] for pod in pods}:
            self._running.pop(uid).stop(0.5)

    def _end(self, pod: Manifest, run: PodRun | None) -> None:
        """SIGTERM once, and the object goes when the processes have."""
        metadata = pod["metadata"]
        if run is not None and run.is_alive():
            if not run.told:
                run.stop(float(metadata.get("deletionGracePeriodSeconds") or 1))
            return
        path = f"/api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}"
        # Another pod may have its name at once.
        self._running.pop(metadata["uid"], None)
        self.api.request("DELETE", path, {"gracePeriodSeconds": 0, "preconditions": {"uid": metadata["uid"]}})
        if run is not None:
            run.forget()

    def _nodes(self) -> None:
        for node in self._list("/api/v1/nodes"):
            name = node["metadata"]["name"]
            if name not in self._ready:
                status = {
                    "conditions": [{"type": "Ready", "status": "True", "reason": "Test", "message": ""}],
                    "addresses": [{"type": "InternalIP", "address": GATEWAY}],
                    "daemonEndpoints": {"kubeletEndpoint": {"Port": execution.PORT}},
                }
                path = f"/api/v1/nodes/{name}/status"
                self.api.request("PATCH", path, {"status": status}, content=STRATEGIC)
                self._ready.add(name)

    def _claims(self) -> None:
        """Each claim gets a volume that any node reaches."""
        for claim in self._list("/api/v1/persistentvolumeclaims"):
            if claim["spec"].get("volumeName"):
                continue
            metadata, spec = claim["metadata"], claim["spec"]
            name = f"{metadata['namespace']}-{metadata['name']}"
            volume = {
                "apiVersion": "v1",
                "kind": "PersistentVolume",
                "metadata": {"name": name},
                "spec": {
                    "accessModes": spec["accessModes"],
                    "capacity": spec["resources"]["requests"],
                    "hostPath": {"path": str(self._settings.folder / "claims" / metadata["namespace"])},
                    "storageClassName": spec.get("storageClassName", ""),
                },
            }
            self.api.request("POST", "/api/v1/persistentvolumes", volume)
            path = f"/api/v1/namespaces/{metadata['namespace']}/persistentvolumeclaims/{metadata['name']}"
            bound = {"metadata": {"annotations": {BOUND: "yes"}}, "spec": {"volumeName": name}}
            self.api.request("PATCH", path, bound, content=MERGE)
            self.api.request("PATCH", f"{path}/status", {"status": {"phase": "Bound"}}, content=MERGE)

    def _list(self, path: str) -> list[Manifest]:
        reply = self.api.get(path)
        if reply.status != 200:
            # Not an empty list: what runs would be taken for deleted.
            raise UnreachableError(f"GET {path}: {reply.status} {reply.message}")
        found: list[Any] = reply.body["items"]
        return found


if __name__ == "__main__":
    Agent(Settings.read(Path(sys.argv[1]))).serve()
