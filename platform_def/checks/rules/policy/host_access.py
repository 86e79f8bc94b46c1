"""Pods reach into their node only with a stated reason: node agents, and namespaces at the privileged level.

A DaemonSet looks after its node. A namespace that is labelled `privileged` is the owner's word for it; components write
the reason beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import StackRule
from platform_def.checks.selection import every_pods, labels_of
from platform_def.manifests.loose import at, mapping, text
from platform_def.manifests.paths import Path, dotted
from platform_def.manifests.rendered import RenderedObject
from platform_def.manifests.workloads import Pods

_ENFORCE = "pod-security.kubernetes.io/enforce"
_LEVELS = frozenset({"baseline", "restricted"})
_SOCKETS = ("docker.sock", "containerd.sock", "crio.sock", "dockershim.sock")
_ROOTS = ("/", "/etc", "/root", "/home", "/var/run", "/run", "/var/lib/kubelet", "/var/lib/docker", "/proc", "/boot")


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    levels = {
        item.name: text(labels_of(item).get(_ENFORCE)) for item in context.index.by_kind.get(("", "Namespace"), ())
    }
    for pods in context.once(every_pods):
        if pods.item.kind == "DaemonSet" or pods.namespace == "kube-system":
            continue
        # What a level forbids is reported by the rule about levels.
        if levels.get(pods.namespace, "") not in {*_LEVELS, "privileged"}:
            for path, said in _reached(pods):
                yield pods.item, Fault(dotted(path), said)


def _reached(pods: Pods) -> Iterator[tuple[Path, str]]:
    for field in ("hostNetwork", "hostPID", "hostIPC"):
        if pods.spec.get(field) is True and not (field == "hostNetwork" and _trains(pods)):
            yield (*pods.path, field), f"shares the node's {_OF[field]} with everything else there"
    for path, volume in pods.volumes():
        place = text(at(volume, "hostPath.path"))
        if place and (PurePosixPath(place).name in _SOCKETS or str(PurePosixPath(place)) in _ROOTS):
            yield (*path, "hostPath", "path"), f"mounts {place[:80]} of the node: anyone in the pod controls the node"
    for path, container in pods.containers():
        if at(container, "securityContext.privileged") is True:
            yield (*path, "securityContext", "privileged"), "is privileged: anyone in the container controls the node"


_OF: Mapping[str, Any] = {"hostNetwork": "network", "hostPID": "processes", "hostIPC": "shared memory"}


def _trains(pods: Pods) -> bool:
    """Whether it is a job's pod that asks for RDMA, for which it must be in the node's network."""
    return not pods.core and any(
        str(name).startswith("rdma/")
        for _, container in pods.containers()
        for name in mapping(at(container, "resources.limits"))
    )


HOST_ACCESS = StackRule(
    id="host-access",
    severity="warning",
    title="Pods with access to their node are node agents, or in a privileged namespace",
    why="An attacker in such a pod has the node, and the credentials of every pod on it.",
    fix=f"leave it out, or label the namespace `{_ENFORCE}: privileged` and write down why",
    check=_check,
)
