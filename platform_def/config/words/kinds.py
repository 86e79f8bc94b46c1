"""What a component can register, so that models of stack files know the word and not whose it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class BalancerWord:
    """A program that gives the gateway's Service an address from a pool; `ingress.kind` may be this word."""

    word: str
    title: str
    """The program's name, for people."""
    pool_annotation: str
    """By which a Service names the pool that its address is taken from."""
    component: str = ""
    """Who registered it; the index says it."""


@dataclass(frozen=True, kw_only=True)
class LayerWord:
    """A program that divides cards into virtual GPUs; `sharing.layer` of a pool may be this word."""

    word: str
    default: bool = False
    """Which layer it is where the pool names none."""
    shares: str = ""
    """Resource of which a node offers as many as its cards have shares, and a pod asks for one a share."""
    cores: str = ""
    """Resource of which a card has 100 units, and a pod asks for its share of them."""
    memory: str = ""
    """Resource of a card's memory, offered and asked for in units of `memory_mib`."""
    memory_mib: int = 0
    percent: tuple[str, ...] = ()
    """Resources that its scheduler alone knows: which part of a card each share is, in percent."""
    component: str = ""


@dataclass(frozen=True, kw_only=True)
class SchedulerWord:
    """A scheduler under the name by which pods ask for it, where nothing in the stack names it otherwise."""

    word: str
    gangs: str = ""
    """As which implementation it starts gangs (`gangScheduler:` of operators), where it does."""
    of_pools: bool = False
    """Whether a pool may have it for itself: `scheduler:` of the pool."""
    component: str = ""


@dataclass(frozen=True, kw_only=True)
class EngineWord:
    """A delivery engine; `delivery.engine` may be this word."""

    word: str
    title: str
    namespace: str
    """Where it runs unless the stack says otherwise."""
    proven: tuple[str, ...]
    """Releases whose order the tests have seen; one that is no longer offered may still be what a cluster has."""
    flags: tuple[str, ...] = ()
    """Flags that its owner is to set, where it is the cluster's own."""
    order: str = ""
    """By what it keeps the order of parts itself; empty: `delivery.order` says how."""
    authorities: str = ""
    """Where it finds a private authority by host; empty: the Secret of `caSecret` holds it."""
    needs_ssh_key: bool = False
    """Whether it reads nothing by SSH before the stack names a Secret with a key."""
    component: str = ""


@dataclass(frozen=True, kw_only=True)
class DriverWord:
    """A driver of volumes; `driver` of a storage entry is this word."""

    word: str
    component: str = ""


@dataclass(frozen=True, kw_only=True)
class Words:
    """What one component registers."""

    balancers: tuple[BalancerWord, ...] = ()
    layers: tuple[LayerWord, ...] = ()
    schedulers: tuple[SchedulerWord, ...] = ()
    engines: tuple[EngineWord, ...] = ()
    drivers: tuple[DriverWord, ...] = ()
    notes: Mapping[str, str] = field(default_factory=dict)
    """What it says of a field of stack files, by `Model.field`; put behind the field's own description."""
