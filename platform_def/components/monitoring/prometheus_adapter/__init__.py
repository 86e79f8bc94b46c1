"""Prometheus adapter: the same from Prometheus."""
