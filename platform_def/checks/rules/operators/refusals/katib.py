"""Experiments that Katib's webhook refuses, or whose trials it cannot begin.

Facts: Katib 0.19 (pkg/webhook/v1beta1/experiment/validator/validator.go; what is left out is filled in before by
pkg/apis/controller/experiments/v1beta1/experiment_defaults.go). That the container is there is asked by its webhook for
the trials' pods (pkg/webhook/v1beta1/pod/inject_webhook.go). What an algorithm cannot do is in
`apis/kubeflow/katib_algorithms.py`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from platform_def.apis.kubeflow.katib_algorithms import About, Search, Space, unfit
from platform_def.checks.fault import Fault
from platform_def.errors import nearest
from platform_def.manifests.loose import at, items, mapping, text
from platform_def.manifests.paths import dotted
from platform_def.manifests.rendered import Manifest

GROUP = "kubeflow.org"
_REFUSED = "Katib's webhook refuses it"
_NUMBERS = ("double", "int")
_LISTS = ("categorical", "discrete")
_DEFAULT_PARALLEL = 3
_LONGEST = 40
_GROUPS = re.compile(r"\(.*\).*\(.*\)")
_FIELDS: Mapping[About, str] = {
    "algorithm": "spec.algorithm.algorithmName",
    "settings": "spec.algorithm.algorithmSettings",
    "parameters": "spec.parameters",
    "trials": "spec.maxTrialCount",
    "parallel": "spec.parallelTrialCount",
    "earlyStopping": "spec.earlyStopping",
}
_WITH_CONDITIONS = frozenset(
    {"Job", "JAXJob", "MPIJob", "MXJob", "PaddleJob", "PyTorchJob", "TFJob", "TrainJob", "XGBoostJob"}
)
"""Kinds of which Katib fills in when a trial has ended well, or failed."""
_USED = re.compile(r"\$\{trialParameters\.(.+?)\}")
_OF_TRIAL = re.compile(r"\$\{trialSpec\.(.+?)\}")
_COLLECTORS = ("Custom", "File", "None", "PrometheusMetric", "Push", "StdOut", "TensorFlowEvent")


def of_experiment(manifest: Manifest) -> Iterator[Fault]:
    """An Experiment."""
    spec = mapping(manifest.get("spec"))
    name = text(at(manifest, "metadata.name"))
    if name and not name[0].islower():
        yield Fault("metadata.name", f"'{name}' does not begin with a letter: {_REFUSED}", "begin it with a letter")
    if len(name) > _LONGEST:
        yield Fault("metadata.name", f"has {len(name)} characters: {_REFUSED}", f"write {_LONGEST} at most")
    yield from _counts(spec)
    yield from _objective(mapping(spec.get("objective")))
    yield from _words(spec)
    yield from _collector(mapping(spec.get("metricsCollectorSpec")))
    yield from _algorithm(spec)
    for index, each in enumerate(items(spec.get("parameters"))):
        yield from _parameter(f"spec.parameters[{index}]", mapping(each))
    if spec.get("parameters") and spec.get("nasConfig"):
        yield Fault("spec.nasConfig", f"does not go with parameters: {_REFUSED}", "leave one of them out")
    elif not spec.get("parameters") and not spec.get("nasConfig"):
        yield Fault("spec.parameters", f"there is nothing to try: {_REFUSED}", "add parameters, or nasConfig")
    yield from _template(mapping(spec.get("trialTemplate")), spec)


def _counts(spec: Mapping[str, Any]) -> Iterator[Fault]:
    most = spec.get("maxTrialCount")
    for name, fewest in (("maxTrialCount", 1), ("parallelTrialCount", 1), ("maxFailedTrialCount", 0)):
        said = spec.get(name, _DEFAULT_PARALLEL if name == "parallelTrialCount" else None)
        if not isinstance(said, int):
            continue
        if said < fewest:
            yield Fault(f"spec.{name}", f"{said} is less than {fewest}: {_REFUSED}", f"write at least {fewest}")
        elif isinstance(most, int) and said > most >= 1:
            by_default = "" if name in spec else ", the default,"
            said_of = f"{said}{by_default} is more than maxTrialCount, {most}: {_REFUSED}"
            yield Fault(f"spec.{name}", said_of, f"write at most {most}, or raise maxTrialCount")


def _objective(objective: Mapping[str, Any]) -> Iterator[Fault]:
    kind, metric = objective.get("type"), objective.get("objectiveMetricName")
    if kind not in ("maximize", "minimize"):
        said = f"'{kind}' is neither maximize nor minimize" if kind else "is missing"
        hint = nearest(text(kind), ("maximize", "minimize")) or "write maximize or minimize"
        yield Fault("spec.objective.type", f"{said}: {_REFUSED}", hint)
    if not metric:
        yield Fault("spec.objective.objectiveMetricName", f"is missing: {_REFUSED}", "name the metric of a trial")
    elif metric in items(objective.get("additionalMetricNames")):
        said = f"names {metric}, which is the objective's: {_REFUSED}"
        yield Fault("spec.objective.additionalMetricNames", said, f"take {metric} out")


def _words(spec: Mapping[str, Any]) -> Iterator[Fault]:
    if not at(spec, "algorithm.algorithmName"):
        yield Fault("spec.algorithm.algorithmName", f"is missing: {_REFUSED}", "write random, tpe or another")
    policy = spec.get("resumePolicy")
    known = ("FromVolume", "LongRunning", "Never")
    if policy and policy not in known:
        yield Fault("spec.resumePolicy", f"'{policy}' is no policy: {_REFUSED}", nearest(str(policy), known))
    collector = at(spec, "metricsCollectorSpec.collector.kind")
    if collector and collector not in _COLLECTORS:
        path = "spec.metricsCollectorSpec.collector.kind"
        yield Fault(path, f"'{collector}' is no collector: {_REFUSED}", nearest(str(collector), _COLLECTORS))


def _collector(said: Mapping[str, Any]) -> Iterator[Fault]:
    path, source = "spec.metricsCollectorSpec.source", mapping(said.get("source"))
    patterns = items(at(source, "filter.metricsFormat"))
    if at(said, "collector.kind") == "File":
        file = mapping(source.get("fileSystemPath"))
        if file.get("path") and not text(file["path"]).startswith("/"):
            yield Fault(f"{path}.fileSystemPath.path", f"is not absolute: {_REFUSED}", "begin it with /")
        if file.get("format") not in (None, "", "TEXT", "JSON"):
            yield Fault(f"{path}.fileSystemPath.format", f"is no format: {_REFUSED}", "write TEXT or JSON")
        if file.get("format") == "JSON" and source.get("filter"):
            yield Fault(f"{path}.filter", f"does not go with JSON: {_REFUSED}", "leave one of them out")
    for index, each in enumerate(map(text, patterns)):
        if not _GROUPS.search(each):
            said_of = f"has no two groups, for name and value: {_REFUSED}"
            yield Fault(f"{path}.filter.metricsFormat[{index}]", said_of, "put both in parentheses")


def _algorithm(spec: Mapping[str, Any]) -> Iterator[Fault]:
    settings = [mapping(each) for each in items(at(spec, "algorithm.algorithmSettings"))]
    spaces = [mapping(each) for each in items(spec.get("parameters"))]
    most, parallel = spec.get("maxTrialCount"), spec.get("parallelTrialCount", _DEFAULT_PARALLEL)
    try:
        found = [_space(each) for each in spaces]
    except (OverflowError, ValueError):
        return
    search = Search(
        text(at(spec, "algorithm.algorithmName")),
        {text(each.get("name")): text(each.get("value")) for each in settings},
        found,
        most if isinstance(most, int) else None,
        parallel if isinstance(parallel, int) else _DEFAULT_PARALLEL,
    )
    for each in unfit(search):
        if each.fails:
            index = next((index for index, other in enumerate(settings) if other.get("name") == each.name), None)
            place = f"[{index}]" if each.about == "settings" and index is not None else ""
            yield Fault(f"{_FIELDS[each.about]}{place}", f"{each.text}: no trial of it would end well", each.hint)


def _space(parameter: Mapping[str, Any]) -> Space:
    """ValueError where a bound or a step is none of its type."""
    kind, space = text(parameter.get("parameterType")), mapping(parameter.get("feasibleSpace"))
    name = text(parameter.get("name"))
    if kind not in _NUMBERS:
        return Space(name, kind, values=len(items(space.get("list"))))
    read = int if kind == "int" else float
    step = read(text(space["step"])) if space.get("step") else None
    low, high = read(text(space.get("min"))), read(text(space.get("max")))
    if not all(math.isfinite(each) for each in (low, high, step or 1)) or (step is not None and step <= 0):
        raise ValueError(name)
    return Space(name, kind, low, high, step, log=space.get("distribution") == "logUniform")


def _parameter(path: str, parameter: Mapping[str, Any]) -> Iterator[Fault]:
    kind, space = parameter.get("parameterType"), mapping(parameter.get("feasibleSpace"))
    known = (*_NUMBERS, *_LISTS)
    if kind not in (*known, "unknown"):
        said = f"'{kind}' is no type" if kind else "is missing"
        hint = nearest(text(kind), known) or f"write {', '.join(known)}"
        yield Fault(f"{path}.parameterType", f"{said}: {_REFUSED}", hint)
    if not any(space.values()):
        yield Fault(f"{path}.feasibleSpace", f"is empty: {_REFUSED}", "write min and max, or a list")
    elif kind in _NUMBERS:
        if space.get("list"):
            yield Fault(f"{path}.feasibleSpace.list", f"{kind} has min and max, and no list: {_REFUSED}", "")
        for bound in ("min", "max"):
            if not space.get(bound):
                yield Fault(f"{path}.feasibleSpace.{bound}", f"{kind} needs min and max: {_REFUSED}", f"add {bound}")
    elif kind in _LISTS:
        for bound in ("min", "max", "step"):
            if space.get(bound):
                yield Fault(f"{path}.feasibleSpace.{bound}", f"{kind} has a list alone: {_REFUSED}", "write a list")


def _template(template: Mapping[str, Any], spec: Mapping[str, Any]) -> Iterator[Fault]:
    path = "spec.trialTemplate"
    if not template:
        yield Fault(path, f"is missing: {_REFUSED}", "write a trialSpec, and trialParameters that it uses")
        return
    if not template.get("primaryContainerName"):
        yield Fault(f"{path}.primaryContainerName", f"is missing: {_REFUSED}", "name the container that trains")
    if template.get("trialSpec") and template.get("configMap"):
        yield Fault(f"{path}.configMap", f"does not go with trialSpec: {_REFUSED}", "leave one of them out")
    elif template.get("trialSpec"):
        yield from _trial(mapping(template["trialSpec"]), template)
        if template.get("trialParameters") is None:
            yield Fault(f"{path}.trialParameters", f"is missing: {_REFUSED}", "name what a trial gets")
        yield from _parameters(items(template.get("trialParameters")), template["trialSpec"], spec)
    elif not template.get("configMap"):
        yield Fault(path, f"has neither trialSpec nor configMap: {_REFUSED}", "write a trialSpec")


def _trial(trial: Mapping[str, Any], template: Mapping[str, Any]) -> Iterator[Fault]:
    path = "spec.trialTemplate.trialSpec"
    for field in ("name", "namespace"):
        if mapping(trial.get("metadata")).get(field):
            yield Fault(f"{path}.metadata.{field}", f"is Katib's to write: {_REFUSED}", "leave it out")
    for field in ("apiVersion", "kind"):
        if not trial.get(field):
            yield Fault(f"{path}.{field}", f"is missing: {_REFUSED}", "say what a trial is")
    if trial.get("kind") and text(trial["kind"]) not in _WITH_CONDITIONS:
        for field in ("successCondition", "failureCondition"):
            if not template.get(field):
                said = f"is missing, and Katib knows none of {trial.get('kind')}: {_REFUSED}"
                yield Fault(f"spec.trialTemplate.{field}", said, "write when a trial has ended so")
    name = template.get("primaryContainerName")
    containers = items(at(trial, "spec.template.spec.containers")) if trial.get("apiVersion") == "batch/v1" else ()
    there = [text(mapping(each).get("name")) for each in containers]
    if name and there and name not in there:
        said = f"the trial has no container '{name}': no pod of it is made"
        yield Fault("spec.trialTemplate.primaryContainerName", said, nearest(str(name), there))


def _parameters(parameters: Any, trial: object, spec: Mapping[str, Any]) -> Iterator[Fault]:
    written = json.dumps(trial, ensure_ascii=False, default=str)
    searched = [text(mapping(each).get("name")) for each in items(spec.get("parameters"))]
    for index, each in enumerate(map(mapping, parameters)):
        path = f"spec.trialTemplate.trialParameters[{index}]"
        name, reference = text(each.get("name")), text(each.get("reference"))
        before = [mapping(other) for other in parameters[:index]]
        for field, value in (("name", name), ("reference", reference)):
            if not value:
                yield Fault(f"{path}.{field}", f"is missing: {_REFUSED}", "")
            elif any(other.get(field) == value for other in before):
                yield Fault(f"{path}.{field}", f"'{value}' stands there twice: {_REFUSED}", "remove one of them")
        if reference and searched and reference not in searched and not _OF_TRIAL.search(reference):
            said = f"the experiment has no parameter '{reference}': {_REFUSED}"
            yield Fault(f"{path}.reference", said, nearest(reference, searched))
        if name and f"${{trialParameters.{name}}}" not in written:
            said = f"the trialSpec does not use ${{trialParameters.{name}}}: {_REFUSED}"
            yield Fault(f"{path}.name", said, "use it, or take the parameter out")
    known = [text(mapping(each).get("name")) for each in parameters]
    for name in dict.fromkeys(_USED.findall(written)):
        if name not in known:
            said = f"uses ${{trialParameters.{name}}}, which trialParameters lacks: {_REFUSED}"
            yield Fault(dotted(("spec", "trialTemplate", "trialSpec")), said, nearest(name, known))
