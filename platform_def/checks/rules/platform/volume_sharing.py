"""A volume that one node may mount at a time is not given to pods that land on several."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import StackRule
from platform_def.checks.selection import every_pods
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.paths import dotted
from platform_def.manifests.rendered import RenderedObject
from platform_def.manifests.workloads import Pods, claims

_MANY = frozenset({"ReadWriteMany", "ReadOnlyMany"})
_ONE_POD = "ReadWriteOncePod"
_HINT = "ask for ReadWriteMany from a class that has it, or give each pod a claim of its own (volumeClaimTemplates)"


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    single = {
        (item.namespace or "", item.name): modes
        for item in context.index.by_kind.get(("", "PersistentVolumeClaim"), ())
        if (modes := [*map(text, items(at(item.manifest, "spec.accessModes")))]) and not _MANY & {*modes}
    }
    users: defaultdict[tuple[str, str], list[Pods]] = defaultdict(list)
    for pods in context.once(every_pods) if single else ():
        for path, name in claims(pods):
            key = (pods.namespace, name)
            if key not in single or _only_reads(pods, path[len(pods.path) + 1]):
                continue
            if fault := _alone(pods, dotted(path), name, only=_ONE_POD in single[key]):
                yield pods.item, fault
            elif others := [each for each in users[key] if not _together(each, pods)]:
                said = f"{others[0].item} mounts the claim {name} as well, which one node may have at a time"
                yield pods.item, Fault(dotted(path), said)
            users[key].append(pods)


def _alone(pods: Pods, path: str, name: str, *, only: bool) -> Fault | None:
    """Why the pods of one template cannot share the claim."""
    if pods.item.kind == "DaemonSet":
        said = f"a pod on each node mounts the claim {name}, which one node may have at a time"
        return Fault(path, said, _HINT, "error" if only else None)
    if (pods.count or 0) > 1 and (only or not _pinned(pods)):
        said = f"{pods.count} pods mount the claim {name}, which one {'pod' if only else 'node'} may have at a time"
        return Fault(path, said, _HINT, "error" if only else None)
    strategy = at(pods.item.manifest, "spec.strategy.type") or "RollingUpdate"
    surge = at(pods.item.manifest, "spec.strategy.rollingUpdate.maxSurge")
    if pods.item.kind == "Deployment" and pods.count == 1 and strategy == "RollingUpdate" and surge not in (0, "0%"):
        said = (
            f"the next pod starts before the previous one releases the claim {name}, which one node may have at a time"
        )
        return Fault("spec.strategy", said, "write `strategy: {type: Recreate}`")
    return None


def _only_reads(pods: Pods, index: object) -> bool:
    volume = mapping(items(pods.spec.get("volumes"))[int(str(index))])
    return at(volume, "persistentVolumeClaim.readOnly") is True


def _pinned(pods: Pods) -> bool:
    """Whether all pods are kept on one node, by its name or by affinity to each other."""
    host = "kubernetes.io/hostname"
    if host in mapping(pods.spec.get("nodeSelector")) or pods.spec.get("nodeName"):
        return True
    terms = items(at(pods.spec, "affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution"))
    return any(mapping(term).get("topologyKey") == host for term in terms)


def _together(one: Pods, other: Pods) -> bool:
    """Whether two templates are not used at one time, or are meant for one node."""
    starts: Mapping[str, Any] = mapping(other.item.manifest.get("spec"))
    return one.item is other.item or _pinned(one) or _pinned(other) or starts.get("suspend") is True


VOLUME_SHARING = StackRule(
    id="volume-sharing",
    severity="warning",
    title="A volume for one node is mounted by pods on one node only",
    why="The second pod waits in ContainerCreating for a volume that the first node never lets go of.",
    fix=_HINT,
    kinds=frozenset({"PersistentVolumeClaim"}),
    check=_check,
)
