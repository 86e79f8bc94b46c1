"""What the cluster tests know of programs before any runs."""

from __future__ import annotations

from pathlib import Path

from tests.cluster.pods import wrong_jobs
from tests.cluster.stacks import rendered_stack

STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.36"}
components:
  training-operator: {release: "1.9.4", kinds: [JAXJob, PyTorchJob, MPIJob]}
"""


def test_each_webhook_of_the_operator_is_waited_for_by_a_job_of_its_kind(tmp_path: Path) -> None:
    stack = rendered_stack(tmp_path, STACK, name="kinds")
    found = wrong_jobs([item.manifest for item in stack.components["training-operator"].objects])

    told = {name.split(".")[1]: (job["kind"], *job["spec"]) for name, job in found.items()}
    assert told == {"jaxjob": ("JAXJob", "jaxReplicaSpecs"), "pytorchjob": ("PyTorchJob", "pytorchReplicaSpecs")}
