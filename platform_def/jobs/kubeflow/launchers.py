"""What starts the processes of a PyTorchJob's pods, each by the variables that the operator sets (release 1.9).

RANK and PET_NNODES count pods there. torchrun reads its variables itself; the others are told on their command line, in
which the kubelet writes them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from platform_def.jobs.problem import JobProblem

Launcher = Literal["torchrun", "accelerate", "deepspeed", "none"]
Processes = int | Literal["auto"]

HOSTS = """\
nodes=$1 slots=$2 hosts=$(mktemp)
shift 2
for each in $(seq "$nodes"); do echo "pod-$each slots=$slots"; done > "$hosts"
met="--master_addr $MASTER_ADDR --master_port $MASTER_PORT"
exec deepspeed --hostfile "$hosts" --no_ssh --node_rank "$RANK" $met "$@"
"""
"""DeepSpeed counts pods in a list of hosts, whose names it does not use with `--no_ssh`."""


def launched(
    launcher: Launcher, command: Sequence[str], *, pods: int, processes: Processes, gpus: int
) -> tuple[list[str], list[str]]:
    """Command and arguments of a container; without a command the image's own entrypoint gets the arguments."""
    if launcher == "none":
        return [*command], []
    if launcher == "torchrun":
        return ["torchrun"], [*command]
    if launcher == "deepspeed":
        return ["sh", "-ec", HOSTS, "deepspeed"], [str(pods), str(processes), *command]
    total = pods * (processes if isinstance(processes, int) else 1)
    counts = {"num_machines": pods, "num_processes": total, "machine_rank": "$(RANK)"}
    met = {"main_process_ip": "$(MASTER_ADDR)", "main_process_port": "$(MASTER_PORT)"}
    said = [word for name, value in {**counts, **met}.items() for word in (f"--{name}", str(value))]
    # Without a word of how, it would run as many programs that do not know each other.
    how = ["--multi_gpu"] if gpus and total > 1 and not command[0].startswith("-") else []
    return ["accelerate", "launch"], [*said, *how, *command]


def launcher_problems(
    launcher: Launcher, command: Sequence[str], processes: Processes | None, *, elastic: bool
) -> Iterator[JobProblem]:
    """Words that a launcher does not understand."""
    if not command and launcher != "none":
        text = f"{launcher} starts a program, and none is named"
        yield JobProblem("command", text, "name it, or write `launcher: none` for the image's own entrypoint")
    if launcher in ("accelerate", "deepspeed"):
        if elastic:
            text = f"{launcher} begins with all pods and goes on with no other number"
            yield JobProblem("launcher", text, "leave it out: torchrun is elastic")
        if processes == "auto":
            yield JobProblem("processes", f"{launcher} must be told a number", "write one, or leave it out")
