"""NVIDIA's GPU operator."""
