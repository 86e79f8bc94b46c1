"""Prometheus and what it reads: exporters, alerts, dashboards, the health of nodes."""
