"""cert-manager."""
