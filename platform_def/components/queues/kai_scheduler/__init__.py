"""The KAI scheduler."""
