"""llm-d router: kinds by which requests for language models are told apart."""
