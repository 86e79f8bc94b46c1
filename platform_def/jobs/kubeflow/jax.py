"""JAX: one process a pod, and the same program in all, as a JAXJob.

The operator gives each process COORDINATOR_ADDRESS, COORDINATOR_PORT, NUM_PROCESSES and PROCESS_ID, which the program
hands to `jax.distributed.initialize` (training-operator 1.9, controller.v1/jax).
"""

from __future__ import annotations

from pydantic import Field

from platform_def.apis.kubeflow import training_v1 as kubeflow_v1
from platform_def.constructs.resource import Resource
from platform_def.jobs.kubeflow.operated import replica, run_policy, tried_again
from platform_def.jobs.pod import Role, make_claims, make_tensorboard, pod_template
from platform_def.jobs.template import TemplateJob
from platform_def.jobs.training import TrainingConfig


class JaxConfig(TrainingConfig):
    """Parameters of a JAX job."""

    needs = ("JAXJob.kubeflow.org",)

    command: list[str] = Field(default_factory=list)
    """The training program, the same in all pods; by default the image's entrypoint, with `args`."""


class Jax(TemplateJob[JaxConfig]):
    """A JAXJob: workers that are all alike; the first is the coordinator."""

    def build(self) -> None:
        """Claims, and the job."""
        make_claims(self)
        template = pod_template(self, Role(container="jax", command=self.config.command, args=self.config.args))
        workers = replica(self.config.workers, template, restart=tried_again(self.config))
        spec: kubeflow_v1.JAXJobSpec = {
            "jaxReplicaSpecs": {"Worker": workers},
            "runPolicy": run_policy(self.config, self.platform),
        }
        Resource(self, kubeflow_v1.JAX_JOB, self.unique_name, spec=spec)
        make_tensorboard(self)
