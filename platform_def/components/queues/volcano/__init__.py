"""Volcano: jobs start whole or not at all, on nodes that are in use already, within the queues of their teams."""
