"""The images of the job tests: environments from PyPI, pinned with hashes, made once and kept in the cache of tools.

`python -m tests.cluster.images build [NAME…]` makes them; without it `make job-test` makes what is missing. PyTorch, of
which PyPI has builds for CUDA alone, is Debian's package: `apt-get install --no-install-recommends python3-torch`.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

from tests.cluster.job_bench import PROGRAMS
from tests.cluster.kubelet.pod import Image
from tests.cluster.tools import cache_folder

PINS = Path(__file__).with_name("image_pins")
NAMES = ("jax", "mxnet", "tensorflow", "xgboost")
DEBIAN_TORCH = Path("/usr/bin/torchrun")


def image(name: str) -> Image:
    """An image with a framework's environment first on its path, and the test programs in /programs."""
    return Image((str(folder(name) / "bin"),), {"PYTHONUNBUFFERED": "1"}, {"/programs": str(PROGRAMS)})


def torch() -> Image:
    """An image with Debian's PyTorch."""
    programs = (str(PROGRAMS / "debian-torch"), str(DEBIAN_TORCH.parent))
    return Image(programs, {"PYTHONUNBUFFERED": "1"}, {"/programs": str(PROGRAMS)})


def folder(name: str) -> Path:
    """Where the environment is, or will be; named by a hash of its pins."""
    digest = hashlib.sha256((PINS / f"{name}.txt").read_bytes()).hexdigest()[:12]
    return cache_folder() / f"image-{name}-{digest}"


def missing() -> list[str]:
    """Images that the cache does not hold."""
    return [name for name in NAMES if not (folder(name) / "complete").exists()]


def build(name: str) -> None:
    """Make an environment; whole, or not at all."""
    target = folder(name)
    subprocess.run([sys.executable, "-m", "venv", "--clear", str(target)], check=True)
    pins = str(PINS / f"{name}.txt")
    install = [str(target / "bin" / "pip"), "install", "-q", "--disable-pip-version-check", "--require-hashes", "-r"]
    subprocess.run([*install, pins], check=True)
    (target / "complete").touch()


def main(arguments: list[str]) -> int:
    """`build [NAME…]`."""
    verb, *names = arguments or ["help"]
    if verb != "build" or set(names) - set(NAMES):
        sys.stderr.write(f"usage: python -m tests.cluster.images build [{'|'.join(NAMES)}]…\n")
        return 2
    for name in names or missing():
        sys.stdout.write(f"==> image {name}\n")
        build(name)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
