"""Argo Workflows: runs of steps, each of them a pod."""
