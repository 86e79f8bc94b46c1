"""Prometheus operator: the servers of a stack."""
