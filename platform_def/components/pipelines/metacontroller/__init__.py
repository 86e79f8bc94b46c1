"""Metacontroller."""
