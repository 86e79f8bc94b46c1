"""Notebooks: the hub, Kubeflow's controllers with their web applications, and defaults of pods."""
