"""Volcano 1.15: flows of jobs, and what its controllers and node agents tell each other."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, Required

from platform_def.apis.core import core_v1, meta_v1
from platform_def.apis.volcano.batch_v1alpha1 import JobSpec, TaskStatusCount
from platform_def.crds.model import AGE, Api, Column, DataSchema, Definition
from platform_def.crds.schema import (
    Cel,
    Int32,
    Int64,
    Maximum,
    MaxLength,
    Minimum,
    MinItems,
    MinLength,
    Pattern,
    Ref,
    Time,
)
from platform_def.crds.typed_dict import TypedDict


class HttpGetList(TypedDict, total=False):
    """An HTTP request to the pods of a task; well with an answer of 200 to 399."""

    httpHeader: core_v1.HTTPHeader
    """Header of the request."""
    path: str
    """Path of the request."""
    port: Annotated[int, Maximum(65535), Minimum(0)]
    """Port of the pods."""
    taskName: Annotated[str, MaxLength(253)]
    """The task."""


class TaskStatusList(TypedDict, total=False):
    """A phase that a task must have reached."""

    phase: Annotated[str, MaxLength(63)]
    """The phase, such as Running."""
    taskName: Annotated[str, MaxLength(253)]
    """The task."""


class TcpSocketList(TypedDict, total=False):
    """A port of a task's pods that must be open."""

    port: Required[Annotated[int, Maximum(65535), Minimum(0)]]
    """The port."""
    taskName: Annotated[str, MaxLength(253)]
    """The task."""


class Probe(TypedDict, total=False):
    """What must hold of the jobs that a job waits for."""

    httpGetList: list[HttpGetList]
    """Requests that are answered."""
    taskStatusList: list[TaskStatusList]
    """Phases that tasks have reached."""
    tcpSocketList: list[TcpSocketList]
    """Ports that are open."""


class DependsOn(TypedDict, total=False):
    """Jobs of the flow to wait for."""

    probe: Probe
    """What must hold of them; that they are done if left out."""
    targets: list[str]
    """The jobs, by the names of their templates."""


class Patch(TypedDict, total=False):
    """Changes to a template for one flow."""

    jobSpec: JobSpec
    """What is different."""


class Flow(TypedDict, total=False):
    """One job of a flow."""

    dependsOn: DependsOn
    """Jobs to wait for."""
    name: Required[Annotated[str, MinLength(1), Ref("JobTemplate", group="flow.volcano.sh")]]
    """Template of the job, of the same namespace."""
    patch: Patch
    """Changes to the template."""


class JobFlowSpec(TypedDict, total=False):
    """Jobs that run in order, each from a template."""

    flows: list[Flow]
    """The jobs."""
    jobRetainPolicy: Literal["retain", "delete"]
    """delete: jobs go when the flow has succeeded; retain: they stay."""


class Condition(TypedDict, total=False):
    """How a job of the flow is."""

    createTime: Time
    phase: str
    runningDuration: str
    taskStatusCount: dict[str, TaskStatusCount]


class RunningHistory(TypedDict, total=False):
    """A state that a job was in."""

    endTimestamp: Time
    startTimestamp: Time
    state: str


class JobStatusList(TypedDict, total=False):
    """A job of the flow."""

    endTimestamp: Time
    name: str
    restartCount: Annotated[Int32, Minimum(0)]
    runningHistories: list[RunningHistory]
    startTimestamp: Time
    state: str


class State(TypedDict, total=False):
    """How the flow is."""

    phase: Literal["Succeed", "Terminating", "Failed", "Running", "Pending"]


class JobFlowStatus(TypedDict, total=False):
    """What the controller reports."""

    completedJobs: list[str]
    conditions: dict[str, Condition]
    failedJobs: list[str]
    jobStatusList: list[JobStatusList]
    pendingJobs: list[str]
    runningJobs: list[str]
    state: State
    terminatedJobs: list[str]
    unKnowJobs: list[str]


class JobTemplateStatus(TypedDict, total=False):
    """What the controller reports."""

    jobDependsOnList: list[str]


class ExactMatch(TypedDict, total=False):
    """A member by its name."""

    name: Required[
        Annotated[
            str,
            MaxLength(253),
            MinLength(1),
            Pattern(r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"),
        ]
    ]
    """Name of the node or HyperNode."""


class RegexMatch(TypedDict, total=False):
    """Members by an expression."""

    pattern: Required[Annotated[str, MinLength(1)]]
    """Expression that their names match."""


class Selector(TypedDict, total=False):
    """Members of a HyperNode, in one of three ways."""

    exactMatch: ExactMatch
    """One member by its name."""
    labelMatch: meta_v1.LabelSelector
    """Nodes by their labels."""
    regexMatch: RegexMatch
    """Members by an expression on their names."""


class Member(TypedDict, total=False):
    """Members of a HyperNode."""

    selector: Annotated[
        Selector,
        Cel(
            "has(self.exactMatch) || has(self.regexMatch) || has(self.labelMatch)",
            "needs exactMatch, regexMatch or labelMatch",
        ),
        Cel(
            "(has(self.exactMatch) ? 1 : 0) + (has(self.regexMatch) ? 1 : 0) + (has(self.labelMatch) ? 1 : 0) <= 1",
            "exactMatch, regexMatch and labelMatch exclude each other",
        ),
    ]
    """Which ones."""
    type: Required[Literal["Node", "HyperNode"]]
    """Node, or HyperNode of a lower tier."""


class HyperNodeSpec(TypedDict, total=False):
    """Nodes or HyperNodes below one switch."""

    members: Annotated[list[Member], MinItems(1)]
    """What it is made of."""
    tier: Required[Annotated[int, Minimum(0)]]
    """How far apart its nodes are: 1 is the narrowest."""
    tierName: Annotated[str, MaxLength(253)]
    """Name of the tier, which jobs may say instead."""


class HyperNodeStatus(TypedDict, total=False):
    """What the controller reports."""

    conditions: list[meta_v1.Condition]
    nodeCount: Annotated[Int64, Minimum(0)]


_DATA = Path(__file__).with_name("internal_v1alpha1.json")

JOB_FLOW = Api(
    group="flow.volcano.sh",
    version="v1alpha1",
    kind="JobFlow",
    plural="jobflows",
    spec=JobFlowSpec,
    status=JobFlowStatus,
    core="1.35",
    embedded_metadata=True,
    status_subresource=True,
    columns=(Column("Status", ".status.state.phase"), AGE),
    doc="Jobs that run in order, each from a template.",
)

JOB_TEMPLATE = Api(
    group="flow.volcano.sh",
    version="v1alpha1",
    kind="JobTemplate",
    plural="jobtemplates",
    spec=JobSpec,
    status=JobTemplateStatus,
    core="1.35",
    embedded_metadata=True,
    status_subresource=True,
    doc="A job that flows run by its name.",
)

COMMAND = Api(
    group="bus.volcano.sh",
    version="v1alpha1",
    kind="Command",
    plural="commands",
    spec=dict[str, object],
    top_level=True,
    data=DataSchema(_DATA, "commands/v1alpha1"),
    core="1.35",
    embedded_metadata=True,
)

COLOCATION_CONFIGURATION = Api(
    group="config.volcano.sh",
    version="v1alpha1",
    kind="ColocationConfiguration",
    plural="colocationconfigurations",
    spec=dict[str, object],
    data=DataSchema(_DATA, "colocationconfigurations/v1alpha1"),
    core="1.35",
    embedded_metadata=True,
    status_subresource=True,
)

NUMATOPOLOGY = Api(
    group="nodeinfo.volcano.sh",
    version="v1alpha1",
    kind="Numatopology",
    plural="numatopologies",
    namespaced=False,
    spec=dict[str, object],
    data=DataSchema(_DATA, "numatopologies/v1alpha1"),
    core="1.35",
    embedded_metadata=True,
)

NODE_SHARD = Api(
    group="shard.volcano.sh",
    version="v1alpha1",
    kind="NodeShard",
    plural="nodeshards",
    namespaced=False,
    spec=dict[str, object],
    data=DataSchema(_DATA, "nodeshards/v1alpha1"),
    core="1.35",
    embedded_metadata=True,
    status_subresource=True,
    columns=(Column("AGE", ".metadata.creationTimestamp", type="date"),),
)

HYPER_NODE = Api(
    group="topology.volcano.sh",
    version="v1alpha1",
    kind="HyperNode",
    plural="hypernodes",
    namespaced=False,
    spec=HyperNodeSpec,
    status=HyperNodeStatus,
    core="1.35",
    embedded_metadata=True,
    status_subresource=True,
    columns=(
        Column("Tier", ".spec.tier"),
        Column("TierName", ".spec.tierName"),
        Column("NodeCount", ".status.nodeCount", type="integer"),
        AGE,
    ),
    doc="Nodes or HyperNodes below one switch, for placing the pods of a job near each other.",
)

CRDS = (
    Definition((JOB_FLOW,), short_names=("jf",)),
    Definition((JOB_TEMPLATE,), short_names=("jt",)),
    Definition((COMMAND,)),
    Definition((COLOCATION_CONFIGURATION,)),
    Definition((NUMATOPOLOGY,), short_names=("numatopo",)),
    Definition((NODE_SHARD,), short_names=("nsh",)),
    Definition((HYPER_NODE,), short_names=("hn",)),
)
