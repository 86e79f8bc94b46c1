"""The shapes of well-known language models: what their weights and their KV caches take.

From `config.json` (num_hidden_layers, num_key_value_heads, head_dim, max_position_embeddings) in the repository of each
model on Hugging Face, and the number of parameters that its page says. DeepSeek's V3 keeps one latent vector of 576
numbers (kv_lora_rank and qk_rope_head_dim) for each token and layer in place of heads.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

from pydantic import Field

from platform_def.config.model import Model

Weights = Literal["float32", "bfloat16", "float16", "fp8", "int8", "mxfp4", "int4"]
BITS: Mapping[Weights, float] = {
    "float32": 32,
    "bfloat16": 16,
    "float16": 16,
    "fp8": 8,
    "int8": 8,
    "mxfp4": 4.75,  # 4 bits and a scale for each 32, and layers that stay in bfloat16
    "int4": 4.75,  # 4 bits and a scale for each 128, and embeddings in float16
}
"""Bits of a parameter, with what quantized formats keep beside."""


class ModelShape(Model):
    """What decides how much memory a language model takes."""

    billions: Annotated[float, Field(gt=0, le=10_000)]
    """Parameters, in billions."""
    layers: Annotated[int, Field(ge=1, le=1000)]
    """Layers (`num_hidden_layers`)."""
    kv_heads: Annotated[int, Field(ge=1, le=1000)]
    """Heads of keys and values (`num_key_value_heads`)."""
    head_size: Annotated[int, Field(ge=1, le=10_000)]
    """Numbers of a head (`head_dim`, or `hidden_size` divided by `num_attention_heads`)."""
    context: Annotated[int, Field(ge=1, le=100_000_000)] | None = None
    """Longest context that it was made for, in tokens (`max_position_embeddings`)."""
    weights: Weights = "bfloat16"
    """In which numbers its weights are stored."""
    latent: bool = False
    """Whether one vector of `headSize` serves keys and values of all heads, as in DeepSeek's models."""

    @property
    def kv_numbers(self) -> int:
        """Numbers that the KV cache holds for a token and a layer."""
        return self.head_size if self.latent else 2 * self.kv_heads * self.head_size


def _rows() -> Iterator[tuple[str, float, int, int, int, int]]:
    """Name, billions of parameters, layers, heads of keys and values, their size, context."""
    yield from (
        ("deepseek-ai/deepseek-r1-distill-llama-70b", 70.55, 80, 8, 128, 131_072),
        ("deepseek-ai/deepseek-r1-distill-llama-8b", 8.03, 32, 8, 128, 131_072),
        ("google/gemma-2-27b-it", 27.23, 46, 16, 128, 8_192),
        ("google/gemma-2-9b-it", 9.24, 42, 8, 256, 8_192),
        ("meta-llama/llama-3.1-405b-instruct", 405.85, 126, 8, 128, 131_072),
        ("meta-llama/llama-3.1-70b-instruct", 70.55, 80, 8, 128, 131_072),
        ("meta-llama/llama-3.1-8b-instruct", 8.03, 32, 8, 128, 131_072),
        ("meta-llama/llama-3.2-1b-instruct", 1.24, 16, 8, 64, 131_072),
        ("meta-llama/llama-3.2-3b-instruct", 3.21, 28, 8, 128, 131_072),
        ("meta-llama/llama-3.3-70b-instruct", 70.55, 80, 8, 128, 131_072),
        ("microsoft/phi-4", 14.66, 40, 10, 128, 16_384),
        ("mistralai/mistral-7b-instruct-v0.3", 7.25, 32, 8, 128, 32_768),
        ("mistralai/mistral-small-24b-instruct-2501", 23.57, 40, 8, 128, 32_768),
        ("mistralai/mixtral-8x22b-instruct-v0.1", 140.62, 56, 8, 128, 65_536),
        ("mistralai/mixtral-8x7b-instruct-v0.1", 46.70, 32, 8, 128, 32_768),
        ("qwen/qwen2.5-0.5b-instruct", 0.49, 24, 2, 64, 32_768),
        ("qwen/qwen2.5-1.5b-instruct", 1.54, 28, 2, 128, 32_768),
        ("qwen/qwen2.5-14b-instruct", 14.77, 48, 8, 128, 32_768),
        ("qwen/qwen2.5-32b-instruct", 32.76, 64, 8, 128, 32_768),
        ("qwen/qwen2.5-72b-instruct", 72.71, 80, 8, 128, 32_768),
        ("qwen/qwen2.5-7b-instruct", 7.62, 28, 4, 128, 32_768),
        ("qwen/qwen2.5-coder-32b-instruct", 32.76, 64, 8, 128, 32_768),
        ("qwen/qwen3-14b", 14.77, 40, 8, 128, 40_960),
        ("qwen/qwen3-235b-a22b", 235.09, 94, 4, 128, 40_960),
        ("qwen/qwen3-30b-a3b", 30.53, 48, 4, 128, 40_960),
        ("qwen/qwen3-32b", 32.76, 64, 8, 128, 40_960),
        ("qwen/qwen3-4b", 4.02, 36, 8, 128, 40_960),
        ("qwen/qwen3-8b", 8.19, 36, 8, 128, 40_960),
    )


KNOWN: Mapping[str, ModelShape] = {
    name: ModelShape(billions=billions, layers=layers, kv_heads=heads, head_size=size, context=context)
    for name, billions, layers, heads, size, context in _rows()
} | {
    **{
        f"deepseek-ai/deepseek-{name}": ModelShape(
            billions=671, layers=61, kv_heads=1, head_size=576, context=163_840, weights="fp8", latent=True
        )
        for name in ("v3", "r1")
    },
    "openai/gpt-oss-120b": ModelShape(
        billions=116.8, layers=36, kv_heads=8, head_size=64, context=131_072, weights="mxfp4"
    ),
    "openai/gpt-oss-20b": ModelShape(
        billions=20.9, layers=24, kv_heads=8, head_size=64, context=131_072, weights="mxfp4"
    ),
}
"""Shapes by repository, in lower case: Hugging Face takes both."""


_QUANTIZED: tuple[tuple[str, Weights], ...] = (
    ("-awq", "int4"),
    ("-fp8", "fp8"),
    ("-gptq-int4", "int4"),
    ("-gptq-int8", "int8"),
)
"""How publishers end the names of the same model in other numbers."""
_BILLIONS = re.compile(r"(?<![a-z0-9.])(?:(\d+)x)?(\d+(?:\.\d+)?)b(?![a-z0-9])")


def shape_of(address: str) -> ModelShape | None:
    """The shape of a model by its address on Hugging Face; None for others. Base models have that of the tuned one."""
    name = _name(address)
    for ending, weights in _QUANTIZED:
        if name.endswith(ending) and (plain := shape_of(name.removesuffix(ending))):
            return plain.model_copy(update={"weights": weights})
    return KNOWN.get(name) or KNOWN.get(f"{name}-instruct")


def billions_in(address: str) -> float | None:
    """Billions of parameters that a model's name says; None where it says none, or only how many are active."""
    if not address.startswith("hf://"):
        return None
    name = _name(address).rpartition("/")[2]
    found = [float(size) for several, size in _BILLIONS.findall(name) if not several]
    return max(found, default=None)


def _name(address: str) -> str:
    return address.removeprefix("hf://").partition(":")[0].lower()
