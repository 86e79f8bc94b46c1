"""KServe: models as services."""
