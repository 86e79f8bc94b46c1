"""NVIDIA's device plugin."""
