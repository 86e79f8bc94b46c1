"""Whether a language model fits on its cards: weights, KV cache and what vLLM keeps beside, against a card's memory.

vLLM takes a fixed part of each card (`--gpu-memory-utilization`). What weights and work leave of it is the KV cache, of
which one answer of the full context is the least: vLLM does not start with less.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from platform_def.config.pools import NodePool, card_memory_gib, uncut
from platform_def.serving.llm.shapes import BITS, ModelShape, Weights

GIB = 1024**3
PART = 0.9
"""Part of a card's memory that vLLM may take."""
WORK_GIB = 2.0
"""What activations, CUDA graphs and NCCL take of a card beside weights and cache."""
STEP = 1024
"""Contexts that are derived are multiples of this."""


@dataclass(frozen=True)
class Memory:
    """What a model takes of each card, in GiB, and what is left for answers."""

    card: float
    """Memory of the card, or of the device that is a part of one."""
    weights: float
    token: float
    """KV cache of a token."""

    @property
    def cache(self) -> float:
        """What is left for the KV cache; below zero where the weights alone do not fit."""
        return self.card * PART - WORK_GIB - self.weights

    @property
    def tokens(self) -> int:
        """Tokens that the KV cache holds."""
        return max(math.floor(self.cache / self.token), 0)

    def answers(self, context: int) -> int:
        """Answers of the full context that it holds at once."""
        return self.tokens // context

    def longest(self, context: int) -> int:
        """The longest context of which one answer fits, no longer than the model's."""
        return context if self.tokens >= context else self.tokens // STEP * STEP

    def words(self, context: int) -> str:
        """For a person: `weights 15.0 GiB, KV cache 4.6 GiB for 4 answers of 8192 tokens, of 24 GiB a card`."""
        cache = f"KV cache {max(self.cache, 0):.1f} GiB for {self.answers(context)} answers of {context} tokens"
        return f"weights {self.weights:.1f} GiB, {cache}, of {self.card:.0f} GiB a card"


def weights_gib(billions: float, weights: Weights) -> float:
    """What the weights of a model take."""
    return billions * 1e9 * BITS[weights] / 8 / GIB


def memory(
    shape: ModelShape,
    card: float,
    *,
    tensor: int,
    pipeline: int,
    weights: Weights | None = None,
    cache_bits: int = 16,
) -> Memory:
    """What a model takes of a card when its layers are cut into `tensor` parts and dealt to `pipeline` stages.

    Heads of keys and values are shared out as well, down to one for each card; a latent vector is on every card.
    """
    of_model = weights_gib(shape.billions, weights or shape.weights)
    heads = 1 if shape.latent else min(tensor, shape.kv_heads)
    layers = math.ceil(shape.layers / pipeline)
    token = shape.kv_numbers / heads * layers * cache_bits / 8 / GIB
    return Memory(card, of_model / (tensor * pipeline), token)


def device_gib(pool: NodePool, profile: str) -> float | None:
    """Memory of what a pool calls a GPU: a card, or a MIG device; None where it is not known."""
    if profile:
        return float(profile.partition(".")[2].partition("gb")[0])
    if pool.gpu and pool.gpu.mig and len(pool.gpu.mig.profiles) == 1 and not uncut(pool.gpu):
        return device_gib(pool, pool.gpu.mig.profiles[0])
    size = card_memory_gib(pool.gpu) if pool.gpu else None
    return float(size) if size else None
