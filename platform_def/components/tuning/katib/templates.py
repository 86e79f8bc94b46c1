"""Sample templates of trials, which the interface offers to who has none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from platform_def.components.tuning.katib.releases import TrialKind
from platform_def.constructs import yaml_file

if TYPE_CHECKING:
    from platform_def.components.tuning.katib.config import AnyKatib

NAME = "trial-templates"
LABELS = {"katib.kubeflow.org/component": "trial-templates"}
"""By which the interface finds templates, in any namespace."""


def samples(component: AnyKatib, kinds: Sequence[TrialKind]) -> dict[str, str]:
    """Upstream's three by the names that its documentation uses; a PyTorchJob only where trials may be one."""
    release = component.release
    mnist, nas = component.image(release.sample_image), component.image(release.sample_nas_image)
    found = {
        "defaultTrialTemplate.yaml": _job(mnist, [*_mnist("--batch-size=16")]),
        "enasCPUTemplate": _job(
            nas,
            [
                "python3",
                "-u",
                "RunTrial.py",
                "--num_epochs=1",
                # JSON, which the quotes keep one argument.
                '--architecture="${trialParameters.neuralNetworkArchitecture}"',
                '--nn_config="${trialParameters.neuralNetworkConfig}"',
            ],
        ),
    }
    if any(kind.kind == "PyTorchJob" for kind in kinds):
        found["pytorchJobTemplate"] = yaml_file(_pytorch_job(mnist))
    return found


def _mnist(*more: str) -> list[str]:
    """Training on MNIST with two parameters that trials choose."""
    rate, momentum = "--lr=${trialParameters.learningRate}", "--momentum=${trialParameters.momentum}"
    return ["python3", "/opt/pytorch-mnist/mnist.py", "--epochs=1", *more, rate, momentum]


def _job(image: str, command: list[str]) -> str:
    container = {"name": "training-container", "image": image, "command": command}
    pod = {"containers": [container], "restartPolicy": "Never"}
    return yaml_file({"apiVersion": "batch/v1", "kind": "Job", "spec": {"template": {"spec": pod}}})


def _pytorch_job(image: str) -> object:
    def role(replicas: int) -> object:
        pod = {"containers": [{"name": "pytorch", "image": image, "command": _mnist()}]}
        return {"replicas": replicas, "restartPolicy": "OnFailure", "template": {"spec": pod}}

    spec = {"pytorchReplicaSpecs": {"Master": role(1), "Worker": role(2)}}
    return {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "spec": spec}
