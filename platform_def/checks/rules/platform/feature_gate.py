"""Fields whose feature gate is off at the stack's version are not written: the API server drops them without a word.

Facts: the feature specifications of Kubernetes 1.36.4 (pkg/features/kube_features.go), which say from which
version a gate is on by default.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import IN_PODS, ObjectRule, OfKind, SignWords
from platform_def.manifests.loose import mapping
from platform_def.manifests.paths import Path, dotted, pods
from platform_def.manifests.rendered import Kind, Manifest

_NEVER = 1000
"""Minor version for gates that no version known here turns on."""


class _Gated(NamedTuple):
    """A field behind a gate."""

    path: str
    """From the pod's specification, or from the object; `[]` stands for each item."""
    gate: str
    on: int
    """Minor version of Kubernetes from which the gate is on by default."""


_POD = (
    _Gated("resources", "PodLevelResources", 34),
    _Gated("initContainers[].restartPolicy", "SidecarContainers", 29),
    _Gated("hostUsers", "UserNamespacesSupport", 33),
    _Gated("volumes[].image", "ImageVolume", 35),
    _Gated("containers[].restartPolicyRules", "ContainerRestartRules", 35),
    _Gated("containers[].env[].valueFrom.fileKeyRef", "EnvFiles", 35),
    _Gated("containers[].lifecycle.stopSignal", "ContainerStopSignals", _NEVER),
    _Gated("containers[].lifecycle.preStop.sleep", "PodLifecycleSleepAction", 30),
    _Gated("schedulingGates", "PodSchedulingReadiness", 27),
    _Gated("resourceClaims", "DynamicResourceAllocation", 34),
    _Gated("topologySpreadConstraints[].matchLabelKeys", "MatchLabelKeysInPodTopologySpread", 27),
    _Gated("hostnameOverride", "HostnameOverride", 35),
    _Gated("securityContext.supplementalGroupsPolicy", "SupplementalGroupsPolicy", 33),
    _Gated("containers[].securityContext.procMount", "ProcMountType", 33),
    _Gated("containers[].resizePolicy", "InPlacePodVerticalScaling", 33),
    _Gated("containers[].volumeMounts[].recursiveReadOnly", "RecursiveReadOnlyMounts", 31),
)
_OBJECTS: Mapping[str, tuple[_Gated, ...]] = {
    "Job": (
        _Gated("spec.managedBy", "JobManagedBy", 32),
        _Gated("spec.backoffLimitPerIndex", "JobBackoffLimitPerIndex", 29),
        _Gated("spec.maxFailedIndexes", "JobBackoffLimitPerIndex", 29),
        _Gated("spec.podReplacementPolicy", "JobPodReplacementPolicy", 29),
        _Gated("spec.successPolicy", "JobSuccessPolicy", 31),
    ),
    "StatefulSet": (_Gated("spec.updateStrategy.rollingUpdate.maxUnavailable", "MaxUnavailableStatefulSet", _NEVER),),
    "PersistentVolumeClaim": (
        _Gated("spec.volumeAttributesClassName", "VolumeAttributesClass", 34),
        _Gated("spec.dataSourceRef.namespace", "CrossNamespaceVolumeDataSource", _NEVER),
    ),
    "HorizontalPodAutoscaler": (
        _Gated("spec.behavior.scaleUp.tolerance", "HPAConfigurableTolerance", 35),
        _Gated("spec.behavior.scaleDown.tolerance", "HPAConfigurableTolerance", 35),
    ),
}
_GROUPS = ("", "batch", "apps", "autoscaling")
_BY_DEFAULT = frozenset({"Default", True})
"""Values that say what holds anyway."""


class _Server(NamedTuple):
    """What decides which gates are on."""

    minor: int
    gates: frozenset[tuple[str, bool]]


def _reads(context: Context, _: Kind) -> _Server:
    platform = context.stack.platform
    return _Server(int(platform.kubernetes.partition(".")[2]), frozenset(platform.feature_gates.items()))


def _check(manifest: Manifest, server: _Server) -> Iterator[Fault]:
    group = str(manifest.get("apiVersion")).rpartition("/")[0]
    every = _OBJECTS.get(str(manifest.get("kind")), ()) if group in _GROUPS else ()
    yield from _found(manifest, (), _off(every, server), server)
    in_pods = _off(_POD, server)
    for path, pod in pods(manifest) if in_pods else ():
        yield from _found(pod, path, in_pods, server)


def _off(gated: tuple[_Gated, ...], server: _Server) -> tuple[_Gated, ...]:
    said = dict(server.gates)
    return tuple(each for each in gated if not said.get(each.gate, server.minor >= each.on))


def _found(value: Mapping[str, Any], above: Path, gated: tuple[_Gated, ...], server: _Server) -> Iterator[Fault]:
    for each in gated:
        for path in _places(value, each.path.split("."), above):
            said = f"Kubernetes 1.{server.minor} drops the field unless the feature gate {each.gate} is on"
            when = f"it is on from 1.{each.on}" if each.on < _NEVER else "no version turns it on by itself"
            hint = (
                f"leave it out ({when}), or turn the gate on and say `cluster: {{featureGates: {{{each.gate}: true}}}}`"
            )
            yield Fault(dotted(path), said, hint)


def _places(value: Any, steps: list[str], path: Path) -> Iterator[Path]:
    """Where the field is written, with something that says more than the default does."""
    if not steps:
        if value is not None and not (isinstance(value, str | bool) and value in _BY_DEFAULT):
            yield path
        return
    name, listed, _ = steps[0].partition("[]")
    inner = mapping(value).get(name)
    if listed:
        for index, each in enumerate(inner if isinstance(inner, list) else ()):
            yield from _places(each, steps[1:], (*path, name, index))
    elif inner is not None:
        yield from _places(inner, steps[1:], (*path, name))


FEATURE_GATE = ObjectRule(
    id="feature-gate",
    severity="error",
    title="Every field is kept by the stack's Kubernetes version",
    why="The API server silently drops a field whose feature gate is off, and the object does something else.",
    fix="leave the field out, or turn its feature gate on",
    reads=OfKind(_reads),
    sign=SignWords(IN_PODS.words, frozenset((group, kind) for group in _GROUPS for kind in _OBJECTS)),
    check=_check,
    without_stack="as a warning",
)
