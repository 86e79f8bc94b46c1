"""Istio's control plane."""
