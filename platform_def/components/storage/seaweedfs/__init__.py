"""SeaweedFS, an object store."""
