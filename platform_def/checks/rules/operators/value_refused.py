"""Objects that their operator's webhook refuses, or that its program cannot read: what no schema says.

A table names who judges which kind; what a judge reads of other objects, it says next to it. Pods are judged in every
kind that holds a template of them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import ObjectRule, SignWords
from platform_def.checks.rules.operators.refusals import (
    autoscaling,
    certificates,
    device_parameters,
    durations,
    gpu_files,
    istio,
    jobset,
    kai,
    katib,
    keda,
    kueue,
    metallb,
    networks,
    prometheus,
    spark,
    volcano,
    workflows,
)
from platform_def.checks.rules.operators.refusals.serving import canaries, knative, model_addresses
from platform_def.manifests.loose import mapping
from platform_def.manifests.paths import Path, pods
from platform_def.manifests.rendered import Manifest, RenderedObject


class _Judge(NamedTuple):
    """Who judges a kind."""

    judge: Callable[[Manifest, Hashable], Iterable[Fault]]
    reads: Callable[[Context, RenderedObject], Hashable] = lambda _context, _item: None
    """What of other objects it needs to know."""


def _alone(judge: Callable[[Manifest], Iterable[Fault]]) -> _Judge:
    return _Judge(lambda manifest, _: judge(manifest))


def _of_inference_service(manifest: Manifest, given: Hashable) -> Iterator[Fault]:
    assert isinstance(given, tuple)
    stack, formats = given
    yield from autoscaling.of_inference_service(manifest)
    yield from canaries.of_inference_service(manifest, stack)
    yield from model_addresses.of_inference_service(manifest, formats)


def _read_for_models(context: Context, item: RenderedObject) -> Hashable:
    return canaries.reads(context, item), context.once(model_addresses.formats)


def _of_scaled_object(manifest: Manifest) -> Iterator[Fault]:
    yield from autoscaling.of_scaled_object(manifest)
    yield from keda.of_triggers(manifest)


_CLAIMS = _Judge(device_parameters.of_claim, device_parameters.reads)
_JUDGES: Mapping[tuple[str, str], _Judge] = {
    ("", "ConfigMap"): _alone(gpu_files.of_config_map),
    (certificates.GROUP, "Certificate"): _alone(certificates.of_certificate),
    (durations.SECRETS, "ClusterExternalSecret"): _alone(durations.of_durations),
    (durations.SECRETS, "ExternalSecret"): _alone(durations.of_durations),
    (durations.SECRETS, "PushSecret"): _alone(durations.of_durations),
    (jobset.GROUP, "JobSet"): _alone(jobset.of_job_set),
    (jobset.LEADERS, "LeaderWorkerSet"): _alone(jobset.of_leader_worker_set),
    (katib.GROUP, "Experiment"): _alone(katib.of_experiment),
    (workflows.GROUP, "ClusterWorkflowTemplate"): _alone(workflows.of_template),
    (workflows.GROUP, "CronWorkflow"): _alone(workflows.of_cron_workflow),
    (workflows.GROUP, "Workflow"): _alone(workflows.of_workflow),
    (workflows.GROUP, "WorkflowTemplate"): _alone(workflows.of_template),
    ("batch", "Job"): _alone(kueue.of_job),
    ("batch.volcano.sh", "Job"): _alone(volcano.of_job),
    ("k8s.cni.cncf.io", "NetworkAttachmentDefinition"): _alone(networks.of_attachment),
    (istio.GROUP, "Gateway"): _alone(istio.of_gateway),
    (istio.GROUP, "VirtualService"): _alone(istio.of_virtual_service),
    (keda.GROUP, "ScaledJob"): _alone(keda.of_triggers),
    (keda.GROUP, "ScaledObject"): _alone(_of_scaled_object),
    (knative.GROUP, "Configuration"): _alone(knative.of_service),
    (knative.GROUP, "Route"): _alone(knative.of_route),
    (knative.GROUP, "Service"): _alone(knative.of_service),
    (kueue.GROUP, "ClusterQueue"): _alone(kueue.of_cluster_queue),
    (kueue.GROUP, "Cohort"): _alone(kueue.of_cohort),
    (metallb.GROUP, "IPAddressPool"): _Judge(metallb.of_pool, metallb.reads),
    (prometheus.GROUP, "PodMonitor"): _alone(prometheus.of_monitor),
    (prometheus.GROUP, "Probe"): _alone(prometheus.of_monitor),
    (prometheus.GROUP, "PrometheusRule"): _alone(prometheus.of_rule),
    (prometheus.GROUP, "ScrapeConfig"): _alone(prometheus.of_monitor),
    (prometheus.GROUP, "ServiceMonitor"): _alone(prometheus.of_monitor),
    ("resource.k8s.io", "DeviceClass"): _CLAIMS,
    ("resource.k8s.io", "ResourceClaim"): _CLAIMS,
    ("resource.k8s.io", "ResourceClaimTemplate"): _CLAIMS,
    (spark.GROUP, "ScheduledSparkApplication"): _alone(spark.of_scheduled),
    (spark.GROUP, "SparkApplication"): _alone(spark.of_application),
    ("serving.kserve.io", "InferenceService"): _Judge(_of_inference_service, _read_for_models),
}
"""By group and kind."""


def _judge(manifest: Manifest) -> _Judge | None:
    group, slash, _ = str(manifest.get("apiVersion")).rpartition("/")
    return _JUDGES.get((group if slash else "", str(manifest.get("kind"))))


def _reads(context: Context, item: RenderedObject) -> Hashable:
    judge = _judge(item.manifest)
    return judge.reads(context, item) if judge else None


def _check(manifest: Manifest, given: Hashable) -> Iterator[Fault]:
    judge = _judge(manifest)
    if judge:
        yield from judge.judge(manifest, given)
    yield from kueue.of_metadata(("metadata",), mapping(manifest.get("metadata")))
    for path, spec in pods(manifest):
        above = (*path[:-1], "metadata")
        metadata = _metadata(manifest, path)
        if len(path) > 1:
            yield from kueue.of_metadata(above, metadata)
        if spec.get("schedulerName") == kai.SCHEDULER:
            yield from kai.of_pod((*above, "annotations"), spec, mapping(metadata.get("annotations")))


def _metadata(manifest: Manifest, path: Path) -> Mapping[str, Any]:
    """Of the template that has its pod's specification at a path."""
    found: Any = manifest
    for step in path[:-1]:
        found = found[step]
    return mapping(mapping(found).get("metadata"))


VALUE_REFUSED = ObjectRule(
    id="value-refused",
    severity="error",
    title="What operators and device plugins read is what they take",
    why="The API server takes the object, and then the operator's webhook refuses it, its program stops, or it ignores "
    "what it does not know.",
    fix="see the documentation of the operator for the field",
    reads=_reads,
    sign=SignWords((kueue.GROUP, kai.SCHEDULER), frozenset(_JUDGES), definitions=True),
    check=_check,
)
