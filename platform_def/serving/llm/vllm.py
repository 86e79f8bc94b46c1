"""How vLLM is started: its arguments by what the stack says, the same under KServe and without it.

The names are those of vLLM 0.20; several nodes meet by its own processes (`--nnodes`, `--node-rank`, `--master-addr`),
without Ray.
"""

from __future__ import annotations

from collections.abc import Iterator

from platform_def.apis.core.core_v1 import PodSpec
from platform_def.config.platform import Platform
from platform_def.serving.address import claim_in, scheme
from platform_def.serving.llm.config import LlmConfig
from platform_def.serving.llm.memory import PART

PORT = 8000
MODEL, ADAPTERS = "/mnt/models", "/adapters"
"""Where a model and adapters on volumes are mounted."""
COMMAND = ["vllm", "serve"]
MEMORY = "platform-def/gpu-memory"
"""Annotation that says what the model takes of each card."""


def unlink(pod: PodSpec) -> None:
    """Have the kubelet make no variables of Services: one called `vllm` gives VLLM_PORT, which vLLM reads as its own
    port (vllm/envs.py)."""
    pod["enableServiceLinks"] = False


def notes(config: LlmConfig, platform: Platform) -> dict[str, str]:
    """What the object that serves the model says of its memory, as far as it is known."""
    found, context = config.memory_on(platform), config.context(platform)
    return {MEMORY: found.words(context)} if found and context else {}


def tuning(config: LlmConfig, platform: Platform) -> Iterator[str]:
    """What decides memory and speed."""
    yield f"--gpu-memory-utilization={PART}"
    if context := config.context(platform):
        yield f"--max-model-len={context}"
    if config.concurrency:
        yield f"--max-num-seqs={config.concurrency}"
    if config.cache != "auto":
        yield f"--kv-cache-dtype={config.cache}"


def parallel(config: LlmConfig) -> Iterator[str]:
    """How the model is spread over the cards of a pod, and over pods."""
    if config.tensor > 1:
        yield f"--tensor-parallel-size={config.tensor}"
    if config.pipeline > 1:
        yield f"--pipeline-parallel-size={config.pipeline}"


def meeting(config: LlmConfig, *, leads: bool) -> Iterator[str]:
    """How the pods of a replica find each other; LeaderWorkerSet gives each of them these variables."""
    yield "--distributed-executor-backend=mp"
    yield f"--nnodes={config.nodes}"
    yield "--node-rank=$(LWS_WORKER_INDEX)"
    yield "--master-addr=$(LWS_LEADER_ADDRESS)"
    if not leads:
        yield "--headless"


def model_of(config: LlmConfig) -> str:
    """What vLLM is told to load: a repository of Hugging Face, or a folder."""
    return config.model.removeprefix("hf://") if scheme(config.model) == "hf" else MODEL


def adapters(config: LlmConfig) -> Iterator[str]:
    """LoRA adapters by the names that requests use."""
    if not config.adapters:
        return
    yield "--enable-lora"
    yield f"--max-loras={len(config.adapters)}"
    yield f"--max-lora-rank={config.adapter_rank}"
    yield "--lora-modules"
    for each in config.adapters:
        place = each.address.removeprefix("hf://") if scheme(each.address) == "hf" else f"{ADAPTERS}/{each.name}"
        yield f"{each.name}={place}"


def claims(config: LlmConfig) -> Iterator[tuple[str, str, str, str]]:
    """Claims that hold the model and its adapters: name of the volume, claim, path on it, where it is mounted."""
    further = [(f"adapter-{each.name}", each.address, f"{ADAPTERS}/{each.name}") for each in config.adapters]
    for name, address, place in [("model", config.model, MODEL), *further]:
        claim, path = claim_in(address)
        if claim:
            yield name, claim, path, place
