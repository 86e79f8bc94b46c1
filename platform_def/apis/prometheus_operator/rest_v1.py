"""Prometheus operator 0.93 (monitoring.coreos.com): the kinds that are not written here."""

from __future__ import annotations

from pathlib import Path

from platform_def.crds.health import HealthConditions
from platform_def.crds.model import AGE, Api, Column, DataSchema, Definition, Makes, Scale
from platform_def.crds.schema import Ref

_DATA = Path(__file__).with_name("rest_v1.json")

_SERVER = {
    "spec.imagePullSecrets[].name": Ref("Secret", weak=True),
    "spec.priorityClassName": Ref("PriorityClass", group="scheduling.k8s.io"),
    "spec.serviceAccountName": Ref("ServiceAccount"),
    "spec.serviceName": Ref("Service", weak=True),
}


PROMETHEUS_AGENT = Api(
    group="monitoring.coreos.com",
    version="v1alpha1",
    kind="PrometheusAgent",
    plural="prometheusagents",
    spec=dict[str, object],
    data=DataSchema(_DATA, "prometheusagents/v1alpha1"),
    core="1.36",
    status_subresource=True,
    scale=Scale(spec=".spec.shards", status=".status.shards", selector=".status.selector"),
    columns=(
        Column("Version", ".spec.version"),
        Column("Desired", ".spec.replicas", type="integer"),
        Column("Ready", ".status.availableReplicas", type="integer"),
        Column("Reconciled", ".status.conditions[?(@.type == 'Reconciled')].status"),
        Column("Available", ".status.conditions[?(@.type == 'Available')].status"),
        AGE,
        Column("Paused", ".status.paused", type="boolean", priority=1),
    ),
    references=_SERVER | {"spec.configMaps[]": Ref("ConfigMap"), "spec.secrets[]": Ref("Secret")},
    health=HealthConditions(ready=("Reconciled", "Available")),
    makes=(Makes("Service", fixed="prometheus-agent-operated"),),
)

THANOS_RULER = Api(
    group="monitoring.coreos.com",
    version="v1",
    kind="ThanosRuler",
    plural="thanosrulers",
    spec=dict[str, object],
    data=DataSchema(_DATA, "thanosrulers/v1"),
    core="1.36",
    status_subresource=True,
    columns=(
        Column("Version", ".spec.version"),
        Column("Replicas", ".spec.replicas", type="integer"),
        Column("Ready", ".status.availableReplicas", type="integer"),
        Column("Reconciled", ".status.conditions[?(@.type == 'Reconciled')].status"),
        Column("Available", ".status.conditions[?(@.type == 'Available')].status"),
        AGE,
        Column("Paused", ".status.paused", type="boolean", priority=1),
    ),
    references=_SERVER,
    makes=(Makes("Service", fixed="thanos-ruler-operated"),),
    health=HealthConditions(ready=("Reconciled", "Available")),
)

ALERTMANAGER_CONFIG = Api(
    group="monitoring.coreos.com",
    version="v1alpha1",
    kind="AlertmanagerConfig",
    plural="alertmanagerconfigs",
    spec=dict[str, object],
    data=DataSchema(_DATA, "alertmanagerconfigs/v1alpha1"),
    core="1.36",
    status_subresource=True,
)

SCRAPE_CONFIG = Api(
    group="monitoring.coreos.com",
    version="v1alpha1",
    kind="ScrapeConfig",
    plural="scrapeconfigs",
    spec=dict[str, object],
    data=DataSchema(_DATA, "scrapeconfigs/v1alpha1"),
    core="1.36",
    status_subresource=True,
)

PROBE = Api(
    group="monitoring.coreos.com",
    version="v1",
    kind="Probe",
    plural="probes",
    spec=dict[str, object],
    data=DataSchema(_DATA, "probes/v1"),
    core="1.36",
    status_subresource=True,
)

CRDS = (
    Definition((PROMETHEUS_AGENT,), short_names=("promagent",), categories=("prometheus-operator",)),
    Definition((THANOS_RULER,), short_names=("ruler",), categories=("prometheus-operator",)),
    Definition((ALERTMANAGER_CONFIG,), short_names=("amcfg",), categories=("prometheus-operator",)),
    Definition((SCRAPE_CONFIG,), short_names=("scfg",), categories=("prometheus-operator",)),
    Definition((PROBE,), short_names=("prb",), categories=("prometheus-operator",)),
)
