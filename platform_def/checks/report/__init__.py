"""Writers of findings, one format a module."""
