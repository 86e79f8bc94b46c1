"""Kubeflow Pipelines."""
