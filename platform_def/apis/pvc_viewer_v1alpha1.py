"""PVCViewer, as the controller of Kubeflow 1.10 serves it: a web page on the files of a volume."""
# ruff: noqa: D101

from __future__ import annotations

from typing import Annotated, Required, TypedDict

from platform_def.apis.core import core_v1
from platform_def.apis.model import Api, Definition, WebhookConversion
from platform_def.apis.schema import Default, IntOrString, Ref, Time


class Networking(TypedDict, total=False):
    basePrefix: str
    rewrite: str
    targetPort: IntOrString
    timeout: str


class PVCViewerSpec(TypedDict, total=False):
    networking: Networking
    """How the page is reached."""
    podSpec: core_v1.PodSpec
    """The pod; the controller's own file browser if left out."""
    pvc: Required[Annotated[str, Ref("PersistentVolumeClaim")]]
    """Claim whose files are shown."""
    rwoScheduling: Required[Annotated[bool, Default(False)]]
    """The viewer runs on the node that has the volume mounted."""


class Condition(TypedDict, total=False):
    lastTransitionTime: Time
    lastUpdateTime: Time
    message: str
    reason: str
    status: Required[str]
    type: Required[str]


class PVCViewerStatus(TypedDict, total=False):
    conditions: list[Condition]
    ready: Required[Annotated[bool, Default(False)]]
    url: str


PVC_VIEWER = Api(
    group="kubeflow.org",
    version="v1alpha1",
    kind="PVCViewer",
    plural="pvcviewers",
    spec=PVCViewerSpec,
    status=PVCViewerStatus,
    core="1.29",
    status_subresource=True,
)

CRDS = (
    Definition(
        (PVC_VIEWER,),
        conversion=WebhookConversion(service="pvcviewer-webhook-service", namespace="kubeflow", path="/convert"),
    ),
)
