"""What the cluster of a stack has before an engine comes: its nodes, their devices, and what somebody else provides."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from platform_def.yaml import load_all
from tests.cluster.client import Api, Manifest
from tests.cluster.engines.conftest import ROOM, node
from tests.cluster.engines.repository import PlatformRepository
from tests.cluster.stacks import borrowed_crds, catalogued_crds
from tests.cluster.waves import apply_in_waves, refusals

CONTROL_PLANE = ("control-plane", {"node-role.kubernetes.io/control-plane": ""})
"""Name and labels of a node that every cluster has."""
DEVICES = "64"
"""How many a node has of each."""


def prepare(api: Api, repository: PlatformRepository) -> None:
    """What the cluster has already: nodes of the stack's pools, with as many devices as any pod wants, since no plugin
    counts any, and the definitions of what somebody else provides."""
    objects = repository.manifests(jobs=True)
    room = {**ROOM, **dict.fromkeys(sorted(devices(objects)), DEVICES)}
    for name, labels in [CONTROL_PLANE, *pools(repository.file)]:
        assert api.request("POST", "/api/v1/nodes", _labelled(node(name, room), labels)).status == 201
    own = [each for each in objects if not each["apiVersion"].startswith(("argoproj.io/", "kustomize.", "source."))]
    assert refusals(apply_in_waves(api, borrowed_crds(own, catalogued_crds(own)))) == []


def devices(found: object) -> set[str]:
    """The resources beyond those of every node that containers ask for, wherever these are in objects."""
    if isinstance(found, Mapping):
        kinds = found.get("resources")
        asked = [kinds.get(each) for each in ("requests", "limits")] if isinstance(kinds, Mapping) else []
        names = {name for each in asked if isinstance(each, Mapping) for name in each if "/" in name}
        return names.union(*map(devices, found.values()))
    return set[str]().union(*map(devices, found)) if isinstance(found, list) else set()


def pools(file: Path) -> list[tuple[str, Mapping[str, str]]]:
    """Names and labels of the pools that a stack's file names."""
    found: list[dict[str, Any]] = _read(file).get("nodePools") or []
    return [(each["name"], each.get("selector") or {}) for each in found]


def _labelled(found: Manifest, labels: Mapping[str, str]) -> Manifest:
    return {**found, "metadata": {**found["metadata"], "labels": {**found["metadata"]["labels"], **labels}}}


def _read(file: Path) -> Manifest:
    (text,) = cast("list[Manifest]", load_all(file.read_bytes(), file=str(file)))
    return text
