"""Spartakus: would report the size of a cluster to Kubeflow's project; retired."""
