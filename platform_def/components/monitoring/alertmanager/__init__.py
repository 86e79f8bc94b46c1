"""Alertmanager: alerts on their way to people."""
