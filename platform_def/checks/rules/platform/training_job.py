"""Training jobs are such as their operator runs: the container that it looks for, as many pods as their policies say.

Facts: the admission webhooks of training-operator 1.9.4 (container names, one Master, elastic policies) and its
controllers (torchrun gets `--nnodes min:max`, PodGroups get minAvailable); 1.7.0 asks MXJobs for a container `mxnet`;
validation of mpi-operator 0.8.2, which has no webhook and leaves a wrong job alone. Each pod of those with roles gets a
Service called `<job>-<role>-<index>`; where it cannot be created the operator keeps trying. Ray's: `programs/ray.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from platform_def.checks.fault import Fault
from platform_def.checks.rule import ObjectRule, reads_nothing
from platform_def.checks.rules.platform.programs.ray import RAY_KINDS, ray_faults
from platform_def.errors import nearest
from platform_def.manifests.loose import at, items, mapping
from platform_def.manifests.rendered import Manifest

TRAINING_JOBS: Mapping[str, tuple[str, str]] = {
    "PyTorchJob": ("pytorchReplicaSpecs", "pytorch"),
    "TFJob": ("tfReplicaSpecs", "tensorflow"),
    "XGBoostJob": ("xgbReplicaSpecs", "xgboost"),
    "PaddleJob": ("paddleReplicaSpecs", "paddle"),
    "JAXJob": ("jaxReplicaSpecs", "jax"),
    "MXJob": ("mxReplicaSpecs", "mxnet"),
    "MPIJob": ("mpiReplicaSpecs", ""),
}
"""Of each kind the field that holds its roles, and the container that its operator looks for."""
_ONE_MASTER = frozenset({"PyTorchJob", "XGBoostJob"})
_NAMED = frozenset({"PyTorchJob", "TFJob", "XGBoostJob", "PaddleJob", "JAXJob", "MXJob"})
_LABEL = re.compile(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?")
_LONGEST_NAME = 63
_GPU = "nvidia.com/gpu"
_OVER_SSH = "kubeflow.org/v2beta1"
"""MPIJobs of the MPI operator."""
_ROLES: Mapping[str, tuple[str, ...]] = {
    "JAXJob": ("Worker",),
    "MPIJob": ("Launcher", "Worker"),
    "PaddleJob": ("Master", "Worker"),
    "PyTorchJob": ("Master", "Worker"),
    "TFJob": ("Chief", "Evaluator", "Master", "PS", "Worker"),
    "XGBoostJob": ("Master", "Worker"),
}
"""Roles of kinds whose webhook or defaults know no others; in any case, for defaults of some correct that."""
_RESTARTS = ("Never", "OnFailure")
_CLEANINGS = ("All", "None", "Running")


def _check(manifest: Manifest, _: None) -> Iterator[Fault]:
    group = str(manifest.get("apiVersion")).partition("/")[0]
    if group == "ray.io" and manifest.get("kind") in RAY_KINDS:
        yield from ray_faults(manifest)
    elif group == "kubeflow.org" and manifest.get("kind") in TRAINING_JOBS:
        yield from _of_kubeflow(manifest)


def _of_kubeflow(manifest: Manifest) -> Iterator[Fault]:
    kind = str(manifest.get("kind"))
    field, container = TRAINING_JOBS[kind]
    roles = mapping(at(manifest, f"spec.{field}"))
    name = at(manifest, "metadata.name")
    if kind in _NAMED and isinstance(name, str):
        yield from _name(name, roles)
    for role, spec in roles.items():
        path = f"spec.{field}.{role}"
        names = [mapping(each).get("name") for each in items(at(spec, "template.spec.containers"))]
        if container and names and container not in names:
            there = ", ".join(map(str, names))[:80]
            said = f"the operator looks for a container named '{container}', and there is {there}"
            yield Fault(f"{path}.template.spec.containers", said, f"name the one that trains '{container}'")
        if role == "Master" and kind in _ONE_MASTER and at(spec, "replicas") != 1:
            unsaid = at(spec, "replicas") is None
            said = "a job has one Master, and says so"
            # Before 1.8 the operator had no webhook, and took one for granted.
            yield Fault(
                f"{path}.replicas" if not unsaid else path, said, "write replicas: 1", "warning" if unsaid else None
            )
    if manifest["apiVersion"] != _OVER_SSH:
        yield from _roles(kind, field, roles)
        yield from _cleaning(manifest)
    if kind == "XGBoostJob" and roles and "Master" not in roles:
        yield Fault(f"spec.{field}", "the job has no Master", "add one with replicas: 1")
    if kind == "TFJob" and {"Chief", "Master"} <= {*roles}:
        yield Fault(f"spec.{field}", "a job has a Chief or a Master, not both", "leave one of them out")
    if kind == "PyTorchJob":
        yield from _elastic(manifest, roles)
        yield from _processes(manifest, roles)
    if manifest["apiVersion"] == _OVER_SSH:
        yield from _over_ssh(manifest, roles)
    yield from _gang(manifest, roles)


def _roles(kind: str, field: str, roles: Mapping[str, Any]) -> Iterator[Fault]:
    known = _ROLES.get(kind, ())
    for role in roles:
        if known and str(role).lower() not in map(str.lower, known):
            said = f"the operator knows no role {str(role)[:40]!r} of a {kind}, and refuses the job"
            yield Fault(f"spec.{field}.{role}", said, nearest(str(role), known))


def _cleaning(manifest: Manifest) -> Iterator[Fault]:
    chosen = at(manifest, "spec.runPolicy.cleanPodPolicy")
    if isinstance(chosen, str) and chosen not in ("", *_CLEANINGS):
        said = f"{chosen[:40]!r} is none of {', '.join(_CLEANINGS)}: the operator takes it as All, and logs go"
        yield Fault("spec.runPolicy.cleanPodPolicy", said, nearest(chosen, _CLEANINGS), "warning")


def _name(name: str, roles: Mapping[str, Any]) -> Iterator[Fault]:
    if not _LABEL.fullmatch(name):
        said = "the operator makes a Service of this name: a letter first, then letters, digits and dashes, at most 63"
        yield Fault("metadata.name", said, "")
        return
    counts = {role: at(spec, "replicas") for role, spec in roles.items()}
    last = [
        f"{name}-{str(role).lower()}-{max(pods, 1) - 1 if isinstance(pods, int) else 0}"
        for role, pods in counts.items()
    ]
    longest = max(last, key=len, default="")
    if len(longest) > _LONGEST_NAME:
        said = f"a pod's Service would be called {longest}: {len(longest)} characters, and a name has {_LONGEST_NAME}"
        yield Fault("metadata.name", said, f"shorten it by {len(longest) - _LONGEST_NAME}")


def _over_ssh(manifest: Manifest, roles: Mapping[str, Any]) -> Iterator[Fault]:
    name, workers = at(manifest, "metadata.name"), at(roles.get("Worker"), "replicas")
    count = workers if isinstance(workers, int) and workers > 0 else 1
    last = f"{name}-worker-{count - 1}"
    if isinstance(name, str) and not _LABEL.fullmatch(last):
        said = f"the last worker would be called {last}: a letter first, then letters, digits and dashes, at most 63"
        yield Fault("metadata.name", said, "shorten it, or let it begin with a letter")
    if roles and "Launcher" not in roles:
        yield Fault("spec.mpiReplicaSpecs", "the job has no Launcher", "add one with replicas: 1")
    for role, spec in roles.items():
        path, pods = f"spec.mpiReplicaSpecs.{role}", at(spec, "replicas")
        if role not in ("Launcher", "Worker"):
            yield Fault(path, "the operator knows the roles Launcher and Worker", "give its pods to one of these")
        elif isinstance(pods, int) and (pods != 1 if role == "Launcher" else pods < 1):
            said = "a job has one Launcher" if role == "Launcher" else "a role without pods is left out"
            yield Fault(f"{path}.replicas", said, "write 1" if role == "Launcher" else "leave the role Worker out")
        restart = at(spec, "restartPolicy")
        if isinstance(restart, str) and restart not in _RESTARTS:
            said = f"the operator restarts {' or '.join(_RESTARTS)}, not {restart[:40]}"
            yield Fault(f"{path}.restartPolicy", said, "write OnFailure")
    cleaning = at(manifest, "spec.runPolicy.cleanPodPolicy")
    if isinstance(cleaning, str) and cleaning not in _CLEANINGS:
        said = f"workers are removed by one of {', '.join(_CLEANINGS)}, not {cleaning[:40]}"
        yield Fault("spec.runPolicy.cleanPodPolicy", said, "write Running")


def _elastic(manifest: Manifest, roles: Mapping[str, Any]) -> Iterator[Fault]:
    policy = mapping(at(manifest, "spec.elasticPolicy"))
    if not policy:
        return
    if "Worker" not in roles:
        yield Fault("spec.elasticPolicy", "only workers are elastic, and the job has none", "add a role Worker")
        return
    if policy.get("nProcPerNode") is not None and at(manifest, "spec.nprocPerNode") is not None:
        said = "the processes of a node are said twice"
        yield Fault("spec.elasticPolicy.nProcPerNode", said, "leave this one out: spec.nprocPerNode is newer")
    fewest, most = policy.get("minReplicas"), policy.get("maxReplicas")
    workers = at(roles["Worker"], "replicas")
    if isinstance(fewest, int) and isinstance(most, int) and fewest > most:
        yield Fault("spec.elasticPolicy.minReplicas", f"more than maxReplicas, which is {most}", "lower it")
        return
    if isinstance(workers, int) and isinstance(fewest, int) and workers < fewest:
        said = f"{workers} workers, and torchrun waits for {fewest} before it starts"
        yield Fault("spec.pytorchReplicaSpecs.Worker.replicas", said, f"write at least {fewest}, or lower minReplicas")
    if isinstance(workers, int) and isinstance(most, int) and workers > most:
        said = f"{workers} workers, and torchrun takes {most}: the others wait"
        yield Fault("spec.pytorchReplicaSpecs.Worker.replicas", said, f"write at most {most}, or raise maxReplicas")


def _processes(manifest: Manifest, roles: Mapping[str, Any]) -> Iterator[Fault]:
    said = str(at(manifest, "spec.nprocPerNode"))
    if not said.isdecimal():
        return
    for role, spec in roles.items():
        for container in items(at(spec, "template.spec.containers")):
            limits = mapping(at(container, "resources.limits"))
            cards = str(limits.get(_GPU, ""))
            if mapping(container).get("name") == "pytorch" and cards.isdecimal() and 0 < int(cards) < int(said):
                text = f"{said} processes a node, and a pod of role {role} has {cards} GPUs: the others find none"
                yield Fault("spec.nprocPerNode", text, f"write {cards}, or gpu for as many as there are GPUs")
                return


def _gang(manifest: Manifest, roles: Mapping[str, Any]) -> Iterator[Fault]:
    fewest = at(manifest, "spec.runPolicy.schedulingPolicy.minAvailable")
    counts = [mapping(spec).get("replicas", 1) for spec in roles.values()]
    if isinstance(fewest, int) and counts and all(isinstance(count, int) for count in counts) and fewest > sum(counts):
        said = f"{fewest} pods must start together, and the job has {sum(counts)}"
        yield Fault("spec.runPolicy.schedulingPolicy.minAvailable", said, f"write at most {sum(counts)}")


TRAINING_JOB = ObjectRule(
    id="training-job",
    severity="error",
    title="The operator can run every training job",
    why="The operator's webhook refuses it, or, without one, the job is accepted and no pod ever starts or trains.",
    fix="see the job's fields with `platformctl explain api`",
    kinds=frozenset(TRAINING_JOBS) | frozenset(RAY_KINDS),
    reads=reads_nothing,
    check=_check,
)
