"""Releases of Kubeflow Trainer: images of the controller and, by the part that they play there, of the runtimes."""

from __future__ import annotations

from platform_def.constructs import APACHE, Release, releases


def _own(name: str, version: str) -> str:
    return f"ghcr.io/kubeflow/trainer/{name}:v{version}"


# Upstream tests 2.2 with 1.32 to 1.35; it calls APIs alone that later servers still have.
RELEASES = releases(
    Release(
        "2.2.0",
        kubernetes="1.32-1.37",
        image=_own("trainer-controller-manager", "2.2.0"),
        images={
            "torch": "docker.io/pytorch/pytorch:2.10.0-cuda12.8-cudnn9-runtime",
            "jax": "nvcr.io/nvidia/jax:25.10-py3",
            "xgboost": _own("xgboost-runtime", "2.2.0"),
            "deepspeed": _own("deepspeed-runtime", "2.2.0"),
            "mlx": _own("mlx-runtime", "2.2.0"),
            "torchtune": _own("torchtune-trainer", "2.2.0"),
            "dataset": _own("dataset-initializer", "2.2.0"),
            "model": _own("model-initializer", "2.2.0"),
        },
        # It is compiled against JobSet 0.11.1.
        needs={"jobset": ">=0.11,<0.12"},
    ),
    license=APACHE,
)
