"""llm-d router: kinds by which requests for language models are classified."""
