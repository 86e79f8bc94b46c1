"""Knative Serving: services that scale with their requests."""
