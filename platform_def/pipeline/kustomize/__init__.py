"""Kustomizations of the user: what they may say, and the one place that has kustomize build them."""
