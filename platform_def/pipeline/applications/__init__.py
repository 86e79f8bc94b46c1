"""Manifests that this tool did not make: the user's own folders, and files that `check -f` is given."""
