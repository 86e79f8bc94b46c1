"""Triggers that KEDA cannot build a scaler of: nothing is scaled then.

Facts: KEDA 2.21 (pkg/scaling/scalers_builder.go has the types; of some of them what they cannot do without:
pkg/scalers/cron_scaler.go, cpu_memory_scaler.go, prometheus_scaler.go; apis/keda/v1alpha1/scaledobject_webhook.go).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from platform_def.checks.fault import Fault
from platform_def.errors import nearest
from platform_def.manifests.loose import items, mapping, text
from platform_def.manifests.names import cron_problem, time_zone_problem
from platform_def.manifests.rendered import Manifest

GROUP = "keda.sh"
_TYPES = """
activemq apache-kafka arangodb artemis-queue aws-cloudwatch aws-dynamodb aws-dynamodb-streams aws-kinesis-stream
aws-sqs-queue azure-app-insights azure-blob azure-cosmosdb azure-data-explorer azure-eventhub azure-log-analytics
azure-monitor azure-pipelines azure-queue azure-servicebus beanstalkd cassandra clickhouse couchdb cpu cron datadog
dynatrace elastic-forecast elasticsearch etcd external external-push forgejo-runner gcp-cloudtasks gcp-pubsub
gcp-spanner gcp-stackdriver gcp-storage github-runner graphite huawei-cloudeye ibmmq influxdb kafka
kubernetes-resource kubernetes-workload liiklus loki memory metrics-api mongodb mssql mysql nats-jetstream new-relic
nsq opensearch openstack-metric openstack-swift postgresql predictkube prometheus pulsar rabbitmq redis
redis-cluster redis-cluster-streams redis-sentinel redis-sentinel-streams redis-streams selenium-grid
solace-direct-messaging solace-event-queue solarwinds solr splunk splunk-observability stan sumologic temporal
"""
_KNOWN = frozenset(_TYPES.split())
_NEEDED: Mapping[str, tuple[str, ...]] = {
    "cpu": ("value",),
    "cron": ("timezone", "start", "end", "desiredReplicas"),
    "memory": ("value",),
    "prometheus": ("serverAddress", "query", "threshold"),
}
"""What a trigger's metadata must have, of types that platforms use most."""
_WHOLE = re.compile(r"[+-]?[0-9]+")
_METRIC_TYPES = ("AverageValue", "Utilization")
_FAILS = "KEDA builds no scaler of it, and nothing is scaled"


def of_triggers(manifest: Manifest) -> Iterator[Fault]:
    """A ScaledObject or ScaledJob."""
    for index, each in enumerate(items(mapping(manifest.get("spec")).get("triggers"))):
        yield from _trigger(f"spec.triggers[{index}]", mapping(each))


def _trigger(path: str, trigger: Mapping[str, Any]) -> Iterator[Fault]:
    kind = text(trigger.get("type"))
    if kind not in _KNOWN:
        hint = nearest(kind, _KNOWN) or "see the scalers of KEDA's documentation"
        yield Fault(f"{path}.type", f"'{kind}' is no type of trigger: {_FAILS}", hint)
        return
    said = mapping(trigger.get("metadata"))
    missing = [name for name in _NEEDED.get(kind, ()) if not said.get(name)]
    for name in missing:
        yield Fault(f"{path}.metadata", f"{name} is missing: {_FAILS}", f"write {name}")
    if kind in ("cpu", "memory"):
        yield from _resource(path, trigger, text(said.get("value")))
    elif kind == "cron":
        yield from _cron(f"{path}.metadata", {name: text(said.get(name)) for name in _NEEDED[kind]})


def _resource(path: str, trigger: Mapping[str, Any], value: str) -> Iterator[Fault]:
    metric = text(trigger.get("metricType"))
    if metric not in _METRIC_TYPES:
        # Until 2.17 it stood in the metadata, which is read no more.
        what = f"'{metric}' is none for a resource" if metric else "is missing"
        yield Fault(f"{path}.metricType", f"{what}: {_FAILS}", f"write {' or '.join(_METRIC_TYPES)}")
    elif metric == "Utilization" and value and not _WHOLE.fullmatch(value):
        said = f"'{value}' is no whole number of percent: {_FAILS}"
        yield Fault(f"{path}.metadata.value", said, "write a number without a unit, such as '60'")


def _cron(path: str, said: Mapping[str, str]) -> Iterator[Fault]:
    for name in ("start", "end"):
        wrong = cron_problem(said[name]) if said[name] else ""
        if said[name].startswith("@"):
            wrong = f"'{said[name]}' is no schedule of five fields"
        if wrong:
            yield Fault(f"{path}.{name}", f"{wrong}: {_FAILS}", "write minute, hour, day, month and weekday")
    if said["start"] and said["start"] == said["end"]:
        yield Fault(f"{path}.end", f"is the same as start: {_FAILS}", "end at another time than it begins")
    if said["timezone"] and (wrong := time_zone_problem(said["timezone"])):
        yield Fault(f"{path}.timezone", f"{wrong}: {_FAILS}", "write a name such as Europe/Berlin")
    count = said["desiredReplicas"]
    if count and (not _WHOLE.fullmatch(count) or int(count) == 0):
        yield Fault(f"{path}.desiredReplicas", f"'{count}' is no number of pods: {_FAILS}", "write 1 or more")
