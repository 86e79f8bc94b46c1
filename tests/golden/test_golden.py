"""One golden a component: its objects with default configuration, CRDs by name alone. Refresh with `make golden`."""

from __future__ import annotations

import difflib
import os
from dataclasses import replace
from pathlib import Path

import pytest

from platform_def.components.catalogue import BUILT_IN, component
from platform_def.config.platform import NamespaceNeed, Platform
from platform_def.config.pools import Gpu, NodePool
from platform_def.config.storage import CephFs, SecretRef
from platform_def.constructs.render import render
from platform_def.yaml import dump_all

FOLDER = Path(__file__).parent

PLATFORM = Platform(
    gateway="emissary",
    node_pools=(NodePool(name="train", nodes=2, selector={"pool": "train"}, gpu=Gpu(model="a100-80gb", per_node=8)),),
    storage={
        "shared": CephFs(
            driver="cephfs",
            cluster_id="ceph",
            monitors=["10.0.1.11:6789"],
            filesystem="ml",
            secret=SecretRef(existing="ceph-csi-cephfs/csi-cephfs-secret"),
        )
    },
    namespaces=(NamespaceNeed("kubeflow"), NamespaceNeed("storage", "privileged", why="mounts on the node")),
)

RAILS = NodePool.from_file(
    {
        "name": "rails",
        "selector": {"pool": "rails"},
        "rdma": {
            "kind": "roce",
            "mode": "sriov",
            "functions": 8,
            "networks": [{"name": "rail0", "interface": "ens1f0np0", "range": "10.56.0.0/16"}],
        },
    }
)
FABRICS = ("multus", "sriov-cni", "sriov-network-device-plugin", "whereabouts")
"""Components that are there for pools whose pods get virtual functions."""


@pytest.mark.parametrize("name", BUILT_IN)
def test_defaults_render_as_before(name: str) -> None:
    made = component(name)
    platform = replace(PLATFORM, node_pools=(RAILS,)) if name in FABRICS else PLATFORM
    objects = render(lambda scope: made(scope, config=made.config_model()(), platform=platform)).objects
    crds = sorted(item.manifest["metadata"]["name"] for item in objects if item.part == "crds")
    rest = [item.manifest for item in objects if item.part != "crds"]
    text = "".join(f"# CRD {crd}\n" for crd in crds) + dump_all(rest)
    golden = FOLDER / f"{name}.yaml"
    if os.environ.get("GOLDEN_UPDATE"):
        golden.write_text(text)

    before = golden.read_text() if golden.exists() else ""

    assert text == before, "".join(
        difflib.unified_diff(before.splitlines(True), text.splitlines(True), "golden", "now")
    )
