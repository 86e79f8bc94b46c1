"""The controller's configuration file: `config.kueue.x-k8s.io/v1beta2`, as `apis/config` of Kueue 0.19.2 reads it.

The controller refuses a file with a field that it does not know, so nothing is written that was not asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from platform_def.apis.core.meta_v1 import LabelSelector
from platform_def.components.queues.kueue.config import KueueConfig, PodsReady
from platform_def.components.queues.kueue.frameworks import Framework

LEASE = "c1f6bfd2.kueue.x-k8s.io"
"""The Lease that upstream's file names."""
HEALTH, METRICS, VISIBILITY, WEBHOOK = 8081, 8443, 8082, 9443
DISPATCHERS = {
    "all-at-once": "kueue.x-k8s.io/multikueue-dispatcher-all-at-once",
    "incremental": "kueue.x-k8s.io/multikueue-dispatcher-incremental",
}
CONCURRENCY = {
    "ClusterQueue.kueue.x-k8s.io": 5,
    "Cohort.kueue.x-k8s.io": 1,
    "Job.batch": 5,
    "LocalQueue.kueue.x-k8s.io": 5,
    "Pod": 5,
    "ResourceFlavor.kueue.x-k8s.io": 1,
    "Workload.kueue.x-k8s.io": 10,
}
"""Objects of a kind that are reconciled at once, as upstream's file has them."""


def configuration(
    config: KueueConfig,
    *,
    namespace: str,
    frameworks: Sequence[Framework],
    managed: LabelSelector,
    unnamed: bool,
    service: str,
    secret: str,
) -> dict[str, Any]:
    """The file; `managed` selects the namespaces whose jobs wait, `unnamed` says whether those that name no queue do.

    `service` and `secret` are those of the webhook.
    """
    own = config.certificates == "own"
    made: dict[str, Any] = {
        "apiVersion": "config.kueue.x-k8s.io/v1beta2",
        "kind": "Configuration",
        "namespace": namespace,
        "health": {"healthProbeBindAddress": f":{HEALTH}"},
        "metrics": {"bindAddress": f":{METRICS}", "enableClusterQueueResources": config.queue_metrics},
        "webhook": {"port": WEBHOOK},
        "leaderElection": {"leaderElect": True, "resourceName": LEASE},
        "controller": {"groupKindConcurrency": dict(CONCURRENCY)},
        "clientConnection": {"qps": 300, "burst": 500},
        "internalCertManagement": {
            "enable": own,
            **({"webhookServiceName": service, "webhookSecretName": secret} if own else {}),
        },
        "integrations": {"frameworks": [each.name for each in frameworks]},
        "manageJobsWithoutQueueName": unnamed,
        "managedJobsNamespaceSelector": managed,
        "waitForPodsReady": _pods_ready(config.pods_ready),
        "visibilityServer": {"bindPort": VISIBILITY},
        # Quotas count devices alone: pools do not say what processors and memory their nodes have.
        "resources": {"quotaCheckStrategy": "IgnoreUndeclared", **dict(_transformations(config))},
    }
    return {**made, **dict(_options(config))}


def _pods_ready(chosen: PodsReady) -> dict[str, Any]:
    requeuing: dict[str, Any] = {"backoffBaseSeconds": chosen.backoff_seconds}
    if chosen.requeues is not None:
        requeuing["backoffLimitCount"] = chosen.requeues
    made: dict[str, Any] = {
        "timeout": f"{chosen.timeout_seconds}s",
        "blockAdmission": chosen.block_admission,
        "requeuingStrategy": requeuing,
    }
    if chosen.recovery_timeout_seconds is not None:
        made["recoveryTimeout"] = f"{chosen.recovery_timeout_seconds}s"
    return made


def _transformations(config: KueueConfig) -> Iterator[tuple[str, Any]]:
    if config.transformations:
        yield "transformations", [each.model_dump(mode="json", by_alias=True) for each in config.transformations]


def _options(config: KueueConfig) -> Iterator[tuple[str, Any]]:
    if config.fair_sharing:
        strategies = ["LessThanOrEqualToFinalShare", "LessThanInitialShare"]
        yield "fairSharing", {"preemptionStrategies": strategies}
    if config.usage_half_life_hours:
        half_life = f"{config.usage_half_life_hours}h"
        # Pods are counted so that every part of a job is (see queues.py), and are no measure of use.
        weights = {"pods": 0}
        sharing = {"usageHalfLifeTime": half_life, "usageSamplingInterval": "5m", "resourceWeights": weights}
        yield "admissionFairSharing", sharing
    if config.keep_finished_hours is not None:
        yield "objectRetentionPolicies", {"workloads": {"afterFinished": f"{config.keep_finished_hours}h"}}
    if config.multi_kueue:
        yield (
            "multiKueue",
            {
                "dispatcherName": DISPATCHERS[config.multi_kueue.dispatcher],
                "workerLostTimeout": f"{config.multi_kueue.lost_minutes}m",
            },
        )
    gates = {**({} if config.visibility else {"VisibilityOnDemand": False}), **config.feature_gates}
    if gates:
        yield "featureGates", dict(sorted(gates.items()))
