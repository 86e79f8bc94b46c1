"""Knative Serving 1.23: the objects that its controllers make for each other."""

from __future__ import annotations

from pathlib import Path

from platform_def.crds.model import Api, Column, DataSchema, Definition
from platform_def.crds.schema import Ref

_DATA = Path(__file__).with_name("internal_v1alpha1.json")

CERTIFICATE = Api(
    group="networking.internal.knative.dev",
    version="v1alpha1",
    kind="Certificate",
    plural="certificates",
    spec=dict[str, object],
    data=DataSchema(_DATA, "certificates/v1alpha1"),
    core="1.37",
    status_subresource=True,
    columns=(
        Column("Ready", '.status.conditions[?(@.type=="Ready")].status'),
        Column("Reason", '.status.conditions[?(@.type=="Ready")].reason'),
    ),
)

CLUSTER_DOMAIN_CLAIM = Api(
    group="networking.internal.knative.dev",
    version="v1alpha1",
    kind="ClusterDomainClaim",
    plural="clusterdomainclaims",
    namespaced=False,
    spec=dict[str, object],
    data=DataSchema(_DATA, "clusterdomainclaims/v1alpha1"),
    core="1.37",
    status_subresource=True,
    references={"spec.namespace": Ref("Namespace", weak=True)},
)

IMAGE = Api(
    group="caching.internal.knative.dev",
    version="v1alpha1",
    kind="Image",
    plural="images",
    spec=dict[str, object],
    data=DataSchema(_DATA, "images/v1alpha1"),
    core="1.37",
    status_subresource=True,
    columns=(Column("Image", ".spec.image"),),
)

INGRESS = Api(
    group="networking.internal.knative.dev",
    version="v1alpha1",
    kind="Ingress",
    plural="ingresses",
    spec=dict[str, object],
    data=DataSchema(_DATA, "ingresses/v1alpha1"),
    core="1.37",
    status_subresource=True,
    columns=(
        Column("Ready", ".status.conditions[?(@.type=='Ready')].status"),
        Column("Reason", ".status.conditions[?(@.type=='Ready')].reason"),
    ),
)

METRIC = Api(
    group="autoscaling.internal.knative.dev",
    version="v1alpha1",
    kind="Metric",
    plural="metrics",
    spec=dict[str, object],
    data=DataSchema(_DATA, "metrics/v1alpha1"),
    core="1.37",
    status_subresource=True,
    columns=(
        Column("Ready", ".status.conditions[?(@.type=='Ready')].status"),
        Column("Reason", ".status.conditions[?(@.type=='Ready')].reason"),
    ),
)

POD_AUTOSCALER = Api(
    group="autoscaling.internal.knative.dev",
    version="v1alpha1",
    kind="PodAutoscaler",
    plural="podautoscalers",
    spec=dict[str, object],
    data=DataSchema(_DATA, "podautoscalers/v1alpha1"),
    core="1.37",
    status_subresource=True,
    columns=(
        Column("DesiredScale", ".status.desiredScale", type="integer"),
        Column("ActualScale", ".status.actualScale", type="integer"),
        Column("Ready", ".status.conditions[?(@.type=='Ready')].status"),
        Column("Reason", ".status.conditions[?(@.type=='Ready')].reason"),
    ),
)

SERVERLESS_SERVICE = Api(
    group="networking.internal.knative.dev",
    version="v1alpha1",
    kind="ServerlessService",
    plural="serverlessservices",
    spec=dict[str, object],
    data=DataSchema(_DATA, "serverlessservices/v1alpha1"),
    core="1.37",
    status_subresource=True,
    columns=(
        Column("Mode", ".spec.mode"),
        Column("Activators", ".spec.numActivators", type="integer"),
        Column("ServiceName", ".status.serviceName"),
        Column("PrivateServiceName", ".status.privateServiceName"),
        Column("Ready", ".status.conditions[?(@.type=='Ready')].status"),
        Column("Reason", ".status.conditions[?(@.type=='Ready')].reason"),
    ),
)

CRDS = (
    Definition((CERTIFICATE,), short_names=("kcert",), categories=("knative-internal", "networking")),
    Definition((CLUSTER_DOMAIN_CLAIM,), short_names=("cdc",), categories=("knative-internal", "networking")),
    Definition((IMAGE,), categories=("knative-internal", "caching")),
    Definition((INGRESS,), short_names=("kingress", "king"), categories=("knative-internal", "networking")),
    Definition((METRIC,), categories=("knative-internal", "autoscaling")),
    Definition((POD_AUTOSCALER,), short_names=("kpa", "pa"), categories=("knative-internal", "autoscaling")),
    Definition((SERVERLESS_SERVICE,), short_names=("sks",), categories=("knative-internal", "networking")),
)
