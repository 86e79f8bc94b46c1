"""Katib 0.19 (kubeflow.org): experiments that search for hyperparameters, and the trials that they make.

Upstream's CRDs have no schema, so the API server keeps whatever it gets and Katib's webhook judges it; the types are
for those who write experiments.
"""
# ruff: noqa: UP013 - a field is called like the builtin that its type needs

from __future__ import annotations

from typing import Literal, Required, TypedDict

from platform_def.apis.core import core_v1
from platform_def.apis.health import Health
from platform_def.apis.model import AGE, Api, Column, Definition
from platform_def.apis.schema import Double, Int32, OpenObject, Shape


class NameValue(TypedDict, total=False):
    """A setting."""

    name: Required[str]
    """Its name."""
    value: Required[str]
    """Its value, as text."""


class MetricStrategy(TypedDict, total=False):
    """Which of a metric's values counts."""

    name: Required[str]
    """The metric."""
    value: Required[Literal["min", "max", "latest"]]
    """Which of its values."""


class Objective(TypedDict, total=False):
    """What the search is after."""

    additionalMetricNames: list[str]
    """Further metrics that are collected."""
    goal: Double
    """Value at which the search ends."""
    metricStrategies: list[MetricStrategy]
    """Which of a metric's values counts; the best if left out."""
    objectiveMetricName: Required[str]
    """The metric that is searched by."""
    type: Required[Literal["minimize", "maximize"]]
    """Whether small or great values are good."""


class Algorithm(TypedDict, total=False):
    """How the search goes."""

    algorithmName: Required[str]
    """random, grid, tpe, bayesianoptimization, hyperband, cmaes, sobol, pbt, enas, darts …"""
    algorithmSettings: list[NameValue]
    """Settings of the algorithm."""


FeasibleSpace = TypedDict(
    "FeasibleSpace",
    {
        "distribution": Literal["uniform", "logUniform", "normal", "logNormal"],
        "list": list[str],
        "max": str,
        "min": str,
        "step": str,
    },
    total=False,
)
"""Values that a parameter may take: a list of a categorical or discrete one, bounds of a number."""


class Parameter(TypedDict, total=False):
    """What is searched for."""

    feasibleSpace: Required[FeasibleSpace]
    """Values that it may take."""
    name: Required[str]
    """Its name."""
    parameterType: Required[Literal["double", "int", "discrete", "categorical"]]
    """Its type."""


class ConfigMapSource(TypedDict, total=False):
    """A trial's object in a ConfigMap."""

    configMapName: Required[str]
    """Name of the ConfigMap."""
    configMapNamespace: Required[str]
    """Its namespace."""
    templatePath: Required[str]
    """Key in its data."""


class TrialParameter(TypedDict, total=False):
    """A placeholder in a trial's object."""

    description: str
    """What it is."""
    name: Required[str]
    """`${trialParameters.<name>}` stands in the object."""
    reference: Required[str]
    """The parameter that is put there, or `${trialSpec.…}`."""


class TrialTemplate(TypedDict, total=False):
    """What a trial runs."""

    configMap: ConfigMapSource
    """The object, where it stands in a ConfigMap."""
    failureCondition: str
    """When the object has failed, in GJSON."""
    primaryContainerName: str
    """Container whose metrics are collected."""
    primaryPodLabels: dict[str, str]
    """Labels of the pod whose metrics are collected, where a trial has several."""
    retain: bool
    """The objects of finished trials stay."""
    successCondition: str
    """When the object has succeeded, in GJSON."""
    trialParameters: list[TrialParameter]
    """Placeholders in the object."""
    trialSpec: OpenObject
    """The object: a Job, a PyTorchJob …"""


class EarlyStopping(TypedDict, total=False):
    """When trials without prospects are ended."""

    algorithmName: Required[str]
    """medianstop."""
    algorithmSettings: list[NameValue]
    """Settings of the algorithm."""


class FileSystemPath(TypedDict, total=False):
    """Metrics in a file."""

    format: Literal["TEXT", "JSON"]
    """Format of the file."""
    kind: Literal["File", "Directory"]
    """A file, or a folder of TensorFlow events."""
    path: str
    """Its path in the container."""


class Filter(TypedDict, total=False):
    """How metrics look in text."""

    metricsFormat: list[str]
    """Regular expressions with a group for the name and one for the value."""


class MetricsSource(TypedDict, total=False):
    """Where a collector finds the metrics."""

    fileSystemPath: FileSystemPath
    """In a file."""
    filter: Filter
    """How they look."""
    httpGet: core_v1.HTTPGetAction
    """At an address of the container."""


class Collector(TypedDict, total=False):
    """What collects the metrics."""

    customCollector: core_v1.Container
    """A container of one's own."""
    kind: Literal["StdOut", "File", "TensorFlowEvent", "PrometheusMetric", "Custom", "Push", "None"]
    """Where it looks."""


class MetricsCollector(TypedDict, total=False):
    """How metrics get from trials to Katib."""

    collector: Collector
    """What collects them."""
    source: MetricsSource
    """Where they are."""


class GraphConfig(TypedDict, total=False):
    """A network whose architecture is searched for."""

    inputSizes: list[Int32]
    """Sizes of the input."""
    numLayers: Int32
    """Layers."""
    outputSizes: list[Int32]
    """Sizes of the output."""


class Operation(TypedDict, total=False):
    """A building block of the network."""

    operationType: str
    """Its type, such as convolution."""
    parameters: list[Parameter]
    """Its parameters."""


class NasConfig(TypedDict, total=False):
    """Search for an architecture."""

    graphConfig: GraphConfig
    """The network."""
    operations: list[Operation]
    """Building blocks."""


class ExperimentSpec(TypedDict, total=False):
    """A search for the best parameters of a training."""

    algorithm: Algorithm
    """How the search goes."""
    earlyStopping: EarlyStopping
    """When trials without prospects are ended."""
    maxFailedTrialCount: Int32
    """Failed trials at which the search fails."""
    maxTrialCount: Int32
    """Trials after which the search ends."""
    metricsCollectorSpec: MetricsCollector
    """How metrics get to Katib; from standard output if left out."""
    nasConfig: NasConfig
    """Search for an architecture instead of parameters."""
    objective: Required[Objective]
    """What the search is after."""
    parallelTrialCount: Int32
    """Trials that run at once."""
    parameters: list[Parameter]
    """What is searched for."""
    resumePolicy: Literal["Never", "LongRunning", "FromVolume"]
    """Whether a finished search can go on with a greater maxTrialCount."""
    trialTemplate: TrialTemplate
    """What a trial runs."""


_OPEN = (Shape({"type": "object", "x-kubernetes-preserve-unknown-fields": True}),)
_STATE = (Column("Type", ".status.conditions[-1:].type"), Column("Status", ".status.conditions[-1:].status"))
_CATEGORIES = ("all", "kubeflow", "katib")

EXPERIMENT = Api(
    group="kubeflow.org",
    version="v1beta1",
    kind="Experiment",
    plural="experiments",
    spec=ExperimentSpec,
    rules=_OPEN,
    core="1.31",
    status_subresource=True,
    columns=(*_STATE, AGE),
    health=Health(ready=("Succeeded",), failed=("Failed",)),
)

SUGGESTION = Api(
    group="kubeflow.org",
    version="v1beta1",
    kind="Suggestion",
    plural="suggestions",
    spec=dict[str, object],
    rules=_OPEN,
    status_subresource=True,
    columns=(*_STATE, Column("Requested", ".spec.requests"), Column("Assigned", ".status.suggestionCount"), AGE),
)

TRIAL = Api(
    group="kubeflow.org",
    version="v1beta1",
    kind="Trial",
    plural="trials",
    spec=dict[str, object],
    rules=_OPEN,
    status_subresource=True,
    columns=(*_STATE, AGE),
    health=Health(ready=("Succeeded",), failed=("Failed",)),
)

CRDS = tuple(Definition((api,), categories=_CATEGORIES) for api in (EXPERIMENT, SUGGESTION, TRIAL))
