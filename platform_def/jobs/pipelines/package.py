"""A compiled package of Kubeflow Pipelines (IR): what is in it, and what is wrong with it.

Its fields are those of `PipelineSpec` in api/v2alpha1/pipeline_spec.proto of KFP 2.17.0, as JSON writes them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from platform_def.apis.argo_workflows.contents import Path
from platform_def.errors import nearest
from platform_def.jobs.workflows.fields import Wrong

FIELDS = frozenset(
    {"components", "defaultPipelineRoot", "deploymentSpec", "pipelineInfo", "root", "schemaVersion", "sdkVersion"}
)
_TYPES: Mapping[str, tuple[type, ...]] = {
    "BOOLEAN": (bool,),
    "LIST": (list,),
    "NUMBER_DOUBLE": (int, float),
    "NUMBER_INTEGER": (int,),
    "STRING": (str,),
    "STRUCT": (dict,),
}
"""What a value of a parameter is, by the word of its `parameterType`."""
PLACEHOLDER = "{{$"
"""How a text begins that the launcher fills in."""


@dataclass(frozen=True)
class Package:
    """What the compiler wrote: the pipeline, and what platforms add to it."""

    spec: Mapping[str, Any]
    platform: Mapping[str, Any]

    @staticmethod
    def of(documents: tuple[Any, ...]) -> Package:
        """Of the documents of a file whose identity is right."""
        found = [each for each in documents if each is not None]
        return Package(found[0], found[1] if len(found) > 1 else {})

    @property
    def name(self) -> str:
        """The pipeline's own name."""
        return str(self.spec["pipelineInfo"]["name"])

    @property
    def root(self) -> str:
        """Where it keeps artifacts, by its own word."""
        return str(self.spec.get("defaultPipelineRoot") or "")

    def images(self) -> Iterator[str]:
        """Images of its steps, but those that a run fills in."""
        return (image for _, image in self._images())

    def _images(self) -> Iterator[tuple[str, str]]:
        for name, each in _map(self.spec, "deploymentSpec", "executors").items():
            image = _map(each, "container").get("image")
            if isinstance(image, str) and PLACEHOLDER not in image:
                yield name, image

    def mirrored(self, image: Callable[[str], str]) -> dict[str, Any]:
        """The pipeline with its executors' images as the cluster pulls them."""
        executors = dict(_map(self.spec, "deploymentSpec", "executors"))
        for name, found in self._images():
            executors[name] = {**executors[name], "container": {**executors[name]["container"], "image": image(found)}}
        return {**self.spec, "deploymentSpec": {**self.spec["deploymentSpec"], "executors": executors}}


def identity_problems(documents: tuple[Any, ...]) -> Iterator[Wrong]:
    """Whether a file is a compiled package, of a schema that KFP 2 runs."""
    found = [each for each in documents if each is not None]
    first = found[0] if found else None
    if not isinstance(first, Mapping):
        yield (), "holds no compiled pipeline", "write what `kfp dsl compile --py pipeline.py --output FILE` makes"
    elif first.get("kind") == "Workflow":
        yield ("kind",), "is a package of the v1 SDK", "write `v1: true`, or compile the pipeline with kfp 2"
    elif not isinstance(first.get("pipelineInfo"), Mapping) or not first["pipelineInfo"].get("name"):
        yield (), "has no pipelineInfo.name: it is no compiled pipeline", "compile it with kfp 2"
    elif not str(first.get("schemaVersion", "")).startswith("2."):
        yield ("schemaVersion",), f"has schemaVersion {first.get('schemaVersion')}, not 2.x", "compile it with kfp 2"
    elif len(found) > 2 or (len(found) == 2 and not (isinstance(found[1], Mapping) and set(found[1]) == {"platforms"})):
        yield (), "has further documents than the one with `platforms:`", "write what the compiler made"


def package_problems(package: Package) -> Iterator[Wrong]:
    """Fields that the schema does not know, and names inside of it that lead nowhere."""
    for key in sorted(package.spec.keys() - FIELDS):
        yield (key,), f"has no field {key} in its schema", nearest(key, FIELDS)
    for key in ("root", "deploymentSpec"):
        if not isinstance(package.spec.get(key), Mapping):
            yield (), f"has no {key}", "compile it with kfp 2"
            return
    components, executors = _map(package.spec, "components"), _map(package.spec, "deploymentSpec", "executors")
    places: list[tuple[Path, Any]] = [(("root",), package.spec["root"])]
    places += [(("components", name), each) for name, each in components.items()]
    for path, component in places:
        label = component.get("executorLabel") if isinstance(component, Mapping) else None
        if label is not None and label not in executors:
            yield (*path, "executorLabel"), f"has no executor '{label}'", nearest(str(label), map(str, executors))
        for name, task in _map(component, "dag", "tasks").items():
            used = _map(task, "componentRef").get("name")
            if used not in components:
                where = (*path, "dag", "tasks", name, "componentRef", "name")
                yield where, f"has no component '{used}'", nearest(str(used), map(str, components))


def parameter_problems(package: Package, values: Mapping[str, Any]) -> Iterator[Wrong]:
    """Values that the pipeline does not ask for or that are of another type, and those that it lacks."""
    asked = _map(package.spec, "root", "inputDefinitions", "parameters")
    for name, value in values.items():
        if name not in asked:
            yield ("root",), f"asks for no parameter '{name}'", nearest(name, map(str, asked))
            continue
        wanted = str(asked[name].get("parameterType"))
        if not _is(value, wanted):
            yield ("root", "inputDefinitions", "parameters", name), f"wants {name} as {wanted}, not {value!r:.80}", ""
    for name, each in asked.items():
        needed = "defaultValue" not in each and not each.get("isOptional")
        if needed and name not in values:
            place = ("root", "inputDefinitions", "parameters", name)
            yield place, f"needs a value for '{name}'", f"write `parameters: {{{name}: …}}`"


def _is(value: object, wanted: str) -> bool:
    kinds = _TYPES.get(wanted)
    if kinds is None:
        return True
    return isinstance(value, kinds) and (not isinstance(value, bool) or wanted == "BOOLEAN")


def _map(value: Any, *steps: str) -> Mapping[str, Any]:
    """The map at a path; empty where there is none."""
    for step in steps:
        value = value.get(step) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else {}
