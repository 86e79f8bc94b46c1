"""What brings networks to pods, as a stack renders it: networks as they are understood, and Multus' pod on a node."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.cluster.client import Manifest
from tests.cluster.control_plane import until
from tests.cluster.pods import ACCOUNT
from tests.cluster.readers import Placed, ask

SECONDS = 60.0


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
