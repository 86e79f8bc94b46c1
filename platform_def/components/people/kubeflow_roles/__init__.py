"""Roles for people who share the cluster."""
