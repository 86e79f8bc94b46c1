"""Programs of Spark."""
