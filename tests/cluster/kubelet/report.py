"""What a kubelet says of a pod: its phase, its addresses, and how each of its containers is."""

from __future__ import annotations

import threading
from collections import Counter
from datetime import UTC, datetime
from typing import Any

from tests.cluster.client import Api, Manifest
from tests.cluster.kubelet.container import Containers

STRATEGIC = "application/strategic-merge-patch+json"


class Report:
    """The status of a pod, as the API server has it."""

    def __init__(self, pod: Manifest, api: Api, containers: Containers) -> None:
        metadata = pod["metadata"]
        self._pod, self._api, self._containers = pod, api, containers
        self._path = f"/api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}"
        self._statuses: dict[str, Manifest] = {}
        """Of the pod's own containers that have begun."""
        self._restarts = Counter[str]()
        self._last: dict[str, Manifest] = {}
        """How the try before ended."""
        self.lock = threading.RLock()

    def again(self, container: str) -> None:
        """Count that a container starts again."""
        self._restarts[container] += 1

    def ended(self, container: Manifest, code: int) -> None:
        """Show how a try of a container ended that another will follow."""
        self.show(container, code=code)
        self._last[container["name"]] = self._statuses[container["name"]]["state"]

    def show(self, container: Manifest, *, code: int | None = None, ready: bool = True, alone: bool = False) -> None:
        """Report how one of the containers is; the end of one that is alone is told with the pod's."""
        with self.lock:
            self._statuses[container["name"]] = self._status(container, code, ready=ready)
            if not alone:
                self.phase("Running")

    def phase(self, phase: str, **facts: Any) -> None:
        """Report how the pod is, with all its containers."""
        with self.lock:
            containers = self._pod["spec"]["containers"]
            shown = [self._statuses[each["name"]] for each in containers if each["name"] in self._statuses]
            ready = phase == "Running" and len(shown) == len(containers) and all(each["ready"] for each in shown)
            conditions = [
                {"type": kind, "status": str(ready), "lastTransitionTime": _now()}
                for kind in ("Initialized", "Ready", "ContainersReady")
            ]
            status = {"phase": phase, "conditions": conditions, "startTime": _now(), **facts}
            if shown:
                status["containerStatuses"] = shown
            if "podIP" in self._pod.get("status", {}):
                own, node = (self._pod["status"][each] for each in ("podIP", "hostIP"))
                status |= {"podIP": own, "podIPs": [{"ip": own}], "hostIP": node, "hostIPs": [{"ip": node}]}
            self._api.request("PATCH", f"{self._path}/status", {"status": status}, content=STRATEGIC)

    def _status(self, container: Manifest, code: int | None, *, ready: bool) -> Manifest:
        now = _now()
        if code is None:
            state: Manifest = {"running": {"startedAt": now}}
        else:
            told = self._containers.last_words(container) if code else ""
            ended = {"exitCode": code, "reason": "Completed" if code == 0 else "Error", "finishedAt": now}
            state = {"terminated": {**ended, "message": told} if told else ended, "running": None}
        return {
            "name": container["name"],
            "image": container["image"],
            "imageID": container["image"],
            "restartCount": self._restarts[container["name"]],
            "ready": ready and code is None,
            "started": ready and code is None,
            "state": state,
            "lastState": self._last.get(container["name"], {}),
        }


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
