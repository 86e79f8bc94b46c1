"""Machines whose pods are processes: what the kubelet of `kubelet/` runs them from, and how it is started."""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Mapping
from dataclasses import asdict
from pathlib import Path

import pytest

from tests.cluster.client import Manifest
from tests.cluster.control_plane import ControlPlane, until
from tests.cluster.controllers import START_SECONDS
from tests.cluster.kubelet.image import Image

PROJECT = Path(__file__).parent.parent.parent
PROGRAMS = Path(__file__).with_name("programs")
PLAIN = Image((str(Path(sys.executable).parent),), {}, {"/programs": str(PROGRAMS)})
"""Python without any package."""
LOOKUP = Image((str(PROGRAMS / "alpine"),))
"""The init container of PyTorch's workers: a shell and nslookup."""

# An operator that owns what it makes must be allowed to hold the owner back; clusters ask for it by this plug-in.
OWNERS = "--enable-admission-plugins=OwnerReferencesPermissionEnforcement"


def start_kubelet(
    control_plane: ControlPlane, images: Mapping[str, Image], *, shares: bool = False, apart: Collection[str] = ()
) -> None:
    """Start the agent in the sandbox, with a view of processes of its own.

    Where it `shares` the nodes with kwok, it leaves pods of other images alone, those in the namespaces `apart`, and claims.
    """
    folder = control_plane.folder / "kubelet"
    folder.mkdir()
    settings = {
        "socket": str(control_plane.api.socket),
        "authority": str(control_plane.pki.authority),
        "certificate": str(control_plane.pki.certificate),
        "key": str(control_plane.pki.key),
        "token": control_plane.pki.token,
        "port": control_plane.port,
        "folder": str(folder),
        "shares": shares,
        "apart": sorted(apart),
        "images": {prefix: asdict(image) for prefix, image in images.items()},
    }
    (folder / "settings.json").write_text(json.dumps(settings))
    enter = 'mount -t proc proc /proc && exec "$@"'
    agent = [sys.executable, "-m", "tests.cluster.kubelet.agent", str(folder / "settings.json")]
    argv = ["unshare", "--mount", "sh", "-c", enter, "sh", *agent]
    control_plane.sandbox.start(
        "kubelet", argv, log=control_plane.folder / "kubelet.log", env={"PYTHONPATH": str(PROJECT)}
    )
    nodes = "/api/v1/nodes"
    until(
        lambda: all(_usable(node) for node in control_plane.api.get(nodes).body["items"]),
        seconds=START_SECONDS,
        what="the nodes are ready",
    )


def skip_without_policies(folder: Path) -> None:
    """Skip a test where this machine's kernel cannot hold pods to policies, which the kubelet says in its folder."""
    told = folder / "refused.json"
    until(told.exists, seconds=START_SECONDS, what="the kubelet holds pods to policies")
    if json.loads(told.read_text()) is None:
        pytest.skip("this kernel's filters cannot hold pods to policies")


def _usable(node: Manifest) -> bool:
    return not any(taint["key"].startswith("node.kubernetes.io/") for taint in node["spec"].get("taints", ()))
