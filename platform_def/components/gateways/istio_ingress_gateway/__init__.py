"""Istio's ingress gateway: the Envoy that brings traffic from outside to components' routes."""
