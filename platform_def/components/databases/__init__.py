"""Servers that keep what other components know: SQL databases."""
