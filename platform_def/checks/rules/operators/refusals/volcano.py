"""What Volcano's webhook refuses of a Job.

Facts: Volcano 1.15 (pkg/webhooks/admission/jobs/validate: admit_job.go, util.go; pkg/controllers/job/plugins).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from platform_def.checks.fault import Fault
from platform_def.errors import nearest
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.rendered import Manifest

_ACTIONS = (
    "AbortJob",
    "RestartJob",
    "RestartTask",
    "RestartPod",
    "RestartPartition",
    "TerminateJob",
    "CompleteJob",
    "ResumeJob",
)
_EVENTS = (
    "*",
    "PodFailed",
    "PodEvicted",
    "PodPending",
    "Unknown",
    "TaskCompleted",
    "TaskFailed",
    "JobUpdated",
)
_PLUGINS = ("ssh", "env", "svc", "tensorflow", "mpi", "pytorch", "hcclrank", "ray")
_REFUSED = "Volcano's webhook refuses the job"


def of_job(manifest: Manifest) -> Iterator[Fault]:
    """A Job of batch.volcano.sh."""
    tasks = [mapping(each) for each in items(at(manifest, "spec.tasks"))]
    names: dict[str, int] = {}
    for index, task in enumerate(tasks):
        path, name = f"spec.tasks[{index}]", text(task.get("name")) or f"default{index}"
        if name in names:
            said = f"'{name[:60]}' is the name of tasks[{names[name]}] as well: {_REFUSED}"
            yield Fault(f"{path}.name", said, "give each task a name of its own")
        names.setdefault(name, index)
        yield from _gang(f"{path}.minAvailable", task.get("minAvailable"), task.get("replicas"))
        yield from _policies(f"{path}.policies", items(task.get("policies")))
    counts = [count for task in tasks if isinstance(count := task.get("replicas"), int)]
    if tasks and len(counts) == len(tasks):
        yield from _gang("spec.minAvailable", at(manifest, "spec.minAvailable"), sum(counts))
    yield from _policies("spec.policies", items(at(manifest, "spec.policies")))
    for name in mapping(at(manifest, "spec.plugins")):
        if name not in _PLUGINS:
            said = f"there is no such plugin: {_REFUSED}"
            yield Fault(f"spec.plugins.{name}", said, nearest(name, _PLUGINS))
    yield from _dependencies(tasks, names)


def _gang(path: str, least: object, most: object) -> Iterator[Fault]:
    if isinstance(least, int) and isinstance(most, int) and least > most:
        pods = "tasks have together" if path.startswith("spec.minAvailable") else "task has"
        yield Fault(path, f"{least} is more than the {most} pods that the {pods}: {_REFUSED}", f"write at most {most}")


def _policies(path: str, policies: Sequence[object]) -> Iterator[Fault]:
    seen: dict[str, int] = {}
    codes: dict[int, int] = {}
    for index, policy in enumerate(map(mapping, policies)):
        own, code = f"{path}[{index}]", policy.get("exitCode")
        events = [*dict.fromkeys([*map(str, items(policy.get("events"))), *_one(policy.get("event"))])]
        if bool(events) == (code is not None):
            said = "has both an event and an exit code" if events else "has neither an event nor an exit code"
            yield Fault(own, f"{said}: {_REFUSED}", "write event, or exitCode")
        for event in events:
            if event not in _EVENTS:
                where = f"{own}.event" if policy.get("event") == event else f"{own}.events"
                yield Fault(where, f"no policy may name event '{event[:60]}': {_REFUSED}", nearest(event, _EVENTS))
            elif event in seen:
                yield Fault(own, f"event {event} is in [{seen[event]}] as well: {_REFUSED}", "name each event once")
            seen.setdefault(event, index)
        action = policy.get("action")
        if events and action not in _ACTIONS:
            said = f"'{str(action)[:60]}' is not an action" if action else "is missing"
            hint = nearest(str(action or ""), _ACTIONS)
            yield Fault(f"{own}.action", f"{said}: {_REFUSED}", hint)
        if isinstance(code, int):
            if code == 0 or code in codes:
                said = "0 is not a failure" if code == 0 else f"exit code {code} is in [{codes[code]}] as well"
                yield Fault(f"{own}.exitCode", f"{said}: {_REFUSED}", "name each exit code once, and not 0")
            codes.setdefault(code, index)
    if "*" in seen and len(seen) > 1:
        said = f"event * means all, and other policies name events: {_REFUSED}"
        yield Fault(f"{path}[{seen['*']}]", said, "leave one of them out")


def _one(event: object) -> list[str]:
    return [str(event)] if event else []


def _dependencies(tasks: Sequence[Mapping[str, Any]], names: Mapping[str, int]) -> Iterator[Fault]:
    """Tasks wait for each other in no circle, and for tasks that there are."""
    waits = {name: [text(each) for each in items(at(tasks[index], "dependsOn.name"))] for name, index in names.items()}
    for name, index in names.items():
        for other in waits[name]:
            if other not in names:
                said = f"the job has no task '{other[:60]}': {_REFUSED}"
                yield Fault(f"spec.tasks[{index}].dependsOn.name", said, nearest(other, names))
    left = {name: {other for other in others if other in names} for name, others in waits.items()}
    while ready := [name for name, others in left.items() if not others]:
        left = {name: others - {*ready} for name, others in left.items() if name not in ready}
    if left:
        first = min(left, key=lambda name: names[name])
        said = f"the tasks {' and '.join(sorted(left))} wait for each other: {_REFUSED}"
        yield Fault(f"spec.tasks[{names[first]}].dependsOn", said, "leave one of these out")
