"""Rendered stacks: objects with where each came from, and what can be asked about them without a cluster."""
