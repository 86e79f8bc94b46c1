"""Packages of Kubeflow Pipelines as the SDKs of PyPI compile them, and images of their steps."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.cluster.environments import obtain
from tests.cluster.kubelet.pod import Image

PROGRAMS = Path(__file__).with_name("programs") / "pipelines"
V1 = "v1.py"


def compile_v1(folder: Path) -> Path:
    """Write the packages of `v1.py` into a folder, each named after its pipeline; the Python that has the SDK."""
    python = obtain("kfp-v1")
    folder.mkdir()
    done = subprocess.run([str(python), str(PROGRAMS / V1), str(folder)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return python


def steps(python: Path) -> Mapping[str, Image]:
    """Images that functions of v1 pipelines run in."""
    return {
        "python:3.7": Image((str(Path(sys.executable).parent),)),
        "tensorflow/tensorflow:1.14.0-py3": Image((str(python.parent),)),
    }
