"""Katib 0.19 (kubeflow.org): experiments that search for hyperparameters, and the trials that they make.

Upstream's CRDs have no schema, so the API server keeps whatever it gets and Katib's webhook judges it; the types are
for those who write experiments.
"""

from __future__ import annotations

from typing import Annotated, Literal, Required, TypeAlias

from platform_def.apis.core import core_v1
from platform_def.crds.health import HealthConditions
from platform_def.crds.model import AGE, Api, Column, Definition, Makes
from platform_def.crds.schema import Double, Int32, OpenObject, Ref, Shape
from platform_def.crds.typed_dict import TypedDict

Texts: TypeAlias = list[str]
"""For a type with a field that is called list itself."""


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
    """Further metrics that are collected and shown."""
    goal: Double
    """Value of the metric at which the search ends; never for that if left out."""
    metricStrategies: list[MetricStrategy]
    """Which of a metric's values counts; the best if left out."""
    objectiveMetricName: Required[str]
    """The metric that is searched by; trials print or write it."""
    type: Required[Literal["minimize", "maximize"]]
    """minimize or maximize."""


class Algorithm(TypedDict, total=False):
    """How the search goes."""

    algorithmName: Required[str]
    """random, grid, tpe, bayesianoptimization, hyperband, cmaes, sobol, pbt, enas, darts …"""
    algorithmSettings: list[NameValue]
    """Settings of the algorithm, such as random_state; its defaults if left out."""


class FeasibleSpace(TypedDict, total=False):
    """Values that a parameter may take: a list of a categorical or discrete one, bounds of a number."""

    distribution: Literal["uniform", "logUniform", "normal", "logNormal"]
    """How likely the values between the bounds are; uniform if left out."""
    list: Texts
    """All values, of a categorical or discrete parameter."""
    max: str
    """Greatest value, as text."""
    min: str
    """Least value, as text."""
    step: str
    """Distance between values, as text; a grid over doubles needs it."""


class Parameter(TypedDict, total=False):
    """What is searched for, one dimension."""

    feasibleSpace: Required[FeasibleSpace]
    """Values that it may take."""
    name: Required[str]
    """Its name, which trialParameters refer to."""
    parameterType: Required[Literal["double", "int", "discrete", "categorical"]]
    """double and int have bounds, discrete and categorical a list."""


class ConfigMapSource(TypedDict, total=False):
    """A trial's object in a ConfigMap."""

    configMapName: Required[Annotated[str, Ref("ConfigMap", namespace="configMapNamespace", key="templatePath")]]
    """Name of the ConfigMap; it carries the label katib.kubeflow.org/component: trial-templates."""
    configMapNamespace: Required[str]
    """Its namespace."""
    templatePath: Required[str]
    """Key of its data with the object as YAML."""


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
    """When the object has failed, as a GJSON query on it; known for Jobs and Kubeflow's jobs."""
    primaryContainerName: str
    """Container whose metrics are collected; it must be in the pod."""
    primaryPodLabels: dict[str, str]
    """Labels of the pod whose metrics are collected, where a trial has several; the master's of Kubeflow's jobs if
    left out."""
    retain: bool
    """True: the objects of finished trials stay; they are removed if left out."""
    successCondition: str
    """When the object has succeeded, as a GJSON query on it; known for Jobs and Kubeflow's jobs."""
    trialParameters: list[TrialParameter]
    """Placeholders in the object."""
    trialSpec: OpenObject
    """The object: a Job, a PyTorchJob, a Workflow …, written out."""


class EarlyStopping(TypedDict, total=False):
    """When trials without prospects are ended."""

    algorithmName: Required[str]
    """How it is judged: medianstop."""
    algorithmSettings: list[NameValue]
    """Settings, such as min_trials_required and start_step."""


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
    """Regular expressions with a group for the name and one for the value; name=value if left out."""


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
    """A search for the best parameters of a training, trial by trial."""

    algorithm: Algorithm
    """How the search goes."""
    earlyStopping: EarlyStopping
    """When trials without prospects are ended; never if left out."""
    maxFailedTrialCount: Int32
    """Failed trials at which the search fails."""
    maxTrialCount: Int32
    """Trials after which the search ends; when the goal is reached if left out."""
    metricsCollectorSpec: MetricsCollector
    """How metrics get to Katib; from standard output if left out."""
    nasConfig: NasConfig
    """Search for an architecture instead of parameters."""
    objective: Required[Objective]
    """What the search is after."""
    parallelTrialCount: Int32
    """Trials that run at once; 3 if left out."""
    parameters: list[Parameter]
    """What is searched for."""
    resumePolicy: Literal["Never", "LongRunning", "FromVolume"]
    """Whether a finished search can go on with a greater maxTrialCount: Never (the default), LongRunning keeps the
    algorithm's pod, FromVolume its state."""
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
    health=HealthConditions(ready=("Succeeded",), failed=("Failed",)),
    makes=(Makes("Suggestion", group="kubeflow.org"),),
    doc="A search for the best parameters of a training, trial by trial.",
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
    # It stays after its experiment has ended, and then neither runs nor is ready.
    health=HealthConditions(ready=("Created",), failed=("Failed",)),
    doc="What an algorithm suggests to try next; Katib makes one for each Experiment.",
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
    health=HealthConditions(ready=("Succeeded",), failed=("Failed", "MetricsUnavailable")),
    doc="One try of an Experiment; Katib makes it.",
)

CRDS = tuple(Definition((api,), categories=_CATEGORIES) for api in (EXPERIMENT, SUGGESTION, TRIAL))
