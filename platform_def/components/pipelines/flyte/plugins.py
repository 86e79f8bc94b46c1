"""Flyte's plugins for jobs of other operators: which the stack has, and the rights that each needs."""

from __future__ import annotations

from dataclasses import dataclass

from platform_def.apis.core.rbac_v1 import PolicyRule
from platform_def.config.platform import Platform
from platform_def.constructs import WRITE, allow
from platform_def.jobs.kubeflow.mpi_over_ssh import over_ssh


@dataclass(frozen=True)
class FlytePlugin:
    """A plugin of Flyte's propeller."""

    name: str
    """Its name, which is also that of the type of its tasks."""
    kind: str
    """What it makes, as `Kind.group`."""
    resource: str

    @property
    def rule(self) -> PolicyRule:
        """The right to make it."""
        return allow(self.kind.partition(".")[2], self.resource, verbs=WRITE)


PLUGINS = (
    FlytePlugin("pytorch", "PyTorchJob.kubeflow.org", "pytorchjobs"),
    FlytePlugin("tensorflow", "TFJob.kubeflow.org", "tfjobs"),
    FlytePlugin("mpi", "MPIJob.kubeflow.org", "mpijobs"),
    FlytePlugin("ray", "RayJob.ray.io", "rayjobs"),
    FlytePlugin("spark", "SparkApplication.sparkoperator.k8s.io", "sparkapplications"),
)


SPARK = "spark"
"""The plugin, and the account that it has drivers run as where a launch plan names none (k8s/spark/spark.go)."""


def served(platform: Platform) -> tuple[FlytePlugin, ...]:
    """Those whose jobs something in the stack runs; the MPI operator's are of another version than Flyte makes."""
    found = (each for each in PLUGINS if platform.serves(each.kind))
    return tuple(each for each in found if each.name != "mpi" or not over_ssh(platform))
