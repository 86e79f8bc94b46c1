"""KAI 0.17 (kai.scheduler): a scheduler for a part of the nodes."""

from __future__ import annotations

from typing import Annotated, Required

from platform_def.apis.core import meta_v1
from platform_def.apis.kai.config_v1 import HEALTH
from platform_def.crds.model import Api, Definition
from platform_def.crds.schema import ExclusiveMinimum, Maximum, Minimum, Pattern, Quantity, Time
from platform_def.crds.typed_dict import TypedDict


class Action(TypedDict, total=False):
    """A step of each round: allocate, consolidation, reclaim, preempt, stalegangeviction."""

    enabled: bool
    """Whether it is taken."""
    priority: int
    """Those with greater numbers come first; the known ones have 500, 400 … 100."""


class MinRuntime(TypedDict, total=False):
    """How long jobs run at least before others take their place; queues may say other times."""

    preemptMinRuntime: str
    """Before a job of the same queue with a higher priority does: `10m`."""
    reclaimMinRuntime: str
    """Before a job of a queue that gets less than its quota does: `10m`."""


class PlacementStrategy(TypedDict, total=False):
    """Which nodes are preferred: `binpack` those in use, `spread` those with most room."""

    cpu: str
    """For pods without GPUs."""
    gpu: str
    """For pods with GPUs."""


class Plugin(TypedDict, total=False):
    """A plug-in of the scheduler."""

    arguments: dict[str, str]
    """In place of the default ones."""
    enabled: bool
    """Whether it is asked."""
    priority: int
    """Those with greater numbers come first; the known ones have 100 to 1900."""


class ScenarioSearchBudgets(TypedDict, total=False):
    """How long the scheduler looks for jobs that could make room; an experiment of upstream's."""

    maxActionSearchDuration: dict[str, str]
    """For all jobs of a round, by action, or as `default`."""
    maxGeneratorSearchDuration: dict[str, str]
    """For one way of searching, by its name, or as `default`."""
    maxJobSearchDuration: str
    """For one job that waits."""
    minJobSearchDuration: str
    """What each job that waits has in any case."""


class UsageParams(TypedDict, total=False):
    """Over which time use is added up."""

    cronString: str
    extraParams: dict[str, str]
    fetchInterval: str
    halfLifePeriod: str
    """After this time use counts half."""
    stalenessPeriod: str
    tumblingWindowStartTime: Time
    waitTimeout: str
    windowSize: Annotated[
        str, Pattern("^(0|(([0-9]+)y)?(([0-9]+)w)?(([0-9]+)d)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?)$")
    ]
    """A week if left out."""
    windowType: str


class UsageDBConfig(TypedDict, total=False):
    """Where the use of queues over time is read, so that who had more gets less."""

    clientType: Required[str]
    """`prometheus`."""
    connectionString: str
    """Its address; that of the Config if left out."""
    connectionStringEnvVar: str
    usageParams: UsageParams


class SchedulingShardSpec(TypedDict, total=False):
    """A scheduler of its own for the nodes, pods and queues that carry one value of a label."""

    actions: dict[str, Action]
    """Changes to the steps of each round, by name."""
    args: dict[str, str]
    """Flags of the scheduler, without dashes; unknown ones are passed over."""
    goMemLimit: Quantity
    """Memory at which Go begins to collect garbage eagerly."""
    goMemLimitRatio: Annotated[float, ExclusiveMinimum(), Maximum(1), Minimum(0)]
    """The same as a part of the container's limit; 0.9 if left out."""
    kValue: float
    """How much past use counts in addition to weights."""
    minRuntime: MinRuntime
    """How long jobs run at least."""
    partitionLabelValue: str
    """Value of the label (`nodePoolLabelKey` of the Config); empty: what does not carry it."""
    placementStrategy: PlacementStrategy
    """Which nodes are preferred; binpack if left out."""
    plugins: dict[str, Plugin]
    """Changes to the plug-ins, by name."""
    queueDepthPerAction: dict[str, int]
    """How many jobs of each queue a step looks at."""
    scenarioSearchBudgets: ScenarioSearchBudgets
    """How long the scheduler looks for jobs that could make room."""
    usageDBConfig: UsageDBConfig
    """Where the use of queues over time is read; it does not count if left out."""


class SchedulingShardStatus(TypedDict, total=False):
    """What the operator found."""

    conditions: list[meta_v1.Condition]


SCHEDULING_SHARD = Api(
    group="kai.scheduler",
    version="v1",
    kind="SchedulingShard",
    plural="schedulingshards",
    namespaced=False,
    spec=SchedulingShardSpec,
    status=SchedulingShardStatus,
    doc="A scheduler of KAI's for a part of the nodes.",
    core="1.37",
    status_subresource=True,
    health=HEALTH,
)

CRDS = (Definition((SCHEDULING_SHARD,)),)
