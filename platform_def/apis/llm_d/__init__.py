"""llm-d: kinds by which its router tells requests apart."""
