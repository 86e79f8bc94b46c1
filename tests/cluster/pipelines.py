"""Packages of Kubeflow Pipelines as the SDKs of PyPI compile them, and images of their steps."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.cluster.client import Manifest
from tests.cluster.environments import obtain
from tests.cluster.kubelet.image import Image

PROGRAMS = Path(__file__).with_name("programs") / "pipelines"
V1, V2 = "v1.py", "v2.py"


def compile_v1(folder: Path) -> Path:
    """Write the packages of `v1.py` into a folder; the Python that has the SDK."""
    return _compile("kfp-v1", V1, folder)


def compile_v2(folder: Path) -> Manifest:
    """Write the packages of `v2.py` into a folder; what reading and running them came to."""
    _compile("kfp", V2, folder)
    found: Manifest = json.loads((folder / "found.json").read_text())
    return found


def _compile(environment: str, program: str, folder: Path) -> Path:
    python = obtain(environment)
    folder.mkdir()
    command = [str(python), str(PROGRAMS / program), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return python


def steps(python: Path) -> Mapping[str, Image]:
    """Images that functions of v1 pipelines run in."""
    return {
        "python:3.7": Image((str(Path(sys.executable).parent),)),
        "tensorflow/tensorflow:1.14.0-py3": Image((str(python.parent),)),
    }
