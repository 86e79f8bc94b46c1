"""What a stack may choose about TensorFlow Serving, and its release."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from platform_def.components.serving.tf_serving.metrics import METRICS
from platform_def.config.model import Model, Name, Quantity, Subdomain, conflict
from platform_def.constructs import APACHE, ComponentConfig, Release, releases
from platform_def.jobs.parameters import RelativePath

ModelName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$", max_length=100)]
Version = Annotated[int, Field(ge=0, le=2**63 - 1)]
RELEASES = releases(
    Release(
        "2.20.0",
        kubernetes="1.25-1.37",  # it calls no API of Kubernetes
        image="docker.io/tensorflow/serving:2.20.0",
        images={"gpu": "docker.io/tensorflow/serving:2.20.0-gpu", "fetch": "docker.io/rclone/rclone:1.75.1"},
        exports=(METRICS,),
        licenses={"rclone": "MIT"},
    ),
    license=APACHE,
)


class TfModel(Model):
    """A model of TensorFlow: a folder with a folder of its own for each version, called by a number."""

    name: ModelName
    """What requests call it: `/v1/models/<name>:predict`."""
    folder: RelativePath | None = None
    """Folder of the volume or the bucket with its versions; by default its name."""
    latest: Annotated[int, Field(ge=1, le=100)] | None = None
    """How many of its newest versions are served; by default one."""
    versions: list[Version] = Field(default_factory=list)
    """Serve these versions and no others."""
    all_versions: bool = False
    """Serve every version that is there."""
    labels: dict[Name, Version] = Field(default_factory=dict)
    """Labels by which requests name a version: `/v1/models/<name>/labels/<label>:predict`."""

    @conflict
    def _one_policy(self) -> Iterator[ValueError]:
        if sum(map(bool, (self.latest, self.versions, self.all_versions))) > 1:
            yield ValueError("name one of latest, versions, allVersions")
        strange = [label for label, version in self.labels.items() if self.versions and version not in self.versions]
        for label in strange:
            yield ValueError(f"label '{label}' names a version that is not among `versions`")


class Batching(Model):
    """Requests that wait for each other, so that an accelerator computes them together."""

    max_size: Annotated[int, Field(ge=1, le=65_536)] = 32
    """Examples that are computed together."""
    timeout_microseconds: Annotated[int, Field(ge=0, le=10_000_000)] = 1000
    """How long the first of them waits for others."""
    waiting: Annotated[int, Field(ge=1, le=1_000_000)] = 100
    """Batches that may wait; further requests are refused."""
    threads: Annotated[int, Field(ge=1, le=1024)] | None = None
    """Batches that are computed at once; by default as many as there are processors."""
    sizes: list[Annotated[int, Field(ge=1, le=65_536)]] = Field(default_factory=list)
    """Sizes to which batches are filled up, ascending, for accelerators that compile each; the last is `maxSize`."""

    @conflict
    def _ascending(self) -> Iterator[ValueError]:
        if self.sizes and (self.sizes != sorted(set(self.sizes)) or self.sizes[-1] != self.max_size):
            yield ValueError("`sizes` ascend, and the last is `maxSize`")


class CanaryServer(Model):
    """Another TensorFlow Serving of the stack that gets a share of this one's requests."""

    server: Name
    """Its name under `components:`; in the same namespace, with models of the same names."""
    percent: Annotated[int, Field(ge=1, le=99)]
    """Share of the requests."""


class TfServingConfig(ComponentConfig):
    """What a stack may choose about TensorFlow Serving."""

    releases = RELEASES

    namespace: Name = "tf-serving"
    """Namespace of the server and of its claim; two servers of which one is the other's canary share it."""
    models: Annotated[list[TfModel], Field(min_length=1, max_length=1000)]
    """The models. A change is loaded by the running server."""
    claim: Subdomain | None = None
    """Existing PersistentVolumeClaim in the namespace with the models; by default they come from the stack's object
    store."""
    look_seconds: Annotated[int, Field(ge=1, le=86_400)] = 30
    """How often it looks for new versions."""
    pool: Name | None = None
    """Node pool that it runs on."""
    gpus: Annotated[int, Field(ge=0, le=16)] = 0
    """GPUs of each pod."""
    gpu_memory: Annotated[float, Field(gt=0, le=1)] | None = None
    """Part of a card's memory that it takes; by default all, so that nothing else fits beside it."""
    cpu: Quantity = "1"
    """Cores that each pod asks for."""
    memory: Quantity = "4Gi"
    """Memory of each pod, models included."""
    batching: Batching | None = None
    """Compute requests together."""
    warm_up: bool = True
    """Send a version the requests of its `assets.extra/tf_serving_warmup_requests` before it answers others."""
    timeout_seconds: Annotated[int, Field(ge=1, le=3600)] = 30
    """Longest time of a request by REST."""
    routes: list[Literal["rest", "grpc"]] = Field(default_factory=lambda: ["rest"])  # type: ignore[arg-type]
    """What the gateway leads here: `rest` at `/serving/<name>/`, `grpc` at the methods' own paths, which on one host
    belong to one server; `host` gives it one of its own."""
    host: Subdomain | None = None
    """Host of the gateway to which its routes are narrowed."""
    canary: CanaryServer | None = None
    """Give another server a share of the requests that come by the routes."""

    @conflict
    def _fits(self) -> Iterator[ValueError]:
        names = [each.name for each in self.models]
        for twice in dict.fromkeys(name for name in names if names.count(name) > 1):
            yield ValueError(f"model '{twice}' is listed twice")
        if self.gpu_memory is not None and not self.gpus:
            yield ValueError("`gpuMemory` is a part of a card: say how many with `gpus`")
