"""Argo CD: the engine of `delivery: {engine: argocd}`, its programs and their settings."""
