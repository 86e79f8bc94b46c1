"""Types of fields whose values components register: each is a choice among the words that there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from platform_def.config.words.registered import balancers, engines, layers, schedulers

BALANCED = ("cloud", *balancers())
"""Kinds of ingress whose Service is a LoadBalancer."""

if TYPE_CHECKING:
    LayerName = str
    PoolScheduler = str
    IngressKind = str
    EngineName = str
else:
    LayerName = Literal[tuple(layers())]
    PoolScheduler = Literal[tuple(word for word, scheduler in schedulers().items() if scheduler.of_pools)]
    IngressKind = Literal[(*BALANCED, "nodePort", "hostNetwork", "none")]
    EngineName = Literal[(*engines(), "none")]
