"""MLflow: records runs, and keeps models with their versions."""
