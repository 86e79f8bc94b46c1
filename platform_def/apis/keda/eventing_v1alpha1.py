"""KEDA 2.21 (eventing.keda.sh): where KEDA sends events about what it does."""
# ruff: noqa: D101

from __future__ import annotations

from typing import Literal, Required

from platform_def.crds.health import HealthConditions
from platform_def.crds.model import Api, Column, Definition
from platform_def.crds.typed_dict import TypedDict

ExcludedEventTypes = list[
    Literal[
        "keda.scaledobject.ready.v1",
        "keda.scaledobject.failed.v1",
        "keda.scaledobject.removed.v1",
        "keda.scaledobject.paused.v1",
        "keda.scaledobject.unpaused.v1",
        "keda.scaledjob.ready.v1",
        "keda.scaledjob.failed.v1",
        "keda.scaledjob.removed.v1",
        "keda.scaledjob.paused.v1",
        "keda.scaledjob.unpaused.v1",
        "keda.scaledjob.rolloutcleanup.started.v1",
        "keda.scaledjob.rolloutcleanup.completed.v1",
        "keda.scaledjob.rolloutcleanup.failed.v1",
        "keda.authentication.triggerauthentication.created.v1",
        "keda.authentication.triggerauthentication.updated.v1",
        "keda.authentication.triggerauthentication.removed.v1",
        "keda.authentication.clustertriggerauthentication.created.v1",
        "keda.authentication.clustertriggerauthentication.updated.v1",
        "keda.authentication.clustertriggerauthentication.removed.v1",
    ]
]


class AuthenticationRef(TypedDict, total=False):
    """Which credentials are shown."""

    kind: Literal["TriggerAuthentication", "ClusterTriggerAuthentication"]
    name: Required[str]


class AzureEventGridTopic(TypedDict, total=False):
    """A topic of Azure."""

    endpoint: Required[str]


class Http(TypedDict, total=False):
    """A server that takes events."""

    uri: Required[str]


class Destination(TypedDict, total=False):
    """Where events are sent."""

    azureEventGridTopic: AzureEventGridTopic
    http: Http


class EventSubscription(TypedDict, total=False):
    """Which events are sent."""

    excludedEventTypes: ExcludedEventTypes
    includedEventTypes: ExcludedEventTypes


class CloudEventSourceSpec(TypedDict, total=False):
    """Which events are sent where."""

    authenticationRef: AuthenticationRef
    clusterName: str
    """Name of this cluster in the events."""
    destination: Required[Destination]
    eventSubscription: EventSubscription


class Condition(TypedDict, total=False):
    message: str
    reason: str
    status: Required[str]
    type: Required[str]


class CloudEventSourceStatus(TypedDict, total=False):
    conditions: list[Condition]


CLOUD_EVENT_SOURCE = Api(
    group="eventing.keda.sh",
    version="v1alpha1",
    kind="CloudEventSource",
    plural="cloudeventsources",
    spec=CloudEventSourceSpec,
    status=CloudEventSourceStatus,
    required=("spec",),
    status_subresource=True,
    columns=(Column("Active", '.status.conditions[?(@.type=="Active")].status'),),
    health=HealthConditions(ready=("Active",), false_is_failed=("Active",)),
    doc="Where KEDA sends events about what it does in a namespace.",
)

CLUSTER_CLOUD_EVENT_SOURCE = Api(
    group="eventing.keda.sh",
    version="v1alpha1",
    kind="ClusterCloudEventSource",
    plural="clustercloudeventsources",
    namespaced=False,
    spec=CloudEventSourceSpec,
    status=CloudEventSourceStatus,
    required=("spec",),
    status_subresource=True,
    columns=(Column("Active", '.status.conditions[?(@.type=="Active")].status'),),
    health=HealthConditions(ready=("Active",), false_is_failed=("Active",)),
    doc="Where KEDA sends events about what it does in all namespaces.",
)

DEFINITIONS = (Definition((CLOUD_EVENT_SOURCE,)), Definition((CLUSTER_CLOUD_EVENT_SOURCE,)))
