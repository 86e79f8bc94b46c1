"""Kubeflow's model registry: names, versions and addresses of models, for each team its own."""
