"""The containers of a pod: the process of each, with its variables and mounts, and what it has said, try by try."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from platform_def.tools import kubectl_path
from tests.cluster.client import Api, Manifest
from tests.cluster.kubelet.content import MissingError, expanded, mount_lines, variables, volume_folder
from tests.cluster.kubelet.etc import etc_lines, hostname
from tests.cluster.kubelet.execution import Inside
from tests.cluster.kubelet.image import Image
from tests.cluster.kubelet.network import Place
from tests.cluster.kubelet.processes import Processes, among, apart
from tests.cluster.pki import KUBERNETES
from tests.cluster.tools import cache_folder

T = TypeVar("T")

ROOT_SCRIPT = Path(__file__).with_name("root.sh")
PULL_SECONDS = 0.1
TOLD_BYTES, TOLD_LINES = 2048, 80
"""How much of the end of a log a kubelet takes for the last words of a program that failed."""
REPOSITORY = Path(__file__).parents[3]
HIDING = ("/etc", "/home", "/mnt", "/run", "/srv", "/tmp")
"""Folders of this machine in whose place a container has its own."""


@dataclass
class Containers:
    """What runs in a pod, or has run."""

    pod: Manifest
    api: Api
    images: Mapping[str, Image]
    own: Path
    """The pod's folder."""
    claims: Path
    authority: Path
    stopping: threading.Event
    """The pod is told to end."""
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    """The last of each container, where its end is the pod's business."""
    _variables: dict[str, dict[str, str]] = field(default_factory=dict)
    _tries: dict[str, list[int]] = field(default_factory=dict)
    """Where in its log each try of a container begins."""
    _laying: threading.Lock = field(default_factory=threading.Lock)
    _mask: int = 0o777
    """What modes of files of Secrets and the like are held to."""
    _shared: Processes | None = None
    """Where all containers see each other's processes, in a pod that asks for it."""

    def __post_init__(self) -> None:
        if self.pod["spec"].get("shareProcessNamespace"):
            self._shared = Processes()

    def close(self) -> None:
        """Give up what the containers shared."""
        if self._shared:
            self._shared.close()

    def start(self, container: Manifest, place: Place) -> subprocess.Popen[bytes]:
        """Start a container's process, once its image and what it mounts are there."""
        image = self._image(container)
        if image is None:
            raise LookupError(f"no image {container['image']}")
        while image.pulled and not Path(image.pulled).exists() and not self.stopping.is_set():
            time.sleep(PULL_SECONDS)
        own = self._there(lambda: variables(self.api, self.pod, container))
        arguments = container.get("args", ())
        said = [*container.get("command", image.entrypoint if arguments else ()), *arguments] or image.command
        words = [expanded(word, own) for word in said]
        env = {
            "PATH": ":".join([*image.programs, "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"]),
            "HOME": "/tmp",
            "HOSTNAME": hostname(self.pod),
            "KUBERNETES_SERVICE_HOST": KUBERNETES,
            "KUBERNETES_SERVICE_PORT": "443",
            **image.variables,
            **own,
        }
        self._variables[container["name"]] = env
        root = self.own / f"root-{container['name']}"
        root.mkdir(exist_ok=True)
        mounts = self.own / f"mounts-{container['name']}"
        lines = (*etc_lines(self.pod, place, self.own), *self._there(lambda: self._mounts(container, image)))
        mounts.write_text("".join(f"{line}\n" for line in lines))
        folder = container.get("workingDir", "/")
        script = ["unshare", "--mount", "sh", str(ROOT_SCRIPT), str(root), str(mounts), folder, self._user(container)]
        argv = [*place.entered(), *script, *words]
        with self.log(container["name"]).open("ab") as log, among(self._shared.namespace) if self._shared else apart():
            self._tries.setdefault(container["name"], []).append(log.tell())
            return subprocess.Popen(
                argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=env, start_new_session=True
            )

    def renew(self) -> None:
        """Lay the Secrets of its volumes down again: a program may wait for what it writes into one itself."""
        for each in self.pod["spec"].get("volumes", ()):
            if "secret" in each:
                with self._laying, suppress(LookupError):
                    self._folder(each, self._mask)

    def running(self) -> list[subprocess.Popen[bytes]]:
        """The processes that have not ended."""
        return [each for each in [*self.processes.values()] if each.poll() is None]

    def inside(self, container: str) -> Inside | None:
        """The way into one of the containers, while it runs."""
        process = self.processes.get(container)
        if process is None or process.poll() is not None:
            return None
        entered = ["nsenter", f"--target={process.pid}", "--net", "--uts", "--mount", "--"]
        return Inside(entered, self._variables[container], f"/proc/{process.pid}/ns/pid")

    def log(self, container: str) -> Path:
        """What a container says, of all its tries."""
        return self.own / f"{container}.log"

    def said(self, container: str, *, previous: bool = False) -> bytes | None:
        """What a container said in its last try, or in the one before; None where there was no such try."""
        starts = self._tries.get(container, [])
        if len(starts) <= previous:
            return None
        begin, end = (starts[-2], starts[-1]) if previous else (starts[-1], None)
        return self.log(container).read_bytes()[begin:end]

    def last_words(self, container: Manifest) -> str:
        """The end of its log, where it asks for that: nothing here writes the file that kubelets read first."""
        if container.get("terminationMessagePolicy") != "FallbackToLogsOnError":
            return ""
        lines = (self.said(container["name"]) or b"").splitlines(keepends=True)
        return b"".join(lines[-TOLD_LINES:])[-TOLD_BYTES:].decode(errors="replace")

    def _there(self, make: Callable[[], T]) -> T:
        """What needs Secrets and ConfigMaps, once they are there: kubelets wait for them."""
        while True:
            try:
                return make()
            except MissingError:
                if self.stopping.wait(PULL_SECONDS):
                    raise

    @property
    def keeps(self) -> bool:
        """Whether one of its programs takes its ports at all addresses."""
        found = map(self._image, self.pod["spec"]["containers"])
        return any(image is not None and image.keeps for image in found)

    def _image(self, container: Manifest) -> Image | None:
        return next((image for prefix, image in self.images.items() if container["image"].startswith(prefix)), None)

    def _user(self, container: Manifest) -> str:
        """Who its processes are: what the container says, or its pod, else root."""
        both = (each.get("securityContext", {}) for each in (container, self.pod["spec"]))
        return str(next((each["runAsUser"] for each in both if "runAsUser" in each), 0))

    def _folder(self, volume: Manifest, mask: int) -> str:
        where = {"own": self.own, "claims": self.claims, "authority": self.authority}
        return volume_folder(self.api, self.pod, volume, **where, mask=mask)

    def _mounts(self, container: Manifest, image: Image) -> list[str]:
        # Another user's namespace has no root: files are its own there, and sshd wants its own keys for itself alone.
        with self._laying:  # containers share what is laid down
            self._mask = 0o777 if self._user(container) == "0" else 0o700
            volumes = self.pod["spec"].get("volumes", ())
            folders = {each["name"]: self._folder(each, self._mask) for each in volumes}
        copies = [f"copy\t{source}\t{target}" for target, source in image.files.items()]
        mounted = [str(each["mountPath"]) for each in container.get("volumeMounts", ())]
        needed = hidden((REPOSITORY, cache_folder(), sys.prefix, sys.base_prefix, kubectl_path()), (*HIDING, *mounted))
        shown = [f"sealed\t{path}\t{path}" for path in needed]
        return ["processes\t-\t/proc", *copies, *mount_lines(self.pod, container, folders), *shown]


def hidden(paths: Iterable[str | Path], hiding: Sequence[str] = HIDING) -> list[Path]:
    """Folders of what images are made of that a container would not see, because its own /tmp lies over them."""
    folders = {each if each.is_dir() else each.parent for each in (Path(path).resolve() for path in paths)}
    outer = [each for each in folders if not folders.intersection(each.parents)]
    return sorted(each for each in outer if any(each.is_relative_to(own) for own in hiding))
