"""Claims ask their class for what its driver can do: a volume for several nodes comes from one that shares.

Facts: the documentation of each driver for file systems (not raw blocks), which all refuse ReadWriteMany; what a stack
says of a class under `storage:` goes before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import StackRule
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.rendered import RenderedObject

_SHARED = "ReadWriteMany"
_ONE_NODE = frozenset(
    {
        "cinder.csi.openstack.org",
        "disk.csi.azure.com",
        "ebs.csi.aws.com",
        "kubernetes.io/aws-ebs",
        "kubernetes.io/azure-disk",
        "kubernetes.io/cinder",
        "kubernetes.io/gce-pd",
        "kubernetes.io/vsphere-volume",
        "pd.csi.storage.gke.io",
        "rancher.io/local-path",
        "rbd.csi.ceph.com",
        "topolvm.io",
    }
)
"""Provisioners whose file systems one node mounts at a time."""


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    for item in context.index.objects:
        kind = (item.group, item.kind)
        if kind == ("", "PersistentVolumeClaim"):
            yield from ((item, fault) for fault in _claim(mapping(item.manifest.get("spec")), "spec", context))
        elif kind == ("apps", "StatefulSet"):
            for index, template in enumerate(items(at(item.manifest, "spec.volumeClaimTemplates"))):
                path = f"spec.volumeClaimTemplates[{index}].spec"
                yield from ((item, fault) for fault in _claim(mapping(at(template, "spec")), path, context))


def _claim(spec: Mapping[str, Any], path: str, context: Context) -> Iterator[Fault]:
    named = text(spec.get("storageClassName"))
    if _SHARED not in items(spec.get("accessModes")) or spec.get("volumeMode") == "Block" or not named:
        return
    said = next(
        (each for key, each in context.stack.platform.storage.items() if (each.class_name or key) == named), None
    )
    found = context.index.by_key.get(("storage.k8s.io", "StorageClass", "", named))
    provisioner = text(found[0].manifest.get("provisioner")) if found else ""
    where = f"{path}.accessModes"
    if said and _SHARED not in said.modes:
        yield Fault(where, f"the stack says that class {named} has {', '.join(said.modes)}")
    elif not said and provisioner in _ONE_NODE:
        yield Fault(where, f"{provisioner}, which serves class {named}, makes file systems for one node at a time")


VOLUME_MODES = StackRule(
    id="volume-modes",
    severity="error",
    title="A claim asks only for what its StorageClass supports",
    why="The volume is never made, or no second node can mount it: the pods stay Pending.",
    fix="choose a class of a shared file system, or ask for ReadWriteOnce",
    kinds=frozenset({"PersistentVolumeClaim", "StatefulSet"}),
    check=_check,
    without_stack="as a warning",
)
