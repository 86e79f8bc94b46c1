"""Workflows, pipelines and what they are made of."""
