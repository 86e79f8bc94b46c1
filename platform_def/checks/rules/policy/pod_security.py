"""Pods keep the Pod Security level that their namespace enforces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import StackRule
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.names import words
from platform_def.manifests.paths import Path, dotted
from platform_def.manifests.rendered import RenderedObject

ENFORCE = "pod-security.kubernetes.io/enforce"
_LEVELS = ("baseline", "restricted")
_AS_WRITTEN = frozenset(
    words(
        "apps batch batch.volcano.sh jobset.x-k8s.io kubeflow.org leaderworkerset.x-k8s.io ray.io serving.kserve.io"
        " trainer.kubeflow.org"
    )
) | {""}
"""Groups whose pods are made as they are written; other operators change them."""
_MERGED = frozenset(words("ClusterServingRuntime InferenceService ServingRuntime TrainingRuntime TrainJob"))
"""Kinds of which several make one pod: a field that one lacks may be in another."""
_PREDICTORS = words("predictor transformer explainer")
"""Of an InferenceService, which are pod specifications and may have a model in place of containers."""
_MODEL = "model"
_BASELINE_CAPABILITIES = frozenset(
    words(
        "AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE SETFCAP SETGID SETPCAP SETUID"
        " SYS_CHROOT"
    )
)
_RESTRICTED_VOLUMES = frozenset(
    words("configMap csi downwardAPI emptyDir ephemeral image persistentVolumeClaim projected secret")
)
_CONTAINERS = ("containers", "initContainers", "ephemeralContainers")

Found = Iterator[tuple[Path, str]]


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    levels = {
        item.name: text(mapping(at(item.manifest, "metadata.labels")).get(ENFORCE))
        for item in context.index.by_kind.get(("", "Namespace"), ())
    }
    if not {*levels.values()} & {*_LEVELS}:
        return
    for item in context.index.objects:
        level = levels.get(item.namespace or "", "")
        if level in _LEVELS and item.group in _AS_WRITTEN:
            merged = item.kind in _MERGED
            for path, pod in _pods(item):
                for where, said in _violations(pod, "baseline" if merged else level):
                    yield item, _fault((*path, *where), said, item, level)


def _pods(item: RenderedObject) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    yield from item.pods
    for name in _PREDICTORS if item.kind == "InferenceService" else ():
        found = mapping(at(item.manifest, f"spec.{name}"))
        if found and "containers" not in found:
            yield ("spec", name), found


def _fault(path: Path, said: str, item: RenderedObject, level: str) -> Fault:
    bare = (item.group, item.kind) == ("", "Pod")
    return Fault(
        dotted(path), f"{said}, and namespace {item.namespace} enforces {level}", None, "error" if bare else None
    )


def _violations(pod: Mapping[str, Any], level: str) -> Found:
    yield from _baseline(pod)
    if level == "restricted":
        yield from _restricted(pod)


def _containers(pod: Mapping[str, Any]) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    for group in _CONTAINERS:
        for index, container in enumerate(items(pod.get(group))):
            yield (group, index), mapping(container)
    if isinstance(pod.get(_MODEL), dict):
        yield (_MODEL,), pod[_MODEL]


def _baseline(pod: Mapping[str, Any]) -> Found:
    for field in ("hostNetwork", "hostPID", "hostIPC"):
        if pod.get(field) is True:
            yield (field,), "shares the node's own"
    for index, volume in enumerate(items(pod.get("volumes"))):
        if mapping(volume).get("hostPath") is not None:
            yield ("volumes", index, "hostPath"), "mounts a path of the node"
    for path, container in _containers(pod):
        security = mapping(container.get("securityContext"))
        if security.get("privileged") is True:
            yield (*path, "securityContext", "privileged"), "is privileged"
        if security.get("procMount") not in (None, "Default"):
            yield (*path, "securityContext", "procMount"), "unmasks /proc"
        for index, added in enumerate(items(at(security, "capabilities.add"))):
            if added not in _BASELINE_CAPABILITIES:
                yield (*path, "securityContext", "capabilities", "add", index), f"adds the capability {added}"
        for index, port in enumerate(items(container.get("ports"))):
            if mapping(port).get("hostPort"):
                yield (*path, "ports", index, "hostPort"), "takes a port of the node"


def _restricted(pod: Mapping[str, Any]) -> Found:
    for index, volume in enumerate(items(pod.get("volumes"))):
        other = {*mapping(volume)} - {"name", "hostPath"} - _RESTRICTED_VOLUMES
        if other:
            yield ("volumes", index, min(other)), "is a volume of another kind than configurations, claims and secrets"
    whole = mapping(pod.get("securityContext"))
    for path, container in _containers(pod):
        security = mapping(container.get("securityContext"))
        path = (*path, "securityContext")
        if security.get("allowPrivilegeEscalation") is not False:
            yield (*path, "allowPrivilegeEscalation"), "is not false"
        if "ALL" not in items(at(security, "capabilities.drop")):
            yield (*path, "capabilities", "drop"), "does not drop ALL capabilities"
        for index, added in enumerate(items(at(security, "capabilities.add"))):
            if added != "NET_BIND_SERVICE" and added in _BASELINE_CAPABILITIES:
                yield (*path, "capabilities", "add", index), f"adds the capability {added}"
        if security.get("runAsNonRoot", whole.get("runAsNonRoot")) is not True:
            yield (*path, "runAsNonRoot"), "is not true"
        if security.get("runAsUser", whole.get("runAsUser")) == 0:
            yield (*path, "runAsUser"), "is root"
        profile = at(security, "seccompProfile.type") or at(whole, "seccompProfile.type")
        if profile not in ("RuntimeDefault", "Localhost"):
            yield (*path, "seccompProfile"), "names no seccomp profile"


POD_SECURITY = StackRule(
    id="pod-security",
    severity="warning",
    title="Pods satisfy the Pod Security level of their namespace",
    why="The workload is accepted, and its pods are refused one after the other: it never runs.",
    fix="tighten the pod's securityContext, or move it to a namespace of another level",
    check=_check,
)
