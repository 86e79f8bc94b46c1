"""Pods that name a scheduler have one: a program of the stack serves them, or the cluster's own does."""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.checks.context import Context
from platform_def.checks.fault import Fault
from platform_def.checks.given import devices, gang_schedulers
from platform_def.checks.rule import StackRule
from platform_def.checks.selection import every_pods
from platform_def.config.words.registered import schedulers
from platform_def.errors import nearest
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.paths import dotted
from platform_def.manifests.rendered import RenderedObject

_DEFAULT = "default-scheduler"
_KNOWN = frozenset({_DEFAULT, "yunikorn", *schedulers()})
"""Names under which schedulers are installed by default; outside a stack they may be anywhere."""
_NAMED, _GANG = "--scheduler-name", "--gang-scheduler-name"


def _check(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    given = context.once(_schedulers)
    for pods in context.once(every_pods):
        name = text(pods.spec.get("schedulerName"))
        if name and name != _DEFAULT and name not in given and not (context.stack.foreign and name in _KNOWN):
            hint = nearest(name, {*given, _DEFAULT}) if given else None
            yield (
                pods.item,
                Fault(
                    dotted((*pods.path, "schedulerName")), f"no scheduler named '{name[:60]}' runs in this stack", hint
                ),
            )
    yield from _without_gang(context)


def _schedulers(context: Context) -> frozenset[str]:
    """Names that programs of the stack serve: by capability, by argument, or in a configuration of kube-scheduler."""
    names = {given.value.scheduler for given in gang_schedulers(context)}
    names |= {given.value.scheduler for given in devices(context)}
    for pods in context.once(every_pods):
        for _, container in pods.containers() if _NAMED in pods.item.text else ():
            words = [text(word) for field in ("command", "args") for word in items(container.get(field))]
            names |= {word.partition("=")[2] for word in words if word.startswith(f"{_NAMED}=")}
            names |= {words[index + 1] for index, word in enumerate(words[:-1]) if word == _NAMED}
    for item in context.index.by_kind.get(("", "ConfigMap"), ()):
        for value in mapping(item.manifest.get("data")).values():
            if isinstance(value, str) and "KubeSchedulerConfiguration" in value:
                names |= {
                    line.partition(":")[2].strip().strip("\"'")
                    for line in value.splitlines()
                    if "schedulerName:" in line
                }
    return frozenset(names - {""})


def _without_gang(context: Context) -> Iterator[tuple[RenderedObject, Fault]]:
    """Jobs whose pods are to start together, beside a training operator that asks no scheduler for it."""
    # MPIJobs of the left-out version are the MPI operator's, whatever the training operator is told.
    together = [
        item
        for item in context.index.objects
        if item.group == "kubeflow.org"
        and (item.api_version, item.kind) != ("kubeflow.org/v2beta1", "MPIJob")
        and mapping(at(item.manifest, "spec.runPolicy.schedulingPolicy"))
    ]
    if not together:
        return
    operators = [
        pods
        for pods in context.once(every_pods)
        if (pods.item.kind == "Deployment" and pods.labels.get("control-plane") == "kubeflow-training-operator")
        or pods.item.name == "training-operator"
    ]
    said = [
        text(word)
        for pods in operators
        for _, container in pods.containers()
        for field in ("command", "args")
        for word in items(container.get(field))
    ]
    found_by_owner = any(given.value.by_owner for given in gang_schedulers(context))
    if not operators or found_by_owner or any(word.startswith(_GANG) and not word.endswith("=none") for word in said):
        return
    for item in together:
        text_of = f"{operators[0].item} starts pods one by one: it has no gang scheduler configured"
        hint = f"set `gangScheduler:` of the training operator ({_GANG}), or leave the policy out"
        yield item, Fault("spec.runPolicy.schedulingPolicy", text_of, hint, "warning")


SCHEDULER_EXISTS = StackRule(
    id="scheduler-exists",
    severity="error",
    title="Every scheduler that pods name is installed",
    why="A pod for a scheduler that does not run stays Pending without an event.",
    fix="add the component that runs it, or leave schedulerName out",
    check=_check,
    without_stack="as a warning",
)
