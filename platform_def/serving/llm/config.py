"""The parameters of a language model, and what of them cannot be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

from pydantic import Field

from platform_def.capabilities import Metrics, ModelServing
from platform_def.config.model import Image, Model, Name
from platform_def.config.platform import Platform
from platform_def.config.pools import whole_cards
from platform_def.jobs.parameters import Volume
from platform_def.jobs.problem import JobProblem
from platform_def.serving.address import Address, address_problems, scheme
from platform_def.serving.llm.memory import Memory, device_gib, memory, weights_gib
from platform_def.serving.llm.shapes import ModelShape, Weights, billions_in, shape_of
from platform_def.serving.restricted import image_problems
from platform_def.serving.template import Cards, Scaling, ServiceConfig, gateway_of

IMAGE = "docker.io/vllm/vllm-openai:v0.20.0"
KSERVE, LWS = "LLMInferenceService.serving.kserve.io", "LeaderWorkerSet.leaderworkerset.x-k8s.io"
SCALED = "ScaledObject.keda.sh"


class LlmScaling(Scaling):
    """How many replicas serve a language model."""

    waiting: Annotated[int, Field(ge=1, le=10_000)] = 4
    """Requests that wait in the queue of a replica, on average, before there are more replicas."""


class Adapter(Model):
    """A LoRA adapter, which requests choose by its name in place of the model's."""

    name: Name
    """Its name."""
    address: Address
    """Where it is."""


class LlmConfig(ServiceConfig):
    """Parameters of a language model."""

    image: Image | None = None
    """Image with vLLM; by default the preset's of KServe, else upstream's."""
    gpus: Cards = 1
    """GPUs of each pod; by default every layer is cut into as many parts."""
    nodes: Annotated[int, Field(ge=1, le=64)] = 1
    """Pods of a replica, each on a node of its own, by a LeaderWorkerSet; by default as many stages of layers."""
    tensor_parallel: Annotated[int, Field(ge=1, le=1024)] | None = None
    """Parts that every layer is cut into; by default the GPUs of a pod."""
    pipeline_parallel: Annotated[int, Field(ge=1, le=1024)] | None = None
    """Stages that the layers are dealt to; by default the pods of a replica."""
    scaling: LlmScaling | None = None
    """Have KEDA change the number of replicas by the requests that wait."""
    context_length: Annotated[int, Field(ge=1, le=100_000_000)] | None = None
    """Longest prompt with its answer, in tokens; by default the model's, or as much as fits."""
    concurrency: Annotated[int, Field(ge=1, le=10_000)] | None = None
    """Most requests that a replica works at together; by default vLLM's, and the KV cache decides."""
    weights: Weights | None = None
    """In which numbers the weights are, where the address is of another than the model's own: a quantized one."""
    cache: Literal["auto", "fp8"] = "auto"
    """Numbers of the KV cache: 16 bits, or 8 with `fp8`."""
    shape: ModelShape | None = None
    """What decides how much memory it takes; known for many models on Hugging Face."""
    adapters: Annotated[list[Adapter], Field(max_length=100)] = Field(default_factory=list)
    """LoRA adapters."""
    adapter_rank: Literal[8, 16, 32, 64, 128, 256, 512] = 16
    """Highest rank of the adapters."""
    model_cache: Volume | None = None
    """Volume for what is downloaded, so that a new pod finds it there; by default it is downloaded by each pod."""
    access: Literal["people", "everyone"] | None = None
    """Who may call it by the gateway, without KServe: `people` whom the stack's authorization service lets pass, the
    default where there is one, or `everyone`."""

    def by_kserve(self, platform: Platform) -> bool:
        """Whether KServe serves it in this stack."""
        given = platform.maybe(ModelServing)
        return bool(given and given.value.llm)

    def apis(self) -> tuple[str, ...]:
        """Custom resources that the stack must serve for it."""
        scaled = (SCALED,) if self.scaling else ()
        return (*scaled, *((LWS,) if self.nodes > 1 else ()))

    @property
    def most(self) -> int:
        """Most replicas that it ever has."""
        return self.scaling.max if self.scaling else self.replicas

    @property
    def pods(self) -> int:
        """All its pods."""
        return self.most * self.nodes

    @property
    def tensor(self) -> int:
        """Parts of a layer."""
        return self.tensor_parallel or self.gpus * self.nodes // (self.pipeline_parallel or self.nodes)

    @property
    def pipeline(self) -> int:
        """Stages of layers."""
        return self.pipeline_parallel or max(self.gpus * self.nodes // max(self.tensor, 1), 1)

    def mounted(self) -> dict[str, tuple[str, Volume]]:
        """Path in the container and volume, by the volume's name."""
        own = {"model-cache": (self.model_cache.mount or "/models", self.model_cache)} if self.model_cache else {}
        return {**own, **super().mounted()}

    def known_shape(self) -> ModelShape | None:
        """Its shape, where the stack or the table says it."""
        return self.shape or shape_of(self.model)

    def memory_on(self, platform: Platform) -> Memory | None:
        """What it takes of each card; None where shape, pool or card is not known."""
        name, shape = self.pool_name(platform), self.known_shape()
        pool = platform.pool(name) if name else None
        card = device_gib(pool, self.mig_profile or "") if pool else None
        if card is None or shape is None or not self.gpus:
            return None
        bits = 8 if self.cache == "fp8" else 16
        return memory(shape, card, tensor=self.tensor, pipeline=self.pipeline, weights=self.weights, cache_bits=bits)

    def context(self, platform: Platform) -> int | None:
        """The context that vLLM is given; None leaves it to vLLM."""
        found, shape = self.memory_on(platform), self.known_shape()
        if self.context_length or not (found and shape and shape.context):
            return self.context_length
        return found.longest(shape.context) or None

    def derived(self, platform: Platform) -> Mapping[str, tuple[object, str]]:
        """What follows from the model and the cards: context, answers at once."""
        values = {**super().derived(platform)}
        found, context = self.memory_on(platform), self.context(platform)
        if found is None:
            why = "the shape of the model is not known" if self.known_shape() is None else "the cards are not known"
            values["concurrency"] = (None, f"{why}: say `shape:`, and `pool:` with its `gpu:`")
        elif context:
            values["contextLength"] = (context, found.words(context))
            values["concurrency"] = (found.answers(context), f"{found.words(context)}; more wait, or are shorter")
        values["tensorParallel"] = (self.tensor, "GPUs of a replica by its stages")
        values["pipelineParallel"] = (self.pipeline, "pods of a replica")
        return values

    def problems(self, platform: Platform) -> Iterator[JobProblem]:
        """What cannot be: parts that are no cards, a model that does not fit, addresses that nothing fetches."""
        yield from super().problems(platform)
        if not self.gpus:
            yield JobProblem("gpus", "vLLM serves language models on GPUs", "ask for 1 or more")
        elif self.tensor * self.pipeline != self.gpus * self.nodes:
            text = f"{self.tensor} parts of {self.pipeline} stages are {self.tensor * self.pipeline} GPUs, and a "
            text += f"replica has {self.gpus * self.nodes}"
            field = "tensorParallel" if self.tensor_parallel else "pipelineParallel"
            yield JobProblem(field, text, "leave `tensorParallel` and `pipelineParallel` out, or change `gpus`")
        else:
            yield from self._memory_problems(platform)
        name = self.pool_name(platform)
        pool = platform.pool(name) if name else None
        if pool and pool.gpu and not whole_cards(pool) and not pool.gpu.mig:
            text = f"pool {pool.name} shares its cards, and vLLM takes the memory of a whole one"
            yield JobProblem("pool", text, "choose a pool of whole cards or of MIG devices")
        yield from self._scaling_problems(platform)
        yield from self._access_problems(platform)
        for each in self.adapters:
            yield from address_problems("adapters", each.address, platform, self.team)
        yield from self._fetch_problems(platform)
        if self.by_kserve(platform) and self.nodes > 1 and self.pipeline != self.nodes:
            text = f"KServe gives each of the {self.nodes} pods of a replica a stage, not {self.pipeline}"
            yield JobProblem("pipelineParallel", text, "leave `tensorParallel` and `pipelineParallel` out")

    def _memory_problems(self, platform: Platform) -> Iterator[JobProblem]:
        found, shape = self.memory_on(platform), self.known_shape()
        if shape is None:
            yield from self._size_problems(platform)
        if found is None or shape is None:
            return
        context = self.context_length or 1024
        if found.cache <= 0:
            cards = self.gpus * self.nodes
            text = f"its weights are {found.weights * cards:.0f} GiB, {found.weights:.1f} GiB on each of {cards} "
            text += f"cards of {found.card:.0f} GiB: no room is left for a KV cache"
            hint = "use more `gpus` or `nodes`, a pool with larger cards, or quantized `weights`"
            yield JobProblem("model", text, hint)
        elif found.tokens < context:
            text = f"the KV cache has {found.cache:.1f} GiB of each card, which is {found.tokens} tokens: one answer "
            text += f"of {context} does not fit ({found.words(context)})"
            yield JobProblem("contextLength" if self.context_length else "model", text, self._shorter(found))
        elif shape.context and context > shape.context:
            text = f"the model was made for {shape.context} tokens"
            yield JobProblem("contextLength", text, f"write {shape.context} or less")

    def _size_problems(self, platform: Platform) -> Iterator[JobProblem]:
        """Weights that are too large in whichever numbers they are, by the parameters that the model's name says."""
        name, billions = self.pool_name(platform), billions_in(self.model)
        pool = platform.pool(name) if name else None
        card = device_gib(pool, self.mig_profile or "") if pool else None
        if card is None or billions is None:
            return
        cards, least = self.gpus * self.nodes, weights_gib(billions, self.weights or "int4")
        if least > cards * card:
            numbers = f"as {self.weights}" if self.weights else "even at 4 bits"
            text = f"its name says {billions:g} billion parameters, which are {least:.0f} GiB {numbers}; there are "
            text += f"{cards} cards of {card:.0f} GiB"
            yield JobProblem("model", text, "use more `gpus` or `nodes`, or say its `shape:` where the name misleads")

    def _shorter(self, found: Memory) -> str:
        longest = found.longest(self.context_length or 0)
        return f"write {longest} or less, `cache: fp8`, or use more `gpus`" if longest else "use more `gpus`"

    def _scaling_problems(self, platform: Platform) -> Iterator[JobProblem]:
        if self.scaling is None:
            return
        given = platform.maybe(Metrics)
        if given is None or not given.value.address:
            text = "KEDA asks Prometheus how many requests wait, and the stack has none with an address"
            yield JobProblem("scaling", text, "add `prometheus: {}` under components, or name one under `external:`")
        if self.scaling.min == 0:
            text = "nothing counts requests while no replica runs, so it would never start again"
            yield JobProblem("scaling", text, "write `min: 1`")

    def _access_problems(self, platform: Platform) -> Iterator[JobProblem]:
        if self.access and self.by_kserve(platform):
            text = "KServe says for all models who may call them by the gateway"
            yield JobProblem("access", text, "write `access:` under KServe's component, and leave it out here")
        elif self.access and not (self.public and gateway_of(platform)):
            yield JobProblem("access", "it is not reached by a gateway", "leave `access` out")

    def _fetch_problems(self, platform: Platform) -> Iterator[JobProblem]:
        """What only KServe fetches, and what the team refuses of how it does."""
        named = [("model", self.model), *(("adapters", each.address) for each in self.adapters)]
        for field, address in named:
            if self.by_kserve(platform):
                yield from image_problems(field, address, self, platform)
            elif scheme(address) not in ("hf", "pvc"):
                text = f"without KServe a model comes from Hugging Face or a volume, not from {address}"
                hint = "write hf://owner/name or pvc://claim/path, or add `kserve: {llm: {}}` under components"
                yield JobProblem(field, text, hint)
