"""Spark operator: runs programs of Spark as a driver and its executors."""
