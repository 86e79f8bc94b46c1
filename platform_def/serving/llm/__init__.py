"""The template `llm`: language models by vLLM, with the memory that they need counted beforehand."""
