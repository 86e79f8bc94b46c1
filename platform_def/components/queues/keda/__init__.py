"""KEDA: pods by the length of queues."""
