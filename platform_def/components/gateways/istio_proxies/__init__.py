"""What Istio's control plane and its gateways share: the pods of proxies."""
