"""NVIDIA's DRA driver."""
