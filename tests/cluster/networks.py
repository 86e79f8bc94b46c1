"""What brings networks to pods, as a stack renders it: Multus' pod on a node, and whereabouts with its own account."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from platform_def.yaml import dump
from tests.cluster.client import Manifest
from tests.cluster.control_plane import until
from tests.cluster.pods import ACCOUNT, Program
from tests.cluster.readers import Placed, ask

SECONDS = 60.0
SETTINGS = "etc/cni/net.d/whereabouts.d"
"""Where whereabouts looks for its own settings, on a node."""


def networks(objects: Sequence[Manifest]) -> list[str]:
    """The networks of a stack, as its files have them."""
    return [item["spec"]["config"] for item in objects if item["kind"] == "NetworkAttachmentDefinition"]


def understood(reader: Path, texts: Sequence[str], folder: Path) -> list[Manifest]:
    """Networks as Multus and whereabouts take them, in the form of their files."""
    settings = folder / "whereabouts.conf"
    settings.write_text(json.dumps({"kubernetes": {"kubeconfig": "/any"}}))
    answers = ask(reader, {"networks": list(texts), "settings": str(settings)})
    return [_as_written(each) for each in answers]


def _as_written(answer: Manifest) -> Manifest:
    if "refused" in answer:
        return {}
    plugins: list[Manifest] = [{"type": each} for each in answer["plugins"]]
    if "ipam" in answer:
        plugins[0]["ipam"] = answer["ipam"]
    return {"cniVersion": answer["cniVersion"], "name": answer["name"], "plugins": plugins}


class Node:
    """The folders of a node as Multus' pod sees them, with the files of networks that were there before."""

    def __init__(self, root: Path, program: Path, placed: Placed, files: Mapping[str, str]) -> None:
        """`files` are networks' names by the file of each, in the node's folder of CNI configurations."""
        self.root, self.placed = root, placed
        mounts = {each["name"]: each["mountPath"] for each in placed.container["volumeMounts"]}
        self.configuration = root / mounts["cni"].lstrip("/")
        (root / mounts["cnibin"].lstrip("/")).mkdir(parents=True)
        self.configuration.mkdir(parents=True)
        for name, network in files.items():
            text = {"cniVersion": "1.0.0", "name": network, "plugins": [{"type": "bridge"}]}
            (self.configuration / name).write_text(json.dumps(text))
        plugin = root / "usr/src/multus-cni/bin/multus"
        account = root / "var" / "run" / ACCOUNT
        for folder in (plugin.parent, account):
            folder.mkdir(parents=True)
        for file in (plugin, account / "token", account / "ca.crt"):
            file.write_text(file.name)
        shutil.copy(program, root / placed.command[0].lstrip("/"))

    def command(self, flags: Sequence[str]) -> list[str]:
        """The pod's program in its root folder."""
        return ["unshare", "--map-root-user", f"--root={self.root}", self.placed.command[0], *flags]

    @contextmanager
    def brought(self) -> Iterator[str]:
        """What the pod wrote for the runtime, while it runs."""
        variables = {**os.environ, "KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBERNETES_SERVICE_PORT": "6443"}
        with subprocess.Popen(self.command(self.placed.command[1:]), env=variables, stdout=subprocess.DEVNULL) as pod:
            try:
                until(lambda: bool(self.written()), seconds=SECONDS, what="Multus' pod has written its file")
                yield self.written()[0].read_text()
            finally:
                pod.terminate()

    def written(self) -> list[Path]:
        """Multus' own files in the folder."""
        return sorted(self.configuration.glob("00-multus.conf*[tf]"))


@dataclass(frozen=True)
class Whereabouts(Program):
    """A program of whereabouts on a node, with the files that its pod writes there."""

    called: str = ""
    """Which of them it is."""

    @property
    def name(self) -> str:
        """Several share an account here."""
        return self.called

    @property
    def loop(self) -> list[str]:
        """Flags of the control loop, which the last line of the pod's script starts."""
        last = shlex.split(self.spec["args"][-1].strip().splitlines()[-1])
        assert last[:2] == ["exec", "/ip-control-loop"]
        return last[2:]

    def lay(self, token: str) -> None:
        """Write what the pod's script writes: settings and a kubeconfig with the account's token."""
        folder = self.tmp.parent / SETTINGS
        folder.mkdir(parents=True, exist_ok=True)
        authority = str(self.control_plane.pki.authority)
        kept = self.tmp.parent / "etc" / "authority.crt"
        kept.write_bytes(Path(authority).read_bytes())
        cluster = {
            "server": f"https://127.0.0.1:{self.control_plane.port}",
            "certificate-authority": "/etc/authority.crt",
        }
        kubeconfig = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "local", "cluster": cluster}],
            "users": [{"name": "whereabouts", "user": {"token": token}}],
            "contexts": [
                {"name": "here", "context": {"cluster": "local", "user": "whereabouts", "namespace": self.home}}
            ],
            "current-context": "here",
        }
        (folder / "whereabouts.kubeconfig").write_text(dump(kubeconfig))
        said = {"kubernetes": {"kubeconfig": f"/{SETTINGS}/whereabouts.kubeconfig"}}
        (folder / "whereabouts.conf").write_text(json.dumps(said))
        (folder / "nodename").write_text(self.node)

    def call(self, binary: Path, command: str, pod: str, network: Mapping[str, Any]) -> Manifest:
        """Call the plugin for a pod, as the plugin of a network does; what it answered."""
        self.lay(self.token())
        self.tmp.mkdir(parents=True, exist_ok=True)
        shutil.copy(binary, self.tmp / "plugin")
        first = {**network["plugins"][0], "name": network["name"], "cniVersion": network["cniVersion"]}
        (self.tmp / "network").write_text(json.dumps(first))
        self.log.unlink(missing_ok=True)
        settings = {
            "CNI_COMMAND": command,
            "CNI_CONTAINERID": pod,
            "CNI_NETNS": "/any",
            "CNI_NETNS_OVERRIDE": "1",  # it has no pod to look at
            "CNI_IFNAME": "net1",
            "CNI_PATH": "/tmp",
            "CNI_ARGS": f"IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME={pod}",
        }
        script = "/tmp/plugin < /tmp/network > /tmp/answer"
        self.start(Path("/bin/sh"), ["-c", script], settings=settings)
        until(lambda: self.name in self.control_plane.sandbox.ended(), seconds=SECONDS, what=f"{command} is done")
        code = self.control_plane.sandbox.ended()[self.name]
        self.control_plane.sandbox.stop(self.name)
        answer = (self.tmp / "answer").read_text()
        assert code == 0, f"{answer}\n{self.log.read_text()}"
        found: Manifest = json.loads(answer or "{}")
        return found
