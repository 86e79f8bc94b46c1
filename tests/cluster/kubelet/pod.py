"""One pod's life: its network, its containers one after the other and beside each other, and how it ends."""

from __future__ import annotations

import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests.cluster.client import Api, Manifest
from tests.cluster.kubelet.container import TOLD_BYTES, Containers
from tests.cluster.kubelet.etc import hostname, on_the_node
from tests.cluster.kubelet.image import Image
from tests.cluster.kubelet.network import Network, Place
from tests.cluster.kubelet.policies import Policies
from tests.cluster.kubelet.probes import answers, numbered
from tests.cluster.kubelet.report import Report
from tests.cluster.kubelet.services import Services

BACK_OFF_SECONDS = 1.0
PROBE_SECONDS = 0.5
ORDER_SECONDS = 0.02
RENEW_SECONDS = 2.0
GRACE_SECONDS = 30.0
"""What a pod has that says nothing."""
ENDED_BY_TERM = 128 + signal.SIGTERM


class PodRun(threading.Thread):
    """A pod from its start to its end."""

    def __init__(
        self,
        pod: Manifest,
        *,
        api: Api,
        network: Network,
        services: Services,
        policies: Policies,
        folder: Path,
        images: Mapping[str, Image],
        authority: Path,
    ) -> None:
        super().__init__(daemon=True, name=pod["metadata"]["name"])
        metadata = pod["metadata"]
        self.pod, self._network, self._services, self._policies = pod, network, services, policies
        self.own = folder / "pods" / metadata["namespace"] / metadata["name"] / metadata["uid"]
        self._stopping = threading.Event()
        self.containers = Containers(pod, api, images, self.own, folder / "claims", authority, self._stopping)
        self._report = Report(pod, api, self.containers)
        self._expired = False
        self.told = False
        """Whether it was told to end."""
        self.network_namespace: str | None = None
        """Path of the one that it is in, once it has one."""

    def run(self) -> None:
        """Run it; what goes wrong here is told in its status, as a kubelet's own failures are."""
        place: Place | None = None
        try:
            self.own.mkdir(parents=True)
            place = self._join()
            deadline = self._deadline()
            self._live(place)
            if deadline is not None:
                deadline.cancel()
        except Exception as error:
            self._report.phase("Failed", reason="Kubelet", message=repr(error)[:TOLD_BYTES])
        finally:
            self.containers.close()
            if place is not None and not on_the_node(self.pod):
                self._services.leave(place.namespace)
                self._policies.leave(self.pod)
                place.close()

    def _join(self) -> Place:
        """The pod's network, with all that it leads to and is held to."""
        node = self._network.node(self.pod["spec"]["nodeName"])
        shared = on_the_node(self.pod)
        place = node if shared else self._network.place(hostname(self.pod))
        self.network_namespace = place.namespace
        self._services.join(place.namespace, None if shared else self.pod, keeps=self.containers.keeps)
        self.pod["status"] |= {"podIP": place.address, "hostIP": node.address}
        self._report.phase("Pending")
        if not shared:
            self._policies.join(self.pod, place)
        return place

    def stop(self, grace_seconds: float) -> None:
        """SIGTERM once the time is over for which the pod asks to wait, and SIGKILL where it has not ended in time."""
        self.told = True
        if not self.containers.running():
            self._end()
            return
        threading.Timer(grace_seconds, self._kill).start()
        if waits := min(self._waits, grace_seconds):
            threading.Timer(waits, self._end).start()
        else:
            self._end()

    @property
    def _waits(self) -> float:
        """Seconds between the end of a pod and SIGTERM: the longest `preStop.sleep`, as if each container had it."""
        hooks = [each.get("lifecycle", {}).get("preStop", {}) for each in self.pod["spec"]["containers"]]
        return max(float(each.get("sleep", {}).get("seconds", 0)) for each in hooks)

    def _end(self) -> None:
        self._stopping.set()
        for process in self.containers.running():
            process.send_signal(signal.SIGTERM)

    def _deadline(self) -> threading.Timer | None:
        """Ends the pod when its time is over, whatever it does."""
        seconds = self.pod["spec"].get("activeDeadlineSeconds")
        if seconds is None:
            return None
        timer = threading.Timer(seconds, self._expire)
        timer.daemon = True
        timer.start()
        return timer

    def _expire(self) -> None:
        self._expired = True
        self.stop(self._grace)

    @property
    def _grace(self) -> float:
        """Seconds between SIGTERM and SIGKILL."""
        return float(self.pod["spec"].get("terminationGracePeriodSeconds", GRACE_SECONDS))

    def _kill(self) -> None:
        for process in self.containers.running():
            process.kill()

    def _live(self, place: Place) -> None:
        spec = self.pod["spec"]
        over = threading.Event()
        beside: list[threading.Thread] = []
        for each in spec.get("initContainers", ()):
            if each.get("restartPolicy") == "Always":
                beside.append(threading.Thread(target=self._beside, args=(each, place, over), daemon=True))
                beside[-1].start()
            elif self._repeat(each, place, main=False) != 0:
                self._report.phase("Failed")
                return
        if any("secret" in each for each in spec.get("volumes", ())):
            threading.Thread(target=self._renew, args=(over,), daemon=True).start()
        codes = self._together(spec["containers"], place)
        over.set()
        for thread in beside:
            thread.join()
        why: dict[str, Any] = {"reason": "DeadlineExceeded"} if self._expired else {}
        self._report.phase("Failed" if any(codes) or self._expired else "Succeeded", **why)

    def _together(self, containers: Sequence[Manifest], place: Place) -> list[int]:
        """Run containers beside each other, begun one after the other; the codes with which they end for good."""

        def one(container: Manifest) -> int:
            try:
                self._wait_for_those_before(container)
                code = self._repeat(container, place, main=True)
            except Exception:
                self.stop(1.0)  # the others would be waited for
                raise
            self._report.show(container, code=code, alone=len(containers) == 1)
            return code

        with ThreadPoolExecutor(len(containers)) as pool:
            return [*pool.map(one, containers)]

    def _wait_for_those_before(self, container: Manifest) -> None:
        """Programs that see each other's processes rely on the order in which kubelets start containers."""
        if not self.pod["spec"].get("shareProcessNamespace"):
            return
        names = [each["name"] for each in self.pod["spec"]["containers"]]
        for name in names[: names.index(container["name"])]:
            while name not in self.containers.processes and not self._stopping.is_set():
                time.sleep(ORDER_SECONDS)

    def _renew(self, over: threading.Event) -> None:
        """Keep Secrets as they are in the cluster."""
        while not over.wait(RENEW_SECONDS):
            self.containers.renew()

    def _beside(self, container: Manifest, place: Place, over: threading.Event) -> None:
        """Keep a sidecar running until the pod's own container has ended."""
        while not over.is_set():
            process = self.containers.start(container, place)
            while process.poll() is None and not over.wait(0.1):
                pass
            process.terminate()
            try:
                process.wait(self._grace)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            over.wait(BACK_OFF_SECONDS)

    def _repeat(self, container: Manifest, place: Place, *, main: bool) -> int:
        """The exit code with which a container ends for good."""
        policy = self.pod["spec"]["restartPolicy"]
        while not self._stopping.is_set():
            self.containers.processes[container["name"]] = process = self.containers.start(container, place)
            if self._stopping.is_set():  # told to end while there was no process yet
                process.kill()
            if main:
                self._become_ready(container, process, place)
            code = process.wait()
            code = 128 - code if code < 0 else code
            again = code != 0 if policy == "OnFailure" or not main else policy == "Always"
            if self.told or policy == "Never" or not again:
                return code
            if main:
                self._report.ended(container, code)
            time.sleep(BACK_OFF_SECONDS)
            if main:
                self._report.again(container["name"])
        return ENDED_BY_TERM

    def _become_ready(self, container: Manifest, process: subprocess.Popen[bytes], place: Place) -> None:
        """Report that it runs, and that it is ready when its probes have said so once."""
        kinds = ("startupProbe", "readinessProbe")
        probes = [numbered(container[kind], container) for kind in kinds if kind in container]
        self._report.show(container, ready=not probes)

        def ask() -> None:
            entered = self.containers.inside(container["name"])
            while process.poll() is None and entered and not all(answers(each, entered, place) for each in probes):
                time.sleep(PROBE_SECONDS)
            with self._report.lock:
                if process.poll() is None:
                    self._report.show(container)

        if probes:
            threading.Thread(target=ask, daemon=True).start()

    def forget(self) -> None:
        """Remove what only the running pod needed; its logs stay."""
        for each in self.own.glob("volumes"):
            shutil.rmtree(each, ignore_errors=True)
