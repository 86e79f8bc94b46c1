"""Exit codes that are no error's own."""

INTERRUPTED = 130
"""Ctrl-C: 128 and the number of the signal, as shells have it."""
