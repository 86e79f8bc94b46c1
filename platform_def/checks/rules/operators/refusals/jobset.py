"""JobSets and LeaderWorkerSets that their webhooks refuse.

Facts: JobSet 0.12 (pkg/webhooks/jobset_webhook.go), LeaderWorkerSet 0.10 (pkg/webhooks/leaderworkerset_webhook.go).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from platform_def.checks.fault import Fault
from platform_def.errors import nearest
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.rendered import Manifest

GROUP = "jobset.x-k8s.io"
LEADERS = "leaderworkerset.x-k8s.io"
_REFUSED = "JobSet's webhook refuses it"
_LEADERS_REFUSED = "LeaderWorkerSet's webhook refuses it"
_REASONS = ("BackoffLimitExceeded", "DeadlineExceeded", "FailedIndexes", "MaxFailedIndexesExceeded", "PodFailurePolicy")


def of_job_set(manifest: Manifest) -> Iterator[Fault]:
    """A JobSet."""
    spec = mapping(manifest.get("spec"))
    jobs = [mapping(each) for each in items(spec.get("replicatedJobs"))]
    names = [text(each.get("name")) for each in jobs]
    for index, job in enumerate(jobs):
        yield from _dependencies(f"spec.replicatedJobs[{index}].dependsOn", job, names[:index], names)
    named = [("spec.successPolicy.targetReplicatedJobs", at(spec, "successPolicy.targetReplicatedJobs"))]
    for index, rule in enumerate(map(mapping, items(at(spec, "failurePolicy.rules")))):
        path = f"spec.failurePolicy.rules[{index}]"
        named.append((f"{path}.targetReplicatedJobs", rule.get("targetReplicatedJobs")))
        for place, reason in enumerate(items(rule.get("onJobFailureReasons"))):
            if reason not in _REASONS:
                said = f"'{reason}' is no reason for which a Job fails: {_REFUSED}"
                yield Fault(f"{path}.onJobFailureReasons[{place}]", said, nearest(text(reason), _REASONS))
    for path, targets in named:
        for place, name in enumerate(items(targets)):
            yield from _lost(f"{path}[{place}]", name, names)
    leading = at(spec, "coordinator.replicatedJob")
    if leading:
        yield from _lost("spec.coordinator.replicatedJob", leading, names)


def _dependencies(path: str, job: Mapping[str, Any], before: Sequence[str], every: Sequence[str]) -> Iterator[Fault]:
    for place, each in enumerate(items(job.get("dependsOn"))):
        name = text(mapping(each).get("name"))
        if name in before:
            continue
        if name in every:
            said = f"'{name}' does not come before it, and a job waits for those before it alone: {_REFUSED}"
            yield Fault(f"{path}[{place}].name", said, "order the list, or take this out")
        else:
            yield from _lost(f"{path}[{place}].name", name, before)


def _lost(path: str, name: object, names: Sequence[str]) -> Iterator[Fault]:
    if name not in names:
        yield Fault(path, f"there is no replicated job '{name}': {_REFUSED}", nearest(text(name), names))


def of_leader_worker_set(manifest: Manifest) -> Iterator[Fault]:
    """A LeaderWorkerSet."""
    spec = mapping(manifest.get("spec"))
    size, replicas = at(spec, "leaderWorkerTemplate.size"), spec.get("replicas")
    if isinstance(size, int) and size < 1:
        said = f"a group of {size} pods has no leader: {_LEADERS_REFUSED}"
        yield Fault("spec.leaderWorkerTemplate.size", said, "count the leader too: at least 1")
    if isinstance(replicas, int) and replicas < 0:
        yield Fault("spec.replicas", f"{replicas} is less than 0: {_LEADERS_REFUSED}", "write 0 or more")
    rolling = mapping(at(spec, "rolloutStrategy.rollingUpdateConfiguration"))
    if all(rolling.get(field) in (0, "0%") for field in ("maxUnavailable", "maxSurge")):
        said = f"is 0, and so is maxSurge: no group could be replaced: {_LEADERS_REFUSED}"
        path = "spec.rolloutStrategy.rollingUpdateConfiguration.maxUnavailable"
        yield Fault(path, said, "write 1 for one of them")
