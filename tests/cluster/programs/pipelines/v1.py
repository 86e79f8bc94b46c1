"""Pipelines in the forms of the v1 SDK that people still have, compiled by kfp 1.8; `v1.py FOLDER` writes a package of each.

ContainerOp with file_outputs, create_component_from_func, func_to_container_op with several outputs and an image of its own,
a component from text with files, VolumeOp, Condition.
"""

import sys
from pathlib import Path
from typing import NamedTuple

import kfp
from kfp import components, dsl

TOOLS = "registry.example.com/tools:1"
GET_LINES = """
name: Get lines
inputs:
- {name: text, type: String}
- {name: count, type: Integer, default: '100'}
outputs:
- {name: lines, type: String}
implementation:
  container:
    image: registry.example.com/tools:1
    command: [sh, -c, 'mkdir -p "$(dirname "$2")" && head -n "$1" "$0" > "$2"']
    args: [{inputPath: text}, {inputValue: count}, {outputPath: lines}]
"""


@components.create_component_from_func
def echo_op():
    """The first pipeline of every tutorial."""
    print("Hello world")


@dsl.pipeline(name="my-first-pipeline", description="A hello world pipeline.")
def hello():
    """One step."""
    echo_op()


def add(a: float, b: float) -> float:
    """Calculates the sum of two arguments."""
    return a + b


def my_divmod(dividend: float, divisor: float) -> NamedTuple("Divided", [("quotient", float), ("remainder", float)]):
    """Divides two numbers, with an import and a function inside of it."""
    from collections import namedtuple

    import numpy as np

    def divmod_helper(dividend, divisor):
        return np.divmod(dividend, divisor)

    (quotient, remainder) = divmod_helper(dividend, divisor)
    return namedtuple("Divided", ["quotient", "remainder"])(quotient, remainder)


add_op = components.func_to_container_op(add)
divmod_op = components.func_to_container_op(my_divmod, base_image="tensorflow/tensorflow:1.14.0-py3")


@dsl.pipeline(name="Calculation pipeline", description="A toy pipeline that performs arithmetic calculations.")
def calculation(a="a", b="7", c="17"):
    """Outputs of one step are inputs of the next."""
    added = add_op(a, 4)
    divided = divmod_op(added.output, b)
    add_op(divided.outputs["quotient"], c)


def send(message):
    """A step whose output is a file."""
    return dsl.ContainerOp(
        name="Send",
        image=TOOLS,
        command=["sh", "-c"],
        arguments=[f"mkdir -p /tmp/data && echo {message} | tee /tmp/data/result.txt"],
        file_outputs={"data": "/tmp/data/result.txt"},
    )


@dsl.pipeline(name="sequential-pipeline", description="Two steps, a volume, and a third where a condition holds.")
def sequential(message="shakespeare", wanted="shakespeare"):
    """A volume goes from step to step, a condition decides about the last."""
    volume = dsl.VolumeOp(name="create_pvc", resource_name="my-pvc-2", size="1Gi", modes=dsl.VOLUME_MODE_RWO)
    sent = send(message)
    keep = dsl.ContainerOp(
        name="Keep",
        image=TOOLS,
        command=["sh", "-c", 'echo "$0" > /data/kept'],
        arguments=[sent.output],
        pvolumes={"/data": volume.volume},
    )
    with dsl.Condition(sent.output == wanted, name="wanted"):
        dsl.ContainerOp(
            name="Read",
            image=TOOLS,
            command=["sh", "-c", "cat /data/kept > /tmp/kept"],
            pvolumes={"/data": keep.pvolume},
            file_outputs={"kept": "/tmp/kept"},
        )


lines_op = components.load_component_from_text(GET_LINES)


@dsl.pipeline(name="example-pipeline")
def lines():
    """Files go through the store."""
    first = lines_op(text="one\ntwo\nthree\nfour\nfive", count="3")
    lines_op(text=first.output, count="2")


PIPELINES = {"hello": hello, "calculation": calculation, "sequential": sequential, "lines": lines}


def main(folder: Path) -> None:
    """Compile them all."""
    for name, made in PIPELINES.items():
        kfp.compiler.Compiler().compile(made, str(folder / f"{name}.yaml"))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
