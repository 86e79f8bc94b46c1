"""What a pool may say of its accelerators beside how cards are shared.

Accelerators of other makers; the plain way of older nodes; labels of Nodes that name the model; which cards NVIDIA
makes for servers and workstations, by the names that pools give them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Annotated

from pydantic import AfterValidator, Field

from platform_def.config.model import LabelKey, LabelValue, Model, Name, conflict
from platform_def.errors import nearest

NVIDIA = "nvidia.com/"
DRIVER_MOUNT, CUDA_MOUNT = "/usr/local/nvidia", "/usr/local/cuda"
"""Where containers find the node's libraries; NVIDIA's own images look for a driver in the first."""

TOPOLOGY_LABELS: Mapping[str, str] = {"google.com/tpu": "cloud.google.com/gke-tpu-topology"}
"""Labels by which nodes name the shape of their slice; pods that do not ask for it are not admitted there."""

_SYSTEM = re.compile(
    r"/|/(usr|lib|lib32|lib64|bin|sbin|etc)(/(lib|lib32|lib64|bin|share|local|[a-z0-9_]+-linux-gnu.*))*"
)


def _library_folder(path: str) -> str:
    if not re.fullmatch(r"(/[A-Za-z0-9._+-]+)+|/", path) or ".." in path.split("/"):
        raise ValueError(f"'{path[:80]}' is not the path of a folder: write it from the root, such as /opt/nvidia")
    if _SYSTEM.fullmatch(path):
        raise ValueError(
            f"{path} holds the node's own libraries too, which would replace those of containers: name a folder with "
            "NVIDIA's files alone"
        )
    return path


LibraryFolder = Annotated[str, Field(max_length=200), AfterValidator(_library_folder)]


class HostLibraries(Model):
    """The plain way of older nodes, which have NVIDIA's driver and no container toolkit.

    Pods get device files from the device plugin, and mount libraries from folders of the node.
    """

    driver: LibraryFolder
    """Folder of the node with the driver's files alone, below it `lib64` (or `lib`) and `bin`: in containers it is
    /usr/local/nvidia. Such as /var/lib/nvidia-docker/volumes/nvidia_driver/470.256.02."""
    cuda: LibraryFolder | None = None
    """Folder of the node with the CUDA toolkit, in containers /usr/local/cuda; for images that bring none."""

    @property
    def search_path(self) -> str:
        """LD_LIBRARY_PATH of containers."""
        folders = [f"{DRIVER_MOUNT}/lib64", f"{DRIVER_MOUNT}/lib"]
        return ":".join([*folders, f"{CUDA_MOUNT}/lib64"] if self.cuda else folders)


class ModelLabel(Model):
    """A label of Nodes that names the model of their cards."""

    key: LabelKey
    """The label; the nodes' owner sets it where no program writes it."""
    values: Annotated[list[LabelValue], Field(min_length=1)]
    """What it says on nodes of the pool; more than one where a driver spells a model in several ways."""


class Accelerator(Model):
    """Accelerators that are not NVIDIA GPUs: TPU, AMD, Ascend."""

    resource: LabelKey
    """Resource name that their own plugin offers: `google.com/tpu`, `amd.com/gpu`, `huawei.com/Ascend910`."""
    per_node: Annotated[int, Field(ge=1)]
    """Devices in each node."""
    topology: Annotated[str, Field(pattern=r"^[1-9]\d{0,4}(x[1-9]\d{0,4}){0,2}$")] | None = None
    """Shape of a slice, where the accelerator has one (`2x4`, `4x4x4`). One of several nodes goes to one job, whole."""
    runtime_class: Name | None = None
    """RuntimeClass that pods need to reach the devices (`ascend`, `habana`), where there is one."""

    @property
    def hosts(self) -> int:
        """Nodes that make up one slice; 1 where there are none of several nodes."""
        if self.topology is None:
            return 1
        return max(math.prod(int(side) for side in self.topology.split("x")) // self.per_node, 1)

    @property
    def node_labels(self) -> dict[str, str]:
        """Labels by which nodes with this shape are asked for, where the maker has one."""
        key = TOPOLOGY_LABELS.get(self.resource)
        return {key: self.topology} if key and self.topology else {}

    @conflict
    def _an_extended_resource(self) -> Iterator[ValueError]:
        domain, slash, _ = self.resource.partition("/")
        if self.resource.startswith(NVIDIA):
            yield ValueError(f"{self.resource} is NVIDIA's: describe its cards with `gpu:`")
        if not slash or domain == "kubernetes.io" or domain.endswith(".kubernetes.io"):
            yield ValueError(f"'{self.resource}' is not an extended resource: write domain/name, such as amd.com/gpu")

    @conflict
    def _whole_slices(self) -> Iterator[ValueError]:
        devices = math.prod(int(side) for side in self.topology.split("x")) if self.topology else self.per_node
        if devices % self.per_node:
            yield ValueError(
                f"a slice of {self.topology} has {devices} devices, which are no whole number of nodes with "
                f"{self.per_node}"
            )


_FORM = re.compile(r"-(\d{1,3}gb|pcie|sxm\d?|nvl|hgx|dgx)$")
"""What may follow a model: size of the memory, form of the card."""

_BY_GENERATION = {
    "Kepler, Maxwell, Pascal": "k20 k40 k80 m4 m6 m10 m40 m60 p4 p6 p40 p100 titan-x titan-xp gtx-1080 gtx-1080-ti",
    "Volta, Turing": "v100 v100s titan-v t4 t4g titan-rtx rtx-2080 rtx-2080-ti rtx-4000 rtx-5000 rtx-6000 rtx-8000",
    "Ampere": "a2 a10 a10g a16 a30 a30x a40 a100 a100x a800 rtx-a2000 rtx-a4000 rtx-a4500 rtx-a5000 rtx-a5500 "
    "rtx-a6000 rtx-3080 rtx-3090",
    "Ada": "l2 l4 l20 l40 l40g l40s rtx-4090 rtx-4000-ada rtx-4500-ada rtx-5000-ada rtx-6000-ada",
    "Hopper": "h20 h100 h200 h800 gh200",
    "Blackwell": "b100 b200 b300 gb200 gb300 gb10 rtx-5090 rtx-pro-4000 rtx-pro-4500 rtx-pro-5000 rtx-pro-6000",
}
KNOWN = frozenset(model for models in _BY_GENERATION.values() for model in models.split())


def strange_model(model: str) -> str | None:
    """A hint where no card is called so; None where one is, with any memory and form."""
    bare = model
    while (shorter := _FORM.sub("", bare)) != bare:
        bare = shorter
    return None if bare in KNOWN else nearest(bare, KNOWN)
