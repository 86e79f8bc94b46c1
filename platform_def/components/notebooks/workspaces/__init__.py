"""Kubeflow's notebooks 2.0, a preview: workspaces of kinds that administrators define."""
