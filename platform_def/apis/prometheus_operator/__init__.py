"""Types of the Prometheus operator."""
