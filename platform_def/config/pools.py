"""Node pools: the one table from which plugins, labels, tolerations, placement and arithmetic follow."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from platform_def.config.accelerators import Accelerator, HostLibraries, ModelLabel
from platform_def.config.model import LabelKey, Labels, LabelValue, Model, Name, conflict
from platform_def.config.rdma import Rdma, range_problem
from platform_def.config.storage import LocalDisk
from platform_def.config.words.kinds import LayerWord
from platform_def.config.words.registered import default_layer, layers
from platform_def.config.words.types import LayerName, PoolScheduler

_TAINT = re.compile(r"(?P<key>[^=:\s]+)(=(?P<value>[^=:\s]*))?:(?P<effect>NoSchedule|PreferNoSchedule|NoExecute)")
MIG_PROFILE = re.compile(r"[1-7]g\.\d{1,3}gb(\+me(\.all)?|\+gfx|-me)?")
_SIZE_IN_MODEL = re.compile(r".*-(\d{1,3})gb")

WHOLE_GPU = "nvidia.com/gpu"
SHARED_GPU = "nvidia.com/gpu.shared"
CORES_OF_A_CARD = 100
"""Units of its cores that a card has where a layer divides it."""

_MEMORY_GIB: Mapping[int, str] = {
    8: "p4",
    12: "k80",
    16: "p100 v100 t4 a2 a16",
    24: "p40 a10 a10g a30 l4",
    40: "a100",
    48: "a40 l40 l40s",
    80: "h100 a800 h800",
}
"""Memory of cards whose usual name does not say it, as their data sheets have it."""


class Taint(Model):
    """A taint of a pool's nodes, written as kubectl writes it: `key=value:NoSchedule`."""

    key: LabelKey
    value: LabelValue = ""
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, data: object) -> object:
        if not isinstance(data, str):
            return data
        found = _TAINT.fullmatch(data)
        if not found:
            raise ValueError(f"'{data[:80]}' is not a taint: write key=value:NoSchedule")
        return {"key": found["key"], "value": found["value"] or "", "effect": found["effect"]}


class Sharing(Model):
    """How several containers share one GPU."""

    mode: Literal["time-slicing", "mps", "vgpu"]
    """`time-slicing`: turns, no memory limit; `mps`: NVIDIA's Multi-Process Service; `vgpu`: a virtual GPU layer."""
    replicas: Annotated[int, Field(ge=2, le=128)] = 2
    """Shares of each GPU (k8s-device-plugin refuses fewer than 2); with `vgpu` the size of what a job calls a GPU."""
    layer: LayerName = default_layer()
    """With `vgpu`: who divides the cards."""
    rename: bool = False
    """Offer the shares as `nvidia.com/gpu.shared`, so that a share is not mistaken for a whole GPU."""

    @conflict
    def _mps_limit(self) -> Iterator[ValueError]:
        if self.mode == "mps" and self.replicas > 48:
            yield ValueError(f"MPS serves at most 48 clients a GPU, not {self.replicas}")
        if self.mode == "vgpu" and self.replicas > CORES_OF_A_CARD:
            yield ValueError(
                f"a card has {CORES_OF_A_CARD} virtual cores, so at most as many shares, not {self.replicas}"
            )
        if self.mode != "vgpu" and self.layer != default_layer():
            yield ValueError(f"layer '{self.layer}' divides virtual GPUs, so the mode is vgpu, not {self.mode}")
        if self.mode == "vgpu" and self.rename:
            yield ValueError("rename has no effect with vgpu: virtual GPUs have resource names of their own")


MigLayout = dict[str, Annotated[int, Field(ge=1, le=7)]]
CardRange = Annotated[str, Field(pattern=r"^\d{1,2}(-\d{1,2})?$")]


class Mig(Model):
    """Multi-Instance GPU: hardware partitions of one GPU."""

    strategy: Literal["single", "mixed"] = "single"
    """`single`: every device is `nvidia.com/gpu`; `mixed`: one resource name a profile."""
    layout: MigLayout = Field(default_factory=dict)
    """Devices of each GPU by profile, such as `{1g.10gb: 7}`."""
    cards: dict[CardRange, MigLayout] = Field(default_factory=dict)
    """Instead of `layout`, that of each card, by its index or a range of indexes, as nvidia-smi counts them:
    `{"0": {2g.20gb: 3, 1g.10gb: 1}, "1-7": {}}`. `{}` is a card that stays whole, `nvidia.com/gpu`."""

    @property
    def profiles(self) -> list[str]:
        """Profiles that some card has, sorted."""
        return sorted({profile for layout in (self.layout, *self.cards.values()) for profile in layout})

    def of_cards(self) -> Iterator[tuple[range, MigLayout]]:
        """Which cards have a layout of their own, and which."""
        for text, layout in self.cards.items():
            first, _, last = text.partition("-")
            yield range(int(first), int(last or first) + 1), layout

    @conflict
    def _by_card(self) -> Iterator[ValueError]:
        if not self.cards:
            return
        if self.layout:
            yield ValueError("write either `layout`, for all cards, or `cards`")
        if self.strategy != "mixed":
            yield ValueError("cards need `strategy: mixed`: with `single` every card is cut alike")
        for text, (cards, _) in zip(self.cards, self.of_cards(), strict=True):
            if not cards:
                yield ValueError(f"cards: '{text}' ends before it begins")
        if not self.profiles:
            yield ValueError("cards: no card is cut; leave `mig` out")

    @conflict
    def _profiles(self) -> Iterator[ValueError]:
        for profile in self.profiles:
            if not MIG_PROFILE.fullmatch(profile):
                yield ValueError(f"'{profile[:40]}' is not a MIG profile: write <compute>g.<memory>gb, such as 1g.10gb")
        if not self.layout and not self.cards:
            yield ValueError("layout needs a profile, such as {1g.10gb: 7}")
        if self.strategy == "single" and len(self.layout) > 1:
            yield ValueError(f"strategy 'single' wants one profile on every GPU, not {', '.join(sorted(self.layout))}")


class Gpu(Model):
    """The NVIDIA GPUs of a pool's nodes."""

    model: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]*$")]
    """Model, lower case: `a100-80gb`, `h100-80gb`, `t4`, `k80`; a model unknown to this tool needs `memoryGib`."""
    per_node: Annotated[int, Field(ge=1, le=16)]
    """Cards in each node."""
    memory_gib: Annotated[int, Field(ge=1, le=1024)] | None = None
    """Memory of each card in GiB, as its data sheet has it; asked for where virtual GPUs divide it and the model's name
    does not say it (`a100-80gb`, `t4` and other usual names do)."""
    sharing: Sharing | None = None
    """Absent: a container gets whole cards."""
    mig: Mig | None = None
    """Absent: cards are not partitioned."""
    host_libraries: HostLibraries | None = None
    """The plain way of older nodes: no container toolkit, libraries from folders of the node."""
    model_label: ModelLabel | None = None
    """Keeps jobs to nodes whose label says this model, beside the pool's selector."""

    @conflict
    def _exclusive(self) -> Iterator[ValueError]:
        if self.mig and self.sharing and self.sharing.mode == "mps":
            yield ValueError("MPS cannot be combined with MIG: the device plugin refuses to start")
        if self.mig and self.sharing and self.sharing.mode == "vgpu":
            yield ValueError("virtual GPUs cannot be combined with MIG: both partition the same card")

    @conflict
    def _every_card_once(self) -> Iterator[ValueError]:
        if self.mig is None or not self.mig.cards:
            return
        if self.sharing:
            yield ValueError(
                "sharing cannot be combined with mig.cards: whole cards and MIG devices would be shared alike"
            )
        named = Counter(card for cards, _ in self.mig.of_cards() for card in cards)
        for card, times in sorted(named.items()):
            if times > 1:
                yield ValueError(f"cards: card {card} is named twice")
            if card >= self.per_node:
                yield ValueError(f"cards: there is no card {card}: perNode is {self.per_node}, and the first card is 0")
        for card in range(self.per_node):
            if card not in named:
                yield ValueError(f'cards: card {card} is not named; write `"{card}": {{}}` for one that stays whole')

    @conflict
    def _plain_cards(self) -> Iterator[ValueError]:
        if self.host_libraries is None:
            return
        if self.mig:
            yield ValueError("hostLibraries has whole cards alone: MIG devices need NVIDIA's container toolkit")
        if self.sharing and self.sharing.mode == "mps":
            yield ValueError("hostLibraries cannot be combined with MPS: its daemon needs NVIDIA's container toolkit")
        if self.sharing and self.sharing.mode == "vgpu":
            yield ValueError(
                "hostLibraries cannot be combined with vgpu: the layer that divides brings libraries of its own"
            )


class NodePool(Model):
    """Nodes that are alike."""

    name: Name
    """Name of the pool; jobs, notebooks and quotas name it."""
    nodes: Annotated[int, Field(ge=0, le=100000)] = 1
    """How many nodes there are."""
    selector: Labels = Field(default_factory=dict)
    """Labels that these nodes, and no others, carry."""
    taints: list[Taint] = Field(default_factory=list)
    """Taints of these nodes; what is to run there gets the matching tolerations."""
    gpu: Gpu | None = None
    """Their NVIDIA GPUs."""
    accelerator: Accelerator | None = None
    """Their other accelerators."""
    scheduler: PoolScheduler | None = None
    """Scheduler that pods of jobs on this pool ask for. Pools that name one are its alone: the schedulers and queues of
    the other pools do not use them. Absent: the scheduler of the stack."""
    rdma: Rdma = Rdma.of_defaults()
    """Their RDMA fabric: `infiniband`, `roce`, or a map that also says how pods reach it."""
    cores: Annotated[int, Field(ge=1, le=4096)] | None = None
    """Processor cores of each node. Jobs get the share of their GPUs by default."""
    memory_gib: Annotated[int, Field(ge=1, le=65536)] | None = None
    """Memory of each node in GiB. Jobs get the share of their GPUs by default."""
    avoid: Labels = Field(default_factory=dict)
    """Labels of single nodes that jobs keep away from, such as those with a faulty card: `{gpu-health: faulty}`."""
    price_per_hour: Annotated[float, Field(gt=0, le=1_000_000)] | None = None
    """What one of its nodes costs in an hour, in a currency of your choice; a card is its share of the node."""
    gbps: Annotated[int, Field(ge=1, le=100000)] | None = None
    """Bandwidth between nodes in Gbit/s; distributed jobs are warned below 10."""
    topology: list[LabelKey] = Field(default_factory=list)
    """Labels of its nodes that say where each one is, from the widest to the narrowest, such as
    `[example.com/block, example.com/rack, kubernetes.io/hostname]`; queues then place a job's pods near each other."""
    local_disk: LocalDisk | None = None
    """A fast disk of each node for copies of datasets."""
    memlock_unlimited: bool = False
    """containerd runs with LimitMEMLOCK=infinity, so that containers that are not root may register memory for RDMA."""

    @field_validator("taints")
    @classmethod
    def _distinct(cls, taints: list[Taint]) -> list[Taint]:
        seen = {(taint.key, taint.effect) for taint in taints}
        if len(seen) != len(taints):
            raise ValueError("two taints have one key and effect")
        return taints

    @conflict
    def _one_accelerator(self) -> Iterator[ValueError]:
        if self.gpu and self.accelerator:
            yield ValueError("a pool has either `gpu:` (NVIDIA) or `accelerator:` (others), not both")
        if self.accelerator and self.nodes % self.accelerator.hosts:
            yield ValueError(
                f"a slice of {self.accelerator.topology} is {self.accelerator.hosts} nodes, "
                f"and {self.nodes} nodes are no whole number of slices"
            )

    @conflict
    def _one_scheduler(self) -> Iterator[ValueError]:
        if self.scheduler and virtual(self):
            yield ValueError(
                f"{layer(self)} divides its cards and places their pods: leave `scheduler: {self.scheduler}` out, or "
                "`sharing:`"
            )

    @conflict
    def _enough_addresses(self) -> Iterator[ValueError]:
        problem = range_problem(self.rdma, self.nodes)
        if problem:
            yield ValueError(problem)


def offered(pool: NodePool) -> dict[str, int]:
    """Extended resources that one node of the pool offers, with amounts.

    Names as NVIDIA k8s-device-plugin 0.20 gives them, and as the layer that divides cards has registered. Units of
    memory are left out where the memory of the cards is not known.
    """
    if pool.accelerator:
        return {pool.accelerator.resource: pool.accelerator.per_node}
    if pool.gpu is None:
        return {}
    if by := dividing(pool):
        memory = memory_units(pool.gpu, by)
        found = {by.shares: places(pool), by.cores: CORES_OF_A_CARD * pool.gpu.per_node}
        found[by.memory] = (memory or 0) * pool.gpu.per_node
        return {name: amount for name, amount in found.items() if name and amount}
    sharing, shares = pool.gpu.sharing, pool.gpu.sharing.replicas if pool.gpu.sharing else 1
    suffix = ".shared" if sharing and sharing.rename else ""
    if pool.gpu.mig and pool.gpu.mig.strategy == "mixed":
        whole = {WHOLE_GPU: uncut(pool.gpu)} if uncut(pool.gpu) else {}
        cut = {f"{_mig_resource(name)}{suffix}": count * shares for name, count in mig_devices(pool.gpu).items()}
        return {**whole, **cut}
    devices = sum(mig_devices(pool.gpu).values()) if pool.gpu.mig else pool.gpu.per_node
    return {WHOLE_GPU + suffix: devices * shares}


def _mig_resource(profile: str) -> str:
    return f"nvidia.com/mig-{profile.replace('+', '.')}"


def mig_devices(gpu: Gpu) -> dict[str, int]:
    """MIG devices of one node by profile, sorted; none where cards are not partitioned."""
    if gpu.mig is None:
        return {}
    each = gpu.mig.of_cards() if gpu.mig.cards else ((range(gpu.per_node), gpu.mig.layout),)
    found: Counter[str] = Counter()
    for cards, layout in each:
        found.update({profile: count * len(cards) for profile, count in layout.items()})
    return dict(sorted(found.items()))


def uncut(gpu: Gpu | None) -> int:
    """Cards of a node that stay whole beside others that are partitioned."""
    return sum(len(cards) for cards, layout in gpu.mig.of_cards() if not layout) if gpu and gpu.mig else 0


def profiles(pool: NodePool) -> list[str]:
    """MIG profiles that containers on the pool choose from by resource name: those of the mixed strategy, sorted."""
    mig = pool.gpu.mig if pool.gpu else None
    return mig.profiles if mig and mig.strategy == "mixed" else []


def asked(pool: NodePool, count: int, profile: str = "") -> dict[str, int]:
    """Extended resources of a pod that is to have `count` of what the pool calls a GPU.

    That is a card, a share of one, or an accelerator; with MIG of the mixed strategy a device of that profile, by
    default a whole card where some are, else a device of the first profile. A virtual GPU is a share too: its part of
    the 100 cores, and of the memory, of which there must be some.
    """
    if not count:
        return {}
    if (by := dividing(pool)) and pool.gpu and pool.gpu.sharing:
        shares = pool.gpu.sharing.replicas
        part = CORES_OF_A_CARD // shares
        memory = max((memory_units(pool.gpu, by) or 0) // shares, 1)
        found = {by.shares: count, by.cores: part * count, by.memory: memory * count}
        return {**{name: amount for name, amount in found.items() if name}, **dict.fromkeys(by.percent, part)}
    names, known = list(offered(pool)), profiles(pool)
    cut = names[len(names) - len(known) :]
    return dict.fromkeys(cut[known.index(profile) :][:1] if profile in known else names[:1], count)


def places(pool: NodePool, profile: str = "") -> int:
    """How often a node of the pool can give one of what `asked` counts; no share lies on two cards."""
    if pool.gpu and pool.gpu.sharing and virtual(pool):
        return pool.gpu.per_node * pool.gpu.sharing.replicas
    amounts = offered(pool)
    return next((amounts[name] for name in asked(pool, 1, profile)), 0)


def card_memory_gib(gpu: Gpu) -> int | None:
    """Memory of a whole card in GiB, as its data sheet has it; None where neither the stack nor its name says it."""
    in_model = _SIZE_IN_MODEL.fullmatch(gpu.model)
    usual = next((size for size, models in _MEMORY_GIB.items() if gpu.model in models.split()), None)
    return gpu.memory_gib or (int(in_model[1]) if in_model else usual)


def memory_units(gpu: Gpu, by: LayerWord) -> int | None:
    """Units of the layer's memory that each card has for containers; None if that is not known or
    the layer counts none.

    A tenth is taken off: the driver reports that much less than the data sheet says, mostly for error correction.
    """
    size = card_memory_gib(gpu)
    return size * 1024 * 9 // 10 // by.memory_mib if size and by.memory else None


def virtual(pool: NodePool) -> bool:
    """Whether the pool's cards are divided by a virtual GPU layer."""
    return bool(pool.gpu and pool.gpu.sharing and pool.gpu.sharing.mode == "vgpu")


def layer(pool: NodePool) -> str:
    """What divides the pool's cards into virtual GPUs; empty where nothing does."""
    return pool.gpu.sharing.layer if pool.gpu and pool.gpu.sharing and virtual(pool) else ""


def dividing(pool: NodePool) -> LayerWord | None:
    """The same with the resources that it gives shares by."""
    return layers().get(layer(pool))


def common(pools: Iterable[NodePool]) -> list[NodePool]:
    """The pools that no scheduler has to itself: those of the schedulers and queues of the whole cluster."""
    return [pool for pool in pools if pool.scheduler is None]


def overlap(one: NodePool, other: NodePool) -> bool:
    """Whether the selectors do not keep the nodes of two pools apart: one chooses all nodes of the other."""
    return one.selector.items() <= other.selector.items() or other.selector.items() <= one.selector.items()


def whole_cards(pool: NodePool) -> bool:
    """Whether a container on the pool gets cards of its own, so that asking for several makes sense."""
    return pool.gpu is not None and pool.gpu.sharing is None and (pool.gpu.mig is None or uncut(pool.gpu) > 0)
