"""Alerts and dashboards of a component, held against the metrics that its exporter has."""
