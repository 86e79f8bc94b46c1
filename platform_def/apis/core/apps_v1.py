"""Core types of api.apps.v1, written by `generate.py`."""

# ruff: noqa: D101

from __future__ import annotations

from typing import Required

from platform_def.apis.core import core_v1, meta_v1
from platform_def.crds.model import Api
from platform_def.crds.schema import IntOrString
from platform_def.crds.typed_dict import TypedDict


class RollingUpdateDeployment(TypedDict, total=False):
    maxSurge: IntOrString
    maxUnavailable: IntOrString


class DeploymentStrategy(TypedDict, total=False):
    rollingUpdate: RollingUpdateDeployment
    type: str


class DeploymentSpec(TypedDict, total=False):
    minReadySeconds: int
    paused: bool
    progressDeadlineSeconds: int
    replicas: int
    revisionHistoryLimit: int
    selector: Required[meta_v1.LabelSelector]
    strategy: DeploymentStrategy
    template: Required[core_v1.PodTemplateSpec]


class StatefulSetOrdinals(TypedDict, total=False):
    start: int


class StatefulSetPersistentVolumeClaimRetentionPolicy(TypedDict, total=False):
    whenDeleted: str
    whenScaled: str


class RollingUpdateStatefulSetStrategy(TypedDict, total=False):
    maxUnavailable: IntOrString
    partition: int


class StatefulSetUpdateStrategy(TypedDict, total=False):
    rollingUpdate: RollingUpdateStatefulSetStrategy
    type: str


class StatefulSetSpec(TypedDict, total=False):
    minReadySeconds: int
    ordinals: StatefulSetOrdinals
    persistentVolumeClaimRetentionPolicy: StatefulSetPersistentVolumeClaimRetentionPolicy
    podManagementPolicy: str
    replicas: int
    revisionHistoryLimit: int
    selector: Required[meta_v1.LabelSelector]
    serviceName: str
    template: Required[core_v1.PodTemplateSpec]
    updateStrategy: StatefulSetUpdateStrategy
    volumeClaimTemplates: list[core_v1.PersistentVolumeClaim]


class RollingUpdateDaemonSet(TypedDict, total=False):
    maxSurge: IntOrString
    maxUnavailable: IntOrString


class DaemonSetUpdateStrategy(TypedDict, total=False):
    rollingUpdate: RollingUpdateDaemonSet
    type: str


class DaemonSetSpec(TypedDict, total=False):
    minReadySeconds: int
    revisionHistoryLimit: int
    selector: Required[meta_v1.LabelSelector]
    template: Required[core_v1.PodTemplateSpec]
    updateStrategy: DaemonSetUpdateStrategy


DEPLOYMENT = Api(group="apps", version="v1", kind="Deployment", plural="deployments", spec=DeploymentSpec, builtin=True)

STATEFUL_SET = Api(
    group="apps", version="v1", kind="StatefulSet", plural="statefulsets", spec=StatefulSetSpec, builtin=True
)

DAEMON_SET = Api(group="apps", version="v1", kind="DaemonSet", plural="daemonsets", spec=DaemonSetSpec, builtin=True)
