"""PVCViewer, as the controller of Kubeflow 1.11 serves it: a web page on the files of a volume."""

from __future__ import annotations

from typing import Annotated, Required

from platform_def.apis.core import core_v1
from platform_def.crds.model import Api, Definition, WebhookConversion
from platform_def.crds.schema import Default, IntOrString, Ref, Time
from platform_def.crds.typed_dict import TypedDict


class Networking(TypedDict, total=False):
    """How the page of a viewer is reached."""

    basePrefix: str
    """Beginning of its path; namespace and name of the viewer are added."""
    rewrite: str
    """Path that the pod sees instead of the prefix; unchanged if left out."""
    targetPort: IntOrString
    """Port of the pod."""
    timeout: str
    """Longest that a request may take, such as 30s."""


class PVCViewerSpec(TypedDict, total=False):
    """A web page on the files of a claim."""

    networking: Networking
    """How the page is reached; not at all through the gateway if left out."""
    podSpec: core_v1.PodSpec
    """The pod; the controller's own file browser if left out."""
    pvc: Required[Annotated[str, Ref("PersistentVolumeClaim")]]
    """Claim whose files are shown; the pod mounts it."""
    rwoScheduling: Required[Annotated[bool, Default(False)]]
    """True: the viewer runs on the node where the claim is mounted already, as a claim for one node needs."""


class Condition(TypedDict, total=False):
    """A fact that the controller found."""

    lastTransitionTime: Time
    lastUpdateTime: Time
    message: str
    reason: str
    status: Required[str]
    type: Required[str]


class PVCViewerStatus(TypedDict, total=False):
    """What the controller reports."""

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
    doc="A web page on the files of a claim.",
)

CRDS = (
    Definition(
        (PVC_VIEWER,),
        conversion=WebhookConversion(service="pvcviewer-webhook-service", namespace="kubeflow", path="/convert"),
    ),
)
