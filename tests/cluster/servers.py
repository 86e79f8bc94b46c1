"""Servers of StatefulSets that the Prometheus operator made, and the containers beside them that write their configuration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from tests.cluster.client import Manifest
from tests.cluster.control_plane import ControlPlane, until
from tests.cluster.controllers import START_SECONDS
from tests.cluster.door import Door
from tests.cluster.mounted import Mounted

SERVERS = {"prometheus-k8s": "prometheus", "alertmanager-main": "alertmanager"}
"""The StatefulSets, with the program of each."""
PORTS = {"prometheus": 9090, "alertmanager": 9093}
LISTENS = "--web.listen-address"
RELOADER = "prometheus-config-reloader"
FIRST, BESIDE = "init-config-reloader", "config-reloader"
"""Containers of the reloader: one ends before the server begins, one stays."""


@dataclass(frozen=True)
class Server(Mounted):
    """A container of a StatefulSet; those of one pod share their files here."""

    kind: str = "StatefulSet"

    @property
    def name(self) -> str:
        """What it is called among what runs in the test."""
        return f"{self.deployment}-{self.container}"

    def files(self) -> dict[PurePosixPath, bytes]:
        """Its files; volumes that it writes to are empty."""
        volumes = {each["name"]: each for each in self.pod["volumes"]}
        found: dict[PurePosixPath, bytes] = {}
        for mount in self.spec["volumeMounts"]:
            inside, content = mount.get("subPath"), self._content(volumes.get(mount["name"], {}))
            chosen = {path: data for path, data in content.items() if inside in (None, path)}
            found |= {PurePosixPath(mount["mountPath"], "" if inside else path): data for path, data in chosen.items()}
        return found

    def _content(self, volume: Manifest) -> dict[str, bytes]:
        if "projected" in volume:
            sources = [each["secret"] for each in volume["projected"]["sources"]]
            parts = [self._content({"secret": {**each, "secretName": each["name"]}}) for each in sources]
            return {path: data for part in parts for path, data in part.items()}
        return super()._content(volume) if {"configMap", "secret"} & volume.keys() and self._there(volume) else {}

    def _there(self, volume: Manifest) -> bool:
        """Whether what a volume may do without is there; what must be there is looked for."""
        source = volume.get("configMap") or volume["secret"]
        plural, name = ("configmaps", "name") if "configMap" in volume else ("secrets", "secretName")
        path = f"/api/v1/namespaces/{self.home}/{plural}/{source[name]}"
        return not source.get("optional") or self.control_plane.api.get(path).status == 200

    def run(self, binary: Path, *, address: str = "") -> None:
        """Start it; what it keeps lies in its /tmp, and the port that reloaders of all pods have is at `address`."""
        for mount in self.spec["volumeMounts"]:
            if mount["mountPath"].startswith("/etc/") and "subPath" not in mount:
                (self.tmp.parent / mount["mountPath"].lstrip("/")).mkdir(parents=True, exist_ok=True)
        kept = [each.replace(f"path=/{self.container}", "path=/tmp/data") for each in self.spec["args"]]
        at = "--listen-address="
        flags = [each.replace(f"{at}:", f"{at}{address}:") if each.startswith(at) else each for each in kept]
        if port := PORTS.get(self.container):
            # Pods share one network here: others have that port at addresses of their own.
            flags = [each for each in flags if not each.startswith(LISTENS)]
            flags += [f"{LISTENS}={host}:{port}" for host in ("127.0.0.1", address)]
        self.start(binary, flags, settings={"POD_IP": "127.0.0.1"})


def start_server(
    control_plane: ControlPlane,
    programs: Mapping[str, Path],
    objects: Sequence[Manifest],
    name: str,
    *,
    address: str,
    hosts: Sequence[str],
) -> Door:
    """Start a server after what writes its configuration, and what reloads it; the way to it, once it is ready."""
    server = Server(control_plane, objects, name, SERVERS[name], hosts=hosts)
    for container in (FIRST, BESIDE):
        reloader = Server(control_plane, objects, name, container, hosts=hosts)
        reloader.run(programs[RELOADER], address=address)
        if container == FIRST:
            until(lambda: _written(server), seconds=START_SECONDS, what=f"{name} has its configuration")
    server.run(programs[server.container], address=address)
    path = control_plane.folder / f"{server.container}.sock"
    control_plane.sandbox.forward(path, port=PORTS[server.container])
    door = Door(path, "")
    server.wait(lambda: _ready(door), f"{name} is ready")
    return door


def _written(server: Server) -> bool:
    return any(_configurations(server))


def _configurations(server: Server) -> Iterator[Path]:
    return (server.tmp.parent / "etc" / server.container / "config_out").glob("*.yaml")


def _ready(door: Door) -> bool:
    try:
        return door.get("/-/ready").status == 200
    except OSError:
        return False
