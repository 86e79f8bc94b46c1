"""Kueue: queues, quotas and the order in which jobs start."""
