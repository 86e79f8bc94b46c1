"""A taint of sick nodes: a CronJob with an account that may list and patch nodes, and a policy of the API server that
lets this account change this one taint, on nodes of the stack's pools alone."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from platform_def.apis.core.admissionregistration_v1 import (
    VALIDATING_ADMISSION_POLICY,
    VALIDATING_ADMISSION_POLICY_BINDING,
    ValidatingAdmissionPolicySpec,
)
from platform_def.apis.core.core_v1 import Container, PodSpec
from platform_def.config.model import LabelKey, Model
from platform_def.config.platform import Platform
from platform_def.config.pools import NodePool
from platform_def.constructs import RESTRICTED, Account, AnyComponent, Resource, allow, config_map
from platform_def.constructs.secrets import PYTHON, UNPRIVILEGED
from platform_def.constructs.volumes import config_files
from platform_def.constructs.workloads.jobs import CronJob

NAME = "node-taints"
SINCE = "1.30"
"""The first Kubernetes that serves the policy's API in a stable version."""
Schedule = Annotated[str, Field(pattern=r"^(\S+ ){4}\S+$", max_length=100)]
Condition = Annotated[str, Field(pattern=r"^[A-Z][A-Za-z0-9]*$", max_length=63)]


class TaintConfig(Model):
    """A taint for the nodes of GPU pools that have one of some conditions; no new pod is placed there meanwhile."""

    key: LabelKey = "platform-def.dev/sick"
    """Key of the taint; its value is the condition."""
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"] = "NoSchedule"
    """`NoExecute` also ends what runs there, at once and whatever a PodDisruptionBudget says."""
    conditions: Annotated[list[Condition], Field(min_length=1)] = Field(
        default_factory=lambda: ["GpuFatalError", "GpuMissing"]
    )
    """Conditions that count. Not GpuDriverMissing: a driver that a DaemonSet brings could then never come."""
    most_percent: Annotated[int, Field(ge=1, le=100)] = 50
    """How much of a pool may be tainted, rounded down, one node at the least. What looks like a fault of every node
    mostly is one of the driver or of a check."""
    schedule: Schedule = "* * * * *"
    """When nodes are looked at, as a cron line."""


def pools_of(platform: Platform) -> list[NodePool]:
    """The pools whose nodes are looked at."""
    return [each for each in platform.node_pools if each.gpu]


def problems(platform: Platform) -> Iterator[tuple[str, str]]:
    """What the taint lacks in a stack, and what to do."""
    if platform.kubernetes < SINCE:
        yield (
            f"the policy that keeps its account to one taint needs Kubernetes {SINCE}, and the cluster is older",
            "leave `taint` out, and drain sick nodes by hand",
        )
    if not pools_of(platform):
        yield "the stack has no pool with GPUs whose nodes it could taint", "name one under `nodePools`"
    for each in pools_of(platform):
        if not each.selector:
            yield (
                f"pool {each.name} has no selector, so its nodes are not known",
                f"write the `selector` of pool {each.name}",
            )


def make(component: AnyComponent, wanted: TaintConfig) -> None:
    """The account, the policy that binds it, and the CronJob with its program."""
    pools = [dict(each.selector) for each in pools_of(component.platform)]
    Account(component, NAME).allow([allow("", "nodes", verbs="list patch")])
    user = f"system:serviceaccount:{component.namespace}:{NAME}"
    Resource(component, VALIDATING_ADMISSION_POLICY, NAME, spec=policy(user, wanted.key, pools))
    Resource(
        component,
        VALIDATING_ADMISSION_POLICY_BINDING,
        NAME,
        spec={"policyName": NAME, "validationActions": ["Deny"]},
    )
    plan = {
        "pools": pools,
        "key": wanted.key,
        "effect": wanted.effect,
        "conditions": wanted.conditions,
        "mostPercent": wanted.most_percent,
    }
    files = {"taint_program.py": program(), "plan.json": json.dumps(plan, indent=2, sort_keys=True) + "\n"}
    config_map(component, NAME, files)
    CronJob(component, NAME, pod=_pod(), schedule=wanted.schedule, extra_spec={"startingDeadlineSeconds": 60})


def policy(user: str, key: str, pools: Sequence[dict[str, str]]) -> ValidatingAdmissionPolicySpec:
    """A user may change this taint of nodes with the labels of one of the pools, and nothing else of any node."""
    chosen = " || ".join(f"({_labelled(each)})" for each in pools)
    others = "{}.spec.?taints.orValue([]).filter(taint, taint.key != " + _text(key) + ")"
    same = " && ".join(
        f"object.{each} == oldObject.{each}"
        for each in (
            "metadata.?labels",
            "metadata.?annotations",
            "metadata.?finalizers",
            "metadata.?ownerReferences",
            "spec.?unschedulable",
            "spec.?providerID",
            "spec.?podCIDR",
            "spec.?podCIDRs",
            "spec.?configSource",
            "spec.?externalID",
        )
    )
    return {
        "failurePolicy": "Fail",
        "matchConstraints": {
            "resourceRules": [
                {"apiGroups": [""], "apiVersions": ["*"], "operations": ["UPDATE"], "resources": ["nodes", "nodes/*"]}
            ]
        },
        "matchConditions": [{"name": "is-the-account", "expression": f"request.userInfo.username == {_text(user)}"}],
        "variables": [{"name": "labels", "expression": "oldObject.metadata.?labels.orValue({})"}],
        "validations": [
            {"expression": chosen, "message": "this account may write nodes of the stack's GPU pools alone"},
            {
                "expression": f"{others.format('object')} == {others.format('oldObject')} && {same}",
                "message": f"this account may write the taint {key} alone",
            },
        ],
    }


def _labelled(selector: Mapping[str, str]) -> str:
    """Whether the node has these labels."""
    return " && ".join(
        f"variables.labels[?{_text(name)}].orValue('') == {_text(value)}" for name, value in selector.items()
    )


def _text(value: str) -> str:
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


@cache
def program() -> str:
    """The program, as it is delivered."""
    return Path(__file__).with_name("taint_program.py").read_text()


def _pod() -> PodSpec:
    container: Container = {
        "name": "taints",
        "image": PYTHON,
        "command": ["python3", "-B", "-I", "/program/taint_program.py", "/program/plan.json"],
        "resources": {"requests": {"cpu": "10m", "memory": "32Mi"}, "limits": {"memory": "128Mi"}},
        "securityContext": RESTRICTED,
        "volumeMounts": [{"name": NAME, "mountPath": "/program", "readOnly": True}],
    }
    return {
        "serviceAccountName": NAME,
        "securityContext": UNPRIVILEGED,
        "restartPolicy": "Never",  # the next run is a minute away
        "nodeSelector": {"kubernetes.io/os": "linux"},
        "containers": [container],
        "volumes": [*config_files(NAME)],
    }
