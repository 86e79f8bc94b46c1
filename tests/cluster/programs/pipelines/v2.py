"""The pipelines of `v1.py` in the forms of the SDK 2.17; `v2.py FOLDER` writes a package of each, reads it by the types of
KFP's API, runs what the local runner can run, and prints what each run put out.

Subprocesses run functions alone. What runs an image needs Docker, and what makes or mounts a volume a cluster.
"""

import json
import sys
from pathlib import Path
from typing import NamedTuple

import yaml
from google.protobuf import json_format
from kfp import compiler, dsl, kubernetes, local
from kfp.kubernetes import kubernetes_executor_config_pb2
from kfp.pipeline_spec import pipeline_spec_pb2

TOOLS, PYTHON = "registry.example.com/tools:1", "python:3.11"


@dsl.component(base_image=PYTHON)
def echo() -> str:
    """The first pipeline of every tutorial."""
    print("Hello world")
    return "Hello world"


@dsl.pipeline(name="my-first-pipeline")
def hello() -> str:
    """One step."""
    return echo().output


@dsl.component(base_image=PYTHON)
def add(a: float, b: float) -> float:
    """The sum of two arguments."""
    return a + b


@dsl.component(base_image="python:3.11-slim")
def my_divmod(dividend: float, divisor: float) -> NamedTuple("Divided", quotient=float, remainder=float):
    """Divides two numbers, with an import and a function inside of it."""
    from collections import namedtuple

    def divmod_helper(dividend, divisor):
        return divmod(dividend, divisor)

    return namedtuple("Divided", ["quotient", "remainder"])(*divmod_helper(dividend, divisor))


@dsl.pipeline(name="calculation-pipeline")
def calculation(a: float, b: float = 7, c: float = 17) -> float:
    """Outputs of one step are inputs of the next."""
    added = add(a=a, b=4.0)
    divided = my_divmod(dividend=added.output, divisor=b)
    return add(a=divided.outputs["quotient"], b=c).output


@dsl.container_component
def send(message: str, data: dsl.OutputPath(str)):
    """A step whose output is a file."""
    script = 'mkdir -p "$(dirname "$1")" && echo "$0" > "$1"'
    return dsl.ContainerSpec(image=TOOLS, command=["sh", "-c", script], args=[message, data])


@dsl.container_component
def keep(message: str):
    """Writes to a volume."""
    return dsl.ContainerSpec(image=TOOLS, command=["sh", "-c", 'echo "$0" > /data/kept'], args=[message])


@dsl.container_component
def read():
    """Reads from a volume."""
    return dsl.ContainerSpec(image=TOOLS, command=["cat", "/data/kept"])


@dsl.pipeline(name="sequential-pipeline")
def sequential(message: str = "shakespeare", wanted: str = "shakespeare"):
    """A volume goes from step to step, a condition decides about the last."""
    volume = kubernetes.CreatePVC(
        pvc_name_suffix="-my-pvc-2", access_modes=["ReadWriteOnce"], size="1Gi", storage_class_name="shared"
    )
    sent = send(message=message)
    kept = keep(message=sent.outputs["data"])
    kubernetes.mount_pvc(kept, pvc_name=volume.outputs["name"], mount_path="/data")
    with dsl.If(sent.outputs["data"] == wanted):
        found = read().after(kept)
        kubernetes.mount_pvc(found, pvc_name=volume.outputs["name"], mount_path="/data")
        kubernetes.DeletePVC(pvc_name=volume.outputs["name"]).after(found)


@dsl.component(base_image=PYTHON)
def write_lines(text: str, lines: dsl.Output[dsl.Dataset]):
    """Writes a file that goes to the store."""
    with open(lines.path, "w") as file:
        file.write(text)
    lines.metadata["count"] = len(text.splitlines())


@dsl.component(base_image=PYTHON)
def get_lines(count: int, text: dsl.Input[dsl.Dataset]) -> str:
    """The first lines of a file from the store."""
    with open(text.path) as file:
        return "|".join(file.read().splitlines()[:count])


@dsl.pipeline(name="example-pipeline")
def lines(count: int = 3) -> str:
    """A file goes through the store, a condition that does not hold skips its step."""
    written = write_lines(text="one\ntwo\nthree\nfour\nfive")
    first = get_lines(count=count, text=written.outputs["lines"])
    with dsl.If(first.output == "never"):
        echo()
    return first.output


PIPELINES = {"hello": hello, "calculation": calculation, "sequential": sequential, "lines": lines}
LOCAL = {"hello": {}, "calculation": {"a": 1.0, "b": 2.0}, "lines": {"count": 2}}


def read_by_types(file: Path) -> dict:
    """How many executors a package has, and how many of them say something about Kubernetes; no field is unknown."""
    spec, *platforms = yaml.safe_load_all(file.read_text())
    read = json_format.ParseDict(spec, pipeline_spec_pb2.PipelineSpec())
    executors = read.deployment_spec["executors"].keys()
    said = []
    for each in platforms:
        platform = json_format.ParseDict(each, pipeline_spec_pb2.PlatformSpec())
        configs = platform.platforms["kubernetes"].deployment_spec.executors
        for config in configs.values():
            json_format.ParseDict(
                json_format.MessageToDict(config), kubernetes_executor_config_pb2.KubernetesExecutorConfig()
            )
        said += configs.keys()
    return {"executors": sorted(executors), "kubernetes": sorted(said), "schema": read.schema_version}


def main(folder: Path) -> None:
    """Compile and read them all, and run what runs here."""
    found: dict = {"read": {}, "ran": {}}
    for name, made in PIPELINES.items():
        compiler.Compiler().compile(made, str(folder / f"{name}.yaml"))
        found["read"][name] = read_by_types(folder / f"{name}.yaml")
    local.init(runner=local.SubprocessRunner(use_venv=False), pipeline_root=str(folder / "root"))
    for name, values in LOCAL.items():
        found["ran"][name] = PIPELINES[name](**values).output
    try:
        sequential()
    except Exception as error:
        found["refused"] = str(error)
    (folder / "found.json").write_text(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
