"""Python environments of programs that PyPI has and that a cluster test runs beside its control plane.

`requirements/NAME.txt` names all that each has, with hashes; it is made once and kept in the cache of tools, where a hash of its pins names
it. `python -m tests.cluster.environments [since SECOND]` makes what is missing.
"""

from __future__ import annotations

import hashlib
import math
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from tests.cluster.tools import BUILD, LATE_MINUTES, LeftOutError, MissingToolError, cache_folder, locked
from tests.proofs.report import LEFT_OUT

PINS = Path(__file__).parents[2] / "requirements"
ENVIRONMENTS: Mapping[str, str] = {
    "kfp": "the SDK of Kubeflow Pipelines 2.17 with kfp-kubernetes; 30 s, 100 MB",
    "mlflow": "MLflow 3.18.0 as server and client, without packages for models; 100 s, 440 MB",
    "katib": "the types of Katib's calls and optuna, for a suggestion service of the tests; 75 s, 160 MB",
    "kserve": "what KServe's servers of scikit-learn and XGBoost and its fetcher import; 4 min, 620 MB",
    "seldon": "Seldon's Python wrapper 1.17.1; 30 s, 170 MB",
    "spark": "Spark 4.0.1 with its jars; 60 s, 430 MB",
    "tf-serving": "the types of TensorFlow Serving's files; 10 s, 30 MB",
    "kfp-v1": "the v1 SDK of Kubeflow Pipelines with NumPy; 50 s, 210 MB",
}
"""What each one holds, and what it costs on two busy cores."""


def folder(name: str) -> Path:
    """Where an environment is, or will be."""
    return cache_folder() / f"{name}-{hashlib.sha256((PINS / f'{name}.txt').read_bytes()).hexdigest()[:12]}"


def obtain(name: str) -> Path:
    """Its Python; MissingToolError when it is missing and cannot be made, or this run makes nothing more."""
    if not complete(name) and os.environ.get(BUILD) == "no":
        raise LeftOutError(f"{LEFT_OUT}{name} not made within this run's time: `make cluster-tools` makes all")
    return make(name)


def make(name: str) -> Path:
    """Its Python, made when missing; MissingToolError when that cannot be done."""
    target = folder(name)
    if not complete(name):
        with locked(target):  # a second process waits for the first, and then finds what it made
            if not complete(name):
                _install(name, target)
    return target / "bin" / "python"


def _install(name: str, target: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--clear", str(target)], check=True)
    pip = [
        str(target / "bin" / "pip"),
        "install",
        "-q",
        "--disable-pip-version-check",
        "--no-deps",
        "--require-hashes",
    ]
    if subprocess.run([*pip, "-r", str(PINS / f"{name}.txt")], check=False).returncode != 0:
        raise MissingToolError(f"{name} cannot be had: requirements/{name}.txt")
    (target / "complete").touch()


def complete(name: str) -> bool:
    """Whether it is there."""
    return (folder(name) / "complete").exists()


def main(arguments: list[str]) -> int:
    """Make them; in a run that has its time and began at that second, as many as its first minutes allow."""
    began = float(arguments[1]) if arguments[:1] == ["since"] else math.inf
    for name, what in ENVIRONMENTS.items():
        if not complete(name) and time.time() > began + LATE_MINUTES * 60:
            sys.stdout.write(f"==> left out, with the tests that need it, is {name} ({what})\n")
            continue
        try:
            sys.stdout.write(f"{name}: {obtain(name)}\n")
        except MissingToolError as error:
            sys.exit(f"error: {error}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
