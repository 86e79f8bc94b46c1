"""The images of the job tests: environments from PyPI, pinned with hashes, made once and kept in the cache of tools.

`python -m tests.cluster.images build [NAME…]` makes them; without it `make job-test` makes what is missing. PyTorch, of
which PyPI has builds for CUDA alone, and sshd, of which it has none, are Debian's packages: `apt-get install
--no-install-recommends python3-torch openssh-server`. Debian's torchrun is of 2022; later ones are the Python of wheels for
another system, the smallest that there are.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from platform_def.tools import kubectl_path
from tests.cluster.kubelet.image import Image
from tests.cluster.machines import PROGRAMS
from tests.cluster.tools import cache_folder

PINS = Path(__file__).with_name("image_pins")
NAMES = ("jax", "mpi", "mxnet", "paddle", "ray", "tensorflow", "torchrun", "torchrun-2.12", "xgboost")
ELASTIC = ("torch/distributed/", "torch/numa/")
"""What torchrun is in a wheel of PyTorch."""
WHEELS: Mapping[str, str] = {"torchrun": "macosx_11_0_arm64", "torchrun-2.12": "macosx_14_0_arm64"}
"""Images of which a wheel for another system has all that is needed, and the system."""
COMPILED: Mapping[str, Mapping[str, str]] = {
    "horovod": {
        "HOROVOD_WITH_MPI": "1",
        "HOROVOD_WITH_MXNET": "1",
        "HOROVOD_WITHOUT_GLOO": "1",
        "HOROVOD_WITHOUT_PYTORCH": "1",
        "HOROVOD_WITHOUT_TENSORFLOW": "1",
        "HOROVOD_CPU_OPERATIONS": "MPI",
    }
}
"""Images with a package that PyPI has as sources alone (`NAME.sources.txt`), and what its build is told. A compiler of C++
takes minutes for them, so that not every run makes them."""
SSHD = Path("/usr/sbin/sshd")
DEBIAN_TORCH = Path("/usr/bin/torchrun")


def image(name: str) -> Image:
    """An image with a framework's environment first on its path, and the test programs in /programs.

    Programs flush what they say: without a buffer a line takes two writes, between which another of the pod's may come.
    """
    return Image((str(folder(name) / "bin"),), files={"/programs": str(PROGRAMS)})


def mpi(name: str = "mpi") -> Image:
    """An image with an sshd, and its one user beside root."""
    plain = image(name)
    files = {**plain.files, "/etc/passwd": str(PROGRAMS / "mpi" / "passwd")}
    return Image(plain.programs, plain.variables, files)


def kubectl() -> Image:
    """The image by which the training operator hands kubectl to launchers, whose command puts it where they look."""
    return Image(command=("sh", "-c", f"cp {kubectl_path()} /opt/kube/kubectl"))


def torch() -> Image:
    """An image with Debian's PyTorch."""
    programs = (str(PROGRAMS / "debian-torch"), str(DEBIAN_TORCH.parent))
    return Image(programs, files={"/programs": str(PROGRAMS)})


def torchrun(name: str = "torchrun", starts: str = "torchrun-2") -> Image:
    """An image with Debian's PyTorch, and a torchrun of PyTorch 2 before its own."""
    plain = torch()
    programs = (str(PROGRAMS / starts), *plain.programs)
    return Image(programs, {**plain.variables, "TORCH_DISTRIBUTED": str(folder(name) / ELASTIC[0])}, plain.files)


def folder(name: str) -> Path:
    """Where the environment is, or will be; named by a hash of its pins, and of what its build is told."""
    digest = hashlib.sha256((PINS / f"{name}.txt").read_bytes())
    if name in COMPILED:
        digest.update((PINS / f"{name}.sources.txt").read_bytes() + json.dumps(COMPILED[name]).encode())
    return cache_folder() / f"image-{name}-{digest.hexdigest()[:12]}"


def missing(names: Iterable[str] = NAMES) -> list[str]:
    """Those of the images that the cache does not hold."""
    return [name for name in names if not (folder(name) / "complete").exists()]


def build(name: str) -> None:
    """Make an environment; whole, or not at all."""
    target = folder(name)
    if name in WHEELS:
        _unpack(name, target)
        return
    subprocess.run([sys.executable, "-m", "venv", "--clear", str(target)], check=True)
    pins = str(PINS / f"{name}.txt")
    install = [str(target / "bin" / "pip"), "install", "-q", "--disable-pip-version-check", "--require-hashes", "-r"]
    subprocess.run([*install, pins], check=True)
    if name in COMPILED:
        programs = {"PATH": f"{target / 'bin'}:{os.environ['PATH']}"}
        sources = [*install, str(PINS / f"{name}.sources.txt"), "--no-build-isolation", "--no-deps"]
        subprocess.run(sources, check=True, env={**os.environ, **programs, **COMPILED[name]})
    (target / "complete").touch()


def _unpack(name: str, target: Path) -> None:
    """What torchrun is of a wheel for another system."""
    pins = str(PINS / f"{name}.txt")
    other = ("--platform", WHEELS[name], "--python-version", "3.11", "--only-binary", ":all:", "--no-deps")
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check", "--require-hashes"]
        subprocess.run([*pip, *other, "-d", folder, "-r", pins], check=True)
        (wheel,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as files:
            files.extractall(target, [each for each in files.namelist() if each.startswith(ELASTIC)])
    (target / "complete").touch()


def main(arguments: list[str]) -> int:
    """`build [NAME…]`; without names those that are missing, and that no compiler makes."""
    verb, *names = arguments or ["help"]
    known = (*NAMES, *COMPILED)
    if verb != "build" or set(names) - {*known}:
        sys.stderr.write(f"usage: python -m tests.cluster.images build [{'|'.join(known)}]…\n")
        return 2
    for name in missing(names or NAMES):
        sys.stdout.write(f"==> image {name}\n")
        build(name)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
