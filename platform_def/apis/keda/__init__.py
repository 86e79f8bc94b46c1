"""KEDA."""
