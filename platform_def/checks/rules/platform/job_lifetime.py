"""What a delivery engine keeps in the cluster does not delete itself."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.rule import ObjectRule
from platform_def.checks.rules.platform.training_job import TRAINING_JOBS
from platform_def.config.words.registered import engines
from platform_def.manifests.loose import at, mapping
from platform_def.manifests.rendered import Manifest, RenderedObject

_PLACES = ("spec.ttlSecondsAfterFinished", "spec.runPolicy.ttlSecondsAfterFinished", "spec.ttlStrategy")
_KINDS = frozenset({"Job", "JobSet", "RayJob", "SparkApplication", "TrainJob", "Workflow"}) | frozenset(TRAINING_JOBS)
_SPARK = "spec.timeToLiveSeconds"


def _reads(context: Context, item: RenderedObject) -> Hashable:
    waits = item.job and item.job not in context.stack.synced_jobs  # in dist/, until a person starts it
    return "none" if waits else context.stack.platform.delivery


def _check(manifest: Manifest, engine: Hashable) -> Iterator[Fault]:
    if engine == "none" or "argocd.argoproj.io/hook" in mapping(at(manifest, "metadata.annotations")):
        return
    for path in (*_PLACES, _SPARK):
        found = at(manifest, path)
        if found is not None and not _is_never(found):
            yield Fault(
                path,
                f"once the job is deleted {engines()[str(engine)].title} creates it again, and it runs without end",
            )


def _is_never(found: object) -> bool:
    """Whether a time to live is for good, by which a workflow keeps itself from a shorter one that its engine sets."""
    times = [*found.values()] if isinstance(found, dict) else [found]
    return bool(times) and all(isinstance(each, int) and each >= _NEVER_SECONDS for each in times)


_NEVER_SECONDS = 10 * 365 * 86_400

JOB_LIFETIME = ObjectRule(
    id="job-lifetime",
    severity="warning",
    title="A job in Git does not delete itself",
    why="The engine finds it missing and applies it again: the same training runs over and over, and holds its GPUs.",
    fix="leave the time to live out, and delete the job from Git when it is done",
    kinds=_KINDS,
    reads=_reads,
    check=_check,
    without_stack="not at all",
)
