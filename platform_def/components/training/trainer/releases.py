"""Releases of Kubeflow Trainer: images of the controller and, by the part that they play there, of the runtimes."""

from __future__ import annotations

from platform_def.constructs import APACHE, Release, Support, Upkeep, Withdrawn, releases


def _own(name: str, version: str) -> str:
    return f"ghcr.io/kubeflow/trainer/{name}:v{version}"


# Upstream tests 2.3 with 1.32 to 1.35; later servers still have the APIs that it calls.
RELEASES = releases(
    Release(
        "2.3.0",
        kubernetes="1.32-1.37",
        image=_own("trainer-controller-manager", "2.3.0"),
        images={
            "torch": "docker.io/pytorch/pytorch:2.13.0-cuda13.0-cudnn9-runtime",
            "jax": "nvcr.io/nvidia/jax:25.10-py3",
            "xgboost": _own("xgboost-runtime", "2.3.0"),
            "deepspeed": _own("deepspeed-runtime", "2.3.0"),
            "mlx": _own("mlx-runtime", "2.3.0"),
            "torchtune": _own("torchtune-trainer", "2.3.0"),
            "dataset": _own("dataset-initializer", "2.3.0"),
            "model": _own("model-initializer", "2.3.0"),
        },
        # It is compiled against JobSet 0.12.0.
        needs={"jobset": ">=0.12,<0.13"},
        upkeep=Upkeep(Support.CURRENT),
    ),
    license=APACHE,
)
WITHDRAWN = (
    Withdrawn(
        "2.2.0",
        instead="2.3.0",
        changes="JobSet must be 0.12, a TrainJob keeps the runtime that it began with, and the image of"
        " torch-distributed has CUDA 13",
        upkeep=Upkeep(Support.ENDED),
    ),
)
