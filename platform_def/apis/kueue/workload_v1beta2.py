"""Kueue 0.19: Workload, which Kueue makes for each job."""

from __future__ import annotations

from pathlib import Path

from platform_def.crds.model import AGE, Api, Column, DataSchema, Definition, WebhookConversion

_DATA = Path(__file__).with_name("workload_v1beta2.json")

WORKLOAD_V1BETA1 = Api(
    group="kueue.x-k8s.io",
    version="v1beta1",
    kind="Workload",
    plural="workloads",
    spec=dict[str, object],
    data=DataSchema(_DATA, "workloads/v1beta1"),
    core="1.36",
    embedded_metadata=True,
    status_subresource=True,
    columns=(
        Column("Queue", ".spec.queueName"),
        Column("Reserved in", ".status.admission.clusterQueue"),
        Column("Admitted", ".status.conditions[?(@.type=='Admitted')].status"),
        Column("Finished", ".status.conditions[?(@.type=='Finished')].status"),
        AGE,
    ),
    storage=False,
    deprecated=True,
    deprecation_warning="kueue.x-k8s.io/v1beta1 Workload is on its way out: write v1beta2",
)

WORKLOAD = Api(
    group="kueue.x-k8s.io",
    version="v1beta2",
    kind="Workload",
    plural="workloads",
    spec=dict[str, object],
    data=DataSchema(_DATA, "workloads/v1beta2"),
    core="1.36",
    embedded_metadata=True,
    status_subresource=True,
    columns=(
        Column("Queue", ".spec.queueName"),
        Column("Reserved in", ".status.admission.clusterQueue"),
        Column("Admitted", ".status.conditions[?(@.type=='Admitted')].status"),
        Column("Finished", ".status.conditions[?(@.type=='Finished')].status"),
        AGE,
    ),
    selectable=(".status.admission.clusterQueue",),
)

CRDS = (
    Definition(
        (WORKLOAD_V1BETA1, WORKLOAD),
        short_names=("kwl", "kueueworkload", "kueueworkloads"),
        conversion=WebhookConversion(service="kueue-webhook-service", namespace="kueue-system", path="/convert"),
    ),
)
