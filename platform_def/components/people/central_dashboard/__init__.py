"""Kubeflow's dashboard: one page from which people reach what the stack has."""
