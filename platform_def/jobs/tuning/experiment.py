"""A search for hyperparameters by Katib: an Experiment whose trials are jobs of another template.

The trial is built as that template builds it, with its pool, volumes and queue; `${<parameter>}` in its words becomes
the value that the algorithm chose.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Annotated, Any

from pydantic import Field, ValidationError

from platform_def.apis.kubeflow import katib_v1beta1 as v1
from platform_def.apis.kubeflow.katib_algorithms import Search, grid_points, unfit
from platform_def.config.model import Name, conflict
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
)

KIND = "Experiment.kubeflow.org"
ENDS = frozenset({"Job", "MPIJob", "PyTorchJob", "TFJob", "XGBoostJob"})
"""Kinds of which Katib knows when they have succeeded."""
TRIALS = ("gpu-job", "horovod", "mpi", "pytorch-ddp", "tensorflow", "xgboost")
"""Templates that make one of these with all words of the job in it; those of `trainjob` are in its runtime."""
FIRST = ("Master", "Chief", "Launcher", "Worker")
"""Roles of which the first that a job has reports its metrics."""
OWN_FOLDERS = frozenset({"CHECKPOINT_DIR", "OUTPUT_DIR"})
"""Variables with folders of which each trial has its own."""
INHERITED = ("team", "namespace", "pool", "gpu_model", "sharing", "mig_profile", "priority", "priority_class")
"""Words of the experiment that its trials have too, unless they say otherwise."""


class ExperimentConfig(JobConfig):
    """Parameters of a search."""

    stays = "Experiment"
    name: Annotated[Name, Field(max_length=31, pattern="^[a-z]")]
    """Its name; Katib takes names that begin with a letter, and 40 characters with the hash."""
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
    """Trials at most; by default no more than a grid has points."""
    parallel: Annotated[int, Field(ge=1, le=1000)] = 3
    """Trials at once; by default no more than there are."""
    failures: Annotated[int, Field(ge=0, le=10_000)] = 3
    """Failed trials after which the search has failed."""
    metrics: TrialMetrics = TrialMetrics.of_defaults()
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
    def most(self) -> int:
        """Trials at most: Katib refuses a grid of fewer points."""
        if self.algorithm != "grid" or "trials" in self.model_fields_set:
            return self.trials
        spaces = [each.space() for each in self.parameters]
        unknown = any(each.type == "double" and not each.step for each in spaces)
        return self.trials if unknown else min(self.trials, grid_points(spaces))

    @property
    def at_once(self) -> int:
        """Trials at once."""
        return self.parallel if "parallel" in self.model_fields_set else min(self.parallel, self.most)

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
        many = min(self.at_once, self.most)
        return replace(one, pods=one.pods * many, fabric_pods=one.fabric_pods * many, all_pods=one.all_pods * many)

    def problems(self, platform: Platform) -> Iterator[JobProblem]:
        """What is wrong with a trial, with all that run at once, and with the search."""
        found = [*self.job().problems(platform)]
        yield from (replace(each, field=f"trial.{each.field}") for each in found)
        demand = self.demand(platform)
        if demand and not found:
            yield from (replace(each, field="parallel") for each in demand_problems(demand, platform))
        if self.at_once > self.most:
            yield JobProblem("parallel", f"{self.at_once} trials at once are more than all {self.most}")
        names = [each.name for each in self.parameters]
        if twice := next((name for name in names if names.count(name) > 1), None):
            yield JobProblem("parameters", f"'{twice}' is listed twice")
        if unused := next((name for name in names if f"${{{name}}}" not in str(self.trial)), None):
            text = f"no word of the trial has ${{{unused}}}, so that all its values are one"
            yield JobProblem("trial", text, f"write it among `args:`, `command:` or `env:`: `--{unused}=${{{unused}}}`")
        yield from (JobProblem(each.about, each.text, each.hint) for each in unfit(self.search()))
        yield from unwrapped(self.job(), names)

    def search(self) -> Search:
        """What is asked of the algorithm."""
        spaces = [each.space() for each in self.parameters]
        early = self.early_stopping is not None
        return Search(self.algorithm, self.settings, spaces, self.most, self.at_once, early)


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
            "maxTrialCount": config.most,
            "parallelTrialCount": config.at_once,
            # Katib refuses more of them than trials, which could not fail in any case.
            "maxFailedTrialCount": min(config.failures, config.most),
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
        body = {
            "apiVersion": job["apiVersion"],
            "kind": job["kind"],
            "metadata": metadata,
            "spec": deepcopy(job["spec"]),
        }
        role, container = primary(body)
        quote(container, names)
        parameters: list[v1.TrialParameter] = [{"name": name, "reference": name} for name in names]
        trial = next(each for each in ("trial", "trialName", "nameOfTrial") if each not in names)
        if apart(body, trial, self.config.trial.get("env") or {}):
            parameters.append({"name": trial, "reference": "${trialSpec.Name}"})
        made: v1.TrialTemplate = {
            "primaryContainerName": str(container["name"]),
            "retain": self.config.keeps,
            "trialParameters": parameters,
            "trialSpec": chosen(body, names),
        }
        if found := labels(role, body):
            made["primaryPodLabels"] = found
        return made


def primary(job: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Role, where a job has some, and container whose metrics are read."""
    spec = job["spec"]
    roles: Mapping[str, Any] = next((value for key, value in spec.items() if key.endswith("ReplicaSpecs")), {})
    role = next((each for each in FIRST if each in roles), "")
    template = roles[role]["template"] if role else spec["template"]
    return role, template["spec"]["containers"][0]


def apart(job: Mapping[str, Any], trial: str, said: Mapping[str, object]) -> bool:
    """Whether a trial keeps checkpoints or results, and has now a folder of its own for them, named after it.

    Trials share the job's volumes: each would go on from the checkpoint of the one before it. A folder that the trial's
    own variables name (`said`) stays.
    """
    wanted = OWN_FOLDERS - said.keys()
    found = [each for pod in pods_of(job) for container in pod["containers"] for each in container.get("env", ())]
    kept = {id(each): each for each in found if each["name"] in wanted}
    for each in kept.values():
        each["value"] = f"{each['value']}/${{trialParameters.{trial}}}"
    return bool(kept)


def pods_of(job: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The specification of each role's pods, once where roles share one."""
    spec = job["spec"]
    roles: Mapping[str, Any] = next((value for key, value in spec.items() if key.endswith("ReplicaSpecs")), {})
    templates = [each["template"] for each in roles.values()] if roles else [spec["template"]]
    return list({id(each): each["spec"] for each in templates}.values())


def quote(container: dict[str, Any], names: Sequence[str]) -> None:
    """Have the container's words say the same once Katib has made one line of a shell of them, with spaces between.

    `wrapWorkerContainer` of Katib 0.19 quotes nothing; of `sh -c` it leaves the shell out, so that what follows the
    script would be read as a part of it, and what the script prints before its last line would not be collected.
    """
    words = [*container.get("command", ()), *container.get("args", ())]
    if container.get("command") and not all(plain(each, names) for each in words):
        container["command"] = ["sh", "-c", shlex.join(words)]
        container.pop("args", None)


def plain(word: str, names: Sequence[str]) -> bool:
    """Whether a shell reads a word as it stands, parameters of the search aside."""
    for name in names:
        word = word.replace(f"${{{name}}}", "1")
    return shlex.quote(word) == word


def unwrapped(job: JobConfig, names: Sequence[str]) -> Iterator[JobProblem]:
    """Arguments of an image's own program that a shell would read otherwise: the program, only Katib looks up."""
    if getattr(job, "command", ()):
        return
    for word in getattr(job, "args", ()):
        if not plain(word, names):
            text = f"Katib hands the words to a shell without quotes, which reads '{word}' otherwise"
            yield JobProblem("trial.args", text, "say the image's program with `command:`; all words are quoted then")
            return


def labels(role: str, job: Mapping[str, Any]) -> dict[str, str]:
    """Labels of the first pod alone, where a job has several: of a launcher, which is one, the training operator says
    no number, and the MPI operator neither number nor type."""
    group, api_version = "training.kubeflow.org", str(job["apiVersion"])
    if not role:
        several = job["spec"].get("completionMode") == "Indexed"
        return {"batch.kubernetes.io/job-completion-index": "0"} if several else {}
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
