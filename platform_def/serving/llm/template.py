"""The template `llm`: KServe's LLM service where the stack has it, else vLLM by itself."""

from __future__ import annotations

from platform_def.jobs.pods.volumes import make_claims
from platform_def.serving.access import make_policy
from platform_def.serving.llm.config import LlmConfig
from platform_def.serving.llm.kserve import by_kserve, pods_of
from platform_def.serving.llm.plain import plain, selector
from platform_def.serving.template import ServedModel


class Llm(ServedModel[LlmConfig]):
    """A language model with an OpenAI API, by vLLM."""

    def build(self) -> None:
        """Claims, the policy for callers, and what serves the model."""
        served = self.config.by_kserve(self.platform)
        make_claims(self)
        make_policy(self, pods_of(self.config.name) if served else selector(self))
        (by_kserve if served else plain)(self)
