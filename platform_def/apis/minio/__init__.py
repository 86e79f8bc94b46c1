"""Types of MinIO's operator."""
