"""What an experiment searches: parameters with their space, the algorithm, and where a trial's metrics are read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field, FiniteFloat

from platform_def.apis.kubeflow import katib_v1beta1 as v1
from platform_def.apis.kubeflow.katib_algorithms import Space
from platform_def.config.model import Model, conflict
from platform_def.jobs.parameters import AbsolutePath

ParameterName = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]*$", max_length=63)]
AlgorithmName = Literal[
    "random", "grid", "tpe", "multivariate-tpe", "bayesianoptimization", "hyperband", "cmaes", "sobol"
]
GROUPS = re.compile(r"\(.*\).*\(.*\)")
"""What Katib wants of a pattern."""
VALUE = "^[^\"'\\\\\\x00-\\x1f]+$"


class SearchParameter(Model):
    """A parameter that trials choose; `${<name>}` in the trial's words stands for its value."""

    name: ParameterName
    """Its name."""
    type: Literal["double", "int", "categorical"] = "double"
    """`double` and `int` lie between `min` and `max`; `categorical` is one of `values`."""
    min: FiniteFloat | None = None
    """Smallest value."""
    max: FiniteFloat | None = None
    """Largest value."""
    step: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    """Distance of values; needed by the algorithm `grid` for `double`."""
    scale: Literal["linear", "log"] = "linear"
    """`log`: as many tries between 0.001 and 0.01 as between 0.01 and 0.1."""
    values: list[Annotated[str, Field(max_length=200, pattern=VALUE)]] = Field(default_factory=list)
    """The values of a `categorical`, as text without quotes and backslashes: Katib writes them into the trial as they
    are."""

    @conflict
    def _one_space(self) -> Iterator[ValueError]:
        if self.type == "categorical":
            if not self.values or self.min is not None or self.max is not None or self.step is not None:
                yield ValueError("a categorical parameter has `values`, and neither `min`, `max` nor `step`")
        elif self.values or self.min is None or self.max is None or self.min >= self.max:
            raise ValueError("a number has `min` below `max`, and no `values`")
        elif self.type == "int" and any(each != int(each) for each in (self.min, self.max, self.step or 1)):
            yield ValueError("bounds and step of an int are whole")
        if self.scale == "log" and (self.type == "categorical" or (self.min or 0) <= 0):
            yield ValueError("only numbers above 0 have a logarithm")

    def parameter(self) -> v1.Parameter:
        """In Katib's words."""
        if self.type == "categorical":
            return {"name": self.name, "parameterType": "categorical", "feasibleSpace": {"list": [*self.values]}}
        space: v1.FeasibleSpace = {"min": self._text(self.min), "max": self._text(self.max)}
        if self.step is not None:
            space["step"] = self._text(self.step)
        if self.scale != "linear":
            space["distribution"] = "logUniform"
        return {"name": self.name, "parameterType": self.type, "feasibleSpace": space}

    def space(self) -> Space:
        """As an algorithm sees it."""
        if self.type == "categorical":
            return Space(self.name, self.type, values=len(self.values))
        bounds = (self.min or 0.0, self.max or 0.0, self.step)
        return Space(self.name, self.type, *bounds, log=self.scale == "log")

    def _text(self, value: float | None) -> str:
        return str(int(value or 0)) if self.type == "int" else f"{value:.15g}"


class Objective(Model):
    """What a trial is measured by."""

    metric: Annotated[str, Field(min_length=1, max_length=200)]
    """Metric that the program reports, in a line such as `accuracy=0.93`."""
    type: Literal["maximize", "minimize"] = "maximize"
    """Whether more is better."""
    goal: FiniteFloat | None = None
    """Value at which the search ends; by default it makes all its trials."""
    also: list[Annotated[str, Field(min_length=1, max_length=200)]] = Field(default_factory=list)
    """Further metrics that are kept."""

    @conflict
    def _once(self) -> Iterator[ValueError]:
        if self.metric in self.also:
            yield ValueError(f"{self.metric} is the metric already: take it out of `also`")

    def objective(self) -> v1.Objective:
        """In Katib's words."""
        made: v1.Objective = {"type": self.type, "objectiveMetricName": self.metric}
        if self.goal is not None:
            made["goal"] = self.goal
        if self.also:
            made["additionalMetricNames"] = [*self.also]
        return made


class TrialMetrics(Model):
    """Where a trial's metrics are read."""

    file: AbsolutePath | None = None
    """File that the program writes them to; by default its output."""
    format: Literal["TEXT", "JSON"] = "TEXT"
    """Lines `name=value`, or a JSON object in each line, with `timestamp`; JSON for a file only."""
    pattern: Annotated[str, Field(max_length=300)] | None = None
    """Regular expression with two groups, name and value, for lines of another form."""

    @conflict
    def _json_is_a_files(self) -> Iterator[ValueError]:
        if self.format == "JSON" and not self.file:
            yield ValueError("JSON is read from a file: name it by `file:`")
        if self.format == "JSON" and self.pattern:
            yield ValueError("a pattern reads lines of text, and no JSON: leave it out")
        if self.pattern and not GROUPS.search(self.pattern):
            yield ValueError("a pattern has two groups in parentheses, for name and value")

    def collector(self) -> v1.MetricsCollector:
        """In Katib's words."""
        made: v1.MetricsCollector = {"collector": {"kind": "File" if self.file else "StdOut"}}
        source: v1.MetricsSource = {}
        if self.file:
            source["fileSystemPath"] = {"kind": "File", "path": self.file, "format": self.format}
        if self.pattern:
            source["filter"] = {"metricsFormat": [self.pattern]}
        return {**made, "source": source} if source else made


class EarlyStopping(Model):
    """Ends trials whose metric is worse than the median of the others (medianstop)."""

    least_trials: Annotated[int, Field(ge=1, le=1000)] = 3
    """Trials that must have ended well before one is stopped."""
    start_step: Annotated[int, Field(ge=1, le=1_000_000)] = 4
    """Reports of a trial before it may be stopped."""

    def early_stopping(self) -> v1.EarlyStopping:
        """In Katib's words."""
        settings = {"min_trials_required": self.least_trials, "start_step": self.start_step}
        named: list[v1.NameValue] = [{"name": name, "value": str(value)} for name, value in settings.items()]
        return {"algorithmName": "medianstop", "algorithmSettings": named}
