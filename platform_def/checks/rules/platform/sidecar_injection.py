"""Pods of jobs have no mesh sidecar: workers speak past it, and the job ends without it.

Facts: those of `meshed.py`; a native sidecar (Istio's own choice from 1.27) ends with its pod.
"""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.given import meshes
from platform_def.checks.meshed import injecting_namespaces, takes_proxy
from platform_def.checks.rule import StackRule
from platform_def.checks.selection import every_pods
from platform_def.manifests.paths import dotted
from platform_def.manifests.rendered import RenderedObject

_ENDING = frozenset(
    {("batch", "Job"), ("batch", "CronJob"), ("batch.volcano.sh", "Job"), ("jobset.x-k8s.io", "JobSet")}
)


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    injected = context.once(injecting_namespaces)
    native = any(not given.provided for given in meshes(context))
    for pods in context.once(every_pods) if injected else ():
        if pods.namespace not in injected or not takes_proxy(pods):
            continue
        where = dotted((*pods.path[:-1], "metadata", "labels"))
        if _trains(pods.item):
            said = "adds Istio's proxy to the pod, and what workers send each other goes through it"
            yield pods.item, Fault(where, f"namespace {pods.namespace} {said}")
        elif not native and (pods.item.group, pods.item.kind) in _ENDING:
            said = "adds Istio's proxy to the pod: unless it is a native sidecar, the job does not end while it runs"
            yield pods.item, Fault(where, f"namespace {pods.namespace} {said}")


def _trains(item: RenderedObject) -> bool:
    """Whether it makes pods that exchange gradients: a job of an operator's, or what a TrainJob becomes."""
    runtime = (item.group, item.kind) == ("trainer.kubeflow.org", "TrainingRuntime")
    return runtime or (item.group == "kubeflow.org" and item.kind.endswith("Job"))


SIDECAR_INJECTION = StackRule(
    id="sidecar-injection",
    severity="warning",
    title="Pods of jobs have no mesh sidecar",
    why="Gradients go through a proxy, or the training ends and its pod does not, and holds its GPUs.",
    fix='label the pod template `sidecar.istio.io/inject: "false"`',
    check=_check,
)
