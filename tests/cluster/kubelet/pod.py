"""One pod's life: its network, its containers one after the other, what it reports, and how it ends."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from platform_def.tools import kubectl_path
from tests.cluster.client import Api, Manifest
from tests.cluster.kubelet.content import MissingError, expanded, mount_lines, variables, volume_folder
from tests.cluster.kubelet.execution import Inside
from tests.cluster.kubelet.names import DOMAIN
from tests.cluster.kubelet.network import GATEWAY, Network, Place
from tests.cluster.kubelet.policies import Policies
from tests.cluster.kubelet.probes import answers, numbered
from tests.cluster.kubelet.services import Services
from tests.cluster.pki import KUBERNETES
from tests.cluster.tools import cache_folder

T = TypeVar("T")

ROOT_SCRIPT = Path(__file__).with_name("root.sh")
BACK_OFF_SECONDS = 1.0
PROBE_SECONDS = 0.5
PULL_SECONDS = 0.1
SIDECAR_GRACE_SECONDS = 2.0
TOLD_BYTES, TOLD_LINES = 2048, 80
"""How much of the end of a log a kubelet takes for the last words of a program that failed."""
ENDED_BY_TERM = 128 + signal.SIGTERM
STRATEGIC = "application/strategic-merge-patch+json"
KILLED = 137
REPOSITORY = Path(__file__).parents[3]
HIDING = ("/etc", "/run", "/tmp")
"""Folders of this machine in whose place a container has its own."""


@dataclass(frozen=True)
class Image:
    """What an image is here: folders of programs, variables, files that are copied into containers, a command."""

    programs: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    command: tuple[str, ...] = ()
    """What it runs where its container says nothing."""
    entrypoint: tuple[str, ...] = ()
    """What runs its arguments where its container names no command."""
    pulled: str = ""
    """File that is there once a node has it; by default nodes have it at once."""


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
        self.pod, self._api, self._network, self._services, self._images = pod, api, network, services, images
        self._policies = policies
        self.uid: str = pod["metadata"]["uid"]
        metadata = pod["metadata"]
        self.own = folder / "pods" / metadata["namespace"] / metadata["name"] / self.uid
        self._claims, self._authority = folder / "claims", authority
        self._path = f"/api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}"
        self._stopping = threading.Event()
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._variables: dict[str, dict[str, str]] = {}
        self._statuses: dict[str, Manifest] = {}
        """Of the pod's own containers that have begun."""
        self._restarts = Counter[str]()
        self._tries: dict[str, list[int]] = {}
        """Where in its log each try of a container begins."""
        self._last: dict[str, Manifest] = {}
        """How the try before ended."""
        self._reporting, self._laying = threading.RLock(), threading.Lock()
        self._expired = False
        self.told = False
        """Whether it was told to end."""

    def run(self) -> None:
        """Run it; what goes wrong here is told in its status, as a kubelet's own failures are."""
        place: Place | None = None
        try:
            self.own.mkdir(parents=True)
            node = self._network.node(self.pod["spec"]["nodeName"])
            place = node if self._on_the_node else self._network.place(self._hostname)
            self._services.join(place.namespace, None if self._on_the_node else self.pod)
            self.pod["status"] |= {"podIP": place.address, "hostIP": node.address}
            self._report("Pending")
            if not self._on_the_node:
                self._policies.join(self.pod, place)
            deadline = self._deadline()
            self._live(place)
            if deadline is not None:
                deadline.cancel()
        except Exception as error:
            self._report("Failed", reason="Kubelet", message=repr(error)[:TOLD_BYTES])
        finally:
            if place is not None and not self._on_the_node:
                self._services.leave(place.namespace)
                self._policies.leave(self.pod)
                place.close()

    @property
    def _hostname(self) -> str:
        if self._on_the_node:
            return str(self.pod["spec"]["nodeName"])
        return str(self.pod["spec"].get("hostname", self.pod["metadata"]["name"]))[:63]

    @property
    def _on_the_node(self) -> bool:
        return bool(self.pod["spec"].get("hostNetwork"))

    def stop(self, grace_seconds: float) -> None:
        """SIGTERM, and SIGKILL where it has not ended in time."""
        self.told = True
        self._stopping.set()
        running = [each for each in self._processes.values() if each.poll() is None]
        for process in running:
            process.send_signal(signal.SIGTERM)
        if running:
            threading.Timer(grace_seconds, self._kill).start()

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
        self.stop(1.0)

    def _kill(self) -> None:
        for process in [*self._processes.values()]:
            if process.poll() is None:
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
                self._report("Failed")
                return
        codes = self._together(spec["containers"], place)
        over.set()
        for thread in beside:
            thread.join()
        why: dict[str, Any] = {"reason": "DeadlineExceeded"} if self._expired else {}
        self._report("Failed" if any(codes) or self._expired else "Succeeded", **why)

    def _together(self, containers: Sequence[Manifest], place: Place) -> list[int]:
        """Run containers beside each other; the codes with which they end for good."""

        def one(container: Manifest) -> int:
            try:
                code = self._repeat(container, place, main=True)
            except Exception:
                self.stop(1.0)  # the others would be waited for
                raise
            self._show(container, code=code, alone=len(containers) == 1)
            return code

        with ThreadPoolExecutor(len(containers)) as pool:
            return [*pool.map(one, containers)]

    def _beside(self, container: Manifest, place: Place, over: threading.Event) -> None:
        """Keep a sidecar running until the pod's own container has ended."""
        while not over.is_set():
            process = self._start(container, place)
            while process.poll() is None and not over.wait(0.1):
                pass
            process.terminate()
            try:
                process.wait(SIDECAR_GRACE_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            over.wait(BACK_OFF_SECONDS)

    def _repeat(self, container: Manifest, place: Place, *, main: bool) -> int:
        """The exit code with which a container ends for good."""
        policy = self.pod["spec"]["restartPolicy"]
        name = container["name"]
        while not self._stopping.is_set():
            self._processes[name] = process = self._start(container, place)
            if self._stopping.is_set():  # told to end while there was no process yet
                process.kill()
            if main:
                self._become_ready(container, process, place)
            code = process.wait()
            code = 128 - code if code < 0 else code
            again = code != 0 if policy == "OnFailure" or not main else policy == "Always"
            if self._stopping.is_set() or policy == "Never" or not again:
                return code
            if main:
                self._show(container, code=code)
                self._last[name] = self._statuses[name]["state"]
            time.sleep(BACK_OFF_SECONDS)
            self._restarts[name] += main
        return ENDED_BY_TERM

    def _become_ready(self, container: Manifest, process: subprocess.Popen[bytes], place: Place) -> None:
        """Report that it runs, and that it is ready when its probes have said so once."""
        kinds = ("startupProbe", "readinessProbe")
        probes = [numbered(container[kind], container) for kind in kinds if kind in container]
        self._show(container, ready=not probes)

        def ask() -> None:
            entered = self.inside(container["name"])
            while process.poll() is None and entered and not all(answers(each, entered, place) for each in probes):
                time.sleep(PROBE_SECONDS)
            with self._reporting:
                if process.poll() is None:
                    self._show(container)

        if probes:
            threading.Thread(target=ask, daemon=True).start()

    def _start(self, container: Manifest, place: Place) -> subprocess.Popen[bytes]:
        image = next((image for prefix, image in self._images.items() if container["image"].startswith(prefix)), None)
        if image is None:
            raise LookupError(f"no image {container['image']}")
        while image.pulled and not Path(image.pulled).exists() and not self._stopping.is_set():
            time.sleep(PULL_SECONDS)
        own = self._there(lambda: variables(self._api, self.pod, container))
        arguments = container.get("args", ())
        said = [*container.get("command", image.entrypoint if arguments else ()), *arguments] or image.command
        words = [expanded(word, own) for word in said]
        env = {
            "PATH": ":".join([*image.programs, "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"]),
            "HOME": "/tmp",
            "HOSTNAME": self._hostname,
            "KUBERNETES_SERVICE_HOST": KUBERNETES,
            "KUBERNETES_SERVICE_PORT": "443",
            **image.variables,
            **own,
        }
        self._variables[container["name"]] = env
        root = self.own / f"root-{container['name']}"
        root.mkdir(exist_ok=True)
        mounts = self.own / f"mounts-{container['name']}"
        lines = (*self._system(place), *self._there(lambda: self._mounts(container, image)))
        mounts.write_text("".join(f"{line}\n" for line in lines))
        folder = container.get("workingDir", "/")
        script = ["unshare", "--mount", "sh", str(ROOT_SCRIPT), str(root), str(mounts), folder, self._user(container)]
        argv = [*place.entered(), *script, *words]
        with self.log(container["name"]).open("ab") as log:
            self._tries.setdefault(container["name"], []).append(log.tell())
            return subprocess.Popen(
                argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=env, start_new_session=True
            )

    def _there(self, make: Callable[[], T]) -> T:
        """What needs Secrets and ConfigMaps, once they are there: kubelets wait for them."""
        while True:
            try:
                return make()
            except MissingError:
                if self._stopping.wait(PULL_SECONDS):
                    raise

    def inside(self, container: str) -> Inside | None:
        """The way into one of its containers, while it runs."""
        process = self._processes.get(container)
        if process is None or process.poll() is not None:
            return None
        entered = ["nsenter", f"--target={process.pid}", "--net", "--uts", "--mount", "--"]
        return Inside(entered, self._variables[container])

    def _user(self, container: Manifest) -> str:
        """Who its processes are: what the container says, or its pod, else root."""
        both = (each.get("securityContext", {}) for each in (container, self.pod["spec"]))
        return str(next((each["runAsUser"] for each in both if "runAsUser" in each), 0))

    def log(self, container: str) -> Path:
        """What a container says, of all its tries."""
        found: Path = self.own / f"{container}.log"
        return found

    def said(self, container: str, *, previous: bool = False) -> bytes | None:
        """What a container said in its last try, or in the one before; None where there was no such try."""
        starts = self._tries.get(container, [])
        if len(starts) <= previous:
            return None
        begin, end = (starts[-2], starts[-1]) if previous else (starts[-1], None)
        return self.log(container).read_bytes()[begin:end]

    def _last_words(self, container: Manifest) -> str:
        """The end of its log, where it asks for that: nothing here writes the file that kubelets read first."""
        if container.get("terminationMessagePolicy") != "FallbackToLogsOnError":
            return ""
        lines = (self.said(container["name"]) or b"").splitlines(keepends=True)
        return b"".join(lines[-TOLD_LINES:])[-TOLD_BYTES:].decode(errors="replace")

    def _system(self, place: Place) -> list[str]:
        """Files by which programs find each other."""
        namespace, name = self.pod["metadata"]["namespace"], self._hostname
        # By the first name a program finds what it is called for others.
        subdomain = self.pod["spec"].get("subdomain")
        names = [*([f"{name}.{subdomain}.{namespace}.svc.{DOMAIN}"] if subdomain else []), name]
        search = f"search {namespace}.svc.{DOMAIN} svc.{DOMAIN} {DOMAIN}"
        # On the node's network `ClusterFirst` means the node's name server, which knows no Services.
        of_cluster = not self._on_the_node or self.pod["spec"].get("dnsPolicy") == "ClusterFirstWithHostNet"
        # As Debian's installer gives a node its own name: no other node could reach what is offered under it.
        hosts = "127.0.1.1 " + name if self._on_the_node else f"{place.address} {' '.join(names)}"
        files = {
            "resolv.conf": f"nameserver {GATEWAY}\n{search}\noptions ndots:5 timeout:2\n" if of_cluster else "",
            "hosts": f"127.0.0.1 localhost\n{hosts}\n",
            "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
            "hostname": f"{name}\n",
        }
        folder = self.own / "etc"
        folder.mkdir(exist_ok=True)
        for file, text in files.items():
            (folder / file).write_text(text)
        return [f"file\t{folder / file}\t/etc/{file}" for file in files]

    def _mounts(self, container: Manifest, image: Image) -> list[str]:
        # Another user's namespace has no root: files are its own there, and sshd wants its own keys for itself alone.
        mask = 0o777 if self._user(container) == "0" else 0o700
        with self._laying:  # containers share what is laid down
            folders = {
                each["name"]: volume_folder(
                    self._api, self.pod, each, own=self.own, claims=self._claims, authority=self._authority, mask=mask
                )
                for each in self.pod["spec"].get("volumes", ())
            }
        copies = [f"copy\t{source}\t{target}" for target, source in image.files.items()]
        shown = [f"sealed\t{path}\t{path}" for path in hidden((REPOSITORY, cache_folder(), sys.prefix, kubectl_path()))]
        return [*copies, *mount_lines(self.pod, container, folders), *shown]

    def _status(self, container: Manifest, code: int | None = None, *, ready: bool = True) -> Manifest:
        now = _now()
        if code is None:
            state: Manifest = {"running": {"startedAt": now}}
        else:
            told = self._last_words(container) if code else ""
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

    def _show(self, container: Manifest, *, code: int | None = None, ready: bool = True, alone: bool = False) -> None:
        """Report how one of the containers is; the end of one that is alone is told with the pod's."""
        with self._reporting:
            self._statuses[container["name"]] = self._status(container, code, ready=ready)
            if not alone:
                self._report("Running")

    def _report(self, phase: str, **facts: Any) -> None:
        """Report how the pod is, with all its containers."""
        with self._reporting:
            shown = [
                self._statuses[each["name"]]
                for each in self.pod["spec"]["containers"]
                if each["name"] in self._statuses
            ]
            ready = (
                phase == "Running"
                and len(shown) == len(self.pod["spec"]["containers"])
                and all(each["ready"] for each in shown)
            )
            conditions = [
                {"type": kind, "status": str(ready), "lastTransitionTime": _now()}
                for kind in ("Initialized", "Ready", "ContainersReady")
            ]
            status = {"phase": phase, "conditions": conditions, "startTime": _now(), **facts}
            if shown:
                status["containerStatuses"] = shown
            if "podIP" in self.pod.get("status", {}):
                own, node = (self.pod["status"][each] for each in ("podIP", "hostIP"))
                status |= {
                    "podIP": own,
                    "podIPs": [{"ip": own}],
                    "hostIP": node,
                    "hostIPs": [{"ip": node}],
                }
            self._api.request("PATCH", f"{self._path}/status", {"status": status}, content=STRATEGIC)

    def forget(self) -> None:
        """Remove what only the running pod needed; its logs stay."""
        for each in self.own.glob("volumes"):
            shutil.rmtree(each, ignore_errors=True)


def hidden(paths: Iterable[str | Path]) -> list[Path]:
    """Folders of what images are made of that a container would not see, because its own /tmp lies over them."""
    folders = {each if each.is_dir() else each.parent for each in (Path(path).resolve() for path in paths)}
    outer = [each for each in folders if not folders.intersection(each.parents)]
    return sorted(each for each in outer if any(each.is_relative_to(own) for own in HIDING))


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
