"""Namespaces, and what those of teams hold beside the teams' own."""
