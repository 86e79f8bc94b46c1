"""Operators that run training jobs."""
