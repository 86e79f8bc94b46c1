"""Real GitOps engines on the control plane of the cluster tests, from Git to objects."""
