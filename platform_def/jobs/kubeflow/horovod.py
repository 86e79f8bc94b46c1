"""Horovod: data-parallel training with its ring of processes, which mpirun starts, as an MPIJob.

Horovod exchanges gradients by NCCL where it was built so; MPI only starts processes and agrees on what is next, for
which Open MPI's plain transport is enough (Horovod's documents, "Horovod with MPI" and "Run in Docker").
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated

from pydantic import Field

from platform_def.config.platform import Platform
from platform_def.jobs.kubeflow.mpi import MpiConfig, MpiJob
from platform_def.jobs.parameters import AbsolutePath
from platform_def.jobs.problem import JobProblem

MIB = 1024**2
PLAIN = ["--bind-to", "none", "--map-by", "slot", "--mca", "pml", "ob1", "--mca", "btl", "^openib"]


class HorovodConfig(MpiConfig):
    """Parameters of a Horovod job."""

    mpi_args: list[str] = Field(default_factory=lambda: list(PLAIN))
    """Arguments of mpirun; the number of processes is put before them, hosts come from the operator. By default those
    that Horovod asks for: no binding to cores, and TCP for messages, since gradients go by NCCL."""
    fusion_threshold_mib: Annotated[int, Field(ge=0, le=4096)] | None = None
    """Size up to which small gradients are sent as one; by default Horovod's own. 0 sends each by itself."""
    cycle_time_ms: Annotated[float, Field(gt=0, le=1000)] | None = None
    """Time between two exchanges, in milliseconds; by default Horovod's own."""
    hierarchical: bool = False
    """Sum up within each pod first, then between pods: for fast links inside a node and slow ones between nodes."""
    autotune: bool = False
    """Have Horovod find size and time while it trains."""
    timeline: AbsolutePath | None = None
    """File on one of the volumes that a trace of the exchanges is written to, for chrome://tracing."""

    def problems(self, platform: Platform) -> Iterator[JobProblem]:
        """A trace that would go with the pod, and fixed values beside a search for them."""
        yield from super().problems(platform)
        folders = [path for path, _ in self.mounted().values()]
        if self.timeline and not any(self.timeline.startswith(f"{folder}/") for folder in folders):
            there = ", ".join(folders) or "none"
            text = f"{self.timeline} is on no volume, and goes with a worker's pod; folders of volumes: {there}"
            yield JobProblem("timeline", text, "name a file below one of them")
        fixed = {"fusionThresholdMib": self.fusion_threshold_mib, "cycleTimeMs": self.cycle_time_ms}
        for field, value in fixed.items():
            if self.autotune and value is not None:
                text = f"autotune looks for it, and would never leave {value}"
                yield JobProblem(field, text, "leave out one of both")


class Horovod(MpiJob[HorovodConfig]):
    """An MPIJob: a launcher that runs mpirun, and workers whose processes are Horovod's ring."""

    def variables(self) -> Mapping[str, str]:
        """What Open MPI and Horovod go by."""
        config = self.config
        made = dict(super().variables())
        if config.fusion_threshold_mib is not None:
            made["HOROVOD_FUSION_THRESHOLD"] = str(config.fusion_threshold_mib * MIB)
        if config.cycle_time_ms is not None:
            made["HOROVOD_CYCLE_TIME"] = f"{config.cycle_time_ms:g}"
        if config.hierarchical:
            made["HOROVOD_HIERARCHICAL_ALLREDUCE"] = "1"
        if config.autotune:
            made["HOROVOD_AUTOTUNE"] = "1"
        if config.timeline:
            made["HOROVOD_TIMELINE"] = config.timeline
        return made
