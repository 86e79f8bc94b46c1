"""Serving: what answers requests with trained models."""
