"""Metrics server: CPU and memory for `kubectl top` and autoscalers."""
