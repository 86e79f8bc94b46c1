"""Prometheus: metrics of the cluster."""
