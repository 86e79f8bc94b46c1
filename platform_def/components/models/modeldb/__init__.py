"""ModelDB: a legacy record of models, data and metrics."""
