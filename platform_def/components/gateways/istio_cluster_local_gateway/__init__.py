"""Istio's cluster-local gateway: pods reach routes through it without leaving the cluster, as Knative asks."""
