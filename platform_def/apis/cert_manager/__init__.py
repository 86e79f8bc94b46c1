"""Types of cert-manager."""
