"""A search for hyperparameters by Katib: an Experiment whose trials are jobs of another template.

The trial is built as that template builds it, with its pool, volumes and queue; `${<parameter>}` in its words becomes
the value that the algorithm chose.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Annotated, Any

from pydantic import Field, ValidationError

from platform_def.apis.kubeflow import katib_v1beta1 as v1
from platform_def.config.model import conflict
from platform_def.config.platform import Platform
from platform_def.config.written.explain import details_of
from platform_def.constructs.resource import Resource
from platform_def.jobs.demand import Demand
from platform_def.jobs.placement import demand_problems
from platform_def.jobs.template import JobConfig, JobProblem, TemplateJob
from platform_def.jobs.tuning.search import (
    AlgorithmName,
    EarlyStopping,
    Objective,
    SearchParameter,
    TrialMetrics,
    algorithm_problems,
)

KIND = "Experiment.kubeflow.org"
ENDS = frozenset({"Job", "MPIJob", "PyTorchJob", "TFJob", "XGBoostJob"})
"""Kinds of which Katib knows when they have succeeded."""
TRIALS = ("gpu-job", "horovod", "mpi", "pytorch-ddp", "tensorflow", "xgboost")
"""Templates that make one of these with all words of the job in it; those of `trainjob` are in its runtime."""
FIRST = ("Master", "Chief", "Launcher", "Worker")
"""Roles of which the first that a job has reports its metrics."""
INHERITED = ("team", "namespace", "pool", "gpu_model", "sharing", "mig_profile", "priority", "priority_class")
"""Words of the experiment that its trials have too, unless they say otherwise."""


class ExperimentConfig(JobConfig):
    """Parameters of a search."""

    stays = "Experiment"
    objective: Objective
    """What a trial is measured by."""
    parameters: Annotated[list[SearchParameter], Field(min_length=1, max_length=100)]
    """What trials choose."""
    algorithm: AlgorithmName = "tpe"
    """Who chooses."""
    settings: dict[str, str] = Field(default_factory=dict)
    """Settings of the algorithm, by Katib's names: `{random_state: "1"}`."""
    trial: dict[str, Any]
    """A trial: a job as under `jobs:`, without a name. `${<parameter>}` in its words stands for the value."""
    trials: Annotated[int, Field(ge=1, le=10_000)] = 12
    """Trials at most."""
    parallel: Annotated[int, Field(ge=1, le=1000)] = 3
    """Trials at once."""
    failures: Annotated[int, Field(ge=0, le=10_000)] = 3
    """Failed trials after which the search has failed."""
    metrics: TrialMetrics = TrialMetrics()
    """Where a trial's metrics are read."""
    early_stopping: EarlyStopping | None = None
    """End trials without prospects."""
    keep_trials: bool | None = None
    """Keep the jobs of trials that have ended, with their pods and logs; by default where trials may be ended early:
    Katib reads what such a trial had reported only as long as its job is there."""

    @conflict
    def _a_job(self) -> Iterator[ValueError]:
        if self.trial.get("template") not in TRIALS:
            raise ValueError(f"trial.template is one of {', '.join(TRIALS)}")
        for word in ("name", "sync", "rerun"):
            if word in self.trial:
                yield ValueError(f"trial.{word}: trials get their names from Katib, which starts them")
        try:
            self.job()
        except ValidationError as error:
            for detail in details_of(error):
                where = ".".join(map(str, ("trial", *detail["loc"])))
                yield ValueError(f"{where}: {detail.get('ctx', {}).get('error') or detail['msg']}")

    @property
    def keeps(self) -> bool:
        """Whether jobs of ended trials stay."""
        return self.early_stopping is not None if self.keep_trials is None else self.keep_trials

    def job(self) -> JobConfig:
        """The trial as the job of its template."""
        from platform_def.jobs.templates import template  # loads this module

        own = {name: getattr(self, name) for name in INHERITED if getattr(self, name) is not None}
        model = template(self.trial["template"]).config_model()
        given = {model.model_fields[name].alias or name: value for name, value in own.items()}
        found: JobConfig = model.from_file({**given, **self.trial, "name": f"{self.name}-trial"[:40].rstrip("-")})
        return found

    def apis(self) -> tuple[str, ...]:
        """Katib's kind, and those of the trial."""
        return (KIND, *self.job().apis())

    def result_commands(self, made: Mapping[str, str], home: str) -> tuple[str, ...]:
        """The best trial so far, how many there are, and each with its values, as Katib keeps them in the cluster."""
        get, of = f"kubectl get experiment {made['Experiment']} -n {home} -o", "katib.kubeflow.org/experiment"
        best = "{.status.currentOptimalTrial.parameterAssignments}"
        counts = "{.status.trials} {.status.trialsSucceeded} {.status.trialsFailed} {.status.trialsEarlyStopped}"
        metrics = "METRICS:.status.observation.metrics[*].latest"
        columns = f"TRIAL:.metadata.name,VALUES:.spec.parameterAssignments[*].value,{metrics}"
        return (
            f"best: {get} jsonpath='{best}'",
            f"of {self.objective.metric}: {get} jsonpath='{{.status.currentOptimalTrial.observation.metrics}}'",
            f"trials: {get} jsonpath='{counts}'",
            f"each: kubectl get trials -n {home} -l {of}={made['Experiment']} -o custom-columns='{columns}'",
        )

    def queued_kinds(self) -> tuple[str, ...]:
        """The trials wait, one by one, and not the search."""
        return self.job().queued_kinds()

    def demand(self, platform: Platform) -> Demand | None:
        """What the trials ask for that run at once."""
        one = self.job().demand(platform)
        if one is None:
            return None
        many = min(self.parallel, self.trials)
        return replace(one, pods=one.pods * many, fabric_pods=one.fabric_pods * many, all_pods=one.all_pods * many)

    def problems(self, platform: Platform) -> Iterator[JobProblem]:
        """What is wrong with a trial, with all that run at once, and with the search."""
        found = [*self.job().problems(platform)]
        yield from (replace(each, field=f"trial.{each.field}") for each in found)
        demand = self.demand(platform)
        if demand and not found:
            yield from (replace(each, field="parallel") for each in demand_problems(demand, platform))
        if self.parallel > self.trials:
            yield JobProblem("parallel", f"{self.parallel} trials at once are more than all {self.trials}")
        names = [each.name for each in self.parameters]
        if twice := next((name for name in names if names.count(name) > 1), None):
            yield JobProblem("parameters", f"'{twice}' is listed twice")
        if unused := next((name for name in names if f"${{{name}}}" not in str(self.trial)), None):
            text = f"no word of the trial has ${{{unused}}}, so that all its values are one"
            yield JobProblem("trial", text, f"write it among `args:`, `command:` or `env:`: `--{unused}=${{{unused}}}`")
        yield from algorithm_problems(self.algorithm, self.settings, self.parameters)


class Experiment(TemplateJob[ExperimentConfig]):
    """An Experiment, and what its trials share, such as claims."""

    def build(self) -> None:
        """The trial by its template, whose job goes into the experiment."""
        from platform_def.jobs.templates import template  # loads this module

        trial = self.config.job()
        made = template(trial.template)(self, config=trial, platform=self.platform)
        (job,) = (each for each in made.node.find_all() if isinstance(each, Resource) and each.body["kind"] in ENDS)
        made.node.try_remove_child(job.node.id)
        Resource(self, v1.EXPERIMENT, self.unique_name, spec=self.spec(job.manifest))

    def spec(self, job: Mapping[str, Any]) -> v1.ExperimentSpec:
        """The experiment's specification."""
        config = self.config
        spec: v1.ExperimentSpec = {
            "objective": config.objective.objective(),
            "algorithm": {"algorithmName": config.algorithm},
            "parameters": [each.parameter() for each in config.parameters],
            "maxTrialCount": config.trials,
            "parallelTrialCount": config.parallel,
            # Katib refuses more of them than trials, which could not fail in any case.
            "maxFailedTrialCount": min(config.failures, config.trials),
            "metricsCollectorSpec": config.metrics.collector(),
            "resumePolicy": "Never",
            "trialTemplate": self.trial(job),
        }
        if config.settings:
            named: list[v1.NameValue] = [
                {"name": name, "value": text} for name, text in sorted(config.settings.items())
            ]
            spec["algorithm"]["algorithmSettings"] = named
        if config.early_stopping:
            spec["earlyStopping"] = config.early_stopping.early_stopping()
        return spec

    def trial(self, job: Mapping[str, Any]) -> v1.TrialTemplate:
        """The trial, whose name and namespace Katib writes."""
        names = [each.name for each in self.config.parameters]
        metadata = {key: job["metadata"][key] for key in ("labels", "annotations") if job["metadata"].get(key)}
        body = {"apiVersion": job["apiVersion"], "kind": job["kind"], "metadata": metadata, "spec": job["spec"]}
        role, container = primary(job)
        made: v1.TrialTemplate = {
            "primaryContainerName": container,
            "retain": self.config.keeps,
            "trialParameters": [{"name": name, "reference": name} for name in names],
            "trialSpec": chosen(body, names),
        }
        if role:
            made["primaryPodLabels"] = labels(role, str(job["apiVersion"]))
        return made


def primary(job: Mapping[str, Any]) -> tuple[str, str]:
    """Role, where a job has some, and container whose metrics are read."""
    spec = job["spec"]
    roles: Mapping[str, Any] = next((value for key, value in spec.items() if key.endswith("ReplicaSpecs")), {})
    role = next((each for each in FIRST if each in roles), "")
    template = roles[role]["template"] if role else spec["template"]
    return role, str(template["spec"]["containers"][0]["name"])


def labels(role: str, api_version: str) -> dict[str, str]:
    """Labels of that role's first pod alone: of a launcher, which is one, the training operator says no number, and
    the MPI operator neither number nor type."""
    group = "training.kubeflow.org"
    if role != "Launcher":
        return {f"{group}/replica-type": role.lower(), f"{group}/replica-index": "0"}
    return {f"{group}/{'job-role' if api_version.endswith('/v2beta1') else 'replica-type'}": "launcher"}


def chosen(value: Any, names: list[str]) -> Any:
    """The trial with `${trialParameters.<name>}` for `${<name>}`, in every text."""
    if isinstance(value, Mapping):
        return {key: chosen(each, names) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [chosen(each, names) for each in value]
    if isinstance(value, str) and "${" in value:
        known = "|".join(map(re.escape, names))
        return re.sub(rf"\$\{{({known})\}}", r"${trialParameters.\1}", value)
    return value
