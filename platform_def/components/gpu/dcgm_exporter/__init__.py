"""DCGM exporter: metrics of GPUs."""
