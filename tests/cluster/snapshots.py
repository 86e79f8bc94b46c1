"""etcd folders that hold a set of CRDs, already established, so that a test starts from them in seconds.

Named by content (the CRDs and the servers' pins): a changed CRD makes another snapshot, and an old one is never met.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from tests.cluster.client import Manifest
from tests.cluster.control_plane import ControlPlane, copy_data
from tests.cluster.tools import API_SERVER, cache_folder
from tests.cluster.waves import apply_in_waves, refusals, wait_until_served

KEPT = 300
"""Snapshots left in the cache, a few megabytes each; those unused for longest go first. A run makes about a hundred, and as
many again where stacks are applied on servers of other versions."""


class Boot(Protocol):
    """What the fixture `boot` gives: starts an API server."""

    def __call__(
        self, crds: Sequence[Manifest] = (), *, flags: tuple[str, ...] = (), servers: Mapping[str, Path] = ...
    ) -> ControlPlane:
        """With these CRDs served from the start, and with `flags` added to kube-apiserver's; `servers` are the programs,
        where they are others than those of all tests."""


def snapshot(binaries: Mapping[str, Path], crds: Sequence[Manifest]) -> Path:
    """The etcd folder with these CRDs, made when missing; to be copied, not run on; AssertionError for a bad CRD."""
    folder = cache_folder() / "snapshots"
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / _key(binaries, crds)
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if target.is_dir():
            os.utime(target)
        else:
            _make(binaries, crds, target)
            _prune(folder)
    return target


def _make(binaries: Mapping[str, Path], crds: Sequence[Manifest], target: Path) -> None:
    with ControlPlane(binaries) as control_plane:
        results = apply_in_waves(control_plane.api, crds)
        refused = refusals(results)
        assert not refused, "CRDs were refused:\n" + "\n".join(refused)
        wait_until_served(control_plane.api, [result.stored for result in results if result.stored])
        arriving = target.with_suffix(".arriving")
        shutil.rmtree(arriving, ignore_errors=True)
        copy_data(control_plane.stop_etcd_cleanly(), arriving)
        arriving.rename(target)


def _prune(folder: Path) -> None:
    made = sorted((path for path in folder.iterdir() if path.is_dir()), key=lambda path: path.stat().st_mtime)
    for old in made[:-KEPT]:
        shutil.rmtree(old)


def _key(binaries: Mapping[str, Path], crds: Sequence[Manifest]) -> str:
    ordered = sorted(crds, key=lambda crd: str(crd["metadata"]["name"]))
    pins = [binaries[name].parent.name for name in API_SERVER]
    return hashlib.sha256(json.dumps([pins, ordered], sort_keys=True).encode()).hexdigest()[:20]
