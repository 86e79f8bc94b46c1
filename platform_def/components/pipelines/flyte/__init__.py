"""Flyte: workflows of typed tasks."""
