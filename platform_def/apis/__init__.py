"""API types: every custom resource as TypedDicts, from which its CRD comes, and the core kinds in the same form."""
