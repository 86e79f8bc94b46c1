"""What a delivery engine keeps in the cluster does not delete itself."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import ObjectRule
from platform_def.checks.rules.platform.training_job import TRAINING_JOBS
from platform_def.manifests.loose import at, mapping
from platform_def.manifests.rendered import Manifest, RenderedObject

_PLACES = ("spec.ttlSecondsAfterFinished", "spec.runPolicy.ttlSecondsAfterFinished", "spec.ttlStrategy")
_KINDS = frozenset({"Job", "JobSet", "RayJob", "SparkApplication", "TrainJob", "Workflow"}) | frozenset(TRAINING_JOBS)
_SPARK = "spec.timeToLiveSeconds"


def _reads(context: Context, _: RenderedObject) -> Hashable:
    return context.stack.platform.delivery


def _check(manifest: Manifest, engine: Hashable) -> Iterator[Fault]:
    if engine == "none" or "argocd.argoproj.io/hook" in mapping(at(manifest, "metadata.annotations")):
        return
    for path in (*_PLACES, _SPARK):
        if at(manifest, path) is not None:
            yield Fault(path, f"once the job is deleted {_NAMES[str(engine)]} makes it again, and it runs for ever")


_NAMES = {"argocd": "Argo CD", "flux": "Flux"}

JOB_LIFETIME = ObjectRule(
    id="job-lifetime",
    severity="warning",
    title="A job that lies in Git does not delete itself",
    why="The engine finds it missing and applies it again: the same training runs over and over, and holds its GPUs.",
    fix="leave the time to live out, and delete the job from Git when it is done",
    kinds=_KINDS,
    reads=_reads,
    check=_check,
    alone="not at all",
)
