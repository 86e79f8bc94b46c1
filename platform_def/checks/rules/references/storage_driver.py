"""Who makes the volumes of a class runs in the cluster: a program of the stack, or one that the cluster has.

Classes of the stack file are held against their components when it is read; here it is others, of the user's folders.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import StackRule
from platform_def.checks.selection import every_pods
from platform_def.manifests.existing import exists
from platform_def.manifests.links import Name
from platform_def.manifests.loose import items, mapping, text
from platform_def.manifests.paths import strings
from platform_def.manifests.rendered import RenderedObject

_STORAGE = "storage.k8s.io"
_NOBODY = "kubernetes.io/no-provisioner"
_OPERATED = "openshift"
"""Brings the drivers of the cloud that it is in."""
_BROUGHT: Mapping[str, tuple[str, ...]] = {
    "aks": ("disk.csi.azure.com", "file.csi.azure.com", "blob.csi.azure.com"),
    "eks": ("ebs.csi.aws.com", "efs.csi.aws.com", "fsx.csi.aws.com", "s3.csi.aws.com"),
    "gke": ("pd.csi.storage.gke.io", "filestore.csi.storage.gke.io", "gcsfuse.csi.storage.gke.io"),
    "k3s": ("rancher.io/local-path",),
    "kind": ("rancher.io/local-path",),
    "microk8s": ("microk8s.io/hostpath",),
    "minikube": ("k8s.io/minikube-hostpath",),
}
"""What distributions bring, or let their clusters add without a manifest."""


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    platform = context.stack.platform
    own = {each.class_name or key for key, each in platform.storage.items()}
    for item in context.index.by_kind.get((_STORAGE, "StorageClass"), ()):
        provisioner = text(item.manifest.get("provisioner"))
        if (
            provisioner
            and item.name not in own
            and platform.distribution != _OPERATED
            and not _runs(provisioner, context)
        ):
            yield item, Fault("provisioner", f"no driver in the stack provisions volumes as {provisioner[:80]}")


def _runs(provisioner: str, context: Context) -> bool:
    platform = context.stack.platform
    if provisioner == _NOBODY or provisioner in _BROUGHT.get(platform.distribution, ()):
        return True
    driver = Name("provisioner", _STORAGE, "CSIDriver", "", provisioner)
    if context.index.by_key.get((_STORAGE, "CSIDriver", "", provisioner)) or exists(driver, platform):
        return True
    return any(provisioner in word for word in context.once(_said_to_programs))


def _said_to_programs(context: Context) -> tuple[str, ...]:
    """The texts that programs are started with, and those of configurations: a provisioner's name is one of them."""
    fields = ("command", "args", "env")
    of_pods = (
        word
        for pods in context.once(every_pods)
        for _, container in pods.containers()
        for field in fields
        for _, word in strings(items(container.get(field)))
    )
    maps = context.index.by_kind.get(("", "ConfigMap"), ())
    of_maps = (text(value) for item in maps for value in mapping(item.manifest.get("data")).values())
    return (*of_pods, *of_maps)


STORAGE_DRIVER = StackRule(
    id="storage-driver",
    severity="warning",
    title="Every StorageClass has a provisioner",
    why="Claims of the class stay Pending, and with them every pod that mounts one.",
    fix="add the component that serves it, or list its driver: `cluster: {existing: [CSIDriver.storage.k8s.io NAME]}`",
    check=_check,
    without_stack="not at all",
)
