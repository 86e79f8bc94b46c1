"""Entries of `storage:` whose class nobody makes, told at their own lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from platform_def.errors import ConfigError
from tests.unit.pipeline.repository import HEAD, stack, write

NFS = "storage:\n  files: {driver: nfs, server: nfs.example.com, share: /ml}\n"


def refusal(root: Path, text: str) -> str:
    with pytest.raises(ConfigError) as caught:
        stack(write(root, {"stacks/a.yaml": HEAD + text}))
    return str(caught.value)


def test_an_entry_that_nobody_serves_is_told_with_who_could(tmp_path: Path) -> None:
    said = refusal(tmp_path, NFS)

    assert "stacks/a.yaml:4: storage.files: nothing in the stack makes its volumes" in said
    assert "add `csi-driver-nfs: {}` under components" in said


def test_classes_of_a_driver_that_the_cluster_has_are_the_clusters(tmp_path: Path) -> None:
    said = refusal(tmp_path, f"{NFS}components: {{csi-driver-nfs: {{provided: true}}}}\n")

    assert "csi-driver-nfs is the cluster's own" in said
    assert "{driver: existing, className: …" in said


def test_a_component_serves_it_and_what_is_wrong_with_others_has_its_own_line(tmp_path: Path) -> None:
    other = "  more: {driver: nfs, server: b, share: /, servedBy: csi-driver-nsf}\n"
    root = write(tmp_path, {"stacks/a.yaml": f"{HEAD}{NFS}components: {{csi-driver-nfs: {{}}}}\n"})

    assert any(each.kind == "StorageClass" for each in stack(root).components["csi-driver-nfs"].objects)
    said = refusal(tmp_path, f"{NFS}{other}components: {{csi-driver-nfs: {{}}}}\n")
    assert "stacks/a.yaml:5: storage.more.servedBy: no component 'csi-driver-nsf' makes nfs volumes" in said
