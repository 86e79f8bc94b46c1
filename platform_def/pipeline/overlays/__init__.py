"""Overlays: patches of the user, and the objects that they touch."""
