"""Istio's CNI plugin: leads the traffic of pods in the mesh to their proxies, from the node."""
