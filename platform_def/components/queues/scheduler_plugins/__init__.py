"""Scheduler plugins: a kube-scheduler beside the cluster's own that gives all pods of a gang their nodes, or none."""
