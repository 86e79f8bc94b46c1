"""A compiled package of Kubeflow Pipelines (IR): what is in it, and what is wrong with it.

Its fields are those of `PipelineSpec` in api/v2alpha1/pipeline_spec.proto of KFP 2.17.0, as JSON writes them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
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
CREATE_CLAIM = "argostub/createpvc"
STUBS = frozenset({CREATE_CLAIM, "argostub/deletepvc"})
"""Words in the place of images by which the server knows steps that it does itself, `dummyImages` of its driver;
no registry has them."""
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
            if isinstance(image, str) and PLACEHOLDER not in image and image not in STUBS:
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
    for path, component in _places(package):
        label = component.get("executorLabel") if isinstance(component, Mapping) else None
        if label is not None and label not in executors:
            yield (*path, "executorLabel"), f"has no executor '{label}'", nearest(str(label), map(str, executors))
        for where, task in _tasks(path, component):
            used = _map(task, "componentRef").get("name")
            if used not in components:
                hint = nearest(str(used), map(str, components))
                yield (*where, "componentRef", "name"), f"has no component '{used}'", hint


def claim_problems(package: Package, classes: Iterable[str]) -> Iterator[Wrong]:
    """Claims that never get a volume: without `storage_class_name` the SDK writes the empty class, and the server asks
    for a claim of that (`createPVC` of backend/src/v2/driver/k8s.go in 2.17.0)."""
    executors = _map(package.spec, "deploymentSpec", "executors")
    for path, task in (found for place in _places(package) for found in _tasks(*place)):
        component = _map(package.spec, "components", str(_map(task, "componentRef").get("name")))
        image = _map(executors, str(component.get("executorLabel")), "container").get("image")
        given = _map(task, "inputs", "parameters")
        named = _map(given, "storage_class_name")
        value = _map(named, "runtimeValue").get("constant") if "runtimeValue" in named else named
        if image == CREATE_CLAIM and not value and "volume_name" not in given:
            text = "makes a claim without a class, which no provisioner serves, and its pods stay Pending"
            yield path, text, f"write `storage_class_name=` in CreatePVC: {' or '.join(classes) or 'a StorageClass'}"


def _places(package: Package) -> Iterator[tuple[Path, Any]]:
    """The pipeline itself and its components, with where they are."""
    yield ("root",), package.spec["root"]
    yield from ((("components", name), each) for name, each in _map(package.spec, "components").items())


def _tasks(path: Path, component: Any) -> Iterator[tuple[Path, Any]]:
    """Its tasks, with where they are."""
    for name, task in _map(component, "dag", "tasks").items():
        yield (*path, "dag", "tasks", name), task


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
