"""From API types to CRDs and back: what an API is, its schema, the index of all, importer, examples. No types."""
