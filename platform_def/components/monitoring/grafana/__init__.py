"""Grafana: dashboards over the metrics of a stack."""
